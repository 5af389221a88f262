# SPDX-License-Identifier: Apache-2.0
"""Varied cases: the histories of cases, with exchanged values, with twins of names, or with longer lists.

A case is a situation that areas rarely draw, and it is one of many: its values are those in which its rule is
plainest. What is beside it, nobody wrote down. Here it is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from importlib import import_module

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.cases import cel
from conformance.strategies.drawn import any_of
from conformance.strategies.exchanged import exchanging
from conformance.strategies.longer import with_longer_lists
from conformance.strategies.twins import twinning
from conformance.vocabulary.capabilities import CYCLE, OBJECTS, VOLUMES
from conformance.vocabulary.places import objects_in
from refsched.releases import DEFAULT
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.history import History
from refsched.suite.session.conforming import declarations_in

CASES = "conformance.test_cases"
MOST_STEPS = 40
"""A longer history is about many nodes or pods, and no value of one of them decides it."""
MOST_DEVICES = 8
"""Where nothing fits, a search among more devices takes kube-scheduler longer than the ten seconds after which it
gives up."""

_Group = tuple[str, tuple[str, ...]]
"""Its cases are of rules that this release has, and need some of these capabilities."""

_GROUPS: Sequence[_Group] = (
    *(("1.19", ()), ("1.19", VOLUMES), ("1.19", CYCLE)),
    *(("1.34", ()), ("1.34", OBJECTS), ("1.34", (*OBJECTS, *CYCLE))),
    ("1.37", (*OBJECTS, *CYCLE)),
)
"""A case is of the first of them of which it can be. Those that need an extender are of none."""


def cases_of_pods() -> SearchStrategy[History]:
    """Draws what varies cases of each release that need nothing but pods and nodes."""
    return _varied("1.19", ())


def cases_of_volumes() -> SearchStrategy[History]:
    """Draws what varies cases of each release that need volumes."""
    return _varied("1.19", VOLUMES)


def cases_of_the_cycle() -> SearchStrategy[History]:
    """Draws what varies cases of each release of the queue, of preemption, and of the way back from a failure."""
    return _varied("1.19", CYCLE)


def cases_of_newer_pods() -> SearchStrategy[History]:
    """Draws what varies cases of rules that v1.34 has, and v1.19 has not, with nothing but pods and nodes."""
    return _varied("1.34", ())


def cases_of_newer_objects() -> SearchStrategy[History]:
    """Draws what varies cases of rules that v1.34 has, and v1.19 has not, with volumes or devices."""
    return _varied("1.34", OBJECTS)


def cases_of_the_newer_cycle() -> SearchStrategy[History]:
    """Draws what varies other cases of rules that v1.34 has, and v1.19 has not."""
    return _varied("1.34", (*OBJECTS, *CYCLE))


def cases_of_newest_rules() -> SearchStrategy[History]:
    """Draws what varies cases of rules that v1.37 has, and v1.34 has not."""
    return _varied("1.37", (*OBJECTS, *CYCLE))


def _varied(since: str, needs: tuple[str, ...]) -> SearchStrategy[History]:
    cases = st.sampled_from([history for history, group in _cases() if group == (since, needs)])
    return any_of(*(varied(cases) for varied in (exchanging, twinning, with_longer_lists)))


def _is_small(history: History) -> bool:
    devices = sum(
        len(value["spec"].get("devices", ()))
        for value in objects_in(history)
        if value["kind"] == "ResourceSlice"
    )
    return len(history.steps) <= MOST_STEPS and devices <= MOST_DEVICES


@cache
def _cases() -> Sequence[tuple[History, _Group]]:
    """Returns the histories of small cases that the newest release has, each with its group. Those of CEL are not
    among them: no expression becomes another one."""
    rules = all_rules()
    found = []
    for _, declared in declarations_in(import_module(CASES)):
        for case in declared.cases:
            of_case = declared.of_case(case)
            releases = {release for rule in of_case.rules for release in rules[rule].releases}
            if DEFAULT.name not in releases or "extenders" in of_case.needs:
                continue
            if case not in cel.CASES and _is_small(case.history):
                found.append((case.history, _group_of(of_case.needs, releases)))
    return found


def _group_of(needs: Collection[str], releases: Collection[str]) -> _Group:
    return next(group for group in _GROUPS if set(needs) <= set(group[1]) and group[0] in releases)
