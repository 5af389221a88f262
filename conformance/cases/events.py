# SPDX-License-Identifier: Apache-2.0
"""Cases of events of each kind of object: what requeues a pod that a plugin rejected which registers for none."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    container,
    node,
    pod,
    profile_config,
    selecting,
    with_metadata,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from conformance.vocabulary.storage import (
    DRIVER,
    STORAGE,
    a_claim,
    a_volume,
    claim_of_immediate_class,
    csi_node,
    storage_class,
    storage_object,
    using,
)
from refsched.suite.histories.history import Create, History, Step, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_ATTACHED: Json = {"attacher": DRIVER, "nodeName": "n1", "source": {"persistentVolumeName": "v1"}}
_OBJECTS: tuple[Json, ...] = (
    pod("other", nodeName="n1"),
    node("other"),
    selecting("Service", "s", {"app": "a"}, "v1"),
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}},
    a_claim(),
    a_volume(),
    storage_class("hand"),
    csi_node("n1", {"count": 1}),
    storage_object(STORAGE, "CSIDriver", DRIVER, spec={"storageCapacity": True}),
    storage_object(STORAGE, "CSIStorageCapacity", "k", "default", storageClassName="hand", nodeTopology={}),
    storage_object(STORAGE, "VolumeAttachment", "a", spec=_ATTACHED),
    device_class("any"),
    resource_slice("s1", [{"name": "d0"}]),
    resource_claim("r1", ONE),
)


def _comes_changes_and_goes(value: Json) -> History:
    """After each of these events the backoff passes, and the pod is tried again if it was requeued."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script=script(("ScriptedA", "reserve", "Unschedulable"))))
    cluster.schedule()
    annotated = with_metadata(value, annotations={"touched": "yes"})
    of_status = [Update(with_status(annotated, phase="Succeeded"))] if value["kind"] == "Pod" else []
    changes: list[Step] = [Create(value), Update(annotated), *of_status, deleting(value)]
    for change in changes:
        cluster.steps.append(change)
        cluster.wait()
        cluster.schedule()
    return cluster.history(SCRIPTED)


def _rejected_for_its_claim(value: Json) -> History:
    """A pod's claim should have been bound at once, and is not; then the value is created."""
    cluster = HistoryBuilder()
    cluster.add(*claim_of_immediate_class())
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    cluster.wait()
    cluster.add(value)
    cluster.schedule()
    return cluster.history()


def _of_another_profile(scheduler: str) -> History:
    """Two profiles differ in whether NodePorts is enabled. A pod of the one that has it waits for a host port, and
    the pod that has the port is deleted."""
    without = {"plugins": {"multiPoint": {"disabled": [{"name": "NodePorts"}]}}}
    profiles = [
        {"schedulerName": each, **({} if each == scheduler else without)}
        for each in ("default-scheduler", "second")
    ]
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    port = container("c", ports=[{"containerPort": 80, "hostPort": 80}])
    cluster.add_pod(pod("", containers=[port]), 0)
    cluster.add_pod(pod("", containers=[port], schedulerName=scheduler))
    cluster.schedule()
    cluster.wait()
    cluster.remove_pod(0)
    cluster.schedule()
    return cluster.history(profile_config(*profiles))


_OF_PROFILES: tuple[Case, ...] = tuple(
    Case(
        f"event_for_a_plugin_of_the_{which}_profile_alone",
        "An event requeues a pod if a plugin of its own profile registers for it, whichever others there are; the"
        f" pod is of the {which} one.",
        _of_another_profile(scheduler),
    )
    for which, scheduler in (("first", "default-scheduler"), ("second", "second"))
)

_OF_CSI_NODES: tuple[Case, ...] = tuple(
    Case(
        f"csi_node_{name}_is_created",
        "A pod that VolumeBinding rejected is requeued by any new CSINode, whether it says which plugins"
        " are migrated or not.",
        _rejected_for_its_claim(with_metadata(csi_node("n1", {"count": 1}), annotations=annotations)),
        ("R-VOLBIND-26",),
    )
    for name, annotations in (
        ("without_annotations", {}),
        ("of_a_migrated_plugin", {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs"}),
    )
)

CASES: tuple[Case, ...] = (
    *_OF_PROFILES,
    *_OF_CSI_NODES,
    *(
        Case(
            f"events_of_a_{value['kind'].lower()}",
            "A pod that was rejected by a plugin which registers for no event is requeued by what is an event of a"
            f" {value['kind']}.",
            _comes_changes_and_goes(value),
            needs=("scripted",),
        )
        for value in _OBJECTS
    ),
)
