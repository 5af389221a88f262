# SPDX-License-Identifier: Apache-2.0
"""The default profile runs against one wrong scheduler until something is found wrong.

What the profile draws does not depend on answers, so that this finds what pytest would find. The tests of the
areas nearest to the mistake run first, and the number of examples and seconds is theirs. Three figures are kept:
killed by anything, by the invariants alone, and by the recordings alone.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from itertools import islice

from attrs import frozen

from conformance.wrong.configured import all_configured, connect_configured
from conformance.wrong.running.profile import SuiteTest, histories_of, suite_tests
from refsched.mistakes.wrong import all_wrong
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.adapters.selection import EVERYTHING, read_selection
from refsched.suite.histories.findings import Finding
from refsched.suite.histories.judge import ANSWERS
from refsched.suite.histories.trial import try_history
from refsched.suite.session.dependence import by_cause
from refsched.suite.session.runner import About
from refsched.suite.session.standard import StandardBench

TIMEOUT = 30.0
"""Seconds for one answer."""

ALONE = 100
"""So many of the nearest histories are tried with the invariants alone, and with recordings alone."""

Tests = Sequence[SuiteTest]


@frozen
class Kill:
    """``examples`` of ``test`` were run, the last of which showed that ``rule`` is broken. ``seconds`` counts the
    tests before it too."""

    test: str
    rule: str
    member: str
    examples: int
    seconds: float


@frozen
class Attack:
    """What came of some tests. A crash or a timeout is no kill: ``faults`` counts them, and says the first."""

    kill: Kill | None
    examples: int
    seconds: float
    faults: int = 0
    first_fault: str = ""


@frozen
class Fate:
    """What became of one wrong scheduler: in the whole default profile, and in the first of those of its tests
    that are near, judged by the invariants alone, or being recordings."""

    name: str
    suite: Attack
    invariants: Attack
    recordings: Attack


NOT_TRIED = Attack(None, 0, 0.0)


def fate_of(name: str, nearest: Sequence[str], *, alone: bool = True, profile: str = "") -> Fate:
    """``nearest`` are areas, of what is drawn and of recordings; their tests come first. Without ``alone`` neither
    invariants nor recordings are tried by themselves. It is judged as the ``profile`` says, as with ``--only``."""
    with connect_wrong(name, profile) as adapter:
        breaks = all_wrong()[name].breaks
        tests = sorted(
            tests_for(adapter), key=lambda test: (not _names(test, breaks), *distance(test, nearest))
        )
        near = [test for test in tests if test.area in nearest]
        suite = attack(adapter, tests)
        if not alone:
            return Fate(name, suite, NOT_TRIED, NOT_TRIED)
        return Fate(
            name,
            suite,
            attack(adapter, [test for test in near if not test.recorded], ALONE, with_specification=False),
            attack(adapter, [test for test in near if test.recorded], ALONE),
        )


def fate_of_configured(name: str) -> Fate:
    """Of the real kube-scheduler, configured otherwise; not tried, and for what reason, where there is none."""
    nearest = all_configured()[name].nearest
    try:
        with connect_configured(name) as adapter:
            came = attack(adapter, sorted(suite_tests(), key=lambda test: distance(test, nearest)))
    except AdapterUnavailable as missing:
        came = Attack(None, 0, 0.0, first_fault=missing.problem)
    return Fate(name, came, NOT_TRIED, NOT_TRIED)


def connect_wrong(name: str, profile: str = "") -> Adapter:
    """The wrong scheduler, in a process of its own."""
    python = shlex.quote(sys.executable)
    only = read_selection(profile, ()) if profile else EVERYTHING
    return connect(f"exec:{python} -m conformance.wrong {shlex.quote(name)}", timeout=TIMEOUT, only=only)


def tests_for(adapter: Adapter) -> list[SuiteTest]:
    """Those that judge it."""
    bench = StandardBench()
    about = About.of(adapter.hello, bench.holding(adapter), bench.lacks(adapter))
    tests = suite_tests(about.kubernetes)
    return [test for test in tests if test.declared is None or not test.declared.missing(about)]


def _names(test: SuiteTest, rules: Collection[str]) -> bool:
    """Whether it is a case of one of these rules."""
    return test.case is not None and not set(rules).isdisjoint(test.case.rules)


def distance(test: SuiteTest, nearest: Sequence[str]) -> tuple[bool, bool, int, bool]:
    """Sorts tests: the cases of the nearest areas come first, which are few; then of one area those that draw, and
    recordings last."""
    is_near = test.area in nearest
    place = nearest.index(test.area) if is_near else len(nearest)
    return not is_near, test.case is None, place, test.recorded


def attack(
    adapter: Adapter, tests: Tests, most: int | None = None, *, with_specification: bool = True
) -> Attack:
    """Run the tests one after the other, up to the first kill, or to so many histories. Of the test that kills,
    those histories count that came to their end."""
    began = time.perf_counter()
    total = faults = 0
    first_fault = ""
    done: Counter[SuiteTest] = Counter()

    def seconds() -> float:
        return round(time.perf_counter() - began, 2)

    each = ((test, history) for test in tests for history in histories_of(test))
    for test, history in islice(each, most):
        total += 1
        try:
            came = try_history(adapter, history, with_specification=with_specification)
        except AdapterFault as fault:
            faults, first_fault = faults + 1, first_fault or fault.problem
            if fault.final:
                break
            continue
        except Exception as problem:
            faults += 1
            first_fault = first_fault or f"the suite: {type(problem).__name__}: {problem}"
            continue
        found = came.findings
        done[test] += bool(found or not came.ended)
        crashes = [one for one in found if one.rule == ANSWERS]
        if crashes:
            faults, first_fault = faults + 1, first_fault or str(crashes[0].got)
        elif found:
            worst = min(found, key=_order)
            kill = Kill(test.name, worst.rule, worst.member, done[test], seconds())
            return Attack(kill, total, kill.seconds, faults, first_fault)
    return Attack(None, total, seconds(), faults, first_fault)


def _order(finding: Finding) -> tuple[int, int]:
    """As the suite sorts what it finds."""
    return by_cause(finding, _places().get(finding.rule, len(_places())))


@cache
def _places() -> dict[str, int]:
    return {rule: place for place, rule in enumerate(StandardBench().rules)}
