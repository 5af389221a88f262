# SPDX-License-Identifier: Apache-2.0
"""Cases of VolumeZone: labels of zones, old and new, that volumes and nodes have, where other plugins of volumes
are disabled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    REGION,
    ZONE,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.storage import (
    DRIVER,
    EPHEMERAL,
    EPHEMERAL_USER,
    OLD_ZONE,
    a_claim,
    bound_pair,
    ephemeral_pair,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History, Update
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_HAND = storage_class("hand")
_BOUND = bound_pair("c1", "v1")


def _one_point_disabled(point: str) -> History:
    cluster = HistoryBuilder(hosts=True)
    claim, volume = _BOUND
    cluster.add(_HAND, claim, with_some(volume, metadata={"labels": {ZONE: "a"}}))
    for zone in ("b", "a"):
        cluster.add_node(node(labels={ZONE: zone}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    disabled = {point: {"disabled": [{"name": "VolumeZone"}]}}
    return cluster.history(profile_config(default_profile(plugins=disabled)))


WITHOUT_BINDING = profile_config(
    default_profile(plugins={"multiPoint": {"disabled": [{"name": "VolumeBinding"}]}})
)


def _wrong_claims() -> History:
    cluster = HistoryBuilder(hosts=True)
    at_once = {**storage_class("once", DRIVER), "volumeBindingMode": "Immediate"}
    cluster.add(_HAND, at_once, *_BOUND, bound_pair("c2", "v2")[0])
    for number, of_class in enumerate(("once", "absent", "", "hand"), 3):
        cluster.add(a_claim(f"c{number}", spec={"storageClassName": of_class}))
    cluster.add_node(node(labels={ZONE: "a"}))
    for number in range(1, 7):
        cluster.add_pod(pod("", volumes=using(f"c{number}")))
    cluster.schedule()
    return cluster.history(WITHOUT_BINDING)


_ZONE_ALONE = profile_config(
    default_profile(
        plugins={"multiPoint": {"disabled": [{"name": "VolumeBinding"}, {"name": "VolumeRestrictions"}]}}
    )
)


def _labelled(label: str, first: Sequence[Json], later: Sequence[Json], nodes: Sequence[str]) -> History:
    """Of a claim and its volume, which has this zone label, one may be created later, and so may nodes but the
    first."""
    cluster = HistoryBuilder(hosts=True)
    labelled = {each["kind"]: with_metadata(each, labels={ZONE: label}) for each in _BOUND}
    cluster.add(_HAND, *(labelled[each["kind"]] for each in first))
    cluster.add_node(node(labels={ZONE: nodes[0]}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    for value in later:
        cluster.add(labelled[value["kind"]])
        cluster.wait()
        cluster.schedule()
    for zone in nodes[1:]:
        cluster.add_node(node(labels={ZONE: zone}))
        cluster.wait()
        cluster.schedule()
    return cluster.history(_ZONE_ALONE)


def _volume_of_zone_a(label: str, of_node: Json, *later: Json) -> History:
    """A volume has this label for zone a, and the node these labels. Objects that come later may help the pod."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = _BOUND
    cluster.add(_HAND, claim, with_metadata(volume, labels={label: "a"}))
    cluster.add_node(node(labels=of_node))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    for value in later:
        cluster.add(value)
        cluster.wait()
        cluster.schedule()
    return cluster.history(_ZONE_ALONE)


def _empty_zone_and_a_region() -> History:
    """A volume is of a region and of zones one of which has no name; the nodes are of this region, and of
    another."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = _BOUND
    cluster.add(_HAND, claim, with_metadata(volume, labels={ZONE: "a____b", REGION: "r"}))
    for region in ("q", "r"):
        cluster.add_node(node(labels={ZONE: "z", REGION: region}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history(_ZONE_ALONE)


def _ephemeral_claim_changes() -> History:
    """A pod is rejected for the zone of the volume of one claim, and then the claim of its ephemeral volume gets a
    label."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = bound_pair("c2", "v2")
    ephemeral, of_ephemeral = ephemeral_pair()
    cluster.add(_HAND, claim, with_metadata(volume, labels={ZONE: "a"}), ephemeral, of_ephemeral)
    cluster.add_node(node(labels={ZONE: "b"}))
    cluster.add_pod(with_spec(EPHEMERAL_USER, volumes=[*using("c2"), EPHEMERAL]))
    cluster.schedule()
    cluster.steps.append(Update(with_metadata(ephemeral, labels={"a": "b"})))
    cluster.wait()
    cluster.schedule()
    return cluster.history(_ZONE_ALONE)


def _of_old_labels() -> Iterator[Case]:
    for label, kind in ((OLD_ZONE, "old"), (ZONE, "new")):
        for old, new in (("a", "b"), ("b", "a")):
            yield Case(
                f"volume_with_{kind}_zone_label_and_node_of_old_zone_{old}",
                f"A volume with the {kind} zone label a can be used on a node whose {kind} zone label is a,"
                f" whatever the other one says: old {old}, new {new}.",
                _volume_of_zone_a(label, {OLD_ZONE: old, ZONE: new}),
                ("R-VOLZONE-05",),
            )


def _of_labels() -> Iterator[Case]:
    claim, volume = _BOUND
    for point, name in (("preFilter", "pre_filter"), ("filter", "filter")):
        yield Case(
            f"volume_zone_disabled_at_{name}",
            f"VolumeZone does all of its work at the other point where it is disabled at {point}.",
            _one_point_disabled(point),
        )
    yield Case(
        "volume_zone_with_an_empty_name_and_a_region",
        "A label of zones one of which has no name is passed over, and the volume's other labels count.",
        _empty_zone_and_a_region(),
        ("R-VOLZONE-03",),
    )
    for mode, name in (("WaitForFirstConsumer", "for_a_consumer"), ("Immediate", "for_nobody")):
        another = {**storage_class("another", DRIVER), "volumeBindingMode": mode}
        yield Case(
            f"another_class_that_waits_{name}_comes",
            "A pod that VolumeZone rejected is requeued by any StorageClass that waits for the first consumer; one"
            f" with {mode} comes.",
            _volume_of_zone_a(ZONE, {ZONE: "b"}, another),
        )
    yield Case(
        "claim_of_an_ephemeral_volume_changes",
        "A pod that VolumeZone rejected is not requeued by an update of the claim of its ephemeral volume.",
        _ephemeral_claim_changes(),
    )
    yield Case(
        "wrong_claims_without_volume_binding",
        "Where VolumeBinding is disabled, VolumeZone rejects pods for claims that are unbound, or whose volume or"
        " class is absent.",
        _wrong_claims(),
    )
    for name, says, history in (
        ("zones_with_empty_names", "a label of a zone and empty ones", _labelled("a____a", _BOUND, (), "b")),
        ("two_zones", "two zones, and one node in another zone", _labelled("a__b", _BOUND, (), "cb")),
        (
            "one_zone_and_later_nodes",
            "one zone, in which the last node is",
            _labelled("a", _BOUND, (), "bca"),
        ),
        ("claim_created_later", "one zone, and a later claim", _labelled("a", [volume], [claim], "a")),
        ("volume_created_later", "one zone, and a claim before it", _labelled("a", [claim], [volume], "a")),
    ):
        yield Case(
            f"volume_zone_{name}",
            f"VolumeZone alone rejects nodes outside of a volume's zones, and requeues the pod: {says}.",
            history,
        )


def of_zones() -> Iterator[Case]:
    yield from _of_labels()
    yield from _of_old_labels()
