# SPDX-License-Identifier: Apache-2.0
"""A rule is kept only where breaking it would have changed what was compared."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest
from attrs import evolve
from world import node_object, pod_object

from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.breaking import child_process
from refsched.suite.breaking import detection as breaking
from refsched.suite.breaking.detection import Tried, changing
from refsched.suite.findings import Comparison
from refsched.suite.histories.history import Create, History, Schedule
from refsched.suite.histories.trial import try_history
from refsched.suite.results.result import Untried
from refsched.suite.session.kept_rules import (
    HISTORIES,
    LOST,
    NOT_ABOUT_IT,
    BreakingEffect,
    Decided,
    KeptRules,
    kept_by,
    untried_by,
)

TAINT = {"key": "a", "effect": "NoSchedule"}


def comparison(*taints: dict[str, str]) -> Comparison:
    """What the reference does with one pod and one node."""
    steps = (Create(node_object("n1", taints=list(taints))), Create(pod_object("p1")), Schedule())
    with connect(REFERENCE) as adapter:
        done = try_history(adapter, History(steps))
    assert not done.findings
    assert done.comparison is not None
    return done.comparison


def test_a_rule_that_decides_something_would_be_seen_broken_and_another_one_not() -> None:
    agreeing = Comparison(lambda: True, 1)
    tried = changing({"R-TAINT-01": [agreeing, comparison(TAINT)], "R-PORTS-01": [comparison()]})
    assert tried == Tried({"R-TAINT-01": [False, True], "R-PORTS-01": [False]}, {})


def test_after_the_first_history_that_shows_it_no_other_is_asked() -> None:
    assert changing({"R-TAINT-01": [comparison(TAINT), comparison()]}).changes == {"R-TAINT-01": [True]}


def test_an_invariant_is_seen_broken_without_a_comparison() -> None:
    assert changing({"R-INV-08": [comparison()]}).changes == {"R-INV-08": [True]}


class Config:
    pass


class Session:
    config = Config()


class Worker:
    def __init__(self) -> None:
        self.workeroutput: dict[str, object] = {}


# --- Whose judge dies -----------------------------------------------------------------------------


def once(came: Mapping[str, Comparison]) -> dict[str, Decided]:
    return {rule: Decided(one, 1, one) for rule, one in came.items()}


def judged(came: Mapping[str, Comparison]) -> KeptRules:
    kept = KeptRules()
    kept.note("test_a", (), once(came), came)
    kept.pytest_sessionfinish(Session())
    return kept


def test_where_no_process_can_part_no_rule_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    taint = {"R-TAINT-01": comparison(TAINT)}
    assert kept_by(judged(taint).changes) == {"R-TAINT-01"}

    def refuses() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuses)
    assert not kept_by(judged(taint).changes)
    why = "no process could be forked: Resource temporarily unavailable"
    assert judged(taint).untried == [Untried(why, ("R-TAINT-01",))]
    monkeypatch.delattr(os, "fork")
    assert not kept_by(judged(taint).changes)
    why = "on this system no process can be forked"
    assert judged(taint).untried == [Untried(why, ("R-TAINT-01",))]


def test_where_nothing_can_be_broken_no_rule_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a module is missing that the mistakes are read from."""

    def missing() -> None:
        raise ModuleNotFoundError("No module named 'a'")

    monkeypatch.setattr(breaking, "mistakes", missing)
    kept = judged({"R-TAINT-01": comparison(TAINT), "R-TAINT-02": comparison(TAINT)})
    assert not kept_by(kept.changes)
    assert {each.why for each in kept.untried} == {
        "the process that breaks rules has raised ModuleNotFoundError: No module named 'a'"
    }


def changing_of(monkeypatch: pytest.MonkeyPatch, bad: Callable[[], object]) -> Tried:
    """Of three rules; breaking the second one does this."""
    real = breaking._until_changed
    numbers = {
        "R-TAINT-01": comparison(TAINT),
        "R-TAINT-02": comparison(TAINT),
        "R-TAINT-03": comparison(TAINT),
    }

    def until_changed(breakings: Any, rule: str, came: Sequence[Comparison]) -> Iterable[bool]:
        if rule == "R-TAINT-02":
            bad()
        return real(breakings, rule, came)

    monkeypatch.setattr(breaking, "_until_changed", until_changed)
    return changing({rule: [came] for rule, came in numbers.items()})


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (lambda: 1 / 0, "has raised ZeroDivisionError: division by zero"),
        (lambda: os.kill(os.getpid(), 9), "was ended by signal 9"),
        (lambda: os._exit(3), "ended with exit code 3, and had not said all"),
    ],
)
def test_a_rule_whose_breaking_ends_the_process_takes_no_other_rule_along(
    monkeypatch: pytest.MonkeyPatch, bad: Callable[[], object], why: str
) -> None:
    tried = changing_of(monkeypatch, bad)
    assert tried.changes.keys() == {"R-TAINT-01", "R-TAINT-03"}
    assert tried.changes["R-TAINT-01"] == [True]
    assert tried.untried == {"R-TAINT-02": f"the process that breaks rules {why}"}


def _never() -> None:
    while True:
        pass


@pytest.mark.no_cover
def test_what_was_answered_before_the_time_is_over_counts_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(breaking, "PATIENCE", 8.0)
    tried = changing_of(monkeypatch, _never)
    assert tried.changes == {"R-TAINT-01": [True]}
    late = "the process that breaks rules took longer than 8 s of a processor"
    assert tried.untried == {"R-TAINT-02": late, "R-TAINT-03": late}


def test_who_sleeps_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "DEADLINE", 8.0)
    tried = changing_of(monkeypatch, lambda: time.sleep(60))
    assert tried.changes.keys() <= {"R-TAINT-01"}
    assert tried.untried["R-TAINT-03"] == "the process that breaks rules took longer than 8 s"


# --- In several processes -------------------------------------------------------------------------


def test_what_a_worker_found_counts_where_it_is_reported() -> None:
    worker, session = Worker(), Session()
    session.config = worker  # type: ignore[assignment]
    there, here = KeptRules(), KeptRules()
    there.note("test_a", ["R-TAINT-01"], once({"R-TAINT-01": comparison(TAINT)}), ["R-TAINT-01"])
    there.note("test_b", [], once({"R-PORTS-01": comparison()}), ["R-PORTS-01", "R-TOY-01"])
    there.pytest_sessionfinish(session)
    here.pytest_testnodedown(worker, None)
    assert not here.untried
    assert sorted(here.changes) == sorted(there.changes)
    assert kept_by(here.changes) == {"R-TAINT-01", "R-TOY-01"}


def test_which_tests_count_does_not_depend_on_how_they_were_spread() -> None:
    """Those about the rule come first, before all one about this rule alone, then those with the smallest
    histories."""
    changes = [
        BreakingEffect("R-A-01", NOT_ABOUT_IT, False, 1, f"test_{number:02}", False)
        for number in range(HISTORIES)
    ]
    assert not kept_by([*changes, BreakingEffect("R-A-01", NOT_ABOUT_IT, False, 9, "test_z", True)])
    assert kept_by([*changes, BreakingEffect("R-A-01", 1, False, 9, "test_z", True)]) == {"R-A-01"}
    about_two = [evolve(change, many=2) for change in changes]
    assert kept_by([*about_two, BreakingEffect("R-A-01", 1, False, 9, "test_z", True)]) == {"R-A-01"}
    assert not kept_by([*about_two, BreakingEffect("R-A-01", 3, False, 0, "test_z", True)])
    assert kept_by(
        [*reversed(changes), BreakingEffect("R-A-01", NOT_ABOUT_IT, False, 0, "test_z", True)]
    ) == {"R-A-01"}


def test_a_worker_that_tells_nothing_keeps_nothing() -> None:
    here = KeptRules()
    here.pytest_testnodedown(object(), "it died")
    here.changes.append(BreakingEffect("R-A-01", 1, False, 1, "test_a", False))
    assert here.untried == [Untried(LOST)]
    assert untried_by(here.untried, here.changes, ["R-A-01", "R-A-02"]) == (Untried(LOST, ("R-A-02",)),)


def test_a_rule_that_another_process_has_seen_kept_is_kept() -> None:
    changes = [
        BreakingEffect("R-A-01", 1, False, 1, "test_a", False),
        BreakingEffect("R-A-01", 1, False, 2, "test_b", True),
    ]
    assert untried_by([Untried("it died", ("R-A-01", "R-A-02"))], changes, ()) == (
        Untried("it died", ("R-A-02",)),
    )
