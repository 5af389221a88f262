# SPDX-License-Identifier: Apache-2.0
"""Corners of volumes and devices: claims that are bound by halves, volumes that turn out to be elsewhere, disks
beside volumes that are none, and what is given back with a claim.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.woken import WITHOUT_POPPING, touched
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import DRIVER as DEVICES
from conformance.vocabulary.devices import (
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import (
    HOSTNAME,
    ZONE,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.storage import (
    BIND_COMPLETED,
    DRIVER,
    EPHEMERAL,
    GCE,
    MIGRATED_PLUGINS,
    SELECTED_NODE,
    STORAGE,
    a_claim,
    a_volume,
    bound_pair,
    csi_node,
    inline,
    reaching,
    storage_class,
    storage_object,
    using,
    with_some,
)
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]

_HAND, _MADE = storage_class("hand"), storage_class("made", DRIVER)

# --- Claims and volumes ---------------------------------------------------------------------------


def _bound_by_halves(*claims: Json) -> History:
    """What a claim says of its binding is only half of what is asked for."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, _MADE, a_volume("v1"), a_volume("v2"), *claims)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


_COMPLETED: Json = {"annotations": {BIND_COMPLETED: "yes"}}


def _halves() -> Iterator[History]:
    for of_class in ("hand", "made"):
        yield _bound_by_halves(a_claim(metadata=_COMPLETED, spec={"storageClassName": of_class}))
    yield _bound_by_halves(a_claim(spec={"volumeName": "v1"}))


def _turns_out_elsewhere(host: str, completed: bool) -> History:
    """The provisioner binds a claim, for which it was told a node, to a volume of this host."""
    cluster = HistoryBuilder(hosts=True)
    reach = {"key": HOSTNAME, "operator": "In", "values": [host]}
    taken = storage_object("v1", "PersistentVolume", "pvc-c1", spec={})
    claim = a_claim(spec={"storageClassName": "made"})
    cluster.add(_MADE, claim, taken, a_volume("v9", spec=reaching(reach)))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    told = {SELECTED_NODE: "n1", **({BIND_COMPLETED: "yes"} if completed else {})}
    bound = with_some(claim, metadata={"annotations": told}, spec={"volumeName": "v9"})
    cluster.steps.append(Update(bound))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _in_another_zone(point: str) -> History:
    """VolumeZone alone, and without one of its two points, where it does all the work at the other."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = bound_pair("c1", "v1")
    cluster.add(_HAND, claim, with_some(volume, metadata={"labels": {ZONE: "a"}}))
    for zone in ("b", "a"):
        cluster.add_node(node(labels={ZONE: zone}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history(
        profile_config(default_profile(plugins={point: {"disabled": [{"name": "VolumeZone"}]}}))
    )


_WITHOUT_BINDING = profile_config(
    default_profile(plugins={"multiPoint": {"disabled": [{"name": "VolumeBinding"}]}})
)


def _amiss() -> History:
    """Without VolumeBinding it is VolumeZone alone that says what is amiss with most of these claims."""
    cluster = HistoryBuilder(hosts=True)
    at_once = {**storage_class("once", DRIVER), "volumeBindingMode": "Immediate"}
    cluster.add(_HAND, at_once, *bound_pair("c1", "v1"), bound_pair("c2", "v2")[0])
    for number, of_class in enumerate(("once", "absent", "", "hand"), 3):
        cluster.add(a_claim(f"c{number}", spec={"storageClassName": of_class}))
    cluster.add_node(node(labels={ZONE: "a"}))
    for number in range(1, 7):
        cluster.add_pod(pod("", volumes=using(f"c{number}")))
    cluster.schedule()
    return cluster.history(_WITHOUT_BINDING)


# --- Disks and claims that exclude others ---------------------------------------------------------

_ATTACHED = {"attacher": DRIVER, "nodeName": "n1", "source": {"persistentVolumeName": "v1"}}
_NO_DISK: Json = {"name": "e", "emptyDir": {}}


def _detached(attacher: str, volumes: Sequence[Json]) -> History:
    """Something is detached; whoever waits for room for a disk of a driver waits for that driver alone."""
    attachment = storage_object(STORAGE, "VolumeAttachment", "a1", spec={**_ATTACHED, "attacher": attacher})
    limits = csi_node("n1", {"count": 1})
    limits["metadata"]["annotations"] = {MIGRATED_PLUGINS: "kubernetes.io/gce-pd"}
    limits["spec"]["drivers"] = [{"name": GCE, "nodeID": "n1", "allocatable": {"count": 1}}]
    cluster = HistoryBuilder(hosts=True)
    cluster.add(limits, attachment)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=inline(gcePersistentDisk={"pdName": "a"})), 0)
    cluster.add_pod(pod("", volumes=list(volumes)))
    cluster.schedule()
    cluster.steps.append(deleting(attachment))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _detachments() -> Iterator[History]:
    disk = inline(gcePersistentDisk={"pdName": "b"})
    for attacher in (DRIVER, GCE):
        yield _detached(attacher, [_NO_DISK, *disk])
        yield _detached(attacher, [*disk, _NO_DISK])


def _taken_in_turn(*taken: str, wanted: str) -> History:
    """Between two attempts a claim that nobody shares is given up on a node, and perhaps another taken there."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND)
    for number in (1, 2):
        claim, volume = bound_pair(f"c{number}", f"v{number}")
        exclusive: Json = {"accessModes": ["ReadWriteOncePod"]}
        cluster.add(with_some(claim, spec=exclusive), with_some(volume, spec=exclusive))
    cluster.add_node(node(""))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    cluster.schedule()
    cluster.remove_pod(0)
    for name in taken:
        cluster.add_pod(pod("", volumes=using(name)), 0)
    cluster.add_pod(pod("", volumes=using(wanted)))
    cluster.schedule()
    return cluster.history()


def _turns() -> Iterator[History]:
    for wanted in ("c2", "c1"):
        yield _taken_in_turn("c2", wanted=wanted)
        yield _taken_in_turn(wanted=wanted)


def _not_its_own(owned: bool) -> History:
    """Without VolumeBinding it is NodeVolumeLimits that finds a claim of a pod to be somebody else's."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = bound_pair("p1-e", "v1")
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p1", "uid": "uid-of-p1", "controller": True}
    cluster.add(_HAND, with_metadata(claim, ownerReferences=[owner]) if owned else claim, volume)
    cluster.add(csi_node("n1", {"count": 2}))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", uid="uid-of-p1", volumes=[{"name": "e", **EPHEMERAL}]))
    cluster.schedule()
    return cluster.history(_WITHOUT_BINDING)


def _touched_in_vain() -> History:
    """Each pod is refused for another volume; the node is touched, and has what they want as little as before."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, device_class("any"))
    cluster.add(resource_claim("c1", {"requests": [request("r0", [exactly(1)])]}))
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
    touched(cluster)
    return cluster.history()


# --- Devices --------------------------------------------------------------------------------------


def _told_of_devices(told: bool, host: str) -> History:
    """A claim, of whose device the driver perhaps tells more, can be used on this host alone."""
    cluster = HistoryBuilder(hosts=True)
    device = {"driver": DEVICES, "pool": "s1", "device": "d0"}
    match = {"key": HOSTNAME, "operator": "In", "values": [host]}
    allocation = {
        "devices": {"results": [{"request": "r0", **device}]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [match]}]},
    }
    status: Json = {"allocation": allocation}
    if told:
        status["devices"] = [{**device, "data": {"a": 1}}]
    else:
        status["reservedFor"] = [{"resource": "pods", "name": "p1", "uid": "uid-of-p1"}]
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]))
    cluster.add(resource_claim("c1", {"requests": [request("r0", [exactly(1)])]}, status))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", uid="uid-of-p1"))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _generated_late(*happens: str) -> History:
    """A claim is made for a pod, the pod is told of it, and its gate is opened, in one order or another."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]))
    cluster.add_node(node(""))
    gated: Json = {"schedulingGates": [{"name": "g"}]} if "gate" in happens else {}
    used = [{"name": "g", "resourceClaimTemplateName": "t"}]
    value = pod("p1", uid="uid-of-p1", resourceClaims=used, **gated)
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p1", "uid": "uid-of-p1", "controller": True}
    claim = resource_claim("p1-g", {"requests": [request("r0", [exactly(1)])]})
    told = [{"name": "g", "resourceClaimName": "p1-g"}]
    cluster.add_pod(value)
    cluster.schedule()
    for what in happens:
        match what:
            case "claim":
                cluster.add(with_metadata(claim, ownerReferences=[owner]))
            case "status":
                cluster.change_pod(0, partial(with_status, resourceClaimStatuses=told))
            case "gate":
                cluster.change_pod(0, partial(with_spec, schedulingGates=[]))
        cluster.schedule()
    return cluster.history()


def _gone_meanwhile(first: str, seconds: float, gates: dict[str, bool]) -> History:
    """A pod is refused for want of something else, and then its claim goes: while the pod backs off, or before it
    may be tried again. It waits for the claim then, or is tried in vain."""
    cluster = HistoryBuilder(hosts=True)
    claim = resource_claim("c1", {"requests": [request("r0", [exactly(1)])]})
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]), claim)
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


def _goings() -> Iterator[History]:
    for gates in ({}, WITHOUT_POPPING):
        yield _gone_meanwhile("node", 3, gates)
        yield from (_gone_meanwhile("claim", seconds, gates) for seconds in (0, 3))


_HISTORIES: tuple[History, ...] = (
    *_halves(),
    *(_turns_out_elsewhere(host, completed) for host in ("n2", "n1") for completed in (False, True)),
    *(_in_another_zone(point) for point in ("preFilter", "filter")),
    _amiss(),
    *_detachments(),
    *_turns(),
    *(_not_its_own(owned) for owned in (False, True)),
    _touched_in_vain(),
    *(_told_of_devices(told, host) for told in (True, False) for host in ("n9", "n1")),
    *(_generated_late(*order) for order in (("claim", "status"), ("status", "claim"))),
    *(_generated_late(*order) for order in permutations(("gate", "claim", "status"))),
    *_goings(),
)


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_HISTORIES)
