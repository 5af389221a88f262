# SPDX-License-Identifier: Apache-2.0
"""Level: where a rule leaves an order open, a scheduler is free in it by what is promised, and not by what the
release was observed to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bent_schedulers import Bent, saying
from forked_pytest import run_pytest
from world import node_object, pod_object

from refsched.records import Attempt
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.module import InProcess
from refsched.suite.histories.history import Create, History, Schedule
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.trial import try_history
from refsched.suite.level import Level

ROOT = Path(__file__).parents[2]
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "b"},
    "spec": {"selector": {"matchLabels": {"app": "a"}}},
    "status": {"disruptionsAllowed": 1},
}


def victim(name: str, on: str = "n1", cpu: str = "1") -> dict[str, Any]:
    return pod_object(name, cpu, on=on, labels={"app": "a"})


def history(*objects: dict[str, Any]) -> History:
    """Two victims that have not started, one of which must leave."""
    some = (node_object("n1", "2"), victim("p1"), victim("p2"), *objects, pod_object("p", "1", priority=1))
    return History((*map(Create, some), Schedule()))


def judged(asked: History, level: str, implementation: str = "own_orders") -> Judgement:
    with Adapter(implementation, InProcess(implementation, 30.0)) as adapter:
        return try_history(adapter, asked, level=Level(level))


def test_a_scheduler_that_differs_in_an_order_alone_breaks_the_rule_that_states_this_order() -> None:
    for level in ("all", "observed"):
        found = judged(history(), level).findings
        assert {one.rule for one in found} == {"R-PREEMPT-18"}
        assert {one.member for one in found} <= {"victims", "nominatedNode"}
        assert {one.symptom for one in found} == {one.suspected[0] for one in found} == {"R-PREEMPT-18"}
    assert not judged(history(), "promised").findings
    assert not judged(history(), "all", "refsched.reference").findings


def test_an_order_that_is_left_open_explains_nothing_unless_it_is_left_open_to_the_scheduler() -> None:
    agrees = []
    for level in ("all", "observed", "promised"):
        comparison = judged(history(), level).comparison
        assert comparison is not None
        agrees.append(comparison.agrees())
    assert agrees == [False, False, True]


@pytest.mark.parametrize(
    "objects",
    [
        (BUDGET,),
        (node_object("n2", "2"), victim("q1", "n2", "500m"), victim("q2", "n2", "500m"), victim("q3", "n2")),
    ],
)
def test_what_an_order_may_have_decided_elsewhere_is_not_held_against_anybody(objects: Any) -> None:
    """A budget, and what another node would have cost."""
    for implementation in ("own_orders", "refsched.reference"):
        assert not judged(history(*objects), "promised", implementation).findings


def test_words_are_free_at_level_promised_and_the_history_goes_on() -> None:
    nowhere = [step for name in "pq" for step in (Create(pod_object(name, "9")), Schedule())]
    two = History((Create(node_object("n1", "2")), *nowhere))
    with Adapter("says", Bent(saying(message="other words"))) as adapter:
        assert {one.rule for one in try_history(adapter, two).findings} == {"R-WORDS-01"}
        done = try_history(adapter, two, level=Level.PROMISED)
    assert not done.findings
    assert sum(isinstance(seen.record, Attempt) for seen in done.seen) == 2


def test_what_comes_after_other_words_is_judged() -> None:
    two = History((*history().steps, Create(pod_object("q", "9")), Schedule()))
    with Adapter("says", Bent(saying(message="other words", evaluated=7))) as adapter:
        assert "R-WORDS-01" not in {
            one.rule for one in try_history(adapter, two, level=Level.PROMISED).findings
        }
        assert try_history(adapter, two, level=Level.PROMISED).findings


@pytest.mark.parametrize(("level", "exit_code"), [("promised", 0), ("observed", 1)])
def test_the_suite_passes_it_at_level_promised_alone(level: str, exit_code: int) -> None:
    selected = ("-k", "test_preemption and not cases or victim_order", "--examples=15")
    options = ("-q", "-x", *selected, "--impl=own_orders", f"--level={level}")
    done = run_pytest(ROOT, "conformance/", *options)
    assert done.ret == exit_code, done.stdout.str()
