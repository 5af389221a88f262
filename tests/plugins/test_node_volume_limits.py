# SPDX-License-Identifier: Apache-2.0
"""NodeVolumeLimits."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import (
    CSIDriver,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from refsched.objects.store import ObjectStore
from refsched.plugins import node_volume_limits_without_scaling
from refsched.plugins.node_volume_limits import Drivers, NodeVolumeLimits

PLUGIN = NodeVolumeLimits()
TOO_MANY = unschedulable("node(s) exceed max volume count")
GCE = {"name": "g", "gcePersistentDisk": {"pdName": "d"}}
GCE_DRIVER = "pd.csi.storage.gke.io"


def pod(*volumes: str | dict[str, Any], name: str = "p", node: str = "", nominated: str = "") -> PodInfo:
    read = [
        v if isinstance(v, dict) else {"name": v, "persistentVolumeClaim": {"claimName": v}} for v in volumes
    ]
    metadata = {"name": name, "namespace": "ns", "uid": name}
    spec = {"volumes": read, "nodeName": node}
    return PodInfo(
        read_as(Pod, {"metadata": metadata, "spec": spec, "status": {"nominatedNodeName": nominated}})
    )


def claim(name: str, volume: str = "", storage_class: str = "", owner: str = "") -> PersistentVolumeClaim:
    owners = [{"uid": owner, "controller": True}] if owner else []
    metadata = {"name": name, "namespace": "ns", "ownerReferences": owners}
    spec = {"volumeName": volume, "storageClassName": storage_class}
    return read_as(PersistentVolumeClaim, {"metadata": metadata, "spec": spec})


def volume(name: str, driver: str = "d", **source: Any) -> PersistentVolume:
    spec = source or {"csi": {"driver": driver, "volumeHandle": f"h-{name}"}}
    return read_as(PersistentVolume, {"metadata": {"name": name}, "spec": spec})


def storage_class(name: str, provisioner: str) -> StorageClass:
    return read_as(StorageClass, {"metadata": {"name": name}, "provisioner": provisioner})


def csi_node(**limits: int | None) -> CSINode:
    drivers = [
        {"name": name.replace("_", "."), "allocatable": {"count": count} if count is not None else None}
        for name, count in limits.items()
    ]
    return read_as(CSINode, {"metadata": {"name": "n"}, "spec": {"drivers": drivers}})


def attachment(name: str, volume: str | None, attacher: str = "d", node: str = "n") -> VolumeAttachment:
    spec = {"attacher": attacher, "nodeName": node, "source": {"persistentVolumeName": volume}}
    return read_as(VolumeAttachment, {"metadata": {"name": name}, "spec": spec})


def verdict(asking: PodInfo, *objects: ApiObject, there: tuple[PodInfo, ...] = ()) -> Status:
    store = ObjectStore()
    for shown in objects:
        store.put(shown)
    node = NodeInfo(read_as(Node, {"metadata": {"name": "n"}}), pods=there)
    return PLUGIN.filter(Drivers(store), asking, node)


# --- Filter ---------------------------------------------------------------------------------------


def test_a_claim_that_is_missing_is_an_answer_for_a_new_pod_alone() -> None:
    refused = unresolvable('looking up PVC ns/c: persistentvolumeclaim "c" not found')

    assert verdict(pod("c"), csi_node(d=0)) == refused
    assert verdict(pod(""), csi_node(d=0)) == error("PersistentVolumeClaim had no name")


def test_an_ephemeral_volumes_claim_must_be_the_pods_own() -> None:
    volumes = {"name": "e", "ephemeral": {}}
    strange = error("PVC ns/q-e was not created for pod ns/q (pod is not owner)")
    objects = [csi_node(d=1), claim("c", "v"), volume("v"), volume("w")]

    assert verdict(pod(volumes), *objects, claim("p-e", "w", owner="p")) == SUCCESS
    assert verdict(pod(volumes, name="q"), *objects, claim("q-e", "w", owner="p")) == strange
    running = (pod(volumes, name="q"),)
    assert verdict(pod("c"), *objects, claim("q-e", "w"), there=running) == strange


def test_a_claim_without_a_class_that_exists_does_not_count() -> None:
    assert verdict(pod("c"), csi_node(d=0), claim("c")) == SUCCESS
    assert verdict(pod("c"), csi_node(d=0), claim("c", "", "missing")) == SUCCESS


@pytest.mark.parametrize(
    ("source", "fits"),
    [
        ({"gcePersistentDisk": {"pdName": "d"}}, False),
        ({"azureDisk": {"kind": "Shared", "diskURI": "/d"}}, True),
        ({"cinder": {"volumeID": ""}}, True),
        ({"portworxVolume": {"volumeID": "p"}}, False),
        ({"nfs": {"server": "s"}}, True),
        ({"csi": {"driver": "disk.csi.azure.com", "volumeHandle": ""}}, True),
    ],
)
def test_a_volume_of_a_migrated_plugin_counts_for_its_driver(source: dict[str, Any], fits: bool) -> None:
    names = ("pd_csi_storage_gke_io", "disk_csi_azure_com", "cinder_csi_openstack_org", "pxd_portworx_com")
    limits = csi_node(**dict.fromkeys(names, 0))

    found = verdict(pod("c"), limits, claim("c", "v"), volume("v", **source))

    assert found == (SUCCESS if fits else TOO_MANY)


def test_an_inline_disk_that_cannot_be_translated_is_an_error() -> None:
    shared = {"name": "z", "azureDisk": {"kind": "Shared"}}
    why = error("converting volume(z) from inline to csi: kind(Shared) is not supported in csi migration")

    assert verdict(pod(shared), csi_node(d=1)) == why
    assert verdict(pod(shared)) == SUCCESS


# --- Events ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "requeues"),
    [
        (pod("c"), True),
        (pod({"name": "e", "emptyDir": {}}), False),
        (pod({"name": "e", "ephemeral": {}}), False),
        (pod(GCE), True),
        (pod({"name": "f", "azureFile": {}}), False),
        (pod({"name": "z", "azureDisk": {"kind": "Shared"}}), True),
    ],
)
def test_a_detached_volume_requeues_pods_that_may_need_its_place(refused: PodInfo, requeues: bool) -> None:
    removed = attachment("1", "v", attacher=GCE_DRIVER)

    assert PLUGIN.after_attachment_deletion(refused.pod, removed, None, ObjectStore()) is requeues


# --- Drivers that a node must have ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("prevents", "installed", "fits"),
    [(True, False, False), (True, True, True), (False, False, True), (None, False, True)],
)
def test_a_node_must_have_a_driver_that_says_so(prevents: bool | None, installed: bool, fits: bool) -> None:
    spec = {"preventPodSchedulingIfMissing": prevents}
    driver = read_as(CSIDriver, {"metadata": {"name": "d"}, "spec": spec})
    bound = [claim("c", "v"), volume("v", csi={"driver": "d", "volumeHandle": "h"})]
    found = verdict(pod("c"), csi_node(d=1) if installed else csi_node(other=1), driver, *bound)
    missing = unschedulable("d CSI driver is not installed on the node")
    assert found == (SUCCESS if fits else missing)
    assert verdict(pod("c"), driver, *bound) == (missing if prevents else SUCCESS)


def test_without_volume_limit_scaling_a_node_need_not_have_a_driver() -> None:
    drivers, objects = ["d"], ObjectStore()
    objects.put(
        read_as(CSIDriver, {"metadata": {"name": "d"}, "spec": {"preventPodSchedulingIfMissing": True}})
    )
    assert PLUGIN.missing_driver(drivers, None, objects) == "d"
    without = node_volume_limits_without_scaling.NodeVolumeLimits()
    assert without.missing_driver(drivers, None, objects) == ""
