# SPDX-License-Identifier: Apache-2.0
"""DefaultPreemption as a whole: what it answers, which victims it names, and what it says when it gives up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from attrs import define, field, frozen
from preemption_world import Offered, budget, names, node, pod, preempt

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterResult
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.store import ObjectStore
from refsched.oddities.known_defects import AS_PROMISED
from refsched.plugins.default_preemption import DefaultPreemption
from refsched.preemption.candidate import Candidate

# --- May it preempt? ------------------------------------------------------------------------------


def victim_that_leaves(**changes: Any) -> PodInfo:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"} | changes
    ready = {"type": "Ready", "status": "False"}
    return pod("low", leaving=True, status={"conditions": [ready, condition]})


NOMINATED = pod("p", 4, 9, status={"nominatedNodeName": "n"})


def test_a_pod_waits_for_its_victims_on_the_nominated_node() -> None:
    waits = unschedulable("preemption: not eligible due to a terminating pod on the nominated node.")
    assert preempt(NOMINATED, node("n", victim_that_leaves())) == PostFilterResult(waits)


@pytest.mark.parametrize(
    "other",
    [
        pod("low"),
        pod("low", leaving=True),
        victim_that_leaves(status="False"),
        victim_that_leaves(reason="DeletionByTaintManager"),
    ],
    ids=["stays", "leaves by itself", "condition is false", "leaves for another reason"],
)
def test_a_pod_does_not_wait_for_what_is_no_victim_of_preemption(other: PodInfo) -> None:
    assert preempt(NOMINATED, node("n", other)).nominated_node == "n"


def test_a_pod_does_not_wait_for_a_pod_of_its_own_priority_or_on_a_node_that_was_deleted() -> None:
    equal = pod("equal", priority=9, leaving=True, status=victim_status())
    assert preempt(NOMINATED, node("n", equal)).nominated_node == ""
    assert preempt(NOMINATED, node("m", victim_that_leaves())).nominated_node == "m"


def victim_status() -> dict[str, Any]:
    return {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]}


def test_a_pod_does_not_wait_where_evicting_pods_no_longer_helps() -> None:
    statuses = {"n": unresolvable("tainted"), "m": unschedulable("full")}
    result = preempt(NOMINATED, node("n", victim_that_leaves()), node("m", pod("low")), statuses=statuses)
    assert (result.nominated_node, names(result.victims)) == ("m", "low")


# --- Victims --------------------------------------------------------------------------------------


def test_as_few_pods_leave_as_will_do_and_the_less_important_ones_first() -> None:
    pods = [pod("a", priority=1), pod("b", priority=3), pod("c", priority=2), pod("high", priority=9)]
    result = preempt(pod("p", 2, 9), node("n", *pods))
    said = "preemption: found a potential placement for pod on node n, preempting 2 victims"
    assert result.status == Status(reasons=(said,))
    assert (result.nominated_node, names(result.victims)) == ("n", "c a")


def test_of_pods_of_equal_priority_the_younger_ones_leave() -> None:
    pods = [pod("young", started=1), pod("old", started=9), pod("waiting"), pod("older", started=10)]
    assert names(preempt(pod("p", 2, 9), node("n", *pods)).victims) == "young waiting"


def test_pods_that_never_started_are_reprieved_from_the_last_on() -> None:
    assert names(preempt(pod("p", 2, 9), node("n", *map(pod, "abcd"))).victims) == "b a"


def test_by_the_rule_any_of_them_may_be_reprieved_first() -> None:
    offered = Offered()
    crowded = node("n", *map(pod, "abcd"))
    found = preempt(pod("p", 2, 9), crowded, offered=offered, oddities=AS_PROMISED)
    assert names(found.victims) == "c d"
    asked = [question for question, _ in offered.questions]
    assert asked == ["victim"] * 4 + ["candidate"]


def test_a_pod_that_a_budget_protects_is_reprieved_first_though_less_important() -> None:
    pods = [pod("guarded", priority=1, labels={"app": "db"}), pod("a", priority=3), pod("b", priority=2)]
    result = preempt(pod("p", 2, 9), node("n", *pods), budgets=[budget("db")])
    assert names(result.victims) == "b"
    result = preempt(pod("p", 4, 9), node("n", *pods), budgets=[budget("db")])
    assert names(result.victims) == "a b guarded"


def test_pods_nominated_to_the_node_need_their_room_as_well() -> None:
    promised = {"n": [pod("promised", 2, 9), pod("lesser", 4, 5)]}
    result = preempt(pod("p", 2, 9), node("n", *map(pod, "abcd")), nominated=promised)
    assert names(result.victims) == "d c b a"
    assert names(result.outranked) == "lesser"


def test_where_prefilter_refused_the_pod_all_nodes_may_be_helped() -> None:
    nodes = [node("n", pod("a", 4)), node("m")]
    result = preempt(pod("p", 4, 9), *nodes, statuses={}, absent=unschedulable("someone is in the way"))
    assert (result.nominated_node, names(result.victims)) == ("n", "a")


# --- The pick -------------------------------------------------------------------------------------


def test_the_candidate_that_costs_least_is_taken_and_equals_are_offered_by_name() -> None:
    offered = Offered()
    costly = node("a", pod("high", 4, priority=5))
    equals = [node("c", pod("low-c", 4)), node("b", pod("low-b", 4))]
    result = preempt(pod("p", 4, 9), costly, *equals, offered=offered)
    assert offered.questions == [("candidate", ["b", "c"])]
    assert (result.nominated_node, names(result.victims)) == ("b", "low-b")


def test_a_search_that_ends_early_may_not_see_the_best() -> None:
    nodes = [node(f"n{priority}", pod(f"low{priority}", 4, priority)) for priority in range(5)]
    offered = Offered()
    plugin = DefaultPreemption(min_candidate_nodes_percentage=40, min_candidate_nodes_absolute=1)
    preempt(pod("p", 4, 9), *nodes, plugin=plugin, offered=offered)
    assert offered.questions == [("candidate", ["n0", "n1", "n2", "n3"])]


# --- Errors ---------------------------------------------------------------------------------------


@frozen
class Errs:
    """Cannot tell about nodes of these names."""

    nodes: tuple[str, ...]
    name: ClassVar[str] = "Errs"

    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status:
        return error(f"lost {node.name}") if node.name in self.nodes else SUCCESS


def test_without_a_node_there_is_nothing_to_preempt_on() -> None:
    assert preempt(pod("p", priority=9)).status == error("preemption: no nodes available")


def test_errors_count_where_no_node_can_be_helped() -> None:
    nodes = [node("n", pod("a", 4)), node("m", pod("b", 4))]
    result = preempt(pod("p", 4, 9), *nodes, others=[Errs(("n", "m"))])
    assert result.status == error(
        'preemption: [running "Errs" filter plugin: lost n, running "Errs" filter plugin: lost m]'
    )
    assert result.nominated_node is None
    result = preempt(pod("p", 4, 9), *nodes, others=[Errs(("n",))])
    assert (result.status.is_success, result.nominated_node) == (True, "m")


def test_a_node_where_nobody_has_to_leave_is_an_error() -> None:
    result = preempt(pod("p", 1, 9), node("n", pod("low")))
    assert result.status == error('preemption: expected at least one victim pod on node "n"')


# --- Plugins' state -------------------------------------------------------------------------------


@frozen
class OnePodANode:
    """Refuses a node with a pod, as its PreFilter counted and its extensions keep counting."""

    name: ClassVar[str] = "OnePodANode"

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[dict[str, int]]:
        return Continue({node.name: len(node.pods) for node in snapshot.nodes})

    def add_pod(
        self, state: dict[str, int], pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> dict[str, int]:
        assert added in node.pods
        return state | {node.name: state[node.name] + 1}

    def remove_pod(
        self, state: dict[str, int], pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> dict[str, int]:
        assert removed not in node.pods
        return state | {node.name: state[node.name] - 1}

    def filter(self, state: dict[str, int], pod: PodInfo, node: NodeInfo) -> Status:
        return SUCCESS if state[node.name] == 0 else unschedulable("one is enough")


def test_plugins_see_victims_go_and_come_back_each_node_by_itself() -> None:
    nodes = [node("n", pod("a"), pod("b")), node("m", pod("c"))]
    result = preempt(pod("p", 1, 9), *nodes, others=[OnePodANode()])
    assert (result.nominated_node, names(result.victims)) == ("m", "c")


# --- Extenders ------------------------------------------------------------------------------------


@define
class Extender:
    """Answers what it is told, and keeps the nodes that it was asked about."""

    answer: Any = None
    is_ignorable: bool = False
    supports_preemption: bool = True
    interested: bool = True
    asked: list[list[str]] = field(factory=list)

    def is_interested(self, pod: PodInfo) -> bool:
        return self.interested

    def process_preemption(
        self, pod: PodInfo, candidates: Mapping[str, Candidate], snapshot: Snapshot
    ) -> Mapping[str, Candidate] | Status:
        self.asked.append(list(candidates))
        if isinstance(self.answer, Status):
            return self.answer
        return candidates if self.answer is None else {name: self.answer[name] for name in self.answer}


LOW, HIGH = pod("low", 4), pod("high", 4, priority=5)


def with_extenders(*extenders: Extender, **limits: int) -> PostFilterResult:
    plugin = DefaultPreemption(**limits)
    return preempt(pod("p", 4, 9), node("n", LOW), node("m", HIGH), plugin=plugin, extenders=extenders)


def test_an_extender_may_strike_the_best_node() -> None:
    striking = Extender({"m": Candidate("m", (HIGH,))})
    after = Extender()
    result = with_extenders(striking, after)
    assert (result.nominated_node, names(result.victims)) == ("m", "high")
    assert (striking.asked, after.asked) == ([["n", "m"]], [["m"]])


def test_an_extender_that_strikes_all_ends_it_and_the_next_is_not_asked() -> None:
    after = Extender()
    result = with_extenders(Extender({}), after)
    assert result == PostFilterResult(unschedulable("preemption: no candidate node for preemption"))
    assert after.asked == []


def test_an_extender_without_preemption_or_interest_is_not_asked() -> None:
    strangers = [Extender({}, supports_preemption=False), Extender({}, interested=False)]
    assert with_extenders(*strangers).nominated_node == "n"
    assert [extender.asked for extender in strangers] == [[], []]


def test_an_extender_that_fails_is_passed_over_only_if_ignorable() -> None:
    assert with_extenders(Extender(error("no route"), is_ignorable=True)).nominated_node == "n"
    assert with_extenders(Extender(error("no route"))).status == error("preemption: no route")


def test_an_extender_that_names_no_victim_loses_the_node_or_is_an_error() -> None:
    answer = {"n": Candidate("n", ()), "m": Candidate("m", (HIGH,))}
    assert with_extenders(Extender(answer, is_ignorable=True)).nominated_node == "m"
    assert with_extenders(Extender(answer)).status == error(
        'preemption: expected at least one victim pod on node "n"'
    )


def test_an_extender_is_asked_about_what_a_search_finds_before_it_ends() -> None:
    extender = Extender()
    limits = {"min_candidate_nodes_percentage": 0, "min_candidate_nodes_absolute": 1}
    assert with_extenders(extender, **limits).nominated_node == "n"
    assert extender.asked == [["n"]]


# --- The gate and the events ----------------------------------------------------------------------


def test_no_pod_is_rejected_while_its_victims_are_being_deleted_since_that_is_over_by_then() -> None:
    assert DefaultPreemption().pre_enqueue(pod("p").pod, ObjectStore()) == SUCCESS
