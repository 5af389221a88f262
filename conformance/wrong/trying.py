# SPDX-License-Identifier: Apache-2.0
"""Histories are tried on one wrong scheduler until something is found wrong.

What the default profile draws does not depend on answers, so that this finds what pytest would find. An
``error`` as an answer breaks R-ANSWER-01 and a crash or a timeout fails the suite too, but none of them counts
as a kill: they show that the suite reaches the mistake, and not that it notices what is decided wrong.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice

from attrs import frozen

from conformance.wrong.profile import SEED, SuiteTest, histories_of, suite_tests
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.findings import Finding
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import ANSWERS
from refsched.suite.histories.trial import try_history
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.session.order_of_rules import by_cause, place_in_catalogue
from refsched.suite.session.standard import StandardBench

CHUNK = 12
"""Histories of a test that are tried before those of the next one, where they are tried in turn."""

MORE_AFTER_AN_ERROR = 12
"""Histories that are tried after the first error, to see whether something is decided wrong too."""

Tried = Iterable[tuple[SuiteTest, History]]


class End(Enum):
    """An End is how the trial of a wrong scheduler ended. Of one that is ``unreached`` no history was tried."""

    KILLED = "killed"
    SURVIVED = "survived"
    ERROR = "error"
    UNREACHED = "unreached"


@frozen
class TrialSummary:
    """A TrialSummary is what came of some histories, of which ``tried`` were run in this many ``seconds``.

    If something was found wrong, ``rule`` is broken in ``member`` of a record, by the last of ``examples`` of
    ``test`` that came to their end. ``problem`` is the first error, crash or timeout.
    """

    end: End
    rule: str = ""
    member: str = ""
    test: str = ""
    examples: int = 0
    tried: int = 0
    seconds: float = 0.0
    problem: str = ""


NOT_TRIED = TrialSummary(End.UNREACHED)


def attack(
    adapter: Adapter, histories: Tried, limit: float, *, with_specification: bool = True
) -> TrialSummary:
    """Tries the histories one after the other, up to the first kill, or for ``limit`` seconds."""
    began = time.perf_counter()
    tried = errors = 0
    problem = ""
    done: Counter[SuiteTest] = Counter()

    def ended(end: End, finding: Finding | None = None, test: SuiteTest | None = None) -> TrialSummary:
        seconds = round(time.perf_counter() - began, 2)
        if finding is None or test is None:
            return TrialSummary(end, tried=tried, seconds=seconds, problem=problem[:200])
        shown = finding.rule, finding.member, test.name, done[test]
        return TrialSummary(end, *shown, tried, seconds, problem[:200])

    for test, history in histories:
        if errors > MORE_AFTER_AN_ERROR or (tried and time.perf_counter() - began > limit):
            break
        tried += 1
        try:
            came = try_history(adapter, history, with_specification=with_specification)
        except AdapterFault as fault:
            errors, problem = errors + 1, problem or fault.problem
            continue
        except Exception as mistake:  # of the suite, in what the wrong scheduler answers
            errors, problem = errors + 1, problem or f"the suite: {type(mistake).__name__}: {mistake}"
            continue
        done[test] += bool(came.findings or not came.ended)
        answered = [one for one in came.findings if one.rule == ANSWERS]
        if answered:
            errors, problem = errors + 1, problem or str(answered[0].got)
        elif came.findings:
            return ended(End.KILLED, min(came.findings, key=_order), test)
        elif errors:
            errors += 1
    return ended(End.ERROR if errors else End.SURVIVED if tried else End.UNREACHED)


def _order(finding: Finding) -> tuple[int, int]:
    """Sorts findings as the suite does."""
    return by_cause(finding, place_in_catalogue(finding.rule))


# --- In which order -------------------------------------------------------------------------------


def applicable_tests(adapter: Adapter) -> list[SuiteTest]:
    """Returns the tests that judge this scheduler: those of its release, for what it claims."""
    bench = StandardBench()
    about = JudgedImplementation.of(adapter.hello, bench.holding(adapter), bench.lacks(adapter))
    tests = suite_tests(about.kubernetes)
    return [test for test in tests if test.declared is None or not test.declared.missing(about)]


def nearest_first(
    tests: Iterable[SuiteTest], near: Sequence[str], rules: Collection[str] = ()
) -> list[SuiteTest]:
    """Sorts tests: the cases of these rules, the cases of the areas that are ``near``, then area by area what
    they draw, and recordings last; and after those the tests of other areas."""

    def distance(test: SuiteTest) -> tuple[bool, bool, bool, int, bool]:
        is_about = test.case is not None and not set(rules).isdisjoint(test.case.rules)
        is_near = test.area in near
        place = near.index(test.area) if is_near else len(near)
        return not is_about, not is_near, test.case is None, place, test.recorded

    return sorted(tests, key=distance)


def one_by_one(tests: Iterable[SuiteTest], seed: str = SEED) -> Iterator[tuple[SuiteTest, History]]:
    """Yields all histories of a test before those of the next one."""
    return ((test, history) for test in tests for history in histories_of(test, seed))


def in_turn(by_test: Iterable[tuple[SuiteTest, Iterable[History]]]) -> Iterator[tuple[SuiteTest, History]]:
    """Yields some histories of each test, and then some more, until there are none left."""
    left = [(test, iter(histories)) for test, histories in by_test]
    while left:
        for test, histories in left[:]:
            some = list(islice(histories, CHUNK))
            if not some:
                left.remove((test, histories))
            yield from ((test, history) for history in some)
