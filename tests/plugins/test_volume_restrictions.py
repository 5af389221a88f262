# SPDX-License-Identifier: Apache-2.0
"""VolumeRestrictions."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.plugins.volume_restrictions import Sharing, VolumeRestrictions

PLUGIN = VolumeRestrictions()
NO_DISK = unschedulable("node(s) had no available disk")


def pod(*volumes: dict[str, Any], namespace: str = "ns", name: str = "p") -> PodInfo:
    metadata = {"name": name, "namespace": namespace, "uid": name}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": {"volumes": list(volumes)}}))


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
