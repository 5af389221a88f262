# SPDX-License-Identifier: Apache-2.0
"""VolumeRestrictions."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolumeClaim
from refsched.objects.store import ObjectStore
from refsched.plugins.volume_restrictions import Sharing, VolumeRestrictions
from tests.snapshots import snapshot_of

PLUGIN = VolumeRestrictions()
NO_DISK = unschedulable("node(s) had no available disk")
IN_USE = unschedulable(
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod"
)


def pod(*volumes: dict[str, Any], namespace: str = "ns", name: str = "p") -> PodInfo:
    metadata = {"name": name, "namespace": namespace, "uid": name}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": {"volumes": list(volumes)}}))


def using(name: str) -> dict[str, Any]:
    return {"name": name, "persistentVolumeClaim": {"claimName": name}}


def store(**modes: str) -> ObjectStore:
    objects = ObjectStore()
    for name, mode in modes.items():
        metadata = {"name": name, "namespace": "ns"}
        objects.put(read_as(PersistentVolumeClaim, {"metadata": metadata, "spec": {"accessModes": [mode]}}))
    return objects


def node(*there: PodInfo, name: str = "n") -> NodeInfo:
    return NodeInfo(read_as(Node, {"metadata": {"name": name}}), pods=there)


def gce(name: str, *, read_only: bool = False) -> dict[str, Any]:
    return {"name": "v", "gcePersistentDisk": {"pdName": name, "readOnly": read_only}}


def ebs(name: str, *, read_only: bool = False) -> dict[str, Any]:
    return {"name": "v", "awsElasticBlockStore": {"volumeID": name, "readOnly": read_only}}


def iscsi(iqn: str, *, read_only: bool = False) -> dict[str, Any]:
    return {"name": "v", "iscsi": {"iqn": iqn, "readOnly": read_only}}


def rbd(image: str, *monitors: str, read_only: bool = False, **more: Any) -> dict[str, Any]:
    source = {"image": image, "monitors": list(monitors), "readOnly": read_only, **more}
    return {"name": "v", "rbd": source}


# --- PreFilter ------------------------------------------------------------------------------------


def test_a_pod_whose_volumes_cannot_conflict_is_not_filtered() -> None:
    snapshot = snapshot_of(node(), objects=store(c="ReadWriteOnce", x="ReadWriteOncePod"))
    for asking in (pod(), pod({"name": "v", "emptyDir": {}}), pod(using("c")), pod(using("x"))):
        assert PLUGIN.pre_filter(asking, snapshot) == Skip()


def test_a_missing_claim_refuses_the_pod_before_any_node_is_looked_at() -> None:
    refused = Reject(unresolvable('persistentvolumeclaim "d" not found'))

    assert PLUGIN.pre_filter(pod(using("c"), using("d")), Snapshot(objects=store(c="x"))) == refused
    assert PLUGIN.pre_filter(pod({"name": "v", "ephemeral": {}}), Snapshot()) == Skip()


def test_a_read_write_once_pod_claim_counts_once_however_many_use_it() -> None:
    objects = store(c="ReadWriteOncePod", d="ReadWriteMany")
    here = node(pod(using("c"), name="a"), pod(using("c"), name="b"))
    elsewhere = node(pod(using("d"), name="d"), name="m")

    answer = PLUGIN.pre_filter(pod(using("c"), using("d")), snapshot_of(here, elsewhere, objects=objects))

    assert answer == Continue(Sharing(frozenset({"c"}), 1))
    assert PLUGIN.filter(Sharing(frozenset({"c"}), 1), pod(using("c")), elsewhere) == IN_USE


def test_the_use_of_a_claim_of_the_same_name_elsewhere_does_not_count() -> None:
    objects = store(c="ReadWriteOncePod")
    other = node(pod(using("c"), namespace="other"))

    assert PLUGIN.pre_filter(pod(using("c")), snapshot_of(other, objects=objects)) == Skip()


def test_a_disk_that_can_conflict_is_filtered_on_each_node() -> None:
    for disk in (gce("d"), ebs("d"), iscsi("d"), rbd("d")):
        answer = PLUGIN.pre_filter(pod({"name": "e", "emptyDir": {}}, disk), Snapshot())
        assert answer == Continue(Sharing(frozenset(), 0))


def test_pods_that_come_and_go_change_the_count_whatever_their_namespace() -> None:
    state = Sharing(frozenset({"c"}), 1)
    victim = pod(using("c"), using("d"), namespace="other")
    asking = pod(using("c"))

    removed = PLUGIN.remove_pod(state, asking, victim, node(), Snapshot())
    assert removed == Sharing(frozenset({"c"}), 0)
    assert PLUGIN.filter(removed, asking, node()) == SUCCESS
    assert PLUGIN.add_pod(removed, asking, victim, node(victim), Snapshot()) == state


# --- Filter ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "conflict"),
    [
        (gce("a"), gce("a"), True),
        (gce("a", read_only=True), gce("a"), True),
        (gce("a", read_only=True), gce("a", read_only=True), False),
        (gce("a"), gce("b"), False),
        (ebs("a", read_only=True), ebs("a", read_only=True), True),
        (ebs("a"), ebs("b"), False),
        (iscsi("a"), iscsi("a", read_only=True), True),
        (iscsi("a", read_only=True), iscsi("a", read_only=True), False),
        (iscsi("a"), iscsi("b"), False),
        (rbd("a", "m1", "m2"), rbd("a", "m2", "m3"), True),
        (rbd("a", "m1", read_only=True), rbd("a", "m1", read_only=True), False),
        (rbd("a", "m1"), rbd("a", "m2"), False),
        (rbd("a", "m1"), rbd("b", "m1"), False),
        (rbd("a", "m1", pool="p"), rbd("a", "m1"), False),
        (rbd("a", "m1", pool="rbd"), rbd("a", "m1"), True),
        (gce("a"), ebs("a"), False),
        ({"name": "v", "emptyDir": {}}, gce("a"), False),
    ],
)
def test_disks_conflict_where_they_are_the_same_and_one_may_write(
    mine: dict[str, Any], theirs: dict[str, Any], conflict: bool
) -> None:
    there = node(pod({"name": "e", "emptyDir": {}}, theirs, name="other"))

    assert PLUGIN.filter(Sharing(frozenset(), 0), pod(mine), there) == (NO_DISK if conflict else SUCCESS)


# --- Events ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("removed", "requeues"),
    [
        (pod(gce("a")), True),
        (pod(gce("b")), False),
        (pod(using("c")), True),
        (pod(using("d")), False),
        (pod(gce("a"), using("c"), namespace="other"), False),
    ],
)
def test_a_deleted_pod_requeues_what_it_was_in_conflict_with(removed: PodInfo, requeues: bool) -> None:
    refused = pod(gce("a"), using("c")).pod

    assert PLUGIN.after_pod_deletion(refused, removed.pod, None, ObjectStore()) is requeues


def test_the_creation_of_a_missing_claim_requeues_its_pod() -> None:
    def created(name: str, namespace: str) -> bool:
        claim = read_as(PersistentVolumeClaim, {"metadata": {"name": name, "namespace": namespace}})
        return PLUGIN.after_claim_creation(pod(using("c")).pod, None, claim, ObjectStore())

    assert created("c", "ns")
    assert not created("c", "other")
    assert not created("d", "ns")
