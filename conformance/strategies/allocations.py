# SPDX-License-Identifier: Apache-2.0
"""Allocations of claims: what is written beside the devices, and what an existing allocation allows.

Each history is about one of these: the configuration of devices and the nodes on which they can be used; which
pods may use an allocated claim; the owner of a claim; and the pools of ``pools.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies import pools
from conformance.strategies.drawn import any_of, sometimes
from conformance.vocabulary.allocations import (
    BY_NAME,
    IN_ZONE_A,
    IN_ZONES_A_AND_B,
    OTHER_NAMESPACE,
    allocated,
    asked,
    claim_of,
    configured_class,
    exactly_one,
    node_condition,
    node_selector,
    opaque,
    slice_of,
)
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import DRIVER, claim_user
from conformance.vocabulary.objects import ZONE, node, pod, with_metadata, with_status
from refsched.suite.histories.history import History, Update

Json = dict[str, Any]
# --- How devices are configured, and where they can be used ---------------------------------------

_CLASS_CONFIGS = st.sampled_from(
    [[opaque(0)], [opaque(0), opaque(1)], [opaque(1, "another.example.com"), opaque(2)], []]
)
_ALTERNATIVES = st.sampled_from(
    [
        *[[asked(9), asked(1)]] * 2,
        [asked(1), asked(2)],
        [asked(9), asked(9, "twin"), asked(1, "twin")],
        [asked(9, "twin"), asked(1)],
    ]
)
_EXACTLY = st.builds(
    lambda count, class_name, admin: {
        "exactly": {**asked(count, class_name), **({"adminAccess": True} if admin else {})}
    },
    st.sampled_from([1, 1, 1, 2, 0]),
    st.sampled_from(["any", "any", "any", "twin"]),
    st.sampled_from([False, True]),
)
_FIRST_AVAILABLE = _ALTERNATIVES.map(
    lambda alternatives: {
        "firstAvailable": [{"name": f"a{number}", **each} for number, each in enumerate(alternatives)]
    }
)
_REQUEST = st.one_of(_EXACTLY, _FIRST_AVAILABLE)
_NAMED = st.sampled_from(
    [
        *[["r0/a1"]] * 3,
        ["r0"],
        ["r0/a1", "r1"],
        [],
        ["r0", "r1"],
        ["r1/a1", "r0"],
        ["r1"],
        ["r0/a0"],
        ["r0", "r0/a1"],
        ["r0/a2", "r1/a1"],
    ]
)
_CLAIM_CONFIG = st.builds(
    lambda named, number: {**({"requests": named} if named else {}), **opaque(number)},
    _NAMED,
    st.sampled_from([0, 1, 2]),
)
_CONSTRAINT = st.builds(
    lambda named: {"matchAttribute": f"{DRIVER}/parity", **({"requests": named} if named else {})}, _NAMED
)
_REACHES: tuple[Json, ...] = (
    {"allNodes": True},
    {"nodeSelector": node_selector([IN_ZONE_A])},
    {"nodeSelector": node_selector([IN_ZONES_A_AND_B])},
    {"nodeSelector": node_selector([node_condition("b", "a")])},
    {"nodeSelector": node_selector([node_condition(operator="Exists"), IN_ZONE_A])},
    {"nodeSelector": node_selector([node_condition("a", key="rack", operator="NotIn"), IN_ZONE_A])},
    {"nodeSelector": node_selector([node_condition("b", operator="NotIn")])},
    {"nodeSelector": node_selector((), [BY_NAME])},
    {"nodeSelector": node_selector([IN_ZONE_A], [BY_NAME])},
    {"nodeName": "n1"},
)


def _configured(
    class_configs: Sequence[Sequence[Json]],
    reaches: Sequence[Json],
    requests: Sequence[Json],
    configs: Sequence[Json],
    constraints: Sequence[Json],
) -> History:
    """Two pods use the same claim, and a third wants what is left."""
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", class_configs[0]), configured_class("twin", class_configs[1]))
    for number, where in enumerate(reaches, 1):
        cluster.add(slice_of(f"s{number}", where, ("d0", "d1")))
    asked_for: Json = {"config": list(configs)} if configs else {}
    if constraints:
        asked_for["constraints"] = list(constraints)
    cluster.add(claim_of("c1", requests, **asked_for), claim_of("c2", [exactly_one(2)]))
    cluster.add_node(node("", labels={ZONE: "a"}))
    cluster.add_pod(with_metadata(claim_user("c1"), uid="uid-of-p1"))
    cluster.add_pod(claim_user("c1"))
    cluster.add_pod(claim_user("c2"))
    cluster.schedule()
    return cluster.history()


_CONFIGURED = st.builds(
    _configured,
    st.tuples(_CLASS_CONFIGS, _CLASS_CONFIGS),
    st.lists(st.sampled_from(_REACHES), min_size=1, max_size=3),
    st.one_of(st.lists(_REQUEST, min_size=2, max_size=2), st.lists(_REQUEST, min_size=1, max_size=2)),
    st.lists(_CLAIM_CONFIG, min_size=1, max_size=3),
    sometimes(_CONSTRAINT.map(lambda one: [one]), []),
)

# --- Which pods may use an allocated claim --------------------------------------------------------


def _consumer(name: str, uid: str, **more: str) -> Json:
    return {"resource": "pods", "name": name, "uid": uid, **more}


_OWN = _consumer("p1", "uid-of-p1")
_USERS = st.sampled_from(
    [
        [],
        [_OWN],
        [_consumer("p1", "uid-of-another")],
        [_consumer("somebody", "uid-of-another")],
        [_consumer("another-name", "uid-of-p1")],
        [_OWN, _consumer("somebody", "uid-of-another")],
        [_consumer("somebody", "uid-of-another"), _OWN],
        [{"resource": "jobs", "apiGroup": "batch", "name": "p1", "uid": "uid-of-job"}],
    ]
)
_USABLE = st.sampled_from(
    [
        node_selector([IN_ZONE_A]),
        node_selector([node_condition("b")]),
        node_selector([IN_ZONES_A_AND_B, node_condition(operator="Exists", key="rack")]),
        node_selector([node_condition(operator="DoesNotExist")]),
        node_selector([node_condition("a", operator="NotIn")]),
        node_selector([IN_ZONE_A], [BY_NAME]),
        {
            "nodeSelectorTerms": [
                *node_selector([node_condition("c")])["nodeSelectorTerms"],
                *node_selector([IN_ZONE_A])["nodeSelectorTerms"],
            ]
        },
        node_selector([node_condition("c")]),
        node_selector([node_condition("c")]),
        node_selector((), [node_condition("n9", key="metadata.name")]),
    ]
)
_LABELS = st.sampled_from([{ZONE: "a"}, {ZONE: "b"}, {}, {ZONE: "a", "rack": "1"}])
_LEAVING = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["example.com/kept"]}


def _allocated(
    labels: Sequence[Json], selector: Json, users: Sequence[Json], both: bool, leaving: str, cores: str
) -> History:
    """Perhaps the claim, which may be on its way out, is deallocated, and the pod tried again."""
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", [opaque(0)]), slice_of("s1", {"allNodes": True}, ("d0", "d1")))
    claim = claim_of("c1", [exactly_one()], allocated("d0", selector, users))
    cluster.add(with_metadata(claim, **_LEAVING) if leaving == "from the start" else claim)
    cluster.add(claim_of("c2", [exactly_one()]))
    for each in labels:
        cluster.add_node(node("", {"cpu": cores, "pods": "9"}, each))
    cluster.add_pod(with_metadata(claim_user("c1", "c2") if both else claim_user("c1"), uid="uid-of-p1"))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule(1)
    if leaving == "later":
        cluster.steps.append(Update(with_metadata(claim, **_LEAVING)))
    cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_ALLOCATED = st.builds(
    _allocated,
    st.lists(_LABELS, min_size=1, max_size=3),
    _USABLE,
    _USERS,
    sometimes(st.just(True), False),
    st.sampled_from([*["never"] * 4, "from the start", "later"]),
    st.sampled_from(["4", "4", "1"]),
)

# --- Whose claim it is ----------------------------------------------------------------------------


def _in_two_namespaces(devices: int, given: bool, first: str, users: Sequence[Json]) -> History:
    """Claims of one name, each of the pod in its own namespace."""
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", []), slice_of("s1", {"allNodes": True}, ("d0", "d1")[:devices]))
    cluster.add(claim_of("c1", [exactly_one()], allocated("d0", None, users) if given else None))
    cluster.add(with_metadata(claim_of("c1", [exactly_one()]), namespace=OTHER_NAMESPACE))
    cluster.add_node(node(""))
    for namespace in (first, OTHER_NAMESPACE if first != OTHER_NAMESPACE else "default"):
        cluster.add_pod(with_metadata(claim_user("c1"), namespace=namespace))
    cluster.schedule()
    return cluster.history()


_NAMESPACES = st.builds(
    _in_two_namespaces,
    st.sampled_from([1, 2]),
    st.booleans(),
    st.sampled_from(["default", OTHER_NAMESPACE]),
    st.sampled_from([[], [_consumer("p2", "uid-of-another")]]),
)


def _reference(uid: str, **more: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "name": "p1", "uid": uid, **more}


_CONTROLS = _reference("uid-of-p1", controller=True)
_OWNERS = st.sampled_from(
    [
        [_CONTROLS],
        [_reference("another"), _CONTROLS],
        [_reference("uid-of-p1")],
        [_reference("uid-of-p1", controller=False)],
        [_reference("another", controller=True)],
        [_reference("another"), _CONTROLS],
        [_reference("another", controller=True), _reference("uid-of-p1")],
        [_reference("uid-of-p1"), _reference("another", controller=True)],
        [],
    ]
)


_STATUSES = [{"name": "other"}, {"name": "g", "resourceClaimName": "p1-g"}]


def _of_template(uid: str, **more: Any) -> Json:
    used = [{"name": "g", "resourceClaimTemplateName": "t"}]
    return pod("", {"cpu": "1"}, uid=uid, resourceClaims=used, **more)


def _from_template(owners: Sequence[Json], later: Sequence[Json], count: int) -> History:
    """The owners of a waiting pod's claim change, or the status of a running pod comes to name its claim."""
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", []), slice_of("s1", {"allNodes": True}, ("d0",)))
    claim = with_metadata(claim_of("p1-g", [exactly_one(count)]), ownerReferences=list(owners))
    cluster.add(claim)
    cluster.add_node(node(""))
    cluster.add_pod(with_status(_of_template("uid-of-p1"), resourceClaimStatuses=_STATUSES))
    cluster.add_pod(_of_template("uid-of-p2"), 0)
    cluster.schedule()
    own = {**_CONTROLS, "name": "p2", "uid": "uid-of-p2"}
    cluster.add(with_metadata(claim_of("p2-g", [exactly_one()]), ownerReferences=[own]))
    cluster.wait()
    cluster.schedule()
    statuses = [{"name": "g", "resourceClaimName": "p2-g"}]
    cluster.change_pod(1, lambda value: with_status(value, resourceClaimStatuses=statuses))
    cluster.wait()
    cluster.schedule()
    cluster.steps.append(Update(with_metadata(claim, ownerReferences=list(later))))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _reported_late(owners: Sequence[Json], is_there: bool, names: Sequence[Json]) -> History:
    """The pod's status names its claim only after an attempt, and perhaps before the claim exists."""
    cluster = HistoryBuilder()
    cluster.add(configured_class("any", []), slice_of("s1", {"allNodes": True}, ("d0",)))
    claim = with_metadata(claim_of("p1-g", [exactly_one()]), ownerReferences=list(owners))
    if is_there:
        cluster.add(claim)
    cluster.add_node(node(""))
    cluster.add_pod(_of_template("uid-of-p1"))
    cluster.schedule()
    cluster.change_pod(0, lambda value: with_status(value, resourceClaimStatuses=names))
    cluster.wait()
    cluster.schedule()
    if not is_there:
        cluster.add(claim)
        cluster.wait()
        cluster.schedule()
    return cluster.history()


_TEMPLATES = (
    st.builds(_from_template, _OWNERS, _OWNERS, st.sampled_from([1, 2])),
    st.builds(
        _reported_late,
        st.one_of(st.just([_CONTROLS]), _OWNERS),
        st.sampled_from([True, True, False]),
        st.sampled_from([_STATUSES, _STATUSES, _STATUSES[:1], [{"name": "g"}]]),
    ),
)


def histories() -> SearchStrategy[History]:
    of_a_claim = (_ALLOCATED, _ALLOCATED, _NAMESPACES, *_TEMPLATES, pools.SLICES, pools.HELD)
    return any_of(_CONFIGURED, *of_a_claim)
