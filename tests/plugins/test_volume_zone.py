# SPDX-License-Identifier: Apache-2.0
"""VolumeZone."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.interface import Reject
from refsched.framework.node_info import PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import unresolvable
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from refsched.objects.store import ObjectStore
from refsched.plugins.volume_zone import VolumeZone

PLUGIN = VolumeZone()
ZONE = "topology.kubernetes.io/zone"


def pod(*claims: str, namespace: str = "ns", **volume: Any) -> PodInfo:
    volumes: list[dict[str, Any]] = [
        {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims
    ]
    if volume:
        volumes.append({"name": "v", **volume})
    metadata = {"name": "p", "namespace": namespace}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": {"volumes": volumes}}))


def claim(
    name: str, volume: str = "", storage_class: str = "", namespace: str = "ns"
) -> PersistentVolumeClaim:
    spec = {"volumeName": volume, "storageClassName": storage_class}
    return read_as(PersistentVolumeClaim, {"metadata": {"name": name, "namespace": namespace}, "spec": spec})


def volume(name: str, **labels: str) -> PersistentVolume:
    return read_as(PersistentVolume, {"metadata": {"name": name, "labels": labels}})


def storage_class(name: str, mode: str) -> StorageClass:
    return read_as(StorageClass, {"metadata": {"name": name}, "volumeBindingMode": mode})


def snapshot(*objects: ApiObject) -> Snapshot:
    store = ObjectStore()
    for shown in objects:
        store.put(shown)
    return Snapshot(objects=store)


# --- PreFilter ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ([], 'persistentvolumeclaim "c" not found'),
        ([claim("c")], "PersistentVolumeClaim had no pv name and storageClass name"),
        ([claim("c", storage_class="s")], 'storageclass.storage.k8s.io "s" not found'),
        ([claim("c", storage_class="s"), storage_class("s", "Immediate")], "PersistentVolume had no name"),
        ([claim("c", "v")], 'persistentvolume "v" not found'),
    ],
)
def test_a_claim_that_cannot_be_followed_to_its_volume_refuses_the_pod(
    objects: list[ApiObject], reason: str
) -> None:
    assert PLUGIN.pre_filter(pod("c"), snapshot(*objects)) == Reject(unresolvable(reason))


def test_a_claim_without_a_name_refuses_the_pod() -> None:
    refused = Reject(unresolvable("PersistentVolumeClaim had no name"))

    assert PLUGIN.pre_filter(pod(""), snapshot()) == refused


# --- Events ---------------------------------------------------------------------------------------


def test_a_new_class_requeues_where_it_waits_for_its_first_consumer() -> None:
    def requeues(mode: str) -> bool:
        return PLUGIN.after_class_creation(pod().pod, None, storage_class("s", mode), ObjectStore())

    assert requeues("WaitForFirstConsumer")
    assert not requeues("Immediate")


def test_a_volume_requeues_where_it_is_new_or_its_zone_changed() -> None:
    def requeues(before: PersistentVolume | None, after: PersistentVolume) -> bool:
        return PLUGIN.after_volume_change(pod("c").pod, before, after, ObjectStore())

    assert requeues(None, volume("v"))
    assert requeues(volume("v"), volume("v", **{ZONE: "a"}))
    assert not requeues(volume("v", **{ZONE: "a__b"}), volume("v", **{ZONE: "b__a", "x": "y"}))
