# SPDX-License-Identifier: Apache-2.0
"""The kinds of wrong schedulers, and how one of each kind is tried.

``planted`` are the specification with an edit that a person made, ``mutants`` with one that an operator made,
and ``fields`` do not read one field of an object. ``configured`` is kube-scheduler, configured wrong, and
``go`` is kube-scheduler, changed in one place of its own source (go_running.py).
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from typing import Protocol

from attrs import frozen

from conformance.wrong.configured import all_configured, connect_configured
from conformance.wrong.fields import all_unread, connect_unread
from conformance.wrong.mutants import areas_near as areas_near_mutant
from conformance.wrong.mutants import connect_mutant, mutant_named, package_of, sample
from conformance.wrong.profile import areas_about, histories_of, suite_tests
from conformance.wrong.trying import (
    NOT_TRIED,
    End,
    TrialSummary,
    applicable_tests,
    attack,
    in_turn,
    nearest_first,
    one_by_one,
)
from refsched.mistakes.wrong import all_wrong, areas_near
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.adapters.selection import EVERYTHING, PROFILES, read_selection
from refsched.suite.histories.part import Part

TIMEOUT = 30.0
"""The seconds within which an answer must arrive."""

ALONE = 100
"""Histories of the nearest tests that are tried with the invariants alone, and with recordings alone."""


@frozen
class WrongResult:
    """A WrongResult is what became of one wrong scheduler, by all tests, by the invariants alone, and by the
    recordings alone.

    ``part`` is what it is counted with, and ``says`` what is wrong in it."""

    name: str
    part: str
    says: str
    suite: TrialSummary
    invariants: TrialSummary = NOT_TRIED
    recordings: TrialSummary = NOT_TRIED


@frozen
class TryOptions:
    """``limit`` are the seconds for one, which is judged as the ``profile`` says, as with ``--only``."""

    limit: float
    profile: str = ""


class TryOne(Protocol):
    def __call__(self, name: str, /, asked: TryOptions) -> WrongResult:
        """Returns what becomes of the wrong scheduler of this name."""


@frozen
class WrongKind:
    """``names`` returns all of them, in the order of which a sample takes the first; ``attempt`` tries one for
    ``limit`` seconds by default."""

    names: Callable[[], Sequence[str]]
    attempt: TryOne
    limit: float


# --- Planted --------------------------------------------------------------------------------------


def connect_wrong(name: str, profile: str = "") -> Adapter:
    """Returns a planted wrong scheduler in a process of its own."""
    only = read_selection(profile, ()) if profile else EVERYTHING
    command = f"exec:{shlex.quote(sys.executable)} -m conformance.wrong {shlex.quote(name)}"
    return connect(command, timeout=TIMEOUT, only=only)


def try_planted(name: str, asked: TryOptions) -> WrongResult:
    """Tries the tests nearest to what is broken first. The invariants alone and the recordings alone are tried
    only where it is judged as a whole scheduler."""
    wrong = all_wrong()[name]
    near = tuple(dict.fromkeys((*areas_about(wrong.breaks), *areas_near(name))))
    with connect_wrong(name, asked.profile) as adapter:
        tests = nearest_first(applicable_tests(adapter), near, wrong.breaks)
        suite = attack(adapter, one_by_one(tests), asked.limit)
        if asked.profile:
            return WrongResult(name, asked.profile, wrong.says, suite)
        drawn = one_by_one(test for test in tests if test.area in near and not test.recorded)
        recorded = one_by_one(test for test in tests if test.area in near and test.recorded)
        invariants = attack(adapter, islice(drawn, ALONE), asked.limit, with_specification=False)
        recordings = attack(adapter, islice(recorded, ALONE), asked.limit)
    return WrongResult(name, "", wrong.says, suite, invariants, recordings)


def parts_of(profile: str) -> tuple[str, ...]:
    """Returns the planted schedulers of which every rule that they break can show in what such an implementation
    reports, in an order that is drawn with a fixed seed."""
    part = Part(PROFILES[profile])
    names = [
        wrong.name
        for wrong in all_wrong().values()
        if not (wrong.kubernetes or any(part.lacks(rule) for rule in wrong.breaks))
    ]
    Random(0).shuffle(names)
    return tuple(name for name in names if all_wrong()[name].shows_with in ("", *PROFILES[profile]))


# --- Configured -----------------------------------------------------------------------------------


def try_configured(name: str, asked: TryOptions) -> WrongResult:
    """Tries kube-scheduler with this configuration; where it cannot be had, the result says why."""
    each = all_configured()[name]
    try:
        with connect_configured(name) as adapter:
            suite = attack(adapter, one_by_one(nearest_first(suite_tests(), each.nearest)), asked.limit)
    except AdapterUnavailable as missing:
        suite = TrialSummary(End.UNREACHED, problem=missing.problem)
    return WrongResult(name, "", each.says, suite)


# --- Mutants and fields ---------------------------------------------------------------------------


def try_mutant(name: str, asked: TryOptions) -> WrongResult:
    """Tries the tests of the nearest areas first. The invariants alone and the recordings alone are tried only
    on one that was killed."""
    mutant = mutant_named(name)
    assert mutant is not None
    near = areas_near_mutant(mutant.module)
    try:
        adapter = connect_mutant(mutant)
    except AdapterFault as fault:
        return WrongResult(
            name, package_of(name), mutant.diff, TrialSummary(End.ERROR, problem=fault.problem)
        )
    with adapter:
        tests = nearest_first(applicable_tests(adapter), near)
        by_test = [(test, histories_of(test)) for test in tests if test.area in near]
        further = [(test, histories_of(test)) for test in tests if test.area not in near]
        suite = attack(adapter, (one for some in (by_test, further) for one in in_turn(some)), asked.limit)
        if suite.end is not End.KILLED:
            return WrongResult(name, package_of(name), mutant.diff, suite)
        drawn = in_turn(one for one in by_test if not one[0].recorded)
        recorded = in_turn(one for one in by_test if one[0].recorded)
        invariants = attack(adapter, islice(drawn, ALONE), asked.limit, with_specification=False)
        recordings = attack(adapter, islice(recorded, ALONE), asked.limit)
    return WrongResult(name, package_of(name), mutant.diff, suite, invariants, recordings)


def try_unread(name: str, asked: TryOptions) -> WrongResult:
    """Tries the histories in which the field stands; others cannot detect such a scheduler."""
    unread = next(one for one in all_unread() if one.name == name)
    by_test = [
        (test, [history for history in histories_of(test) if unread.matters_in(history)])
        for test in suite_tests()
    ]
    with connect_unread(unread) as adapter:
        return WrongResult(name, unread.kind, "", attack(adapter, in_turn(by_test), asked.limit))


KINDS = {
    "planted": WrongKind(lambda: list(all_wrong()), try_planted, 600.0),
    "configured": WrongKind(lambda: list(all_configured()), try_configured, 600.0),
    "mutants": WrongKind(lambda: [mutant.name for mutant in sample()], try_mutant, 20.0),
    "fields": WrongKind(
        lambda: [one.name for one in all_unread() if not one.of_no_consequence], try_unread, 20.0
    ),
}
