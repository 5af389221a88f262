# SPDX-License-Identifier: Apache-2.0
"""Volumes, claims and classes: what is read of them, and what they say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.pod import Pod
from refsched.objects.quantity import Quantity
from refsched.objects.reading import read_as
from refsched.objects.storage import (
    BETA_STORAGE_CLASS,
    BIND_COMPLETED,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
    claims_named,
)
from refsched.objects.volumes import AWSElasticBlockStore, AzureDisk, Volume


def volume(**spec: Any) -> PersistentVolume:
    return read_as(PersistentVolume, {"metadata": {"name": "v"}, "spec": spec})


def claim(annotations: dict[str, str] | None = None, **spec: Any) -> PersistentVolumeClaim:
    metadata = {"name": "c", "namespace": "ns", "uid": "1", "annotations": annotations or {}}
    return read_as(PersistentVolumeClaim, {"metadata": metadata, "spec": spec})


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"required": {"nodeSelectorTerms": list(terms)}}


def on(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def test_a_pods_volumes_are_read_by_their_names_on_the_wire() -> None:
    pod = read_as(
        Pod,
        {
            "metadata": {"name": "p"},
            "spec": {
                "volumes": [
                    {"name": "a", "persistentVolumeClaim": {"claimName": "c"}},
                    {"name": "b", "ephemeral": {"volumeClaimTemplate": {}}},
                    {"name": "c", "awsElasticBlockStore": {"volumeID": "vol-1"}},
                    {"name": "d", "azureDisk": {"diskURI": "/disk", "kind": "Managed"}},
                    {"name": "e", "emptyDir": {}},
                ]
            },
        },
    )

    assert [v.claim_name(pod.name) for v in pod.spec.volumes] == ["c", "p-b", None, None, None]
    assert pod.spec.volumes[2].aws_elastic_block_store == AWSElasticBlockStore("vol-1")
    assert pod.spec.volumes[3].azure_disk == AzureDisk(disk_uri="/disk", kind="Managed")
    assert pod.spec.volumes[4] == Volume(name="e", source='{"emptyDir": {}}')
    assert claims_named(pod, "p-b")
    assert not claims_named(pod, "e")


def test_the_beta_annotation_of_a_class_goes_before_the_field() -> None:
    beta = {BETA_STORAGE_CLASS: "old"}
    annotated = read_as(
        PersistentVolume, {"metadata": {"annotations": beta}, "spec": {"storageClassName": "new"}}
    )

    assert (annotated.class_name, volume(storageClassName="new").class_name) == ("old", "new")
    assert (claim(beta).class_name, claim(storageClassName="new").class_name) == ("old", "new")


@pytest.mark.parametrize(
    ("node_affinity", "reached"),
    [
        (None, True),
        ({}, True),
        (affinity(), False),
        (affinity({"matchExpressions": []}), False),
        (affinity({"matchExpressions": [on("zone", "a")]}), True),
        (affinity({"matchExpressions": [on("zone", "a"), on("disk", "ssd")]}), False),
        (affinity({"matchExpressions": [on("zone", "b")]}, {"matchExpressions": [on("zone", "a")]}), True),
        (affinity({"matchFields": [on("metadata.name", "another")]}), True),
    ],
)
def test_a_volumes_node_affinity_looks_at_labels_alone(
    node_affinity: dict[str, Any] | None, reached: bool
) -> None:
    assert volume(nodeAffinity=node_affinity).reaches({"zone": "a"}) is reached


@pytest.mark.parametrize(
    ("ref", "bound"),
    [
        (None, False),
        ({"namespace": "ns", "name": "c", "uid": "1"}, True),
        ({"namespace": "ns", "name": "c"}, True),
        ({"namespace": "ns", "name": "c", "uid": "2"}, False),
        ({"namespace": "other", "name": "c", "uid": "1"}, False),
        ({"namespace": "ns", "name": "d", "uid": "1"}, False),
    ],
)
def test_a_volume_is_bound_to_the_claim_that_it_names(ref: dict[str, str] | None, bound: bool) -> None:
    assert volume(claimRef=ref).is_bound_to(claim()) is bound


def test_a_claim_is_fully_bound_once_both_sides_agreed() -> None:
    assert not claim().is_fully_bound
    assert not claim(volumeName="v").is_fully_bound
    assert not claim({BIND_COMPLETED: "yes"}).is_fully_bound
    assert claim({BIND_COMPLETED: ""}, volumeName="v").is_fully_bound


def test_an_annotation_is_added_to_a_copy() -> None:
    before = claim({"a": "1"})
    after = before.annotated("b", "2")

    assert before == claim({"a": "1"})
    assert after == claim({"a": "1", "b": "2"})


@pytest.mark.parametrize(
    ("owners", "namespace", "made"),
    [
        ([], "ns", False),
        ([{"uid": "p", "controller": True}], "ns", True),
        ([{"uid": "p", "controller": True}], "other", False),
        ([{"uid": "p"}], "ns", False),
        ([{"uid": "x", "controller": True}, {"uid": "p", "controller": True}], "ns", False),
    ],
)
def test_a_claim_is_made_for_the_pod_that_controls_it(
    owners: list[dict[str, Any]], namespace: str, made: bool
) -> None:
    pod = read_as(Pod, {"metadata": {"name": "p", "namespace": namespace, "uid": "p"}})
    owned = read_as(PersistentVolumeClaim, {"metadata": {"namespace": "ns", "ownerReferences": owners}})

    assert owned.is_made_for(pod) is made


@pytest.mark.parametrize(
    ("topologies", "allowed"),
    [
        ([], True),
        ([{}], False),
        ([{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}], True),
        ([{"matchLabelExpressions": [{"key": "zone", "values": ["b"]}]}], False),
        ([{}, {"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}], True),
        (
            [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}, {"key": "x", "values": ["y"]}]}],
            False,
        ),
    ],
)
def test_a_class_allows_nodes_that_match_one_of_its_topologies(
    topologies: list[dict[str, Any]], allowed: bool
) -> None:
    assert read_as(StorageClass, {"allowedTopologies": topologies}).allows({"zone": "a"}) is allowed


def test_the_largest_volume_is_the_maximum_size_or_else_the_capacity() -> None:
    def limit(**sizes: str) -> Quantity | None:
        return read_as(CSIStorageCapacity, sizes).volume_limit

    assert limit() is None
    assert limit(capacity="2Gi") == Quantity.of(2 << 30)
    assert limit(capacity="2Gi", maximumVolumeSize="1Gi") == Quantity.of(1 << 30)


def test_a_csi_node_says_which_plugins_were_migrated_and_what_it_can_attach() -> None:
    key = "storage.alpha.kubernetes.io/migrated-plugins"
    node = read_as(
        CSINode,
        {
            "metadata": {"annotations": {key: "kubernetes.io/gce-pd,kubernetes.io/cinder"}},
            "spec": {"drivers": [{"name": "a", "allocatable": {"count": 3}}, {"name": "b"}]},
        },
    )

    assert node.migrated_plugins == {"kubernetes.io/gce-pd", "kubernetes.io/cinder"}
    assert CSINode().migrated_plugins == frozenset()
    assert [driver.limit for driver in node.spec.drivers] == [3, None]


def test_an_attachment_names_its_volume() -> None:
    spec = {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "v"}}

    assert read_as(VolumeAttachment, {"spec": spec}).spec.source.persistent_volume_name == "v"
