# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.running.naming``: how often a failure names a rule that is broken.

Planted schedulers are drawn with a fixed seed. Of each the test that kills it in the kill matrix is run, and the
rules that its failure names are held against those that the planted one states. Every second one is of the half
``unseen``, at which nobody looks while the attribution is worked on.
"""

from __future__ import annotations

import json
import random
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from attrs import asdict, frozen

from conformance.strategies import AREAS
from conformance.wrong.running import matrix
from conformance.wrong.running.killing import connect_wrong
from conformance.wrong.running.profile import SEED, SuiteTest, histories_of, suite_tests
from refsched.mistakes.wrong import all_wrong
from refsched.suite.breaking.explaining import explained_in_child
from refsched.suite.histories.history import History
from refsched.suite.session.check import Checking, Evidence, RuleBrokenError
from refsched.suite.session.drawing import drawn, load_profile
from refsched.suite.session.further import by_turns, came_in, further
from refsched.suite.session.standard import StandardBench
from refsched.suite.session.variations import variations

HALVES = ("worked", "unseen")

BEFORE = 24
"""So many examples up to the one that kills are tried: those that the suite keeps to compare them again."""


MUCH = 600.0
"""Seconds that further histories may take: as many as there are."""


@frozen
class Named:
    """What the failure of one planted scheduler names, the first rule first; nothing where it has not failed."""

    wrong: str
    breaks: Sequence[str]
    rules: Sequence[str]
    member: str = ""
    expected: str = ""
    got: str = ""
    steps: Sequence[str] = ()

    @property
    def is_first(self) -> bool:
        return bool(self.rules) and self.rules[0] in self.breaks

    @property
    def is_among(self) -> bool:
        return any(rule in self.breaks for rule in self.rules)


@contextmanager
def checking_of(name: str) -> Iterator[Checking]:
    """The suite's check of this wrong scheduler, in which every rule counts that is broken."""
    load_profile()
    bench = StandardBench()
    places = {rule: place for place, rule in enumerate(bench.rules)}
    with connect_wrong(name) as adapter:
        yield Checking(
            lambda history: bench.judge(adapter, history),
            lambda history: bench.begin(adapter, history),
            places.__getitem__,
            lambda rule: True,
        )


def shown(name: str, test: SuiteTest, example: int = 0) -> Evidence:
    """What this test, as it is by default, shows of this wrong scheduler. With ``example``, the number of the one
    that kills it, the test begins shortly before that one, and only leaves steps out, which takes less time than
    Hypothesis does to make a history small. ValueError where nothing is shown."""
    with checking_of(name) as checking:
        checking.explain = partial(explained_in_child, without=(name,))
        checking.more = lambda smallest: by_turns(
            came_in(checking.judge, variations(smallest), MUCH),
            came_in(checking.judge, _further(test.area), MUCH),
        )

        def check(history: History) -> None:
            checking(history)

        try:
            if test.draws and not example:
                drawn(check, AREAS[test.area](), examples=test.examples, seed="0", name=test.name)()
            for history in histories_of(test)[max(0, example - BEFORE) :]:
                check(history)
        except RuleBrokenError as broken:
            with suppress(RuleBrokenError):
                checking.settle(broken)
            return checking.evidence[checking.target or ""]
    raise ValueError(f"{test.name} shows nothing of {name}")


@cache
def _further(area: str) -> Sequence[History]:
    return further(AREAS[area](), SEED, area) if area in AREAS else ()


def named(name: str, *, shrinks: bool) -> Named:
    fate = matrix.read(matrix.FILE)[name].suite
    breaks = all_wrong()[name].breaks
    by_name = {test.name: test for test in suite_tests()}
    if fate.kill is None or fate.kill.test not in by_name:
        return Named(name, breaks, ())
    try:
        found = shown(name, by_name[fate.kill.test], 0 if shrinks else fate.kill.examples)
    except ValueError:
        return Named(name, breaks, ())
    finding = found.finding
    return Named(
        name,
        breaks,
        (finding.rule, *finding.also),
        finding.member,
        str(finding.expected),
        str(finding.got),
        [str(step) for step in found.judgement.history.steps],
    )


def sample(number: int, half: str) -> list[str]:
    """The names of one half of so many planted schedulers."""
    drawn = random.Random(0).sample(sorted(all_wrong()), number)
    return drawn[HALVES.index(half) :: 2]


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    names = options.names or sample(options.sample, options.half)
    with get_context("fork").Pool(options.jobs) as pool:
        results = [_printed(one) for one in pool.imap(partial(named, shrinks=options.shrink), names)]
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(one) for one in results], indent=1) + "\n", "utf-8")
    failed = [one for one in results if one.rules]
    first, among = sum(one.is_first for one in failed), sum(one.is_among for one in failed)
    print(f"{len(failed)} of {len(results)} failed; right first {first}, among three {among}")
    return 0


def _printed(one: Named) -> Named:
    place = "first" if one.is_first else "among" if one.is_among else "other"
    breaks, rules = " ".join(one.breaks), " ".join(one.rules)
    print(f"{place}  {one.wrong}  breaks {breaks}  named {rules}  at {one.member}", flush=True)
    return one


def _options(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="python -m conformance.wrong.running.naming", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a planted scheduler; a sample without any")
    parser.add_argument("--sample", type=int, default=80, help="how many are drawn, both halves together")
    parser.add_argument("--half", choices=HALVES, default="worked")
    parser.add_argument("--shrink", action="store_true", help="let Hypothesis make each history small")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write what was named, and by which history")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
