# SPDX-License-Identifier: Apache-2.0
"""Gone: an object on which a pod turns, and which is not there any more, or is another, when the pod comes.

There are so few of these histories that all of them are drawn. Of some kinds nobody waits for a deletion: who has
not heard of it shows by what the next pod gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import HOSTNAME, REQUIRED, node, pod
from conformance.vocabulary.storage import (
    DRIVER,
    GCE,
    MIGRATED_PLUGINS,
    STORAGE,
    TELLING,
    a_claim,
    a_volume,
    bound_pair,
    csi_node,
    inline,
    storage_class,
    storage_object,
    using,
    with_some,
)
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]


@frozen
class Case:
    """``there`` are objects on which ``pod`` turns, the last of which is deleted, or becomes ``later``. Who is
    ``running`` does so from the start."""

    there: Sequence[Json]
    pod: Json
    running: Sequence[Json] = ()
    later: Json | None = None

    def history(self, *, is_tried_before: bool) -> History:
        cluster = HistoryBuilder(hosts=True)
        cluster.add(*self.there)
        cluster.add_node(node(""))
        for value in self.running:
            cluster.add_pod(value, 0)
        if is_tried_before:
            cluster.add_pod(self.pod)
            cluster.schedule()
        cluster.steps.append(deleting(self.there[-1]) if self.later is None else Update(self.later))
        cluster.add_pod(self.pod)
        cluster.wait()
        cluster.schedule()
        return cluster.history()


# --- Storage --------------------------------------------------------------------------------------

_HAND, _TOLD = storage_class("hand"), storage_class("hand", TELLING)
_TELLS = storage_object(STORAGE, "CSIDriver", TELLING, spec={"storageCapacity": True})
_CLAIMS = tuple(a_claim(name) for name in ("c1", "c2"))
_USER = pod("", volumes=using("c1"))
_BOUND, _SECOND = bound_pair("c1", "v1"), bound_pair("c2", "v2")
_USING_BOTH = pod("", volumes=using("c1", "c2"))


def _room(amount: str) -> Json:
    return storage_object(
        *(STORAGE, "CSIStorageCapacity", "k1", "default"),
        storageClassName="hand",
        capacity=amount,
        nodeTopology={},
    )


def _attached(number: int, driver: str = DRIVER) -> Json:
    source = {"persistentVolumeName": f"v{number}"}
    return storage_object(
        *(STORAGE, "VolumeAttachment", f"a{number}"),
        spec={"attacher": driver, "nodeName": "n1", "source": source},
    )


def _limited(driver: str, count: int, plugin: str = "") -> Json:
    drivers = [{"name": driver, "nodeID": "n1", "allocatable": {"count": count}}]
    migrated = {MIGRATED_PLUGINS: f"kubernetes.io/{plugin}"} if plugin else {}
    metadata = {"name": "n1", "annotations": migrated}
    return {"apiVersion": STORAGE, "kind": "CSINode", "metadata": metadata, "spec": {"drivers": drivers}}


_GCE_DISKS = [pod("", volumes=inline(gcePersistentDisk={"pdName": name})) for name in "ab"]
_GCE_LIMITED = _limited(GCE, 1, "gce-pd")
_PORTWORX = [pod("", volumes=inline(portworxVolume={"volumeID": name})) for name in ("a", "a", "b")]
_PLUGIN = ("pxd.portworx.com", 1, "portworx-volume")

_STORAGE: tuple[Case, ...] = (
    Case([_HAND, *_CLAIMS, a_volume()], _USER),
    Case([_HAND, *_CLAIMS, a_volume(), a_volume("v2", spec={"capacity": {"storage": "2Gi"}})], _USING_BOTH),
    Case([_HAND, *_CLAIMS, a_volume("v2"), a_volume("v1")], _USER),
    Case([_HAND, *_BOUND], _USER),
    Case([_HAND, a_volume(), _CLAIMS[0]], _USER),
    Case([*_CLAIMS, a_volume(), _HAND], _USER),
    Case([_TOLD, *_CLAIMS, _TELLS, _room("2Gi")], _USER),
    Case([_TOLD, *_CLAIMS, _TELLS, _room("2Gi")], _USER, later=_room("1Mi")),
    Case([_TOLD, *_CLAIMS, _room("1Mi"), _TELLS], _USER),
    Case([_HAND, *_BOUND, *_SECOND, csi_node("n1", {"count": 1})], _USING_BOTH),
    Case([_HAND, *_BOUND, *_SECOND, csi_node("n1", {"count": 1}), _attached(2)], _USER),
    Case([_HAND, *_BOUND, csi_node("n1", {"count": 1}), _attached(2), _SECOND[1]], _USER),
    Case([_HAND, *_SECOND, _GCE_LIMITED, _attached(2, GCE)], _GCE_DISKS[0]),
    Case([_HAND, *_BOUND, _GCE_LIMITED, _attached(1)], _GCE_DISKS[0], _GCE_DISKS[1:]),
    Case([_limited(*_PLUGIN)], _PORTWORX[1], _PORTWORX[2:]),
    Case([_limited(*_PLUGIN)], _PORTWORX[1], _PORTWORX[:1], later=_limited("pxd.portworx.com", 1)),
    Case([_limited(*_PLUGIN)], _PORTWORX[1], _PORTWORX[:1], later=with_some(_limited(*_PLUGIN))),
    Case([_limited(*_PLUGIN)], _PORTWORX[1], _PORTWORX[2:], later=with_some(_limited(*_PLUGIN))),
)

# --- Devices --------------------------------------------------------------------------------------

_CLASS, _SLICE = device_class("any"), resource_slice("s1", [{"name": "d0"}])
_CLAIM, _OTHER = (resource_claim(name, {"requests": [request("r0", [exactly(1)])]}) for name in ("c1", "c2"))
_HOLDS = {
    **_OTHER,
    "status": {
        "allocation": {
            "devices": {
                "results": [{"request": "r0", "driver": "gpu.example.com", "pool": "s1", "device": "d0"}]
            }
        }
    },
}
_DEVICES: tuple[Case, ...] = tuple(
    Case(there, claim_user("c1"))
    for there in (
        [_CLASS, _CLAIM, _SLICE],
        [_SLICE, _CLAIM, _CLASS],
        [_CLASS, _SLICE, _CLAIM],
        [_CLASS, _SLICE, _CLAIM, _HOLDS],
    )
)

# --- Namespaces and workloads ---------------------------------------------------------------------


def _namespace(team: str) -> Json:
    labels = {"team": team} if team else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other", "labels": labels}}


def _term(operator: str, *values: str) -> Json:
    condition = {"key": "team", "operator": operator, **({"values": list(values)} if values else {})}
    return {
        "topologyKey": HOSTNAME,
        "labelSelector": {},
        "namespaceSelector": {"matchExpressions": [condition]},
    }


def _apart(*condition: str) -> Json:
    return pod("", affinity={"podAntiAffinity": {REQUIRED: [_term(*condition)]}})


def _together(*condition: str) -> Json:
    return pod("", affinity={"podAffinity": {REQUIRED: [_term(*condition)]}})


_ELSEWHERE = pod("", namespace="other")
_SELECTORS = (("In", "x"), ("NotIn", "x"), ("Exists",), ("DoesNotExist",), ("In", "y", "x"))
_LATER = (_namespace("y"), None)
_NAMESPACES: tuple[Case, ...] = tuple(
    case
    for number, selector in enumerate(_SELECTORS)
    for case in (
        Case([_namespace("x")], _apart(*selector), [_ELSEWHERE], _LATER[number % 2]),
        Case([_namespace("x")], _ELSEWHERE, [_apart(*selector)], _LATER[number % 2]),
        Case([_namespace("x")], _together(*selector), [_ELSEWHERE], _LATER[1 - number % 2]),
    )
)

# --- Nodes ----------------------------------------------------------------------------------------

_FAR: Json = {"key": "zone", "operator": "In", "values": ["z"]}
_UNREADABLE: Json = {"key": "size", "operator": "Gt", "values": ["big"]}
_NODES: tuple[Case, ...] = tuple(
    Case(
        (),
        pod("", affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [*terms]}}}),
        later=node("n1", labels={"disk": "ssd"}),
    )
    for terms in (
        [{"matchExpressions": [_FAR]}],
        [{"matchExpressions": [_FAR]}, {"matchExpressions": [_UNREADABLE]}],
        [{"matchExpressions": [_FAR, _UNREADABLE]}],
    )
)
"""For what cannot be read of its affinity a pod is tried again, though no node matches."""

_HISTORIES: tuple[tuple[Case, bool], ...] = (
    *(
        (case, is_tried_before)
        for case in (*_STORAGE, *_DEVICES, *_NODES)
        for is_tried_before in (False, True)
    ),
    *((case, False) for case in _NAMESPACES),
)


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_HISTORIES).map(lambda one: one[0].history(is_tried_before=one[1]))
