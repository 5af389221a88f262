# SPDX-License-Identifier: Apache-2.0
"""A checker follows how DynamicResources went, and accepts nothing that it cannot have done."""

from __future__ import annotations

import pytest
from device_world import DRIVER, Json, allocated, claim, device, device_class, every, one, piece
from world import configuration, node_object, pod_object

from refsched.checking.checker import Checker
from refsched.checking.recorded_devices import (
    recorded_allocation,
    recorded_claim,
    recorded_status,
    recorded_trial,
    written_claims,
)
from refsched.framework.status import SUCCESS, error, unschedulable
from refsched.objects.dra import DELETE_PROTECTION, AllocationResult, ResourceClaim
from refsched.objects.reading import read_as
from refsched.records import Attempt, Create, Delete, NodeStatus, Record, Reference, Write
from refsched.releases.v1_34 import V1_34

PREFIX = 'running "DynamicResources" filter plugin: '


def cluster(*objects: Json) -> Checker:
    checker = Checker(configuration(), release=V1_34)
    for each in (device_class(), *objects):
        checker.take(Create(each))
    return checker


def pod(name: str, *claims: str) -> Json:
    return pod_object(name, resourceClaims=[{"name": c, "resourceClaimName": c} for c in claims])


def error_on(text: str) -> NodeStatus:
    return NodeStatus("Error", "DynamicResources", (PREFIX + text,))


def gave_up(cause: str) -> NodeStatus:
    reason = f"asked by caller to stop allocating devices: {cause}"
    return NodeStatus("UnschedulableAndUnresolvable", "DynamicResources", (reason,))


def broken(pod_name: str, message: str, **statuses: NodeStatus) -> Attempt:
    return Attempt(f"default/{pod_name}", "error", filter=statuses, message=PREFIX + message)


# --- An error, and what else was looked at --------------------------------------------------------

BREAKS = "claim default/c, request r: cannot add device"
MISMATCH = [{"matchAttribute": f"{DRIVER}/numa"}]


@pytest.fixture
def torn() -> Checker:
    """On n1 and n2 the claim's constraint cannot hold; n3 has no devices."""
    slices = [piece(f"s{n}", device("d0", numa=0), device("d1", numa=1), node=f"n{n}") for n in (1, 2)]
    nodes = [node_object(f"n{n}") for n in (1, 2, 3)]
    return cluster(*nodes, *slices, claim("c", every(), constraints=MISMATCH), pod("p", "c"))


def breaks(node: int) -> str:
    return f"{BREAKS} {DRIVER}/s{node}/d1 because a claim constraint would not be satisfied"


NOT_ALL = NodeStatus("UnschedulableAndUnresolvable", "DynamicResources", ("cannot allocate all claims",))


def test_one_error_is_enough_and_any_of_them_may_be_reported(torn: Checker) -> None:
    assert torn.take(broken("p", breaks(2), n2=error_on(breaks(2)))) == []


def test_others_may_have_been_looked_at_or_have_given_up(torn: Checker) -> None:
    stopped = gave_up("some other Filter operation failed")

    assert torn.take(broken("p", breaks(1), n1=error_on(breaks(1)), n2=stopped, n3=stopped)) == []


def test_both_errors_may_have_been_met(torn: Checker) -> None:
    both = broken("p", breaks(2), n1=error_on(breaks(1)), n2=error_on(breaks(2)), n3=NOT_ALL)

    assert torn.take(both) == []


def test_who_gives_up_must_have_been_stopped(torn: Checker) -> None:
    stopped = gave_up("some other Filter operation failed")
    record = Attempt("default/p", "error", filter=dict.fromkeys(("n1", "n2", "n3"), stopped))

    assert [found.member for found in torn.take(record)] == ["filter.n1", "filter.n2", "filter.n3"]


def test_who_gives_up_names_what_stopped_the_search(torn: Checker) -> None:
    record = broken("p", breaks(1), n1=error_on(breaks(1)), n2=gave_up("the end of the world"))

    assert [found.member for found in torn.take(record)] == ["filter.n2"]


def test_an_error_that_no_node_met_is_not_reported(torn: Checker) -> None:
    record = broken("p", "something else", n1=error_on(breaks(1)))

    assert [found.member for found in torn.take(record)] == ["message"]


# --- Orders of pools ------------------------------------------------------------------------------


def two_pools(*more: Json) -> Checker:
    return cluster(
        node_object("n1"), piece("a", device("d0")), piece("b", device("d1")), claim("c", one()), *more
    )


def answer(written: str, pool: str) -> list[Record]:
    status = allocated(written, pool=pool, reserved_for=["p"])
    scheduled = Attempt("default/p", "scheduled", node="n1", filter={"n1": NodeStatus("Success")})
    return [scheduled, Write("update", protected(claim("c", one(), status=status)))]


def protected(value: Json) -> Json:
    return {**value, "metadata": {**value["metadata"], "finalizers": [DELETE_PROTECTION]}}


def test_the_devices_that_were_written_are_taken_from_then_on() -> None:
    wants_d0 = claim("d", one("r", "device.driver == 'x'"))
    checker = two_pools(wants_d0, pod("p", "c"))
    records = answer("d1", "b")

    checker.foresee(records)

    assert [found for record in records for found in checker.take(record)] == []
    stored = checker.scheduler.state.api.get(ResourceClaim, "c", "default")
    assert stored is not None
    assert stored.status.allocation is not None
    assert [each.device for each in stored.status.allocation.devices.results] == ["d1"]


def test_devices_that_cannot_have_been_found_disagree() -> None:
    checker = two_pools(pod("p", "c"))
    records = answer("d9", "b")
    checker.foresee(records)

    found = [each for record in records for each in checker.take(record)]

    assert [(each.member, each.expected, each.got) for each in found] == [
        ("write.default/c", (f"r: {DRIVER}/a/d0",), (f"r: {DRIVER}/b/d9",))
    ]


def test_devices_that_were_reported_too_late_cannot_be_followed() -> None:
    checker = two_pools(pod("p", "c"))
    scheduled, written = answer("d1", "b")
    checker.take(scheduled)

    assert checker.take(written) == []
    assert checker.has_diverged


def test_the_devices_of_a_claim_may_be_reported_in_another_order() -> None:
    checker = cluster(
        node_object("n1"), piece("a", device("d0"), device("d1")), claim("c", one(count=2)), pod("p", "c")
    )
    status = allocated("d1", "d0", pool="a", reserved_for=["p"])
    scheduled = Attempt("default/p", "scheduled", node="n1")
    records: list[Record] = [scheduled, Write("update", protected(claim("c", one(count=2), status=status)))]
    checker.foresee(records)

    assert [each for record in records for each in checker.take(record)] == []
    assert not checker.has_diverged


def test_other_writes_are_not_compared() -> None:
    checker = two_pools(pod("p", "c"))

    assert checker.take(Write("update", claim("c", one()))) == []
    assert checker.take(Write("update", claim("unknown", one(), status=allocated("d0")))) == []
    assert not checker.has_diverged


def test_what_filter_said_shows_the_order_of_the_pools() -> None:
    twice = piece("b", device("d1"), device("d1"))
    invalid = "pool b is invalid: duplicate device name d1"
    for record in (
        broken("p", invalid, n1=error_on(invalid)),
        Attempt("default/p", "scheduled", node="n1", filter={"n1": NodeStatus("Success")}),
    ):
        checker = cluster(
            node_object("n1"), piece("a", device("d0")), twice, claim("c", one()), pod("p", "c")
        )
        assert checker.take(record) == []


def test_what_was_written_shows_which_claim_was_deallocated() -> None:
    unusable = [claim(name, one(), status=allocated("d0", node=f"gone-{name}")) for name in ("c", "d")]
    checker = cluster(node_object("n1"), *unusable, pod("p", "c", "d"))
    records: list[Record] = [Attempt("default/p", "unschedulable"), Write("update", claim("d", one()))]

    checker.foresee(records)
    for record in records:
        checker.take(record)

    free = checker.scheduler.state.api.get(ResourceClaim, "d", "default")
    assert free is not None
    assert not free.is_allocated


# --- One question at a time -----------------------------------------------------------------------


def test_a_node_that_is_not_recorded_goes_the_first_way() -> None:
    ways = [SUCCESS, error("x")]

    assert recorded_status(Attempt("p", "error"), "n1", ways) == ways[0]
    assert recorded_status(Attempt("p", "error", filter={"n1": NodeStatus("Wait")}), "n1", ways) == ways[0]
    assert recorded_status(Attempt("p", "error", filter={"n1": NodeStatus("Error")}), "n1", ways) == ways[1]


def test_while_preemption_tries_the_error_that_was_reported_was_met_or_else_none() -> None:
    ways = [unschedulable("no"), error("broken"), SUCCESS]

    assert recorded_trial(Attempt("p", "unschedulable", message="preemption: broken"), ways) == ways[1]
    assert recorded_trial(Attempt("p", "unschedulable"), ways) == SUCCESS
    assert recorded_trial(Attempt("p", "unschedulable"), ways[:2]) == ways[0]


def read(made: Json) -> ResourceClaim:
    return read_as(ResourceClaim, made)


def test_an_allocation_that_cannot_be_is_not_followed() -> None:
    found = read(claim("c", one(), status=allocated("d0"))).status.allocation
    old = read(claim("old", one()))
    options = [((old, None), (read(claim("c", one())), found))]

    written = written_claims(
        [
            Write("update", claim("c", one())),
            Write("update", claim("c", one(), status=allocated("d9"))),
            Write("update", claim("unknown", one(), status=allocated("d9"))),
            Write("create", claim("c", one(), status=allocated("d8"))),
            Write("update", {"kind": "Node"}),
            Delete(Reference("Node", "n")),
        ]
    )

    assert isinstance(found, AllocationResult)
    assert len(written) == 3
    assert recorded_allocation(written, options) == options[0]
    assert recorded_allocation((), options) == options[0]
    assert recorded_claim(written, [old]) == old
