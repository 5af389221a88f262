# SPDX-License-Identifier: Apache-2.0
"""Cases of DynamicResources: allocations that tie a claim to a node, claims that are created or deleted late,
pools whose slices disagree, and node updates that make no pod schedulable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.cases.deleted import Replaced, before_and_after
from conformance.cases.queue import update_the_node
from conformance.vocabulary.allocations import configured_class, opaque, users_of
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    ONE,
    all_there_are,
    claim_user,
    claims_in_turn,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import (
    HOSTNAME,
    WITHOUT_POP_FROM_BACKOFF,
    ZONE,
    default_profile,
    node,
    pod,
    profile_config,
)
from conformance.vocabulary.storage import (
    bound_pair,
    csi_node,
    inline,
    reaching,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_CLASS, _SLICE = device_class("any"), resource_slice("s1", [{"name": "d0"}])
_RESULTS = [{"request": "r0", "driver": DRIVER, "pool": "s1", "device": "d0"}]

# --- Allocated claims -----------------------------------------------------------------------------


def _allocated(host: str, **more: list[Json]) -> History:
    """Returns a claim whose device can be used on this host alone, and whose status says ``more``."""
    match = {"key": HOSTNAME, "operator": "In", "values": [host]}
    allocation = {
        "devices": {"results": _RESULTS},
        "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [match]}]},
    }
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_CLASS, _SLICE, resource_claim("c1", ONE, {"allocation": allocation, **more}))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", uid="uid-of-p1"))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _of_allocations() -> Iterator[Case]:
    reported = [{"driver": DRIVER, "pool": "s1", "device": "d0", "data": {"a": 1}}]
    for with_what, status in (
        ("with_device_status", {"devices": reported}),
        ("reserved_for_the_pod", {"reservedFor": users_of("p1")}),
    ):
        for host in ("n9", "n1"):
            where = "elsewhere" if host == "n9" else "on_the_node"
            yield Case(
                f"claim_allocated_{where}_{with_what}",
                "An allocated claim that no pod can use on the only node is deallocated unless it is reserved:"
                f" its device is {where.replace('_', ' ')}, and it is {with_what.replace('_', ' ')}.",
                _allocated(host, **status),
            )


def _of_users() -> Iterator[Case]:
    for name, users in (("another_pod_too", ("p1", "p9")), ("nobody", ())):
        yield Case(
            f"claim_allocated_elsewhere_reserved_for_{name}",
            "An allocated claim that the pod cannot use anywhere is deallocated only if no other pod uses it; it"
            f" is reserved for {name.replace('_', ' ')}.",
            _allocated("n9", reservedFor=users_of(*users)),
        )


# --- Claims that are created or deleted late ------------------------------------------------------


def _claim_deleted(first: str, seconds: float, gates: dict[str, bool]) -> History:
    """A pod is rejected for too little cpu. The node grows and the claim is deleted, in this order or the other;
    after some seconds the claim is created again."""
    cluster = HistoryBuilder(hosts=True)
    claim = resource_claim("c1", ONE)
    cluster.add(_CLASS, _SLICE, claim)
    cluster.add_node(node("", {"cpu": "500m", "pods": "9"}))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    for what in ("node", "claim") if first == "node" else ("claim", "node"):
        if what == "node":
            cluster.change_node(0, node(""))
        else:
            cluster.steps.append(deleting(claim))
    if seconds:
        cluster.wait(seconds)
        cluster.schedule()
    cluster.add(claim)
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history(gates=gates)


_NO_PRE_ENQUEUE = profile_config(
    default_profile(plugins={"preEnqueue": {"disabled": [{"name": "DynamicResources"}]}})
)
"""With it a pod is tried though its claims do not exist."""


def _one_claim_deleted(deleted: str, config: Json | None) -> History:
    claims = {name: resource_claim(name, ONE) for name in ("c1", "c2", "c3")}
    cluster = HistoryBuilder()
    cluster.add(_CLASS, _SLICE)
    cluster.add(*(claims[name] for name in ("c1", "c2")))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", "c2"))
    cluster.schedule()
    cluster.steps.append(deleting(claims[deleted]))
    for value in (claims["c3"], resource_slice("s2", [{"name": "d1"}]), claims[deleted]):
        cluster.add(value)
        cluster.wait()
        cluster.schedule()
    return cluster.history(config)


def _of_late_claims() -> Iterator[Case]:
    for gates in ({}, WITHOUT_POP_FROM_BACKOFF):
        suffix = "_without_pop_from_backoff" if gates else ""
        for first, seconds in (("node", 3), ("claim", 0), ("claim", 3)):
            order_name = "after_the_node_grew" if first == "node" else "before_the_node_grows"
            yield Case(
                f"claim_deleted_{order_name}_created_after_{seconds}_seconds{suffix}",
                "A pod that was rejected for its requests waits for a claim that is deleted meanwhile, whether it"
                f" is in backoff or not: {order_name.replace('_', ' ')}, created again after {seconds} s.",
                _claim_deleted(first, seconds, gates),
            )
    for deleted, which in (("c1", "first"), ("c2", "second")):
        for config, name in ((_NO_PRE_ENQUEUE, "tried_without_it"), (None, "gated_without_it")):
            yield Case(
                f"{which}_of_two_claims_deleted_{name}",
                f"A pod whose {which} claim was deleted is requeued when that claim is created again, and by no"
                f" other claim or slice; it is {name.replace('_', ' ')}.",
                _one_claim_deleted(deleted, config),
            )


# --- Nodes and configurations -----------------------------------------------------------------------


def _node_updated() -> History:
    """Each pod is rejected for another volume or claim; the node is updated, which makes none schedulable."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), _CLASS)
    cluster.add(resource_claim("c1", ONE))
    for number in (1, 2):
        cluster.add(*bound_pair(f"c{number}", f"v{number}"))
    exclusive: Json = {"accessModes": ["ReadWriteOncePod"]}
    far = reaching({"key": HOSTNAME, "operator": "In", "values": ["n9"]})
    for number, spec in ((4, exclusive), (5, far)):
        claim, volume = bound_pair(f"c{number}", f"v{number}")
        cluster.add(with_some(claim, spec=exclusive) if number == 4 else claim, with_some(volume, spec=spec))
    claim, volume = bound_pair("c7", "v7")
    elsewhere: Json = {"csi": {"driver": "csi.other", "volumeHandle": "v7"}}
    cluster.add(claim, with_some(volume, metadata={"labels": {ZONE: "b"}}, spec=elsewhere))
    cluster.add(csi_node("n1", {"count": 2}))
    cluster.add_node(node("", labels={ZONE: "a"}))
    disk = inline(gcePersistentDisk={"pdName": "a"})
    cluster.add_pod(pod("", volumes=disk), 0)
    cluster.add_pod(pod("", volumes=using("c4")), 0)
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    for volumes in (disk, using("c2"), using("c4"), using("c5"), using("c6"), using("c7")):
        cluster.add_pod(pod("", volumes=volumes))
    cluster.add_pod(claim_user("c1"))
    update_the_node(cluster)
    return cluster.history()


def _configured() -> History:
    """Configurations of a claim name no request, one or more, or an alternative; two classes have some, too."""
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", [opaque(0)]), configured_class("other", [opaque(1), opaque(2)]))
    cluster.add(resource_slice("s1", [{"name": f"d{number}"} for number in range(4)]))
    names: tuple[list[str], ...] = (
        [],
        ["r0"],
        ["r1"],
        ["r1/a0"],
        ["r1/a1"],
        ["r2", "r0"],
        ["r1", "r1/a1"],
        ["r2/a0"],
        ["r0", "r1/a0"],
    )
    configs = [{**({"requests": named} if named else {}), **opaque(n % 3)} for n, named in enumerate(names)]
    asked = [
        request("r0", [exactly(1)]),
        request("r1", [exactly(9), exactly(1, "other")]),
        request("r2", [exactly(1, "other")]),
    ]
    cluster.add(resource_claim("c1", {"requests": asked, "config": configs}))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


# --- Objects that are deleted ---------------------------------------------------------------------

_CLAIM, _OTHER = resource_claim("c1", ONE), resource_claim("c2", ONE)
_HOLDER = {**_OTHER, "status": {"allocation": {"devices": {"results": _RESULTS}}}}
_REPLACED = (
    Replaced("slice_deleted", [_CLASS, _CLAIM, _SLICE], claim_user("c1")),
    Replaced("device_class_deleted", [_SLICE, _CLAIM, _CLASS], claim_user("c1")),
    Replaced("resource_claim_deleted", [_CLASS, _SLICE, _CLAIM], claim_user("c1")),
    Replaced("claim_that_holds_the_device_deleted", [_CLASS, _SLICE, _CLAIM, _HOLDER], claim_user("c1")),
)

# --- Points that are disabled ---------------------------------------------------------------------


def _without(*points: str) -> History:
    """DynamicResources is disabled at these points, and a pod has a claim that is not allocated yet."""
    disabled = {"disabled": [{"name": "DynamicResources"}]}
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_CLASS, _SLICE, _CLAIM)
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history(profile_config(default_profile(plugins=dict.fromkeys(points, disabled))))


def _victims_without_pre_filter() -> History:
    """DynamicResources is disabled at PreFilter alone, and a pod of lower priority fills the only node."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_CLASS, _SLICE, _CLAIM)
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", {"cpu": "1"}), 0)
    cluster.add_pod(claim_user("c1", priority=10))
    cluster.schedule()
    disabled = {"preFilter": {"disabled": [{"name": "DynamicResources"}]}}
    return cluster.history(profile_config(default_profile(plugins=disabled)))


def _of_disabled_points() -> Iterator[Case]:
    yield Case(
        "devices_without_pre_filter_and_a_victim",
        "A pod with a claim preempts nobody where DynamicResources is disabled at PreFilter, and not at"
        " PostFilter.",
        _victims_without_pre_filter(),
        ("R-DRA-07",),
        needs=("preemption",),
    )
    for points in (("reserve",), ("filter", "reserve"), ("preBind",)):
        yield Case(
            f"devices_without_{'_and_'.join(points).lower()}",
            f"DynamicResources is disabled at {' and '.join(points)}, and not at the points after it.",
            _without(*points),
        )


def _held_besides_admin_access() -> History:
    """A claim has a request with admin access before one without, and two more claims want a device each of
    two."""
    both = [request("r0", [{**exactly(1), "adminAccess": True}]), request("r1", [exactly(1)])]
    slices = [resource_slice("s1", [{"name": "d0"}, {"name": "d1"}])]
    return claims_in_turn(slices, [{"requests": both}, ONE, ONE], node("", {"cpu": "9", "pods": "9"}))


def _third_alternative() -> History:
    """Of three alternatives for all devices only the last one matches any."""
    asked = list(map(all_there_are, ("false", "false", "true")))
    return claims_in_turn([resource_slice("s1", [{"name": "d1"}])], [{"requests": [request("r0", asked)]}])


CASES: tuple[Case, ...] = (
    *_of_allocations(),
    *_of_users(),
    *_of_late_claims(),
    Case(
        "device_held_besides_one_with_admin_access",
        "A claim holds the devices of its requests without admin access, though one before them has it.",
        _held_besides_admin_access(),
        ("R-DRA-84",),
    ),
    Case(
        "configurations_of_claims_and_classes",
        "An allocation has the configurations of the classes and of the claim, as often as they concern a request"
        " or the alternative of one that was allocated.",
        _configured(),
        ("R-DRA-60", "R-DRA-61"),
    ),
    Case(
        "node_updates_for_pods_rejected_by_volumes_and_devices",
        "No update of a node requeues a pod that was rejected for its volumes or claims and stays unschedulable.",
        _node_updated(),
        needs=("volumes",),
    ),
    *(case for replaced in _REPLACED for case in before_and_after(replaced)),
    *_of_disabled_points(),
    Case(
        "all_devices_of_the_third_alternative",
        "Which devices the third alternative of a request matches depends on no other alternative.",
        _third_alternative(),
        ("R-DRA-45",),
    ),
)
