# SPDX-License-Identifier: Apache-2.0
"""Which rules the plugins of volumes apply, and where they apply none because there is nothing to decide."""

from __future__ import annotations

from typing import Any

import pytest
from applied import Call, applied
from volume_objects import (
    SELECTED_NODE,
    Json,
    by_hand,
    capacity,
    claim,
    csi_driver,
    csi_node,
    read,
    storage_class,
    store,
    using,
    volume,
)
from world import node_object, pod_object

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.store import ObjectStore
from refsched.plugins.node_volume_limits import NodeVolumeLimits
from refsched.plugins.volume_binding import PodState, VolumeBinding
from refsched.plugins.volume_restrictions import Sharing, VolumeRestrictions
from refsched.plugins.volume_zone import VolumeTopology, VolumeZone, topologies_of
from refsched.volumes.finding import claims_of
from refsched.volumes.matching import candidates, find_matching_volume
from refsched.volumes.provisioning import why_not_provisioned
from tests.snapshots import snapshot_of

NOTHING = ObjectStore()
BINDING, LIMITS, RESTRICTIONS, ZONES = VolumeBinding(), NodeVolumeLimits(), VolumeRestrictions(), VolumeZone()
ZONE = "topology.kubernetes.io/zone"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"


def pod(*volumes: Json, name: str = "p", on: str = "", nominated: str = "") -> PodInfo:
    return PodInfo(read(pod_object(name, on=on, nominated_to=nominated, volumes=list(volumes))))


def node(name: str = "n1", *there: PodInfo, **labels: str) -> NodeInfo:
    where = {
        "kubernetes.io/hostname": name,
        **{key.replace("_", "-"): value for key, value in labels.items()},
    }
    info = NodeInfo(read(node_object(name, labels=where)))
    for each in there:
        info = info.with_pod(each)
    return info


def in_zone(value: str, key: str = ZONE) -> NodeInfo:
    return NodeInfo(read(node_object("n1", labels={key: value})))


def inline(**source: Any) -> Json:
    return {"name": "inline", **source}


def decided(call: Call) -> list[str]:
    """The rules of volumes that are applied; objects that are made in the call have defaults, too."""
    return [rule for rule in applied(call) if rule.startswith("R-VOL")]


EBS, OTHER_EBS = (inline(awsElasticBlockStore={"volumeID": name}) for name in ("d", "e"))
GCE = inline(gcePersistentDisk={"pdName": "d"})
PORTWORX = inline(portworxVolume={"volumeID": "d"})
CSI = inline(csi={"driver": "csi.example"})
[C] = using("c")
PENDING, BOUND = claim("c"), claim("c", bound_to="v")
LOST = claim("c", phase="Lost", bound_to="v") | {"status": {"phase": "Lost"}}


# --- VolumeBinding --------------------------------------------------------------------------------


def asked(wanted: PodInfo, *objects: Json) -> Call:
    snapshot = snapshot_of(node(), objects=store(*objects))
    return lambda: BINDING.pre_filter(wanted, snapshot)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (asked(pod()), ["R-VOLBIND-01"]),
        (asked(pod(CSI)), ["R-VOLBIND-01"]),
        (asked(pod(C)), ["R-VOLBIND-02"]),
        (asked(pod(C), LOST), ["R-VOLBIND-02"]),
        (asked(pod(C), storage_class("x", waits=False), claim("c", "x")), ["R-VOLBIND-04", "R-VOLBIND-03"]),
        (asked(pod(C), by_hand(), PENDING), ["R-VOLBIND-04"]),
        (asked(pod(C), by_hand(), BOUND), []),
    ],
)
def test_the_claims_of_a_pod(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules


def filtered(*objects: Json, claims: tuple[str, ...] = ("c",), on: str = "n1") -> Call:
    objects_there = store(by_hand(), storage_class("made"), *objects)
    found = claims_of(pod(*using(*claims)).pod, objects_there)
    return lambda: BINDING.filter(PodState(found, objects_there), pod(), node(on))


ELSEWHERE = {SELECTED_NODE: "n2"}


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (filtered(BOUND, volume("v")), []),
        (filtered(BOUND, volume("v", on="n1")), []),
        (filtered(BOUND), ["R-VOLBIND-07", "R-VOLBIND-05"]),
        (filtered(BOUND, volume("v", on="n2")), ["R-VOLBIND-07", "R-VOLBIND-05"]),
        (filtered(PENDING, volume("v")), ["R-VOLBIND-09", "R-VOLBIND-10"]),
        (filtered(PENDING), ["R-VOLBIND-09", "R-VOLBIND-14", "R-VOLBIND-05"]),
        (filtered(claim("c", "made")), ["R-VOLBIND-09"]),
        (filtered(claim("c", "made", annotations=ELSEWHERE), on="n2"), []),
        (filtered(claim("c", "made", annotations=ELSEWHERE)), ["R-VOLBIND-08", "R-VOLBIND-05"]),
        (
            filtered(BOUND, claim("d", "made", annotations=ELSEWHERE), claims=("c", "d")),
            ["R-VOLBIND-07", "R-VOLBIND-08", "R-VOLBIND-06", "R-VOLBIND-05"],
        ),
    ],
)
def test_a_node_for_the_claims(call: Call, rules: list[str]) -> None:
    """A reason applies its rule once it is given, whether or not another reason stands beside it."""
    assert set(decided(call)) == set(rules)


def matched(*volumes: Json, wanted: Json = PENDING) -> Call:
    read_volumes = [read(each) for each in volumes]
    return lambda: candidates(read(wanted), read_volumes)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (matched(), []),
        (matched(volume("a")), []),
        (matched(volume("a"), volume("b")), ["R-VOLBIND-11"]),
        (matched(volume("a"), volume("b", claimed_by="c")), ["R-VOLBIND-11"]),
        (matched(volume("a", size="1Mi")), ["R-VOLBIND-12"]),
        (matched(volume("a", claimed_by="d")), ["R-VOLBIND-12"]),
        (matched(volume("a", volumeMode="Block")), ["R-VOLBIND-12"]),
        (matched(volume("a", "another")), ["R-VOLBIND-13"]),
        (matched(volume("a", phase="Released")), ["R-VOLBIND-13"]),
        (matched(volume("a", "another", phase="Released", claimed_by="c")), []),
    ],
)
def test_which_volumes_match_a_claim(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules


def best(*volumes: Json, taken: tuple[str, ...] = ()) -> Call:
    ranked = candidates(read(PENDING), [read(each) for each in volumes])
    return lambda: find_matching_volume(read(PENDING), ranked, {"kubernetes.io/hostname": "n1"}, taken)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (best(volume("a", on="n1")), ["R-VOLBIND-10"]),
        (best(volume("a", on="n2")), []),
        (best(volume("a"), taken=("a",)), []),
        (best(volume("a", on="n2", claimed_by="c"), volume("b")), ["R-VOLBIND-10"]),
    ],
)
def test_which_volume_a_claim_gets_on_a_node(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules


MADE = storage_class("x")
TRACKED = csi_driver("csi.example", tracks_capacity=True)
ZONES_OF_CLASS = [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}]
LARGE = capacity("k", "x", capacity="9Gi", nodeTopology={})


@pytest.mark.parametrize(
    ("of_class", "objects", "rule"),
    [
        (MADE, (), None),
        (storage_class("x", provisioner=""), (), "R-VOLBIND-14"),
        (storage_class("x", allowedTopologies=ZONES_OF_CLASS), (), "R-VOLBIND-14"),
        (MADE, (TRACKED,), "R-VOLBIND-15"),
        (MADE, (TRACKED, LARGE), None),
        (MADE, (csi_driver("csi.example", tracks_capacity=False),), None),
    ],
)
def test_which_rule_keeps_a_claim_from_being_provisioned(
    of_class: Json, objects: tuple[Json, ...], rule: str | None
) -> None:
    wanted, there = [read(claim("c", "x"))], store(*objects)
    reason = why_not_provisioned(wanted, {"x": read(of_class)}, read(node_object("n1")), there)
    assert (None if reason is None else reason.rule) == rule


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: BINDING.pre_score(pod(C), [], snapshot_of()), ["R-VOLBIND-22"]),
        (lambda: BINDING.pre_score(pod(), [], snapshot_of()), []),
        (lambda: BINDING.after_class_change(pod(C).pod, None, read(MADE), NOTHING), ["R-VOLBIND-24"]),
        (lambda: BINDING.after_class_change(pod(C).pod, read(MADE), read(MADE), NOTHING), []),
        (lambda: BINDING.after_claim_change(pod(C).pod, None, read(PENDING), NOTHING), ["R-VOLBIND-25"]),
        (lambda: BINDING.after_claim_change(pod(C).pod, None, read(claim("d")), NOTHING), []),
        (
            lambda: BINDING.after_csi_node_change(pod(C).pod, None, read(csi_node("n")), NOTHING),
            ["R-VOLBIND-26"],
        ),
        (
            lambda: BINDING.after_csi_node_change(
                pod(C).pod, read(csi_node("n")), read(csi_node("n")), NOTHING
            ),
            [],
        ),
        (
            lambda: BINDING.after_csi_node_change(
                pod(C).pod, read(csi_node("n")), read(csi_node("n", "x")), NOTHING
            ),
            ["R-VOLBIND-26"],
        ),
        (lambda: after_driver_change(CSI, from_tracking=True), ["R-VOLBIND-27"]),
        (lambda: after_driver_change(CSI, from_tracking=False), []),
        (lambda: after_driver_change(C, from_tracking=True), []),
        (lambda: BINDING.after_capacity_change(pod(C).pod, None, read(LARGE), NOTHING), ["R-VOLBIND-28"]),
        (lambda: BINDING.after_capacity_change(pod(C).pod, read(LARGE), read(LARGE), NOTHING), []),
    ],
)
def test_scores_and_events_of_binding(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules


def after_driver_change(used: Json, *, from_tracking: bool) -> bool:
    before = read(csi_driver("csi.example", tracks_capacity=from_tracking))
    after = read(csi_driver("csi.example", tracks_capacity=False))
    return BINDING.after_driver_change(pod(used).pod, before, after, NOTHING)


# --- NodeVolumeLimits -----------------------------------------------------------------------------


def limited(count: int | None) -> Json:
    driver = {
        "name": "csi.example",
        "nodeID": "n1",
        "allocatable": None if count is None else {"count": count},
    }
    return csi_node("n1") | {"spec": {"drivers": [driver]}}


def attachment(name: str) -> Json:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": f"of-{name}"},
        "spec": {"attacher": "csi.example", "nodeName": "n1", "source": {"persistentVolumeName": name}},
    }


def of_csi(name: str) -> Json:
    return volume(name, csi={"driver": "csi.example", "volumeHandle": name})


def fits(*objects: Json, wanted: PodInfo | None = None, there: tuple[PodInfo, ...] = ()) -> Call:
    asking, known = wanted or pod(C), store(*objects)
    return lambda: LIMITS.filter(known, asking, node("n1", *there))


def grown(before: int | None, after: int) -> Call:
    return lambda: LIMITS.after_csi_node_update(
        pod().pod, read(limited(before)), read(limited(after)), NOTHING
    )


def deleted(other: PodInfo) -> Call:
    return lambda: LIMITS.after_pod_deletion(pod().pod, other.pod, None, NOTHING)


def detached(rejected: PodInfo) -> Call:
    return lambda: LIMITS.after_attachment_deletion(rejected.pod, read(attachment("v")), None, NOTHING)


OTHER = pod(*using("d"), name="other")
TWICE = {"R-VOLLIMIT-03", "R-VOLLIMIT-05"}
D = claim("d", bound_to="w")


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: LIMITS.pre_filter(pod(), snapshot_of()), {"R-VOLLIMIT-01"}),
        (lambda: LIMITS.pre_filter(pod(C), snapshot_of()), set()),
        (fits(), {"R-VOLLIMIT-06"}),
        (fits(BOUND, of_csi("v")), {"R-VOLLIMIT-04", "R-VOLLIMIT-08"}),
        (fits(BOUND, of_csi("v"), limited(None)), {"R-VOLLIMIT-04", "R-VOLLIMIT-08"}),
        (fits(BOUND, of_csi("v"), limited(1)), {"R-VOLLIMIT-08"}),
        (fits(BOUND, volume("v"), limited(1)), set()),
        (fits(BOUND, of_csi("v"), limited(0)), {"R-VOLLIMIT-02", "R-VOLLIMIT-08"}),
        (
            fits(BOUND, of_csi("v"), limited(2), attachment("v")),
            {"R-VOLLIMIT-03", "R-VOLLIMIT-05", "R-VOLLIMIT-08"},
        ),
        (fits(BOUND, of_csi("v"), limited(2), there=(OTHER,)), {"R-VOLLIMIT-06", "R-VOLLIMIT-08"}),
        (
            fits(BOUND, of_csi("v"), D, of_csi("w"), limited(1), there=(OTHER,)),
            {"R-VOLLIMIT-02", "R-VOLLIMIT-08"},
        ),
        (fits(limited(1), wanted=pod(CSI)), set()),
        (fits(limited(1), wanted=pod(GCE)), {"R-VOLLIMIT-07", "R-VOLLIMIT-09"}),
        (fits(limited(1), wanted=pod(PORTWORX)), {"R-VOLLIMIT-09"}),
        (fits(wanted=pod(GCE)), set()),
        (
            lambda: LIMITS.after_csi_node_update(pod().pod, read(limited(1)), read(limited(2)), NOTHING),
            {"R-VOLLIMIT-10"},
        ),
        (lambda: LIMITS.after_csi_node_update(pod().pod, read(limited(2)), read(limited(2)), NOTHING), set()),
        (deleted(pod(C, on="n1")), {"R-VOLLIMIT-11"}),
        (
            lambda: LIMITS.after_pod_deletion(pod().pod, pod(C, nominated="n1").pod, None, NOTHING),
            {"R-VOLLIMIT-11"},
        ),
        (deleted(pod(C)), set()),
        (deleted(pod(on="n1")), set()),
        (lambda: LIMITS.after_claim_creation(pod(C).pod, None, read(PENDING), NOTHING), {"R-VOLLIMIT-12"}),
        (lambda: LIMITS.after_claim_creation(pod(C).pod, None, read(D), NOTHING), set()),
        (
            lambda: LIMITS.after_attachment_deletion(pod(C).pod, read(attachment("v")), None, NOTHING),
            {"R-VOLLIMIT-13"},
        ),
        (detached(pod()), set()),
    ],
)
def test_limits(call: Call, rules: set[str]) -> None:
    assert set(decided(call)) == rules


# --- VolumeRestrictions ---------------------------------------------------------------------------

EXCLUSIVE = claim("c", modes=("ReadWriteOncePod",))
USER = pod(C, name="user", on="n1")


def restricted(wanted: PodInfo, *objects: Json, there: tuple[PodInfo, ...] = ()) -> Call:
    snapshot = snapshot_of(node("n1", *there), objects=store(*objects))
    return lambda: RESTRICTIONS.pre_filter(wanted, snapshot)


def disks(wanted: Json, there: Json) -> Call:
    return lambda: RESTRICTIONS.filter(Sharing(frozenset(), 0), pod(wanted), node("n1", pod(there, name="q")))


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (restricted(pod(C)), ["R-VOLRESTR-01"]),
        (restricted(pod()), ["R-VOLRESTR-02"]),
        (restricted(pod(C), PENDING, there=(USER,)), ["R-VOLRESTR-02"]),
        (restricted(pod(C), EXCLUSIVE), ["R-VOLRESTR-02"]),
        (restricted(pod(C), EXCLUSIVE, there=(USER,)), []),
        (restricted(pod(EBS)), []),
        (disks(EBS, EBS), ["R-VOLRESTR-05", "R-VOLRESTR-03"]),
        (disks(EBS, OTHER_EBS), []),
        (lambda: RESTRICTIONS.filter(Sharing(frozenset("c"), 1), pod(C), node()), ["R-VOLRESTR-04"]),
        (lambda: RESTRICTIONS.filter(Sharing(frozenset("c"), 0), pod(C), node()), []),
        (lambda: RESTRICTIONS.after_pod_deletion(pod(C).pod, USER.pod, None, NOTHING), ["R-VOLRESTR-06"]),
        (lambda: RESTRICTIONS.after_pod_deletion(pod(C).pod, OTHER.pod, None, NOTHING), []),
        (
            lambda: RESTRICTIONS.after_claim_creation(pod(C).pod, None, read(PENDING), NOTHING),
            ["R-VOLRESTR-07"],
        ),
        (lambda: RESTRICTIONS.after_claim_creation(pod(C).pod, None, read(D), NOTHING), []),
    ],
)
def test_restrictions(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules


# --- VolumeZone -----------------------------------------------------------------------------------


def zoned(*objects: Json) -> Call:
    snapshot = snapshot_of(node(), objects=store(*objects))
    return lambda: ZONES.pre_filter(pod(C), snapshot)


def labelled(value: str, key: str = ZONE) -> Json:
    return volume("v", labels={key: value})


def relabelled(before: Json | None, after: Json) -> Call:
    known = None if before is None else read(before)
    return lambda: ZONES.after_volume_change(pod(C).pod, known, read(after), NOTHING)


IN_A = (VolumeTopology(ZONE, frozenset("a")),)
IN_OLD_A = (VolumeTopology(OLD_ZONE, frozenset("a")),)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (zoned(BOUND, volume("v")), ["R-VOLZONE-01"]),
        (zoned(BOUND, labelled("a")), []),
        (zoned(BOUND), ["R-VOLZONE-02"]),
        (zoned(), ["R-VOLZONE-02"]),
        (zoned(by_hand(), PENDING), ["R-VOLZONE-02", "R-VOLZONE-01"]),
        (zoned(storage_class("x", waits=False), claim("c", "x")), ["R-VOLZONE-02"]),
        (lambda: topologies_of(read(labelled("a"))), []),
        (lambda: topologies_of(read(labelled("a__b"))), ["R-VOLZONE-03"]),
        (lambda: topologies_of(read(labelled(""))), ["R-VOLZONE-03"]),
        (lambda: ZONES.filter(IN_A, pod(), node()), ["R-VOLZONE-04"]),
        (lambda: ZONES.filter(IN_A, pod(), in_zone("a")), []),
        (lambda: ZONES.filter(IN_A, pod(), in_zone("b")), ["R-VOLZONE-05"]),
        (lambda: ZONES.filter(IN_OLD_A, pod(), in_zone("a")), ["R-VOLZONE-06"]),
        (lambda: ZONES.filter(IN_OLD_A, pod(), in_zone("a", OLD_ZONE)), []),
        (lambda: ZONES.after_class_creation(pod(C).pod, None, read(by_hand()), NOTHING), ["R-VOLZONE-07"]),
        (
            lambda: ZONES.after_class_creation(
                pod(C).pod, None, read(storage_class("x", waits=False)), NOTHING
            ),
            [],
        ),
        (lambda: ZONES.after_claim_change(pod(C).pod, None, read(PENDING), NOTHING), ["R-VOLZONE-08"]),
        (lambda: ZONES.after_claim_change(pod(C).pod, None, read(D), NOTHING), []),
        (lambda: ZONES.after_volume_change(pod(C).pod, None, read(volume("v")), NOTHING), ["R-VOLZONE-09"]),
        (
            lambda: ZONES.after_volume_change(pod(C).pod, read(volume("v")), read(labelled("a")), NOTHING),
            ["R-VOLZONE-09"],
        ),
        (lambda: ZONES.after_volume_change(pod(C).pod, read(volume("v")), read(volume("v")), NOTHING), []),
    ],
)
def test_zones(call: Call, rules: list[str]) -> None:
    assert decided(call) == rules
