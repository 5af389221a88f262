# SPDX-License-Identifier: Apache-2.0
"""Allocations: what is written into claims beside the devices, and what claims that are allocated already allow.

Each history is about one of these: how devices are configured and where they can be used; who may use a claim
that is allocated; whose claim it is; devices of a pool in several slices; devices that two claims hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.drawn import one_in
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import DRIVER, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import ZONE, node, pod, with_metadata, with_status
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]

_OTHERS = "other"
"""A namespace."""
_PARAMETERS: tuple[Json, ...] = ({"mode": "fast"}, {"mode": "slow", "limits": {"cores": 2, "on": True}}, {})


def _required(*values: str, key: str = ZONE, operator: str = "In") -> Json:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def _selector(expressions: Sequence[Json] = (), fields: Sequence[Json] = ()) -> Json:
    term: Json = {}
    if expressions:
        term["matchExpressions"] = list(expressions)
    if fields:
        term["matchFields"] = list(fields)
    return {"nodeSelectorTerms": [term]}


_BY_NAME = _required("n1", key="metadata.name")
_IN_A = _required("a")
_IN_BOTH = _required("a", "b")

# --- Objects --------------------------------------------------------------------------------------


def _opaque(number: int, driver: str = DRIVER) -> Json:
    return {"opaque": {"driver": driver, "parameters": _PARAMETERS[number]}}


def _class(name: str, configs: Sequence[Json]) -> Json:
    return device_class(name, **({"config": list(configs)} if configs else {}))


def _slice(name: str, where: Json, devices: Sequence[str], pool: Json | None = None) -> Json:
    made = [{"name": each, "attributes": {"parity": {"int": n % 2}}} for n, each in enumerate(devices)]
    return resource_slice(name, made, where, pool)


def _claim(name: str, requests: Sequence[Json], status: Json | None = None, **devices: Any) -> Json:
    named = [{"name": f"r{number}", **request} for number, request in enumerate(requests)]
    return resource_claim(name, {"requests": named, **devices}, status)


def _asked(count: int = 1, class_name: str = "any") -> Json:
    if not count:
        return {"deviceClassName": class_name, "allocationMode": "All"}
    return {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": count}


def _one(count: int = 1) -> Json:
    return {"exactly": _asked(count)}


def _given(device: str, selector: Json | None = None, users: Sequence[Json] = ()) -> Json:
    """A claim's status."""
    allocation: Json = {
        "devices": {"results": [{"request": "r0", "driver": DRIVER, "pool": "s1", "device": device}]}
    }
    if selector is not None:
        allocation["nodeSelector"] = selector
    return {"allocation": allocation, **({"reservedFor": list(users)} if users else {})}


# --- How devices are configured, and where they can be used ---------------------------------------

_CLASS_CONFIGS = st.sampled_from(
    [[_opaque(0)], [_opaque(0), _opaque(1)], [_opaque(1, "another.example.com"), _opaque(2)], []]
)
_ALTERNATIVES = st.sampled_from(
    [
        *[[_asked(9), _asked(1)]] * 2,
        [_asked(1), _asked(2)],
        [_asked(9), _asked(9, "twin"), _asked(1, "twin")],
        [_asked(9, "twin"), _asked(1)],
    ]
)
_EXACTLY = st.builds(
    lambda count, class_name, admin: {
        "exactly": {**_asked(count, class_name), **({"adminAccess": True} if admin else {})}
    },
    st.sampled_from([1, 1, 1, 2, 0]),
    st.sampled_from(["any", "any", "any", "twin"]),
    st.sampled_from([False, True]),
)
_ONE_OF_SEVERAL = _ALTERNATIVES.map(
    lambda several: {
        "firstAvailable": [{"name": f"a{number}", **each} for number, each in enumerate(several)]
    }
)
_REQUEST = st.one_of(_EXACTLY, _ONE_OF_SEVERAL, _ONE_OF_SEVERAL)
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
    lambda named, number: {**({"requests": named} if named else {}), **_opaque(number)},
    _NAMED,
    st.sampled_from([0, 1, 2]),
)
_CONSTRAINT = st.builds(
    lambda named: {"matchAttribute": f"{DRIVER}/parity", **({"requests": named} if named else {})}, _NAMED
)
_REACHES: tuple[Json, ...] = (
    {"allNodes": True},
    {"nodeSelector": _selector([_IN_A])},
    {"nodeSelector": _selector([_IN_BOTH])},
    {"nodeSelector": _selector([_required("b", "a")])},
    {"nodeSelector": _selector([_required(operator="Exists"), _IN_A])},
    {"nodeSelector": _selector([_required("a", key="rack", operator="NotIn"), _IN_A])},
    {"nodeSelector": _selector([_required("b", operator="NotIn")])},
    {"nodeSelector": _selector((), [_BY_NAME])},
    {"nodeSelector": _selector([_IN_A], [_BY_NAME])},
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
    cluster.add(_class("any", class_configs[0]), _class("twin", class_configs[1]))
    for number, where in enumerate(reaches, 1):
        cluster.add(_slice(f"s{number}", where, ("d0", "d1")))
    asked_for: Json = {"config": list(configs)} if configs else {}
    if constraints:
        asked_for["constraints"] = list(constraints)
    cluster.add(_claim("c1", requests, **asked_for), _claim("c2", [_one(2)]))
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
    one_in(4, _CONSTRAINT.map(lambda one: [one]), []),
)

# --- Who may use a claim that is allocated --------------------------------------------------------


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
        _selector([_IN_A]),
        _selector([_required("b")]),
        _selector([_IN_BOTH, _required(operator="Exists", key="rack")]),
        _selector([_required(operator="DoesNotExist")]),
        _selector([_required("a", operator="NotIn")]),
        _selector([_IN_A], [_BY_NAME]),
        {
            "nodeSelectorTerms": [
                *_selector([_required("c")])["nodeSelectorTerms"],
                *_selector([_IN_A])["nodeSelectorTerms"],
            ]
        },
        _selector([_required("c")]),
        _selector([_required("c")]),
        _selector((), [_required("n9", key="metadata.name")]),
    ]
)
_LABELS = st.sampled_from([{ZONE: "a"}, {ZONE: "b"}, {}, {ZONE: "a", "rack": "1"}])
_LEAVING = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["example.com/kept"]}


def _allocated(
    labels: Sequence[Json], selector: Json, users: Sequence[Json], both: bool, leaving: str, cores: str
) -> History:
    """Perhaps the claim, which may be on its way out, is deallocated, and the pod tried again."""
    cluster = HistoryBuilder()
    cluster.add(_class("any", [_opaque(0)]), _slice("s1", {"allNodes": True}, ("d0", "d1")))
    claim = _claim("c1", [_one()], _given("d0", selector, users))
    cluster.add(with_metadata(claim, **_LEAVING) if leaving == "from the start" else claim)
    cluster.add(_claim("c2", [_one()]))
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
    one_in(3, st.just(True), False),
    st.sampled_from([*["never"] * 4, "from the start", "later"]),
    st.sampled_from(["4", "4", "1"]),
)

# --- Whose claim it is ----------------------------------------------------------------------------


def _in_two_namespaces(devices: int, given: bool, first: str, users: Sequence[Json]) -> History:
    """Claims of one name, each of the pod in its own namespace."""
    cluster = HistoryBuilder()
    cluster.add(_class("any", []), _slice("s1", {"allNodes": True}, ("d0", "d1")[:devices]))
    cluster.add(_claim("c1", [_one()], _given("d0", None, users) if given else None))
    cluster.add(with_metadata(_claim("c1", [_one()]), namespace=_OTHERS))
    cluster.add_node(node(""))
    for namespace in (first, _OTHERS if first != _OTHERS else "default"):
        cluster.add_pod(with_metadata(claim_user("c1"), namespace=namespace))
    cluster.schedule()
    return cluster.history()


_NAMESPACES = st.builds(
    _in_two_namespaces,
    st.sampled_from([1, 2]),
    st.booleans(),
    st.sampled_from(["default", _OTHERS]),
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


_TOLD = [{"name": "other"}, {"name": "g", "resourceClaimName": "p1-g"}]


def _of_template(uid: str, **more: Any) -> Json:
    used = [{"name": "g", "resourceClaimTemplateName": "t"}]
    return pod("", {"cpu": "1"}, uid=uid, resourceClaims=used, **more)


def _from_template(owners: Sequence[Json], later: Sequence[Json], count: int) -> History:
    """The claim's owners change under the pod that waits; and a pod that runs is told which claim is its own."""
    cluster = HistoryBuilder()
    cluster.add(_class("any", []), _slice("s1", {"allNodes": True}, ("d0",)))
    claim = with_metadata(_claim("p1-g", [_one(count)]), ownerReferences=list(owners))
    cluster.add(claim)
    cluster.add_node(node(""))
    cluster.add_pod(with_status(_of_template("uid-of-p1"), resourceClaimStatuses=_TOLD))
    cluster.add_pod(_of_template("uid-of-p2"), 0)
    cluster.schedule()
    own = {**_CONTROLS, "name": "p2", "uid": "uid-of-p2"}
    cluster.add(with_metadata(_claim("p2-g", [_one()]), ownerReferences=[own]))
    cluster.wait()
    cluster.schedule()
    told = [{"name": "g", "resourceClaimName": "p2-g"}]
    cluster.change_pod(1, lambda value: with_status(value, resourceClaimStatuses=told))
    cluster.wait()
    cluster.schedule()
    cluster.steps.append(Update(with_metadata(claim, ownerReferences=list(later))))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _told_late(owners: Sequence[Json], is_there: bool, names: Sequence[Json]) -> History:
    """The pod is told of its claim after it has been tried, and perhaps before the claim is there."""
    cluster = HistoryBuilder()
    cluster.add(_class("any", []), _slice("s1", {"allNodes": True}, ("d0",)))
    claim = with_metadata(_claim("p1-g", [_one()]), ownerReferences=list(owners))
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
        _told_late,
        st.one_of(st.just([_CONTROLS]), _OWNERS),
        st.sampled_from([True, True, False]),
        st.sampled_from([_TOLD, _TOLD, _TOLD[:1], [{"name": "g"}]]),
    ),
)

# --- Pools in several slices, and devices that two claims hold ------------------------------------


def _in_slices(kinds: Sequence[tuple[int, int, Json]], counts: Sequence[int], late: bool) -> History:
    cluster = HistoryBuilder()
    cluster.add(_class("any", []))
    slices = [
        _slice(
            f"s{number}",
            where,
            (f"d{number}",),
            {"name": "p", "generation": generation, "resourceSliceCount": count},
        )
        for number, (generation, count, where) in enumerate(kinds)
    ]
    cluster.add(*slices[: len(slices) - late])
    cluster.add_node(node("", labels={ZONE: "a"}))
    for number, count in enumerate(counts):
        cluster.add(_claim(f"c{number}", [_one(count)]))
        cluster.add_pod(claim_user(f"c{number}"))
    cluster.schedule()
    if late:
        cluster.add(slices[-1])
        cluster.wait()
        cluster.schedule()
    return cluster.history()


_SLICES = st.builds(
    _in_slices,
    st.lists(
        st.tuples(
            st.sampled_from([1, 1, 2, 1]),
            st.sampled_from([2, 2, 1]),
            st.sampled_from([{"allNodes": True}, {"nodeName": "n1"}, {"nodeName": "n1"}, {"nodeName": "n9"}]),
        ),
        min_size=2,
        max_size=3,
    ),
    st.lists(st.sampled_from([1, 2, 0]), min_size=1, max_size=2),
    one_in(3, st.just(True), False),
)


def _held_twice(
    devices: Sequence[str], admin: Sequence[bool], lets_go: Sequence[tuple[int, str]], kinds: Sequence[int]
) -> History:
    """Claims hold devices, some the same one; one after the other lets go, while others want devices."""
    cluster = HistoryBuilder()
    cluster.add(_class("any", []), _slice("s1", {"allNodes": True}, ("d0", "d1")))
    held = []
    for number, (device, for_admin) in enumerate(zip(devices, admin, strict=False)):
        status = _given(device)
        if for_admin:
            status["allocation"]["devices"]["results"][0]["adminAccess"] = True
        held.append(_claim(f"h{number}", [_one()], status))
    cluster.add(*held)
    cluster.add_node(node(""))
    for number, count in enumerate(kinds):
        cluster.add(_claim(f"c{number}", [_one(count)]))
        cluster.add_pod(claim_user(f"c{number}"))
    cluster.schedule()
    gone = set()
    for index, how in lets_go:
        claim = held[index % len(held)]
        name = claim["metadata"]["name"]
        if name in gone:
            continue
        if how == "deleted":
            gone.add(name)
            cluster.steps.append(deleting(claim))
        elif how == "freed":
            cluster.steps.append(Update({each: claim[each] for each in claim if each != "status"}))
        else:
            cluster.steps.append(Update(with_metadata(claim, labels={"touched": how})))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


_HELD = st.builds(
    _held_twice,
    st.lists(st.sampled_from(["d0", "d0", "d1"]), min_size=2, max_size=3),
    st.lists(one_in(4, st.just(True), False), min_size=3, max_size=3),
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(["freed", "deleted", "touched"])), min_size=1, max_size=3
    ),
    st.lists(st.sampled_from([1, 2, 0]), min_size=1, max_size=2),
)


def histories() -> SearchStrategy[History]:
    of_a_claim = (_ALLOCATED, _ALLOCATED, _NAMESPACES, *_TEMPLATES, _SLICES, _HELD)
    return st.one_of(_CONFIGURED, _CONFIGURED, _CONFIGURED, *of_a_claim)
