# SPDX-License-Identifier: Apache-2.0
"""Over the API, which of the drawn histories are tried."""

from __future__ import annotations

from collections.abc import Sequence

from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import DEFAULT_CONFIG, Create, History, Schedule
from refsched.suite.session.few_of_many import OF, FewOfMany
from refsched.suite.session.runner import Runner
from refsched.suite.session.standard import StandardBench


def taken(applied: Sequence[str]) -> list[int]:
    """Returns which histories are tried, by their numbers, if these rules apply in them: a letter is a rule."""
    few = FewOfMany(lambda history: applied[len(history.steps)])
    return [number for number in range(len(applied)) if few.takes(History((Schedule(),) * number))]


def test_the_first_history_is_tried() -> None:
    assert taken([""]) == [0]


def test_a_history_is_tried_if_more_rules_meet_for_the_first_time_than_in_those_before() -> None:
    assert taken(["abc", "ab", "abcd", "abcdefg"]) == [0, 3]


def test_what_has_met_in_a_history_that_was_not_tried_is_still_new() -> None:
    assert taken(["abcd", "ae", *["abcd"] * OF, "ae"]) == [0, OF + 2]


def test_nothing_is_tried_when_nothing_new_comes() -> None:
    assert taken(["abc"] * 5 * OF) == [0]


def test_a_history_with_a_configuration_of_its_own_must_be_worth_the_start_of_a_scheduler() -> None:
    usual, own = History(()), History((), {**DEFAULT_CONFIG, "podMaxBackoffSeconds": 3})
    for number, is_worth_it in ((4, False), (7, True)):
        few = FewOfMany(lambda history, many="abcdefg"[:number]: many if history is own else "ab")
        assert [few.takes(usual), few.takes(own)] == [True, is_worth_it]


def test_the_rules_that_apply_are_those_of_the_specification_that_can_show() -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {"unschedulable": True}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [{"name": "c"}]},
    }
    history = History((Create(node), Create(pod), Schedule()))
    bench = StandardBench()
    with connect("refsched.reference", timeout=20) as adapter:
        assert {"R-CORDON-01", "R-QUEUE-01"} <= bench.applied(adapter, history)
    runner = Runner(bench, "refsched.reference", 20.0, only="filter")
    try:
        applied = runner.applied(history)
    finally:
        runner.close()
    assert "R-CORDON-01" in applied
    assert "R-QUEUE-01" not in applied
