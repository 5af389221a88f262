# SPDX-License-Identifier: Apache-2.0
"""A search that is followed: which nodes it came to, which it kept, and on which Filter was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen

from refsched.checking.following import Following
from refsched.checking.open_filters import LazySequence, filter_ways, followed, interrupted
from refsched.checking.search import SearchPlan, planned_search
from refsched.cycle.decide import Decider, Decision
from refsched.devices.errors import RejectedOnNode
from refsched.devices.ids import DeviceID
from refsched.devices.in_use import InUse
from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.cycle_state import CycleState
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.runtime import Framework
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.dra import ResourceSlice
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import CSIDriver, CSINode
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.plugins.node_volume_limits import Drivers, NodeVolumeLimits
from refsched.records import Attempt
from refsched.releases.v1_35.devices import Allocator
from tests.snapshots import snapshot_of


def node(name: str) -> NodeInfo:
    return NodeInfo(read_as(Node, {"metadata": {"name": name}}))


def pod() -> PodInfo:
    return PodInfo(read_as(Pod, {"metadata": {"name": "p", "namespace": "default", "uid": "p"}}))


def names(decision: Decision) -> list[str]:
    return [info.name for info in decision.feasible]


@frozen
class Scores:
    name: ClassVar[str] = "Scores"

    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int:
        return 0


@frozen
class Accepts:
    name: ClassVar[str] = "Accepts"

    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status:
        return SUCCESS


@frozen
class Patient:
    """Allocates devices, and notices when it is told to stop meanwhile."""

    name: ClassVar[str] = DynamicResources.name

    def pre_filter(self, pod: PodInfo, snapshot: object) -> Continue[PodClaims]:
        return Continue(PodClaims((), Allocator((), frozenset(), lambda name: None)))

    def filter(self, state: PodClaims, pod: PodInfo, node: NodeInfo) -> Status:
        assert state.allocator is not None
        try:
            state.allocator.allocate(node.existing_node, ())
        except RejectedOnNode as refused:
            return unresolvable(str(refused))
        return error(f"{node.name} is broken") if node.name < "n3" else SUCCESS


def decided(
    plan: SearchPlan, nodes: Sequence[str], framework: Framework, choices: Choices | None = None
) -> Decision:
    snapshot = evolve(snapshot_of(*map(node, nodes)), choices=choices or FirstChoice())
    return Decider(framework, snapshot, lambda name: (), search=partial(planned_search, plan)).decide(pod())


def planned(plan: SearchPlan, plugin: Any, choices: Choices | None = None) -> Decision:
    framework = Framework(
        "default-scheduler",
        pre_filter_plugins=[plugin] if isinstance(plugin, Patient) else [],
        filter_plugins=[plugin],
        score_plugins=[Scores()],
        score_weights={"Scores": 1},
    )
    return decided(plan, ("n1", "n2", "n3", "n4"), framework, choices)


def gave_up(cause: str) -> Status:
    said = f"asked by caller to stop allocating devices: {cause}"
    return unresolvable(said).by(DynamicResources.name)


# --- A search that is stopped ---------------------------------------------------------------------


def test_after_an_error_it_is_open_which_other_nodes_were_looked_at() -> None:
    decision = planned(SearchPlan(frozenset({"n2", "n4"})), Patient())

    assert decision.failure == error('running "DynamicResources" filter plugin: n2 is broken').by(
        "DynamicResources"
    )
    assert (list(decision.errors), names(decision), decision.processed) == (["n2"], ["n4"], 1)


def test_of_many_errors_the_recorded_one_is_reported() -> None:
    message = 'running "DynamicResources" filter plugin: n2 is broken'

    following = Following()
    following.follow(Attempt("default/p", "error", message=message))
    decision = planned(SearchPlan(frozenset({"n1", "n2"})), Patient(), following)

    assert decision.failure == error(message).by("DynamicResources")
    assert list(decision.errors) == ["n1", "n2"]


def test_a_filter_that_was_still_at_it_when_another_failed_gives_up() -> None:
    cause = "some other Filter operation failed"
    plan = SearchPlan(frozenset({"n1", "n2", "n3"}), interrupted=frozenset({"n2", "n3"}), stopped_by=cause)

    decision = planned(plan, Patient())

    assert list(decision.errors) == ["n1"]
    assert decision.diagnosis.statuses == dict.fromkeys(("n2", "n3"), gave_up(cause))


def test_nobody_gives_up_where_nothing_stopped_the_search() -> None:
    plan = SearchPlan(frozenset({"n3"}), interrupted=frozenset({"n3"}), stopped_by="whatever")

    decision = planned(plan, Patient())

    assert decision.diagnosis.statuses == {}
    assert (list(decision.errors), names(decision)) == (["n1", "n2"], ["n3", "n4"])


def test_a_feasible_node_too_many_stops_the_search_as_well() -> None:
    cause = "findNodesThatPassFilters has found enough nodes"
    patient = [Patient()]
    framework = Framework("default-scheduler", pre_filter_plugins=patient, filter_plugins=patient)
    plan = SearchPlan(frozenset({"n3", "n4", "n5"}), frozenset({"n3"}), frozenset({"n5"}), cause)

    decision = decided(plan, ("n3", "n4", "n5"), framework)

    assert (names(decision), [n.name for n in decision.surplus]) == (["n3"], ["n4"])
    assert decision.diagnosis.statuses == {"n5": gave_up(cause)}


def test_a_plan_that_leaves_nodes_out_for_no_reason_is_not_followed() -> None:
    decision = planned(SearchPlan(frozenset({"n3"})), Accepts())

    assert names(decision) == ["n3", "n1", "n2", "n4"]


# --- What Filter may say of a node ----------------------------------------------------------------


def slices(*pools: str) -> list[ResourceSlice]:
    return [
        read_as(
            ResourceSlice,
            {
                "metadata": {"name": name},
                "spec": {
                    "driver": "gpu",
                    "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
                    "allNodes": True,
                    "devices": [{"name": "d"}],
                },
            },
        )
        for name in pools
    ]


def state_of(allocator: Allocator | None) -> CycleState:
    return CycleState({DynamicResources.name: PodClaims((), allocator)})


def allocator_of(*pools: str) -> Allocator:
    return Allocator(slices(*pools), InUse(frozenset({DeviceID("gpu", "other", "d")})), lambda name: None)


def test_filter_may_try_the_pools_of_a_node_in_any_order() -> None:
    state = state_of(allocator_of("a", "b"))

    assert len(filter_ways(state, node("n1"))) == 2
    assert [way.states[DynamicResources.name].allocator.order for way in filter_ways(state, node("n1"))] == [
        0,
        1,
    ]


def test_any_driver_that_is_missing_may_be_the_one_that_is_named() -> None:
    objects = ObjectStore()
    prevents = {"preventPodSchedulingIfMissing": True}
    for name, spec in (("a", prevents), ("b", prevents), ("c", prevents), ("d", {})):
        objects.put(read_as(CSIDriver, {"metadata": {"name": name}, "spec": spec}))
    objects.put(read_as(CSINode, {"metadata": {"name": "n1"}, "spec": {"drivers": [{"name": "c"}]}}))
    pools = state_of(allocator_of("a", "b"))
    state = evolve(pools, states={**pools.states, NodeVolumeLimits.name: Drivers(objects)})

    ways = [way.states for way in filter_ways(state, node("n1"))]
    assert [way[NodeVolumeLimits.name].first for way in ways] == ["a", "a", "b", "b"]
    assert [way[DynamicResources.name].allocator.order for way in ways] == [0, 1, 0, 1]
    assert [driver.in_order(["a", "b"]) for driver in (Drivers(objects, "b"), Drivers(objects))] == [
        ["b", "a"],
        ["a", "b"],
    ]


@pytest.mark.parametrize(
    "state",
    [
        CycleState(),
        state_of(None),
        state_of(allocator_of("a")),
        interrupted(state_of(allocator_of("a", "b")), "enough"),
    ],
)
def test_there_is_one_way_where_there_is_nothing_to_choose(state: CycleState) -> None:
    assert list(filter_ways(state, node("n1"))) == [state]


def test_a_filter_that_has_nothing_to_allocate_is_not_interrupted() -> None:
    assert interrupted(state_of(None), "enough") == state_of(None)
    assert interrupted(CycleState(), "enough") == CycleState()


@frozen
class Open:
    """Says which way it went."""

    name: ClassVar[str] = DynamicResources.name

    def filter(self, state: PodClaims, pod: PodInfo, node: NodeInfo) -> Status:
        return unschedulable(str(getattr(state.allocator, "order", "the only one")))

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        run = context.framework.run_filter_plugins_with_nominated_pods
        return PostFilterResult(run(context.state, context.pod, node("n1"), (), context.snapshot))


def the(number: int) -> Callable[[str, Sequence[Status]], Status]:
    return lambda name, statuses: statuses[number]


def test_of_what_filter_may_say_the_follower_picks_in_a_search_and_in_preemption() -> None:
    framework = followed(
        Framework("f", filter_plugins=[Open()], post_filter_plugins=[Open()]), the(1), the(0)
    )
    state, snapshot = state_of(allocator_of("a", "b")), snapshot_of(node("n1"))
    context: Any = evolve(_CONTEXT, framework=framework, snapshot=snapshot, state=state, pod=pod())
    [in_preemption] = framework.post_filter_plugins

    status = framework.run_filter_plugins_with_nominated_pods(state, pod(), node("n1"), (), snapshot)
    assert status.reasons == ("1",)
    assert in_preemption.name == "DynamicResources"
    assert in_preemption.post_filter(context).status.reasons == ("0",)  # type: ignore[attr-defined]
    status = framework.run_filter_plugins_with_nominated_pods(state_of(None), pod(), node("n1"), (), snapshot)
    assert status.reasons == ("the only one",)


_NOTHING: Any = None
_CONTEXT = PostFilterContext(
    _NOTHING, _NOTHING, _NOTHING, _NOTHING, {}, SUCCESS, _NOTHING, _NOTHING, _NOTHING, _NOTHING
)


def test_lazy_options_are_made_when_they_are_asked_for() -> None:
    options = LazySequence(3, lambda number: number * 10)

    assert list(options) == [0, 10, 20] == options[:]
    assert options[-1] == 20
    with pytest.raises(IndexError):
        options[3]
