# SPDX-License-Identifier: Apache-2.0
"""Choosing: which of many drawn histories every run of the suite tries, besides those that it draws itself.

    python -m conformance.campaigns.choosing --seeds 9601-9620

Most mistakes show where rules meet. The specification runs what the suite draws with each of these seeds. Two
rules that apply in the same step of a history have met there. A pair of rules is worth the share of the seeds with
which it never meets, since that is how often a run of the suite misses it. One history after the other is chosen,
always the one whose pairs that have not met in a chosen one are worth the most for each of its steps.

``conformance/chosen`` has what was chosen, to which ``python -m conformance.wrong choose`` adds what shows planted
mistakes that none of these shows. Whoever changes what is chosen judges every kube-scheduler by it
(``pytest conformance/ --impl=kube-scheduler:v1.19``, and so on) before anybody else is.
"""

from __future__ import annotations

import heapq
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations_with_replacement

import click
from attrs import frozen

from conformance.campaigns.options import read_seeds
from conformance.chosen import FOLDER, line_of, write_lines
from conformance.machines import machines, sharing
from conformance.wrong.profile import drawn_histories
from conformance.wrong.trying import applicable_tests
from refsched.releases import DEFAULT, RELEASES, release_of
from refsched.rules import listening
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.histories.configuration import can_be_configured_for
from refsched.suite.histories.history import History
from refsched.suite.histories.trial import Trial

OFTEN = 3
"""What meets in more histories of one seed than this is missed by few others, and is not looked at."""

Pair = tuple[str, str]


@frozen
class Candidate:
    """A Candidate is a history that a test has drawn, as a line of JSON, and the pairs that seldom meet and do
    here."""

    test: str
    line: str
    steps: int
    pairs: frozenset[Pair]


@frozen
class Drawing:
    """A Drawing is what came of one seed: the pairs of rules that met, and the histories in which some did that
    seldom do."""

    met: frozenset[Pair]
    candidates: tuple[Candidate, ...]


def draw(kubernetes: str, seed: int) -> Drawing:
    """Returns what meets in the histories that the suite draws with this seed, in this release."""
    drawn: list[tuple[str, History, frozenset[Pair]]] = []
    with connect(f"{REFERENCE}:{kubernetes}") as adapter:
        release = release_of(kubernetes)
        for test in applicable_tests(adapter):
            if not test.draws or test.declared is None or test.declared.machine is not None:
                continue
            for history in drawn_histories(test, str(seed), test.examples):
                if can_be_configured_for(history.config, release):
                    drawn.append((test.name, history, meeting(adapter, history)))
    often = Counter(pair for _, _, pairs in drawn for pair in pairs)
    seldom = {pair for pair, times in often.items() if times <= OFTEN}
    return Drawing(
        frozenset(often),
        tuple(
            Candidate(test, line_of(history), len(history.steps), pairs & seldom)
            for test, history, pairs in drawn
            if not pairs.isdisjoint(seldom)
        ),
    )


def meeting(adapter: Adapter, history: History) -> frozenset[Pair]:
    """Returns the pairs of rules that apply in the same step of the history; none if it does not come to its end.
    A rule meets itself."""
    met: set[Pair] = set()
    heard: set[str] = set()
    with listening(heard.add):
        trial = Trial(adapter, history, with_specification=False)
        for step in history.steps:
            heard.clear()
            trial.take(step)
            met.update(combinations_with_replacement(sorted(heard), 2))
    return frozenset() if trial.judgement.ended else frozenset(met)


def choose(drawings: Sequence[Drawing], histories: int) -> list[Candidate]:
    """Returns at most this many candidates, the best first."""
    seeds_with = Counter(pair for drawing in drawings for pair in drawing.met)
    worth = {pair: 1 - seeds / len(drawings) for pair, seeds in seeds_with.items() if seeds < len(drawings)}
    candidates = [candidate for drawing in drawings for candidate in drawing.candidates]

    def worth_of(candidate: Candidate) -> float:
        return sum(worth.get(pair, 0.0) for pair in sorted(candidate.pairs)) / max(1, candidate.steps)

    ranked = [(-worth_of(candidate), place) for place, candidate in enumerate(candidates)]
    heapq.heapify(ranked)
    chosen: list[Candidate] = []
    while ranked and len(chosen) < histories:
        _, place = heapq.heappop(ranked)
        now = -worth_of(candidates[place])
        if ranked and (now, place) > ranked[0]:
            heapq.heappush(ranked, (now, place))
            continue
        if not now:
            break
        chosen.append(candidates[place])
        for pair in candidates[place].pairs:
            worth.pop(pair, None)
    return chosen


def write(chosen: Iterable[Candidate]) -> None:
    """Writes the histories, and removes those that were chosen before."""
    for path in FOLDER.glob("*.jsonl.gz"):
        path.unlink()
    write_lines((candidate.test, candidate.line) for candidate in chosen)


@click.command()
@click.option("--seeds", callback=read_seeds, required=True, metavar="FIRST[-LAST]", help="What is drawn.")
@click.option(
    "--histories", type=click.IntRange(1), default=500, show_default=True, help="How many are chosen at most."
)
@click.option(
    "--release", "kubernetes", type=click.Choice(tuple(RELEASES)), default=DEFAULT.name, show_default=True
)
@sharing
def main(seeds: list[int], histories: int, kubernetes: str, workers: int, scheduler: str | None) -> None:
    """Choose histories of those that the suite draws with these seeds, and write them."""
    with machines(workers, scheduler) as each:
        drawings = list(_reported(each(partial(draw, kubernetes), seeds), seeds))
    chosen = choose(drawings, histories)
    if not chosen:
        raise click.UsageError("no two rules meet with some of these seeds and do not with others")
    write(chosen)
    met = frozenset().union(*(candidate.pairs for candidate in chosen))
    click.echo(f"{len(chosen)} histories of {len({one.test for one in chosen})} tests, with {len(met)} pairs")


def _reported(drawings: Iterator[Drawing], seeds: Sequence[int]) -> Iterator[Drawing]:
    for seed, drawing in zip(seeds, drawings, strict=True):
        click.echo(f"seed {seed}: {len(drawing.met)} pairs", err=True)
        yield drawing


if __name__ == "__main__":
    sys.exit(main())
