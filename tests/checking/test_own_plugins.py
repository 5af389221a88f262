# SPDX-License-Identifier: Apache-2.0
"""What plugins did that the specification does not have is taken as given, and what is around it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve

from conformance.vocabulary.objects import node, pod
from conformance.vocabulary.scripted import SCRIPTED
from refsched.checking.checker import Checker
from refsched.checking.other_scheduler import OtherScheduler
from refsched.checking.own_plugins import UNNAMED, OwnPlugins
from refsched.records import (
    Advance,
    Attempt,
    Bind,
    Create,
    Nodes,
    NodeStatus,
    NodeUsage,
    PreFilter,
    Queues,
    Record,
)
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release

FREE = {"n1": NodeStatus("Success")}
REJECTED = Attempt(
    "default/p", "unschedulable", "n1", filter=FREE, unschedulable_plugins=("Mine",), message="mine"
)
SCHEDULED = Attempt("default/p", "scheduled", "n1", filter=FREE)
BOUND = Bind("default/p", "n1", "bound")
EMPTY = Nodes({"n1": NodeUsage((), 0, 0)})


def checker(
    config: dict[str, Any] | None = None, names: Sequence[str] = ("Mine",), release: Release = DEFAULT
) -> Checker:
    whole = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"} | (
        config or {}
    )
    own = OwnPlugins(lambda plugin: plugin in names, names)
    given = Checker(whole, other=OtherScheduler(own_plugins=own), release=release)
    for value in (node("n1"), pod("p")):
        assert given.take(Create(value)) == []
    return given


def members(given: Checker, *records: Record) -> list[str]:
    """Where the records are not allowed."""
    given.foresee(records)
    found = [one for record in records for one in given.take(record)]
    return [one.member for one in (*found, *given.take_missing())]


# --- Reserve and Permit ---------------------------------------------------------------------------


def test_a_rejection_at_reserve_is_taken_as_given_and_the_pod_is_forgotten() -> None:
    given = checker()
    assert members(given, REJECTED, EMPTY) == []
    assert given.scheduler.queues().backoff == ("default/p",)


def test_a_pod_that_is_not_forgotten_is_found() -> None:
    assert members(checker(), REJECTED, Nodes({"n1": NodeUsage(("default/p",), 0, 0)})) == ["nodes.n1.pods"]


def test_a_rejection_that_names_no_plugin_is_one_of_its_own_if_it_has_any() -> None:
    unnamed = evolve(REJECTED, unschedulable_plugins=None, message=None)
    assert members(checker(), unnamed, EMPTY) == []
    assert "result" in members(checker(names=()), unnamed)


@pytest.mark.parametrize("plugin", ["Mine", "NodePorts"])
def test_an_error_is_given_if_the_message_names_a_plugin_of_its_own(plugin: str) -> None:
    message = f'running Reserve plugin "{plugin}": no'
    failed = evolve(REJECTED, result="error", unschedulable_plugins=None, message=message)
    found = members(checker(), failed)
    assert found == [] if plugin == "Mine" else "result" in found


def test_a_rejection_by_a_plugin_that_is_not_its_own_is_judged() -> None:
    assert "result" in members(checker(), evolve(REJECTED, unschedulable_plugins=("NodePorts",)))


@pytest.mark.parametrize(
    ("calls", "is_right"),
    [
        (("ScriptedB.unreserve", "ScriptedA.unreserve"), True),
        (("ScriptedA.reserve", "ScriptedB.unreserve", "ScriptedA.unreserve"), True),
        (
            (
                "ScriptedA.reserve",
                "ScriptedB.reserve",
                "ScriptedA.permit",
                "ScriptedB.unreserve",
                "ScriptedA.unreserve",
            ),
            True,
        ),
        (("ScriptedA.reserve", "ScriptedB.reserve", "ScriptedA.permit"), False),
        (("ScriptedA.reserve", "ScriptedA.unreserve"), False),
    ],
)
def test_the_calls_show_where_it_stands_among_other_plugins(calls: tuple[str, ...], is_right: bool) -> None:
    found = members(checker(SCRIPTED), evolve(REJECTED, calls=calls), EMPTY)
    assert found == ([] if is_right else ["calls"])


# --- Waiting --------------------------------------------------------------------------------------

WAITS = evolve(SCHEDULED, waiting=True)
REFUSED = Bind("default/p", "n1", "unschedulable", unschedulable_plugins=("Mine",), message="out of time")


def test_a_pod_waits_until_the_record_shows_how_that_ended() -> None:
    given = checker()
    assert members(given, WAITS) == []
    assert members(given, BOUND) == []
    assert members(checker(), evolve(WAITS, waiting=None), BOUND) == []


def test_a_pod_that_is_rejected_after_it_waited_is_forgotten() -> None:
    given = checker()
    assert members(given, WAITS) == []
    assert members(given, REFUSED, EMPTY) == []


def test_when_it_was_rejected_is_open_where_the_clock_moved() -> None:
    given = checker()
    assert members(given, WAITS) == []
    given.take(Advance(60.0))
    assert members(given, REFUSED) == []
    assert given.has_diverged


# --- PreBind --------------------------------------------------------------------------------------


def test_a_failure_at_prebind_is_taken_as_given_and_the_pod_is_forgotten() -> None:
    failed = Bind("default/p", "n1", "error", message='running PreBind plugin "Mine": no')
    assert members(checker(), SCHEDULED, failed, EMPTY) == []
    assert (
        members(checker(), SCHEDULED, evolve(failed, message='running PreBind plugin "NodePorts": no')) != []
    )


def test_what_came_too_late_ends_what_can_be_followed() -> None:
    given = checker()
    given.foresee([SCHEDULED])
    given.take(SCHEDULED)
    assert given.take(evolve(REFUSED, result="error")) == []
    assert given.has_diverged


# --- PreFilter, Filter and Score ------------------------------------------------------------------


@pytest.mark.parametrize("code", ["Unschedulable", "UnschedulableAndUnresolvable", "Error"])
def test_a_rejection_by_prefilter_is_taken_as_given(code: str) -> None:
    result = "error" if code == "Error" else "unschedulable"
    words = 'running PreFilter plugin "Mine": no' if code == "Error" else "no"
    pre_filter = PreFilter(code, "Mine", (words,))
    assert members(checker(), Attempt("default/p", result, pre_filter=pre_filter)) == []
    assert members(checker(), Attempt("default/p", result, pre_filter=evolve(pre_filter, plugin="X"))) != []


def test_where_it_filters_the_victims_that_are_chosen_are_not_known() -> None:
    given = checker()
    status = {"n1": NodeStatus("Unschedulable", "Mine", ("no",))}
    record = Attempt("default/p", "unschedulable", filter=status, nominated_node="n1", victims=("default/x",))
    assert members(given, record) == []
    assert given.has_diverged


def test_its_scores_count_as_they_were_given() -> None:
    plain = _with_two()
    specified = Attempt("default/p", "scheduled", "n2", filter={**FREE, "n2": NodeStatus("Success")})
    plain.take(specified)
    assert isinstance(plain.specified, Attempt)
    known, sums = plain.specified.scores or {}, plain.specified.totals or {}
    scores = {n: {**by_plugin, "Mine": 70 * (n == "n2")} for n, by_plugin in known.items()}
    totals = {n: total + 70 * (n == "n2") for n, total in sums.items()}
    right = evolve(specified, scores=scores, totals=totals)
    assert members(_with_two(), right, Bind("default/p", "n2", "bound")) == []
    assert "node" in members(_with_two(), evolve(right, node="n1"))


def _with_two() -> Checker:
    given = checker()
    given.take(Create(node("n2")))
    return given


# --- Nominations ----------------------------------------------------------------------------------


def test_a_nomination_is_taken_as_given_where_the_specification_has_no_postfilter() -> None:
    given = checker({"profiles": [{"plugins": {"postFilter": {"disabled": [{"name": "*"}]}}}]})
    given.take(Create(pod("q", {"cpu": "9"}, priority=5)))
    assert members(given, Attempt("default/q", "unschedulable", nominated_node="n1")) == []
    nominees = given.scheduler.state.queue.nominated_pods_for_node("n1")
    assert [each.pod.key for each in nominees] == ["default/q"]


# --- Events ---------------------------------------------------------------------------------------


def test_from_where_only_its_pods_are_elsewhere_nothing_is_judged() -> None:
    given = checker()
    assert members(given, REJECTED) == []
    assert members(given, Queues(("default/p",), (), ())) == []
    assert given.has_diverged


def test_pods_that_it_has_not_rejected_are_judged_wherever_they_are() -> None:
    assert members(checker(), Queues((), ("default/p",), ())) == ["queues.active", "queues.backoff"]


def test_a_pod_that_it_rejected_may_be_requeued_by_any_event() -> None:
    given = checker()
    assert members(given, evolve(REJECTED, unschedulable_plugins=None)) == []
    given.take(Create(node("n2")))
    assert given.scheduler.queues().unschedulable == ()
    assert OwnPlugins().rejecting_now == UNNAMED


def test_where_nothing_is_to_be_done_at_pre_bind_a_failed_binding_leaves_no_nomination() -> None:
    """In 1.35 a nominated node would be tried alone."""
    ungated = {"profiles": [{"plugins": {"preEnqueue": {"disabled": [{"name": "SchedulingGates"}]}}}]}
    given = checker(ungated, release=RELEASES["1.35"])
    avoided = node("n2", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    for value in (avoided, pod("q", schedulingGates=[{"name": "g"}])):
        assert given.take(Create(value)) == []
    both = {**FREE, "n2": NodeStatus("Success")}
    tried = evolve(SCHEDULED, pod="default/q", evaluated=2, filter=both)
    assert members(given, evolve(tried, pod="default/p"), BOUND) == []
    refused = Bind("default/q", "n1", "error")
    assert members(given, tried, refused, Advance(11.0), tried, refused) == []
