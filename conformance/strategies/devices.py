# SPDX-License-Identifier: Apache-2.0
"""Devices: what slices publish, what claims request, and how both change while pods wait.

In half of the histories there is one pool on a single node, so that the order in which devices are tried is
known; in the others anything may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies import ties
from conformance.strategies.changes import with_few_changes
from conformance.strategies.drawn import ZONE_LABELS, combinations, sometimes
from conformance.vocabulary.builder import Change, HistoryBuilder
from conformance.vocabulary.devices import DRIVER, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    ZONE,
    node,
    owned_by_pod,
    pod,
    with_metadata,
    with_spec,
    with_status,
)
from refsched.suite.histories.history import Create, History, Update, deleting

Json = dict[str, Any]

_ATTRIBUTES = f"device.attributes['{DRIVER}']"
_CLAIMS = ("c1", "c2", "c3")
_SLICES = ("s1", "s2", "s3")
_LATE = "late"
"""A class that is deleted and created again."""

# --- Slices ---------------------------------------------------------------------------------------

_WHERE: tuple[Json, ...] = (
    {"nodeName": "n1"},
    {"nodeName": "n2"},
    {"allNodes": True},
    {
        "nodeSelector": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}]
        }
    },
)


def _device(name: str, numa: int | None, model: str, memory: str, version: str, on: bool) -> Json:
    attributes: Json = {"model": {"string": model}, "version": {"version": version}, "on": {"bool": on}}
    if numa is not None:
        attributes["numa"] = {"int": numa}
    return {"name": name, "attributes": attributes, "capacity": {"memory": {"value": memory}}}


_DEVICES = st.lists(
    combinations(
        _device,
        ("d1", "d2", "d3"),
        (0, 1, None),
        ("a", "b"),
        ("16Gi", "8Gi"),
        ("1.2.3", "2.0.0-rc.1"),
        (True, False),
    ),
    max_size=3,
    unique_by=lambda device: device["name"],
)


def _slice(name: str, where: Json, pool: str, generation: int, count: int, devices: list[Json]) -> Json:
    of_pool = {"name": pool or name, "generation": generation, "resourceSliceCount": count}
    return resource_slice(name, devices, where, of_pool)


def _slices(name: str) -> SearchStrategy[Json]:
    """Draws slices: most are a pool of their own; some share one, are not of its newest generation, or not all of
    it."""
    kinds = combinations(
        lambda where, pool, generation, count: _slice(name, where, pool, generation, count, []),
        _WHERE,
        ("", "", "", "p"),
        (1, 1, 1, 2),
        (1, 1, 1, 1, 1, 1, 2),
    )
    return st.builds(lambda kind, devices: with_spec(kind, devices=devices), kinds, _DEVICES)


# --- Classes and claims ---------------------------------------------------------------------------

_EXPRESSIONS = (
    f"device.driver == '{DRIVER}'",
    f"{_ATTRIBUTES}.model == 'a'",
    f"has({_ATTRIBUTES}.numa) && {_ATTRIBUTES}.numa == 0",
    f"'numa' in {_ATTRIBUTES}",
    f"{_ATTRIBUTES}.?numa.orValue(1) == 1",
    f"{_ATTRIBUTES}.numa in [0, 1]",
    f"device.capacity['{DRIVER}'].memory.compareTo(quantity('16Gi')) >= 0",
    f"{_ATTRIBUTES}.version.isGreaterThan(semver('1.9.0'))",
    f"['a', 'c'].exists(m, m == {_ATTRIBUTES}.model)",
    f"{_ATTRIBUTES}.on || {_ATTRIBUTES}.model == 'b'",
    "device.attributes['nobody.org'].size() > 0",
)
"""One of them is an error on a device without the attribute."""

_SELECTORS: SearchStrategy[Json] = sometimes(
    st.lists(st.sampled_from(_EXPRESSIONS), min_size=1, max_size=2).map(
        lambda chosen: {"selectors": [{"cel": {"expression": each}} for each in chosen]}
    ),
    {},
)


def _class(name: str, selectors: Json, configured: bool) -> Json:
    config = {"config": [{"opaque": {"driver": DRIVER, "parameters": {"of": name}}}]} if configured else {}
    return device_class(name, **selectors, **config)


def _classes(name: str) -> SearchStrategy[Json]:
    return st.builds(_class, st.just(name), _SELECTORS, st.booleans())


_AMOUNTS = st.sampled_from(
    [
        *({"allocationMode": "ExactCount", "count": count} for count in (1, 2, 1, 3, 1, 2)),
        *[{"allocationMode": "All"}] * 5,
        {"allocationMode": "ExactCount", "count": 33},
    ]
)
_CLASS_NAMES = st.sampled_from([*["gpu", "gpu", "big"] * 4, _LATE])
_ASKED: SearchStrategy[Json] = st.builds(
    lambda name, amount, selectors: {"deviceClassName": name, **amount, **selectors},
    _CLASS_NAMES,
    _AMOUNTS,
    _SELECTORS,
)


def _exactly(asked: Json, admin: bool) -> Json:
    return {"exactly": {**asked, **({"adminAccess": True} if admin else {})}}


def _alternatives(alternatives: Sequence[Json]) -> Json:
    return {"firstAvailable": [{"name": f"a{index}", **asked} for index, asked in enumerate(alternatives)]}


_REQUESTS = st.one_of(
    st.builds(_exactly, _ASKED, sometimes(st.just(True), False)),
    st.builds(_exactly, _ASKED, st.just(False)),
    st.lists(_ASKED, min_size=1, max_size=2).map(_alternatives),
)
_TIES = ties.ties("numa", "model", "slot", "on")
_SPECS = st.builds(ties.claim_spec, st.lists(_REQUESTS, min_size=1, max_size=2), sometimes(_TIES, []))


def _allocated(name: str, on: str, reserved: bool, shared: bool) -> Json:
    """Returns a claim that is allocated: ``c1`` holds a device of the pool ``s1``, and so on; or all hold the same
    one."""
    by_name = {"key": "metadata.name", "operator": "In", "values": [on]}
    pool = "s1" if shared else name.replace("c", "s")
    result = {"request": "r0", "driver": DRIVER, "pool": pool, "device": "d1"}
    allocation: Json = {"devices": {"results": [result]}}
    if on:
        allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [by_name]}]}
    users = [{"resource": "pods", "name": "other", "uid": "other"}] if reserved else []
    return {"allocation": allocation, **({"reservedFor": users} if users else {})}


def _claims(name: str) -> SearchStrategy[Json]:
    """Sometimes a claim is allocated from the start, to a device that the pod can use or one that it cannot
    use."""
    places = st.sampled_from(["n1", "n9", ""])
    statuses = st.builds(_allocated, st.just(name), places, st.booleans(), sometimes(st.just(True), False))
    return st.builds(resource_claim, st.just(name), _SPECS, sometimes(statuses))


# --- Pods -----------------------------------------------------------------------------------------


_PODS = st.builds(
    lambda claims, priority: claim_user(*claims, priority=priority),
    st.sampled_from([("c1",), ("c2",), ("c1", "c2"), ("c3",), (), ("c1", "c1"), ("nobodys",)]),
    st.sampled_from([0, 0, 10]),
)
_NODES = st.builds(
    lambda labels, cores: node("", {"cpu": cores, "pods": "9"}, labels),
    ZONE_LABELS,
    st.sampled_from(["4", "4", "4", "1"]),
)


def _add_owner(spec: Json, is_owner: bool, is_reported: bool) -> Change:
    """Draws a pod whose claim was made from a template, or belongs to another pod, or is missing from the pod's
    status."""

    def change(cluster: HistoryBuilder) -> None:
        cluster.add_pod(
            pod("", {"cpu": "1"}, resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}])
        )
        name = next(reversed(cluster.pods))
        own, uid = f"{name}-g", f"uid-of-{name}"
        made = with_metadata(cluster.pods[name], uid=uid)
        reported = with_status(made, resourceClaimStatuses=[{"name": "g", "resourceClaimName": own}])
        owner = owned_by_pod(name, uid)
        made_for = [owner if is_owner else {**owner, "uid": "another"}]
        cluster.pods[name] = reported
        cluster.steps[-1] = Create(reported if is_reported else made)
        if any(isinstance(step, Create) and step.object["metadata"]["name"] == own for step in cluster.steps):
            return
        cluster.add(with_metadata(resource_claim(own, spec), ownerReferences=made_for))
        if not is_reported:
            cluster.schedule()
            cluster.steps.append(Update(reported))

    return change


# --- What happens ---------------------------------------------------------------------------------


def _updated(value: Json) -> Change:
    return lambda cluster: cluster.steps.append(Update(value))


def _replaced(old: Json, new: Json) -> Change:
    """Deletes the object while pods are tried, and creates it again with other contents."""

    def change(cluster: HistoryBuilder) -> None:
        cluster.steps.append(deleting(old))
        cluster.wait()
        cluster.schedule()
        cluster.add(new)

    return change


def _comes_and_goes(value: Json) -> Change:
    def change(cluster: HistoryBuilder) -> None:
        cluster.add(value)
        cluster.wait()
        cluster.schedule()
        cluster.steps.append(deleting(value))

    return change


def _replacing(values: SearchStrategy[Json]) -> SearchStrategy[Change]:
    return values.map(lambda value: _replaced(value, value))


_CLAIMS_LATER = st.one_of(*[st.builds(resource_claim, st.just(name), _SPECS) for name in _CLAIMS])
_CHANGES = (
    st.one_of(*map(_slices, _SLICES)).map(_updated),
    _replacing(st.one_of(*map(_slices, _SLICES))),
    _CLAIMS_LATER.map(_updated),
    _replacing(_CLAIMS_LATER),
    _classes("gpu").map(_updated),
    _classes(_LATE).map(_comes_and_goes),
    st.builds(_add_owner, _SPECS, sometimes(st.just(False), True), sometimes(st.just(False), True)),
)


def _anything() -> SearchStrategy[History]:
    there = [*map(_classes, ("gpu", "big")), *map(_slices, _SLICES), *map(_claims, _CLAIMS)]
    return with_few_changes(
        _NODES, _PODS, *_CHANGES, others=st.tuples(*there).map(list), most_nodes=3, most_pods=4
    )


# --- One pool, many devices -----------------------------------------------------------------------

_EXACTLY = {"allocationMode": "ExactCount"}
_MODES = st.sampled_from(
    [*({**_EXACTLY, "count": count} for count in (1, 2, 1, 2, 3)), *[{"allocationMode": "All"}] * 3]
)
_MATCHING = st.sampled_from(
    [
        *[()] * 5,
        *[(f"{_ATTRIBUTES}.numa == 0",)] * 2,
        (f"{_ATTRIBUTES}.numa == 1",),
        (f"{_ATTRIBUTES}.model == 'a'",),
        (f"{_ATTRIBUTES}.model != 'a'", f"{_ATTRIBUTES}.numa == 0"),
        ("false",),
    ]
)


def _wanted(mode: Json, expressions: Sequence[str], class_name: str) -> Json:
    selectors = [{"cel": {"expression": each}} for each in expressions]
    return {"deviceClassName": class_name, **mode, **({"selectors": selectors} if selectors else {})}


_WANTED = st.builds(_wanted, _MODES, _MATCHING, st.sampled_from(["any", "any", "any", "first"]))
_TOO_MUCH: Json = {"deviceClassName": "any", **_EXACTLY, "count": 7}
_ONE_REQUEST = st.one_of(
    st.builds(_exactly, _WANTED, sometimes(st.just(True), False)),
    st.builds(_exactly, _WANTED, st.just(False)),
    st.lists(_WANTED, min_size=2, max_size=3).map(_alternatives),
    st.lists(_WANTED, min_size=1, max_size=2).map(lambda each: _alternatives([_TOO_MUCH, *each])),
)
_ONE_CLAIM = st.builds(
    ties.claim_spec, st.lists(_ONE_REQUEST, min_size=1, max_size=2), st.one_of(st.just([]), _TIES)
)
_KINDS = st.lists(
    st.tuples(st.sampled_from([0, 0, 1]), st.sampled_from(["a", "a", "b"]), st.sampled_from([None, 0, 1])),
    min_size=3,
    max_size=6,
)
_USERS = st.lists(
    st.sampled_from([("c1",), ("c2",), ("c3",), ("c1", "c2"), ("c2", "c3"), ("c3", "c1")]),
    min_size=1,
    max_size=4,
)


def _pool(kinds: Sequence[tuple[int, str, int | None]]) -> Json:
    """Returns a pool of devices, some of which may lack the attribute of a constraint."""
    devices = [
        _device(f"d{number}", numa, model, "16Gi", "1.2.3", on=True)
        for number, (numa, model, _) in enumerate(kinds)
    ]
    for device, (_, _, slot) in zip(devices, kinds, strict=True):
        if slot is not None:
            device["attributes"]["slot"] = {"int": slot}
    return _slice("s1", {"nodeName": "n1"}, "", 1, 1, devices)


def _from_one_pool(pool: Json, specs: Sequence[Json], users: Sequence[Sequence[str]], again: bool) -> History:
    """Perhaps the pods that got devices leave, their claims lose them, and the others are tried again."""
    cluster = HistoryBuilder()
    cluster.add(_class("any", {}, False), pool)
    cluster.add(_class("first", {"selectors": [{"cel": {"expression": f"{_ATTRIBUTES}.numa == 0"}}]}, True))
    cluster.add_node(node(""))
    claims = [resource_claim(f"c{number}", spec) for number, spec in enumerate(specs, 1)]
    cluster.add(*claims)
    for names in users:
        cluster.add_pod(claim_user(*names))
    cluster.schedule()
    if again:
        cluster.steps.append(Update(claims[0]))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def histories() -> SearchStrategy[History]:
    specs = st.lists(_ONE_CLAIM, min_size=3, max_size=3)
    one_pool = st.builds(_from_one_pool, _KINDS.map(_pool), specs, _USERS, sometimes(st.just(True), False))
    return st.one_of(ties.TIED, one_pool, _anything(), _anything())
