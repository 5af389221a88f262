# SPDX-License-Identifier: Apache-2.0
"""Plugins of v1.19 where no recording has all they decide: avoided pods, labels, Services, limits of volumes."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import CSINode
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Service
from refsched.releases.v1_19.plugins.node_label import NodeLabel
from refsched.releases.v1_19.plugins.node_prefer_avoid_pods import ANNOTATION, NodePreferAvoidPods
from refsched.releases.v1_19.plugins.node_volume_limits import NodeVolumeLimits, limit_key
from refsched.releases.v1_19.plugins.non_csi_volume_limits import (
    AZURE_DISK,
    CINDER,
    EBS,
    GCE_PD,
    NonCSIVolumeLimits,
)
from refsched.releases.v1_19.plugins.service_affinity import ServiceAffinity
from tests.applied import info, node, on
from tests.snapshots import snapshot_of
from tests.volume_objects import claim, storage_class, store, volume


def named(name: str, *pods: PodInfo, annotations: Any = None, **labels: str) -> NodeInfo:
    metadata = {"name": name, "labels": labels, "annotations": annotations or {}}
    known = NodeInfo(read_as(Node, {"metadata": metadata}))
    for each in pods:
        known = known.with_pod(each)
    return known


# --- Avoided pods ---------------------------------------------------------------------------------


def owned_by(kind: str, uid: str) -> PodInfo:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": uid, "controller": True}
    return PodInfo(read_as(Pod, {"metadata": {"name": "p", "ownerReferences": [owner]}, "spec": {}}))


@pytest.mark.parametrize("written", ["", "{", "[]", '{"preferAvoidPods": [1]}', '{"preferAvoidPods": [{}]}'])
def test_an_annotation_that_cannot_be_read_avoids_nobody(written: str) -> None:
    node = named("n", annotations={ANNOTATION: written})
    assert NodePreferAvoidPods().score(None, owned_by("ReplicaSet", "u"), node) == 100


# --- Labels ---------------------------------------------------------------------------------------


def test_a_node_needs_the_labels_and_must_not_have_the_others() -> None:
    plugin = NodeLabel(present_labels=("disk",), absent_labels=("old",))
    rejected = unresolvable("node(s) didn't have the requested labels")
    assert plugin.filter(None, info(), named("n", disk="x")) == SUCCESS
    assert plugin.filter(None, info(), named("n")) == rejected
    assert plugin.filter(None, info(), named("n", disk="x", old="")) == rejected


def test_a_node_scores_the_share_of_label_preferences_that_it_meets() -> None:
    plugin = NodeLabel(present_labels_preference=("disk", "gpu"), absent_labels_preference=("old",))
    assert plugin.score(None, info(), named("n", disk="x")) == 66
    assert plugin.score(None, info(), named("n", disk="x", gpu="y", old="")) == 66


WEB = {"app": "web"}


def web(uid: str, on_node: str = "", **more: str) -> PodInfo:
    metadata = {"name": uid, "namespace": "default", "uid": uid, "labels": {**WEB, **more}}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": {"nodeName": on_node}}))


def holding(*objects: Any) -> ObjectStore:
    held = ObjectStore()
    for each in objects:
        held.put(each)
    return held


def service(name: str, **selector: str) -> Service:
    return read_as(
        Service, {"metadata": {"name": name, "namespace": "default"}, "spec": {"selector": selector}}
    )


# --- Services -------------------------------------------------------------------------------------

OTHER = unschedulable("node(s) didn't match service affinity")


def affine(plugin: ServiceAffinity, pod: PodInfo, nodes: list[NodeInfo], *objects: Any) -> dict[str, Any]:
    answer = plugin.pre_filter(pod, snapshot_of(*nodes, objects=holding(*objects)))
    assert isinstance(answer, Continue)
    return {node.name: plugin.filter(answer.state, pod, node) for node in nodes}


def test_a_node_selector_goes_before_the_service() -> None:
    nodes = [named("n1", web("a", "n1"), zone="z1"), named("n3", zone="z2")]
    picky = PodInfo(evolve(web("p").pod, spec=evolve(web("p").pod.spec, node_selector={"zone": "z2"})))
    found = affine(ServiceAffinity(("zone",)), picky, nodes, service("s", **WEB))
    assert found == {"n1": OTHER, "n3": SUCCESS}


def test_without_a_service_any_node_will_do() -> None:
    nodes = [named("n1", web("a", "n1"), zone="z1"), named("n3", zone="z2")]
    assert affine(ServiceAffinity(("zone",)), web("p"), nodes) == {"n1": SUCCESS, "n3": SUCCESS}


def test_a_first_pod_whose_node_is_not_there_is_an_error() -> None:
    plugin, pod, nodes = ServiceAffinity(("zone",)), web("p"), [named("n1", zone="z1")]
    snapshot = snapshot_of(*nodes, objects=holding(service("s", **WEB)))
    state = plugin.pre_filter(pod, snapshot).state
    nominated = plugin.add_pod(state, pod, web("nominated"), nodes[0], snapshot)
    assert plugin.filter(nominated, pod, nodes[0]) == error("node not found")
    stranger = PodInfo(
        read_as(Pod, {"metadata": {"name": "x", "namespace": "other", "labels": WEB}, "spec": {}})
    )
    assert plugin.add_pod(state, pod, stranger, nodes[0], snapshot) == state


def test_a_pod_that_the_dry_run_has_taken_away_does_not_count() -> None:
    plugin, pod = ServiceAffinity(("zone",)), web("p")
    victim = web("a", "n1")
    nodes = [named("n1", victim, zone="z1"), named("n2", zone="z2")]
    snapshot = snapshot_of(*nodes, objects=holding(service("s", **WEB)))
    state = plugin.pre_filter(pod, snapshot).state
    without = nodes[0].without_pod("a")
    assert plugin.filter(plugin.remove_pod(state, pod, victim, without, snapshot), pod, nodes[1]) == SUCCESS
    assert plugin.filter(state, pod, without) == SUCCESS
    assert plugin.filter(state, pod, nodes[1]) == OTHER


def test_of_two_pods_of_one_name_the_dry_run_takes_away_the_first() -> None:
    plugin, pod = ServiceAffinity(("zone",)), web("p")
    old, new = web("a", "n1"), web("a", "n2")
    nodes = [named("n1", old, zone="z1"), named("n2", new, zone="z2")]
    snapshot = snapshot_of(*nodes, objects=holding(service("s", **WEB)))
    state = plugin.pre_filter(pod, snapshot).state
    without = nodes[0].without_pod("a")
    left = plugin.remove_pod(state, pod, old, without, snapshot)
    assert plugin.filter(left, pod, nodes[1]) == SUCCESS
    assert plugin.filter(left, pod, without) == OTHER
    assert plugin.remove_pod(left, pod, web("b", "n1"), without, snapshot) == left


def test_without_a_service_every_value_is_as_good() -> None:
    plugin = ServiceAffinity(anti_affinity_labels_preference=("zone",))
    nodes = [named("n1", web("a"), zone="z1"), named("n2")]
    answer = plugin.pre_score(web("p"), nodes, snapshot_of(*nodes))
    counts = {node.name: plugin.score(answer.state, web("p"), node) for node in nodes}
    assert plugin.normalize_score(answer.state, web("p"), counts) == {"n1": 100, "n2": 0}


# --- Limits of volumes ----------------------------------------------------------------------------


def with_claims(*names: str) -> PodInfo:
    return info(volumes=[{"name": n or "v", "persistentVolumeClaim": {"claimName": n}} for n in names])


def limits(plugin: Any, objects: ObjectStore, pod: PodInfo, known: NodeInfo) -> Status:
    status: Status = plugin.filter(plugin.pre_filter(pod, Snapshot(objects=objects)).state, pod, known)
    return status


TOO_MANY = unschedulable("node(s) exceed max volume count")


def test_a_csi_driver_attaches_what_the_node_or_its_csi_node_says() -> None:
    objects = store(
        storage_class("made"),
        claim("a", "made"),
        claim("b", "made"),
        claim("v", bound_to="pv"),
        claim("in-tree", "old"),
        storage_class("old", provisioner="kubernetes.io/aws-ebs"),
        volume("pv", csi={"driver": "csi.example", "volumeHandle": "h"}),
    )
    stated = node(allocatable={"attachable-volumes-csi-csi.example": "1"})
    plugin = NodeVolumeLimits()
    assert limits(plugin, objects, with_claims("a"), on(stated)) == SUCCESS
    assert limits(plugin, objects, with_claims("a", "b"), on(stated)) == TOO_MANY
    assert limits(plugin, objects, with_claims("a"), on(stated, with_claims("v"))) == TOO_MANY
    assert limits(plugin, objects, with_claims("v"), on(stated, with_claims("v"))) == SUCCESS
    assert limits(plugin, objects, with_claims("in-tree", "missing"), on(stated)) == SUCCESS
    assert limits(plugin, objects, with_claims("a", "b"), on(node())) == SUCCESS
    nameless = error("PersistentVolumeClaim had no name")
    assert limits(plugin, objects, with_claims(""), on(stated)) == nameless
    assert limits(plugin, objects, with_claims("a"), on(stated, with_claims(""))) == nameless
    assert limits(plugin, objects, info(volumes=[{"name": "e"}]), on(stated)) == SUCCESS
    drivers = [driver("csi.example", 2), driver("x", None)]
    objects.put(read_as(CSINode, {"metadata": {"name": "n1"}, "spec": {"drivers": drivers}}))
    assert limits(plugin, objects, with_claims("a", "b"), on(stated)) == SUCCESS


def driver(name: str, count: int | None) -> dict[str, Any]:
    return {"name": name, "allocatable": {"count": count}}


def test_the_key_of_a_long_driver_name_is_cut_and_hashed() -> None:
    assert limit_key("csi.example") == "attachable-volumes-csi-csi.example"
    long = limit_key("a" * 60)
    assert long.startswith("attachable-volumes-csi-" + "a" * 23)
    assert len(long) == len("attachable-volumes-csi-") + 23 + 16


def ebs(*ids: str, **labels: str) -> PodInfo:
    return info(volumes=[{"name": i, "awsElasticBlockStore": {"volumeID": i}} for i in ids])


@pytest.mark.parametrize(
    ("disks", "source", "limit"),
    [
        (GCE_PD, lambda n: {"gcePersistentDisk": {"pdName": n}}, 16),
        (AZURE_DISK, lambda n: {"azureDisk": {"diskName": n, "diskURI": n}}, 16),
        (CINDER, lambda n: {"cinder": {"volumeID": n}}, 256),
    ],
)
def test_each_cloud_has_a_limit_of_its_own(disks: Any, source: Any, limit: int) -> None:
    def using(number: int) -> PodInfo:
        return info(volumes=[{"name": str(n), **source(str(n))} for n in range(number)])

    plugin = NonCSIVolumeLimits(disks)
    assert limits(plugin, ObjectStore(), using(limit), on(node())) == SUCCESS
    assert limits(plugin, ObjectStore(), using(limit + 1), on(node())) == TOO_MANY


def test_a_claim_counts_as_the_disk_that_it_has_or_will_have() -> None:
    objects = store(
        storage_class("ebs", provisioner="kubernetes.io/aws-ebs"),
        storage_class("other"),
        claim("a", "ebs"),
        claim("b", "ebs", bound_to="pv"),
        claim("c", "other"),
        volume("pv", awsElasticBlockStore={"volumeID": "vol-1"}),
    )
    plugin, stated = NonCSIVolumeLimits(EBS), node(allocatable={"attachable-volumes-aws-ebs": "1"})
    assert limits(plugin, objects, with_claims("a", "c", "missing"), on(stated)) == SUCCESS
    assert limits(plugin, objects, with_claims("a", "b"), on(stated)) == TOO_MANY
    nameless = error("PersistentVolumeClaim had no name")
    assert limits(plugin, objects, with_claims(""), on(stated)) == nameless
    assert limits(plugin, objects, with_claims("a"), on(stated, with_claims(""))) == nameless
