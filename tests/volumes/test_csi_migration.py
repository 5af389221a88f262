# SPDX-License-Identifier: Apache-2.0
"""CSI migration: which driver a volume counts for, under which name, and where it can be reached."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.reading import read_as
from refsched.objects.storage import CSINode, PersistentVolume
from refsched.objects.volumes import Volume
from refsched.volumes.csi_migration import (
    PLUGINS,
    UntranslatableError,
    inline_handle,
    plugin_of,
    translated,
    volume_handle,
)
from refsched.volumes.errors import VolumeError

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD_REGION = "failure-domain.beta.kubernetes.io/region"
GKE = "topology.gke.io/zone"
GCE = {"gcePersistentDisk": {"pdName": "d"}}


def csi_node(*plugins: str) -> CSINode:
    annotation = {"storage.alpha.kubernetes.io/migrated-plugins": ",".join(plugins)}
    return read_as(CSINode, {"metadata": {"name": "n", "annotations": annotation}})


EVERYTHING = csi_node(*(plugin.name for plugin in PLUGINS))


def volume(
    source: dict[str, Any], *terms: list[dict[str, Any]], labels: dict[str, str] | None = None
) -> PersistentVolume:
    spec = dict(source)
    if terms:
        listed = [{"matchExpressions": term} for term in terms]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": listed}}
    return read_as(PersistentVolume, {"metadata": {"name": "v", "labels": labels or {}}, "spec": spec})


def on(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def handle(source: dict[str, Any], **labels: str) -> str:
    found = volume(source, labels=labels)
    plugin = plugin_of(found.spec)
    assert plugin is not None
    return volume_handle(found, plugin)


def keys(found: PersistentVolume) -> list[list[tuple[str, tuple[str, ...]]]]:
    affinity = found.spec.node_affinity
    assert affinity is not None
    assert affinity.required is not None
    return [[(r.key, r.values) for r in t.match_expressions] for t in affinity.required.node_selector_terms]


# --- Volume handles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "named"),
    [
        (GCE, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        ({"awsElasticBlockStore": {"volumeID": "vol-1"}}, "vol-1"),
        ({"awsElasticBlockStore": {"volumeID": "aws://us-east-1a/vol-1"}}, "vol-1"),
        ({"awsElasticBlockStore": {"volumeID": "aws:///vol-1"}}, "vol-1"),
        ({"awsElasticBlockStore": {"volumeID": "anything"}}, "anything"),
        ({"azureDisk": {"diskURI": "/disks/a", "kind": "managed"}}, "/disks/a"),
        ({"cinder": {"volumeID": "c"}}, "c"),
        ({"portworxVolume": {"volumeID": "p"}}, "p"),
        ({"azureFile": {"shareName": "s"}}, ""),
    ],
)
def test_the_driver_has_a_name_of_its_own_for_the_volume(source: dict[str, Any], named: str) -> None:
    inline = read_as(Volume, source)
    plugin = plugin_of(inline)

    assert plugin is not None
    assert inline_handle(inline, plugin) == named
    assert handle(source) == named


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ({ZONE: "us-central1-a"}, "zones/us-central1-a"),
        ({ZONE: "us-central1-a", OLD_ZONE: "us-central1-b"}, "zones/us-central1-b"),
        ({ZONE: "us-central1-a", OLD_ZONE: ""}, "zones/us-central1-a"),
        ({ZONE: "us-central1-a__us-central1-b"}, "regions/us-central1"),
    ],
)
def test_a_gce_disk_is_named_with_its_place(labels: dict[str, str], place: str) -> None:
    assert handle(GCE, **labels) == f"projects/UNSPECIFIED/{place}/disks/d"


@pytest.mark.parametrize(
    ("source", "labels", "why"),
    [
        (
            {"awsElasticBlockStore": {"volumeID": "aws://a/b/vol-1"}},
            {},
            "failed to translate Kubernetes ID to EBS Volume ID "
            "Invalid format for AWS volume (aws://a/b/vol-1)",
        ),
        ({"azureDisk": {"kind": "Shared"}}, {}, "kind(Shared) is not supported in csi migration"),
        (
            GCE,
            {ZONE: "a__b"},
            "failed to get region from zones: zone in unexpected format, "
            "expected: {locale}-{region}-{zone}, got: a",
        ),
        (
            GCE,
            {ZONE: "us-east1-a__eu-west1-a"},
            "failed to get region from zones: multiple or no regions gotten from zones, "
            "got: map[eu-west1:{} us-east1:{}]",
        ),
    ],
)
def test_some_volumes_cannot_be_translated(source: dict[str, Any], labels: dict[str, str], why: str) -> None:
    with pytest.raises(UntranslatableError) as refused:
        handle(source, **labels)
    assert str(refused.value) == why


# --- Topology -------------------------------------------------------------------------------------


def test_a_volume_stays_as_it_is_where_no_driver_stands_in_for_its_plugin() -> None:
    disk = volume(GCE, [on(ZONE, "a")])
    for found, node in (
        (disk, None),
        (disk, csi_node("kubernetes.io/cinder")),
        (volume({"csi": {"driver": "d"}}, [on(ZONE, "a")]), EVERYTHING),
        (volume({"azureDisk": {"diskURI": "/d", "kind": "Managed"}}, [on(ZONE, "a")]), EVERYTHING),
        (volume({"azureFile": {}}, [on(ZONE, "a")]), EVERYTHING),
    ):
        assert translated(found, node) is found


def test_what_cannot_be_translated_says_so_also_where_its_topology_would_not_change() -> None:
    why = r"could not translate pv: kind\(Shared\) is not supported in csi migration"
    with pytest.raises(VolumeError, match=why):
        translated(volume({"azureDisk": {"kind": "Shared"}}), EVERYTHING)


@pytest.mark.parametrize(
    ("terms", "labels", "after"),
    [
        ([[on(ZONE, "a"), on("x", "y")]], {}, [[(GKE, ("a",)), ("x", ("y",))]]),
        ([[on(ZONE, "a"), on(REGION, "r")]], {}, [[(GKE, ("a",)), (REGION, ("r",))]]),
        ([[on(OLD_ZONE, "a"), on(OLD_REGION, "r")]], {}, [[(GKE, ("a",)), (REGION, ("r",))]]),
        ([[on("x", "y")]], {ZONE: "b"}, [[("x", ("y",)), (GKE, ("b",))]]),
        (
            [[on("x", "y")], [on("z")]],
            {OLD_ZONE: "b"},
            [[("x", ("y",)), (GKE, ("b",))], [("z", ()), (GKE, ("b",))]],
        ),
        ([[on(ZONE)]], {ZONE: "b"}, [[(ZONE, ()), (GKE, ("b",))]]),
        ([], {ZONE: "us-east1-c__us-east1-b"}, [[(GKE, ("us-east1-b", "us-east1-c"))]]),
        ([[on("x", "y")]], {}, [[("x", ("y",))]]),
        (
            [[on("x", "y"), on(OLD_REGION, "r")]],
            {OLD_ZONE: "b"},
            [[("x", ("y",)), (REGION, ("r",)), (GKE, ("b",))]],
        ),
    ],
)
def test_the_zone_becomes_the_drivers_own_label(
    terms: list[list[dict[str, Any]]], labels: dict[str, str], after: object
) -> None:
    assert keys(translated(volume(GCE, *terms, labels=labels), EVERYTHING)) == after
