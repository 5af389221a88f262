# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong naming``: how often a failure names a rule that is broken.

Planted schedulers are drawn with a fixed seed. Of each the test that kills it in the kill matrix is run, and the
rules that its failure names are held against those that the planted one states. Every second one is of the half
``unseen``, which is kept for the last measurement.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from random import Random

from attrs import asdict, frozen

from conformance.strategies import AREAS
from conformance.wrong import evidence
from conformance.wrong.kinds import connect_wrong
from conformance.wrong.options import check_names
from conformance.wrong.profile import SEED, SuiteTest, histories_of, suite_tests
from conformance.wrong.running import shared
from refsched.mistakes.wrong import all_wrong
from refsched.suite.breaking.explaining import explained_in_child
from refsched.suite.histories.history import History
from refsched.suite.session.check import Checking, Counterexample, RuleBrokenError
from refsched.suite.session.drawing import drawn, load_profile
from refsched.suite.session.further_histories import by_turns, came_in, further
from refsched.suite.session.order_of_rules import place_in_catalogue
from refsched.suite.session.standard import StandardBench
from refsched.suite.session.variations import variations

HALVES = ("worked", "unseen")

BEFORE = 24
"""Examples before the one that kills that are tried too, so that the suite has others to compare with it."""

MUCH = 600.0
"""Seconds within which further histories are tried, which are never used up."""


@frozen
class Named:
    """A Named is what the failure of one planted scheduler names, the first rule first. ``rules`` are empty if
    it has not failed."""

    wrong: str
    breaks: Sequence[str]
    rules: Sequence[str]
    member: str = ""
    expected: str = ""
    got: str = ""
    steps: Sequence[str] = ()

    @property
    def is_first(self) -> bool:
        """Returns whether the first rule that is named is one that is broken."""
        return bool(self.rules) and self.rules[0] in self.breaks

    @property
    def is_among(self) -> bool:
        """Returns whether some rule that is named is one that is broken."""
        return any(rule in self.breaks for rule in self.rules)


@contextmanager
def checking_of(name: str) -> Iterator[Checking]:
    """Yields the suite's check of this wrong scheduler, in which every rule counts that is broken."""
    load_profile()
    bench = StandardBench()
    with connect_wrong(name) as adapter:
        yield Checking(
            lambda history: bench.judge(adapter, history),
            lambda history: bench.begin(adapter, history),
            place_in_catalogue,
            lambda rule: True,
        )


def shown(name: str, test: SuiteTest, example: int = 0) -> Counterexample:
    """Returns what this test, as it is by default, shows of this wrong scheduler. With ``example``, the number
    of the one that kills it, the test begins shortly before that one, and only leaves steps out, which takes
    less time than Hypothesis does to make a history small. Raises ValueError if nothing is shown."""
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
            return checking.counterexamples[checking.target or ""]
    raise ValueError(f"{test.name} shows nothing of {name}")


@cache
def _further(area: str) -> Sequence[History]:
    return further(AREAS[area](), SEED, area) if area in AREAS else ()


def named(name: str, *, shrinks: bool) -> Named:
    """Returns what the failure of this planted scheduler names, of the test that kills it in the evidence."""
    row = evidence.read().planted[name]
    breaks = all_wrong()[name].breaks
    by_name = {test.name: test for test in suite_tests()}
    test = by_name.get(f"conformance.{row.test}")
    if test is None:
        return Named(name, breaks, ())
    try:
        found = shown(name, test, 0 if shrinks else row.examples)
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
    """Returns the names of one half of this many planted schedulers."""
    drawn = Random(0).sample(sorted(all_wrong()), number)
    return drawn[HALVES.index(half) :: 2]


def main(options: Namespace) -> int:
    check_names(options.names, evidence.read().planted, "planted scheduler that was tried")
    names = options.names or sample(options.sample, options.half)
    with shared(options, names) as each:
        results = [_printed(one) for one in each(partial(named, shrinks=options.shrink), names)]
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
