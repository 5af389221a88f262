# SPDX-License-Identifier: Apache-2.0
"""Known defects: v1.34.2 passes, who is without one passes, and who does neither fails."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

import device_world
import pytest
from attrs import evolve
from device_world import (
    Json,
    allocated,
    claim,
    device,
    device_class,
    every,
    first_of,
    node,
    one,
    piece,
)
from world import configuration, node_object, pod_object

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.mending import Mending
from refsched.devices.allocator import Allocator
from refsched.devices.errors import AllocationError
from refsched.framework.cycle_state import CycleState
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.dra import ResourceClaim
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.oddities.dynamic_resources import (
    ALL_AGAINST_A_CONSTRAINT,
    ALL_OF_A_BROKEN_POOL,
    ALL_OF_AN_ALTERNATIVE,
    MATCHED_BY_AN_ALTERNATIVE,
    SLICES_OUT_OF_REACH,
)
from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect
from refsched.oddities.known_defects import AS_RELEASED, KNOWN_DEFECTS, with_oddities
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.records import Attempt, Create, NodeStatus, Record, Write
from refsched.releases.v1_34 import V1_34
from refsched.suite.catalogue.rules import all_rules
from refsched.tools.planner.defects_met import DefectsMet, met_by_devices
from tests.snapshots import snapshot_of

allocator = partial(device_world.allocator, release="1.34")
POD = PodInfo(read_as(Pod, {"metadata": {"name": "p"}}))
NOTHING = "device.driver == 'nobody'"
TWO = piece("s1", device("d0"), device("d1"))
ONE = piece("s1", device("d0"))
ONE_OF_P = piece("s1", device("d0"), pool="p")
BROKEN = piece("s1", device("d0"), resourceSliceCount=2)
ONE_OR_ALL = claim("c", first_of("r", one("few", NOTHING), every("many")))
TWO_KINDS = piece("s1", device("d0", numa=0), device("d1", numa=1))
SAME_NUMA = [{"matchAttribute": "gpu.example.com/numa"}]
ALL_OF_ONE_NUMA = claim("c", every(), constraints=SAME_NUMA)
ALL_OR_ALL = claim("c", first_of("r", every("few", NOTHING), every("many")))


# --- The table ------------------------------------------------------------------------------------


def test_every_known_defect_names_a_rule_whose_sentence_names_its_report() -> None:
    rules = all_rules()

    assert len({defect.id for defect in KNOWN_DEFECTS}) == len(KNOWN_DEFECTS)
    assert all(defect.rule in rules for defect in KNOWN_DEFECTS)
    assert all(
        defect.report == NOT_REPORTED or defect.report.startswith("kubernetes #") for defect in KNOWN_DEFECTS
    )


def without(made: Allocator, *mended: KnownDefect) -> Allocator:
    """As released, but for these known defects."""
    return evolve(made, steps=with_oddities(DynamicResources(), AS_RELEASED - set(mended)).steps)


# --- With each, and without -----------------------------------------------------------------------


def test_an_unmet_constraint_on_all_devices_ends_the_attempt_or_rules_out_the_node() -> None:
    made = allocator(TWO_KINDS)
    mended = without(made, ALL_AGAINST_A_CONSTRAINT)
    wanted = read_as(ResourceClaim, ALL_OF_ONE_NUMA)
    or_one = claim("c", first_of("r", every("all"), one("few")), constraints=SAME_NUMA)

    with pytest.raises(AllocationError, match="because a claim constraint would not be satisfied"):
        without(made).allocate(node(), [wanted])
    assert mended.allocate(node(), [wanted]) is None
    found = mended.allocate(node(), [read_as(ResourceClaim, or_one)])
    assert found is not None
    assert [each.request for each in found[0].devices.results] == ["r/few"]


HERE = piece("s1", device("d0"), pool="p", resourceSliceCount=2)
THERE = piece("s2", device("d1"), pool="p", resourceSliceCount=2, node="n2")
NEWER = piece("s3", device("d2"), pool="p", generation=2, node="n2")
LACKING = piece("s4", device("d3"), pool="p", resourceSliceCount=3)


@pytest.mark.parametrize(
    ("slices", "asked", "released", "mended"),
    [
        ([HERE, THERE], claim("c", every()), None, ["d0"]),
        ([HERE, THERE], claim("c", one()), ["d0"], ["d0"]),
        ([HERE], claim("c", every()), None, None),
        ([HERE, LACKING], claim("c", every()), ["d0", "d3"], ["d0", "d3"]),
        ([LACKING, THERE], claim("c", every()), None, None),
        ([ONE_OF_P, NEWER], claim("c", every()), ["d0"], ["d0"]),
        ([HERE, NEWER], claim("c", one()), ["d0"], []),
        ([HERE, NEWER], claim("c", every()), None, []),
        ([HERE, THERE, NEWER], claim("c", one()), ["d0"], []),
    ],
)
def test_slices_out_of_reach_count_or_are_missing(
    slices: list[Json], asked: Json, released: list[str] | None, mended: list[str] | None
) -> None:
    """None: the attempt ends. Nothing: the node is refused."""
    made, wanted = allocator(*slices), [read_as(ResourceClaim, asked)]

    def given(defects: Collection[KnownDefect]) -> list[str] | None:
        try:
            found = without(made, *defects).allocate(node(), wanted)
        except AllocationError:
            return None
        return [each.device for each in found[0].devices.results] if found else []

    assert (given(()), given({SLICES_OUT_OF_REACH})) == (released, mended)
    assert (SLICES_OUT_OF_REACH in met(slices, asked)) is (released != mended)


# --- Followed -------------------------------------------------------------------------------------

BEING_UPDATED = (
    "claim default/c, request r: asks for all devices, but resource pool gpu.example.com/s1 is currently being"
    " updated"
)
PREFIX = 'running "DynamicResources" filter plugin: '
SUCCESS = NodeStatus("Success")


def refused(reason: str) -> NodeStatus:
    return NodeStatus("UnschedulableAndUnresolvable", "DynamicResources", (reason,))


def cluster(*objects: Json, nodes: Sequence[str] = ("n1",)) -> Mending:
    mending = Mending(lambda mended: Checker(configuration(), without=mended, release=V1_34))
    pod = pod_object("p", resourceClaims=[{"name": "g", "resourceClaimName": "c"}])
    for each in (device_class(), *map(node_object, nodes), *objects, pod):
        found_wrong(mending, Create(each))
    return mending


def found_wrong(mending: Mending, *records: Record) -> list[str]:
    def question(record: Record) -> Callable[[Checker], list[Disagreement]]:
        return lambda checker: checker.take(record)

    mending.ask(lambda checker: checker.foresee(records))
    wrong: list[str] = []
    for record in records:
        found = mending.ask(question(record))
        if found and not mending.explains(found):
            wrong += [one.member for one in found]
    return wrong


def broken_pool() -> Mending:
    return cluster(BROKEN, piece("s2", device("d0"), node="n2"), claim("c", every()), nodes=("n1", "n2"))


def gives(asked: Json, *names: str) -> tuple[Record, ...]:
    """The pod is scheduled, and its claim gets these devices of the second alternative."""
    status = allocated(*names, reserved_for=["p"])
    for result in status["allocation"]["devices"]["results"]:
        result["request"] = "r/many"
    scheduled = Attempt("default/p", "scheduled", node="n1", filter={"n1": SUCCESS})
    metadata = {**asked["metadata"], "finalizers": ["resource.kubernetes.io/delete-protection"]}
    return scheduled, Write("update", {**asked, "metadata": metadata, "status": status})


def test_a_broken_pool_may_end_the_attempt() -> None:
    failed = NodeStatus("Error", "DynamicResources", (PREFIX + BEING_UPDATED,))
    ended = Attempt("default/p", "error", filter={"n1": failed}, message=PREFIX + BEING_UPDATED)

    assert found_wrong(broken_pool(), ended) == []


def test_a_broken_pool_may_rule_out_its_node() -> None:
    reported = {"n1": refused(BEING_UPDATED), "n2": SUCCESS}

    assert found_wrong(broken_pool(), Attempt("default/p", "scheduled", node="n2", filter=reported)) == []


def three_nodes() -> Mending:
    """A pool with a slice on each of two nodes."""
    return cluster(HERE, THERE, claim("c", every()), nodes=("n1", "n2"))


def test_a_pool_in_slices_out_of_reach_may_be_complete_or_being_updated() -> None:
    updated = BEING_UPDATED.replace("s1", "p")
    failed = NodeStatus("Error", "DynamicResources", (PREFIX + updated,))
    ended = Attempt("default/p", "error", filter={"n1": failed}, message=PREFIX + updated)
    reported = {"n1": refused(updated), "n2": refused(updated)}
    given = Attempt("default/p", "scheduled", node="n2", filter={"n1": SUCCESS, "n2": SUCCESS})

    assert found_wrong(three_nodes(), ended) == []
    assert found_wrong(three_nodes(), Attempt("default/p", "unschedulable", filter=reported)) == []
    assert found_wrong(three_nodes(), given) == []
    reported = {"n1": refused("cannot allocate all claims"), "n2": SUCCESS}
    assert (
        found_wrong(three_nodes(), Attempt("default/p", "scheduled", node="n2", filter=reported))[0]
        == "filter.n1"
    )


def test_an_unmet_constraint_may_end_the_attempt_or_rule_out_its_node_and_nothing_else() -> None:
    problem = (
        f"{PREFIX}claim default/c, request r: cannot add device gpu.example.com/s1/d1"
        " because a claim constraint would not be satisfied"
    )
    failed = NodeStatus("Error", "DynamicResources", (problem,))

    def wrong(*records: Record) -> list[str]:
        other = piece("s2", device("d0", numa=0), node="n2")
        return found_wrong(cluster(TWO_KINDS, other, ALL_OF_ONE_NUMA, nodes=("n1", "n2")), *records)

    ended = Attempt("default/p", "error", filter={"n1": failed}, message=problem)
    assert wrong(ended) == []
    reported = {"n1": refused("cannot allocate all claims"), "n2": SUCCESS}
    assert wrong(Attempt("default/p", "scheduled", node="n2", filter=reported)) == []
    reported = {"n1": SUCCESS, "n2": SUCCESS}
    assert wrong(Attempt("default/p", "scheduled", node="n2", filter=reported))[0] == "filter.n1"


@pytest.mark.parametrize("n1", [SUCCESS, refused("cannot allocate all claims")])
def test_a_broken_pool_does_nothing_else(n1: NodeStatus) -> None:
    record = Attempt("default/p", "scheduled", node="n2", filter={"n1": n1, "n2": SUCCESS})

    assert found_wrong(broken_pool(), record)[0] == "filter.n1"


@pytest.mark.parametrize(
    ("names", "wrong"), [(["d0"], []), (["d0", "d1"], []), (["d1"], ["write.default/c"])]
)
def test_all_devices_of_an_alternative_are_all_or_those_that_v1_34_2_finds(
    names: list[str], wrong: list[str]
) -> None:
    assert found_wrong(cluster(TWO, ONE_OR_ALL), *gives(ONE_OR_ALL, *names)) == wrong


def test_what_the_second_alternative_matches_is_its_own_or_that_of_the_first() -> None:
    nowhere = {"n1": refused("cannot allocate all claims")}

    assert found_wrong(cluster(ONE, ALL_OR_ALL), Attempt("default/p", "unschedulable", filter=nowhere)) == []
    assert found_wrong(cluster(ONE, ALL_OR_ALL), *gives(ALL_OR_ALL, "d0")) == []
    assert found_wrong(cluster(TWO, ALL_OR_ALL), *gives(ALL_OR_ALL, "d0", "d1")) == []
    assert found_wrong(cluster(TWO, ALL_OR_ALL), *gives(ALL_OR_ALL, "d1")) == ["write.default/c"]


# --- Where they are met ---------------------------------------------------------------------------


def met(slices: Json | list[Json], *claims: Json) -> tuple[KnownDefect, ...]:
    made = allocator(*slices) if isinstance(slices, list) else allocator(slices)
    state = PodClaims(tuple(read_as(ResourceClaim, each) for each in claims), made)
    return met_by_devices(state, NodeInfo(node()))


@pytest.mark.parametrize(
    ("slices", "asked", "defects"),
    [
        (TWO, ONE_OR_ALL, (ALL_OF_AN_ALTERNATIVE,)),
        (ONE, ONE_OR_ALL, ()),
        (ONE, ALL_OR_ALL, (MATCHED_BY_AN_ALTERNATIVE, ALL_OF_AN_ALTERNATIVE)),
        (BROKEN, claim("c", every()), (ALL_OF_A_BROKEN_POOL,)),
        (BROKEN, claim("c", one()), ()),
        (TWO, claim("c", every()), ()),
        (TWO_KINDS, ALL_OF_ONE_NUMA, (ALL_AGAINST_A_CONSTRAINT,)),
        (
            TWO,
            claim("c", every(), constraints=[{"matchAttribute": "dra.example.com/none"}]),
            (ALL_AGAINST_A_CONSTRAINT,),
        ),
    ],
)
def test_a_defect_is_met_where_something_else_would_come_out(
    slices: Json, asked: Json, defects: tuple[KnownDefect, ...]
) -> None:
    assert met(slices, asked) == defects


def test_nothing_is_met_where_nothing_is_to_be_allocated() -> None:
    state = PodClaims((), None)

    assert met_by_devices(state, NodeInfo(node())) == ()


def test_those_of_devices_are_among_the_defects_met_on_a_node() -> None:
    state = PodClaims((read_as(ResourceClaim, claim("c", every())),), allocator(BROKEN))
    there = NodeInfo(node())

    met = DefectsMet(POD, snapshot_of(there), CycleState({DynamicResources.name: state}))
    assert met.on(there) == (ALL_OF_A_BROKEN_POOL,)
    assert DefectsMet(POD, snapshot_of(there), CycleState()).on(there) == ()
