# SPDX-License-Identifier: Apache-2.0
"""Cases of volumes of an in-tree plugin on nodes where a CSI driver has replaced the plugin: which of the volume's
node selector terms speak of the driver's topology."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import REGION, ZONE, node, pod, with_metadata
from conformance.vocabulary.storage import (
    GKE_ZONE,
    IN_ZONE_A,
    bound_pair,
    csi_node,
    of_a_gce_disk,
    storage_class,
    using,
    with_some,
)
from refsched.objects.node import LEGACY_REGION_LABEL, LEGACY_ZONE_LABEL
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_ON_SSD: Json = {"key": "disk", "operator": "In", "values": ["ssd"]}
_ON_TAPE: Json = {"key": "disk", "operator": "In", "values": ["tape"]}
_IN_REGION_R: Json = {REGION: "r", LEGACY_REGION_LABEL: "r"}
_SOMEWHERE: Json = {"key": ZONE, "operator": "Exists"}


def _of_terms(terms: list[list[Json]], labels: Json) -> History:
    """Returns a pod whose disk has a volume with these terms and labels, and two nodes of zone a; its driver has
    the last in b."""
    claim, volume = bound_pair("c1", "v1")
    required = {"nodeSelectorTerms": [{"matchExpressions": expressions} for expressions in terms]}
    disk = with_some(of_a_gce_disk(volume), spec={"nodeAffinity": {"required": required}})
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), claim, with_metadata(disk, labels=labels) if labels else disk)
    for name, zone in (("n1", "a"), ("n2", "b")):
        cluster.add(csi_node(name, None, "kubernetes.io/gce-pd"))
        cluster.add_node(node("", labels={ZONE: "a", GKE_ZONE: zone, "disk": "ssd", **_IN_REGION_R}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


_TERMS: dict[str, tuple[str, list[list[Json]]]] = {
    "zone_alone": ("the zone alone", [[IN_ZONE_A]]),
    "zone_first": ("the zone and then a disk", [[IN_ZONE_A, _ON_SSD]]),
    "zone_last": ("a disk and then the zone", [[_ON_SSD, IN_ZONE_A]]),
    "zone_in_the_second_term": ("a disk that no node has, or the zone", [[_ON_TAPE], [IN_ZONE_A]]),
    "any_zone": ("any zone at all", [[_SOMEWHERE, _ON_SSD]]),
    "no_zone": ("a disk", [[_ON_SSD]]),
    "no_zone_and_no_node": ("a disk that no node has", [[_ON_TAPE]]),
}


def _cases() -> Iterator[Case]:
    for name, (says, terms) in _TERMS.items():
        for labels in ({}, {ZONE: "a"}):
            whose = "labelled" if labels else "unlabelled"
            yield Case(
                f"migrated_volume_{whose}_with_{name}",
                "On a node where a CSI driver has replaced the plugin, the zone that a volume's terms or else its"
                f" label names is looked up in the driver's label; the terms name {says}, the volume is {whose}.",
                _of_terms(terms, labels),
            )


def _spelled_in_two_ways() -> Iterator[Case]:
    for name, says, region, zone in (
        ("current", "the current label of the region", REGION, LEGACY_ZONE_LABEL),
        ("legacy", "the legacy label of the region", LEGACY_REGION_LABEL, ZONE),
    ):
        yield Case(
            f"migrated_volume_with_{name}_region_and_another_zone",
            f"The terms of a volume name {says} and no zone, and its zone stands in the other spelling: the label"
            " that names the zone decides which spelling counts.",
            _of_terms([[{"key": region, "operator": "In", "values": ["r"]}]], {zone: "a"}),
        )


CASES: tuple[Case, ...] = (*_cases(), *_spelled_in_two_ways())
