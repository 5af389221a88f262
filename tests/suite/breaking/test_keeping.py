# SPDX-License-Identifier: Apache-2.0
"""A rule is kept only where breaking it would have changed what was compared."""

from __future__ import annotations

import os

import pytest
from world import node_object, pod_object

from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.breaking.keeping import changing
from refsched.suite.histories.findings import Comparison
from refsched.suite.histories.history import Create, History, Schedule
from refsched.suite.histories.trial import try_history
from refsched.suite.session.keeping import TESTS, Change, Keeping, kept_by

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
    assert changing({"R-TAINT-01": [agreeing, comparison(TAINT)], "R-PORTS-01": [comparison()]}) == {
        "R-TAINT-01": [False, True],
        "R-PORTS-01": [False],
    }


def test_after_the_first_history_that_shows_it_no_other_is_asked() -> None:
    assert changing({"R-TAINT-01": [comparison(TAINT), comparison()]}) == {"R-TAINT-01": [True]}


def test_an_invariant_is_seen_broken_without_a_comparison() -> None:
    assert changing({"R-INV-08": [comparison()]}) == {"R-INV-08": [True]}


def test_where_no_process_can_part_a_rule_is_kept_that_was_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert changing({"R-TAINT-01": [comparison()]}) is None
    keeping = Keeping()
    keeping.note("test_a", (), {"R-TAINT-01": comparison()}, ["R-TAINT-01"])
    keeping.pytest_sessionfinish(Session())
    assert kept_by(keeping.changes) == {"R-TAINT-01"}


class Config:
    pass


class Session:
    config = Config()


class Worker:
    def __init__(self) -> None:
        self.workeroutput: dict[str, object] = {}


def test_what_a_worker_found_counts_where_it_is_reported() -> None:
    worker, session = Worker(), Session()
    session.config = worker  # type: ignore[assignment]
    there, here = Keeping(), Keeping()
    there.note("test_a", ["R-TAINT-01"], {"R-TAINT-01": comparison(TAINT)}, ["R-TAINT-01"])
    there.note("test_b", [], {"R-PORTS-01": comparison()}, ["R-PORTS-01", "R-TOY-01"])
    there.pytest_sessionfinish(session)
    here.pytest_testnodedown(worker, None)
    here.pytest_testnodedown(object(), "it died")
    assert sorted(here.changes) == sorted(there.changes)
    assert kept_by(here.changes) == {"R-TAINT-01", "R-TOY-01"}


def test_which_tests_count_does_not_depend_on_how_they_were_spread() -> None:
    """Those about the rule come first, then those with the smallest histories."""
    changes = [Change("R-A-01", True, 1, f"test_{number:02}", False) for number in range(TESTS)]
    assert not kept_by([*changes, Change("R-A-01", True, 9, "test_z", True)])
    assert kept_by([*changes, Change("R-A-01", False, 9, "test_z", True)]) == {"R-A-01"}
    assert kept_by([*reversed(changes), Change("R-A-01", True, 0, "test_z", True)]) == {"R-A-01"}
