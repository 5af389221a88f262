# SPDX-License-Identifier: Apache-2.0
"""Cases of NodeVolumeLimits: attachments that are deleted, limits that change, and in-tree volumes that count for
a CSI driver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.cases.deleted import Replaced, before_and_after
from conformance.cases.volume_zones import WITHOUT_BINDING
from conformance.vocabulary.builder import UNBOUND, HistoryBuilder
from conformance.vocabulary.objects import AN_AGE_AGO, ZONE, node, pod, with_metadata
from conformance.vocabulary.storage import (
    DRIVER,
    EPHEMERAL_USER,
    GCE,
    MIGRATED_PLUGINS,
    STORAGE,
    bound_pair,
    csi_node,
    ephemeral_pair,
    inline,
    of_a_gce_disk,
    storage_class,
    storage_object,
    using,
    with_some,
)
from refsched.objects.node import LEGACY_ZONE_LABEL
from refsched.suite.histories.history import History, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_HAND = storage_class("hand")
_NO_DISK: Json = {"name": "e", "emptyDir": {}}

# --- Attachments ----------------------------------------------------------------------------------


def _driver(name: str, limit: int) -> Json:
    """Returns what the node's CSINode says of a driver."""
    return {"name": name, "nodeID": "n1", "allocatable": {"count": limit}}


def _attachment(number: int, attacher: str = DRIVER) -> Json:
    source = {"persistentVolumeName": f"v{number}"}
    return storage_object(
        *(STORAGE, "VolumeAttachment", f"a{number}"),
        spec={"attacher": attacher, "nodeName": "n1", "source": source},
    )


def _detached(attacher: str, volumes: Sequence[Json]) -> History:
    """A pod is rejected for a disk too many of the GCE driver; then an attachment is deleted."""
    attachment = _attachment(1, attacher)
    limits = csi_node("n1", {"count": 1})
    limits["metadata"]["annotations"] = {MIGRATED_PLUGINS: "kubernetes.io/gce-pd"}
    limits["spec"]["drivers"] = [_driver(GCE, 1)]
    cluster = HistoryBuilder(hosts=True)
    cluster.add(limits, attachment)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=inline(gcePersistentDisk={"pdName": "a"})), 0)
    cluster.add_pod(pod("", volumes=list(volumes)))
    cluster.schedule()
    cluster.steps.append(deleting(attachment))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _attached_by_another() -> History:
    """Another attacher than the driver has attached the volume of a pod that runs. The attacher is the driver of
    another volume, with which a pod comes, and the limit of each driver is 1."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = bound_pair("c2", "v2")
    of_attacher = with_some(volume, spec={"csi": {"driver": "attacher", "volumeHandle": "v2"}})
    limits = csi_node("n1", {"count": 1})
    limits["spec"]["drivers"].append(_driver("attacher", 1))
    cluster.add(_HAND, *bound_pair("c1", "v1"), claim, of_attacher, limits, _attachment(1, "attacher"))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    return cluster.history()


def _attachment_on_its_way_out() -> History:
    """A volume that no pod uses is still attached, though its attachment is being deleted; the limit is 1."""
    cluster = HistoryBuilder(hosts=True)
    leaving = with_metadata(_attachment(1), deletionTimestamp=AN_AGE_AGO, finalizers=["external-attacher"])
    cluster.add(
        _HAND, *bound_pair("c1", "v1"), *bound_pair("c2", "v2"), csi_node("n1", {"count": 1}), leaving
    )
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    return cluster.history()


def _ephemeral_claim(owned: bool, *, on_the_node: bool) -> History:
    """Returns a pod with an ephemeral claim, or one with another claim, for whose node that claim counts."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *ephemeral_pair(is_owned=owned))
    cluster.add(*(bound_pair("c2", "v2") if on_the_node else ()), csi_node("n1", {"count": 2}))
    cluster.add_node(node(""))
    cluster.add_pod(EPHEMERAL_USER, 0 if on_the_node else UNBOUND)
    if on_the_node:
        cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    return cluster.history(WITHOUT_BINDING)


def _ephemeral_user_is_deleted() -> History:
    """A pod is rejected for a volume too many, and then one that has an ephemeral volume alone is deleted."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *ephemeral_pair(), *bound_pair("c2", "v2"), csi_node("n1", {"count": 1}))
    cluster.add_node(node(""))
    cluster.add_pod(EPHEMERAL_USER, 0)
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    cluster.remove_pod(0)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _limited_by_the_node(*limits: Json) -> History:
    """Returns two pods, each with a volume of its own; the node lists room for one of the driver, and its CSINode
    may say another limit."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*limits)
    cluster.add(_HAND, *bound_pair("c1", "v1"), *bound_pair("c2", "v2"))
    room = {"cpu": "4", "memory": "9Gi", "pods": "9", f"attachable-volumes-csi-{DRIVER}": "1"}
    cluster.add_node(node(allocatable=room))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    return cluster.history()


def _disk_with_zones(of_first: Json, of_second: Json) -> History:
    """Two volumes with these labels are of one GCE disk by name, and the node has room for one of the driver."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, csi_node("n1", {"count": 1}, "kubernetes.io/gce-pd"))
    for number, labels in enumerate((of_first, of_second), start=1):
        claim, volume = bound_pair(f"c{number}", f"v{number}")
        cluster.add(claim, with_metadata(of_a_gce_disk(volume), labels=labels))
    cluster.add_node(node("", labels={ZONE: "u-r-a", LEGACY_ZONE_LABEL: "u-r-a"}))
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    return cluster.history(WITHOUT_BINDING)


_ZONES: dict[str, tuple[str, Json, Json]] = {
    "one_zone": ("both are of one zone", {ZONE: "u-r-a"}, {ZONE: "u-r-a"}),
    "two_zones": ("the second is of two zones", {ZONE: "u-r-a"}, {ZONE: "u-r-a__u-r-b"}),
    "two_zones_both": ("both are of two zones", {ZONE: "u-r-a__u-r-b"}, {ZONE: "u-r-a__u-r-b"}),
    "legacy_zone": (
        "the first one's legacy label says the zone of the second",
        {ZONE: "u-r-b", LEGACY_ZONE_LABEL: "u-r-a"},
        {LEGACY_ZONE_LABEL: "u-r-a"},
    ),
    "current_zone": (
        "the first one's other label says the zone of the second",
        {ZONE: "u-r-b", LEGACY_ZONE_LABEL: "u-r-a"},
        {LEGACY_ZONE_LABEL: "u-r-b"},
    ),
}


def _of_zones() -> Iterator[Case]:
    for name, (says, of_first, of_second) in _ZONES.items():
        yield Case(
            f"limit_of_disks_of_one_name_{name}",
            "Two volumes of a GCE disk's name count once if they are of the same zone, or of the same region where"
            f" they have more than one; {says}.",
            _disk_with_zones(of_first, of_second),
            ("R-VOLLIMIT-09",),
        )


def _driver_added(drivers: Sequence[tuple[str, int]]) -> History:
    """A pod has a volume too many of the first driver; then the CSINode lists these drivers with these limits."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *bound_pair("c1", "v1"), *bound_pair("c2", "v2"))
    cluster.add(_limited(DRIVER, 1))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    listed = [_driver(*each) for each in drivers]
    cluster.steps.append(Update({**_limited(DRIVER, 1), "spec": {"drivers": listed}}))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _missing_driver(source: Json, driver: str, migrated: Json) -> History:
    """A pod has an inline volume of an in-tree plugin, and the CSI driver that serves it must be there. The
    CSINode lists it later."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_object(STORAGE, "CSIDriver", driver, spec={"preventPodSchedulingIfMissing": True}))
    lists_none = storage_object(STORAGE, "CSINode", "n1", spec={"drivers": []})
    annotated = with_metadata(lists_none, annotations=migrated)
    cluster.add(annotated)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=inline(**source)))
    cluster.schedule()
    cluster.steps.append(Update({**annotated, "spec": {"drivers": [_driver(driver, 1)]}}))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _of_missing_drivers() -> Iterator[Case]:
    for plugin, driver, source in (
        ("gce-pd", GCE, {"gcePersistentDisk": {"pdName": "d"}}),
        ("portworx-volume", "pxd.portworx.com", {"portworxVolume": {"volumeID": "d"}}),
    ):
        for name, says, migrated in (
            ("migrated", "it is migrated there", {MIGRATED_PLUGINS: f"kubernetes.io/{plugin}"}),
            ("not_migrated", "it is not migrated there", {}),
        ):
            yield Case(
                f"missing_driver_of_{plugin.replace('-', '_')}_{name}",
                "A node may lack the driver that must be there for a volume of an in-tree plugin:"
                f" {plugin}, and {says}; the driver is installed later.",
                _missing_driver(source, driver, migrated),
            )


def _attached_and_used_by_both() -> History:
    """Two pods use one volume, which is attached where the first one runs, and one is the limit there."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *bound_pair("c1", "v1"), csi_node("n1", {"count": 1}), _attachment(1))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")), 0)
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


def _missing_claim_first() -> History:
    """A pod that runs names a claim that does not exist before one that counts, and one is the limit."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, *bound_pair("c1", "v1"), *bound_pair("c2", "v2"), csi_node("n1", {"count": 1}))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("absent", "c1")), 0)
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    return cluster.history()


def _cases() -> Iterator[Case]:
    yield Case(
        "missing_claim_of_a_pod_that_runs",
        "The claims of a pod that runs count for the limit, though one before them does not exist.",
        _missing_claim_first(),
    )
    yield Case(
        "attached_volume_that_two_pods_use",
        "A volume that is attached and that a pod on the node uses counts once for another pod that uses it.",
        _attached_and_used_by_both(),
    )
    for name, says, drivers in (
        ("another_driver_is_added", "another driver is added", ((DRIVER, 1), (GCE, 1))),
        ("a_driver_without_room_is_added", "a driver with limit 0 is added", ((DRIVER, 1), (GCE, 0))),
        ("the_driver_is_exchanged", "another driver takes the place of the first", ((GCE, 1),)),
    ):
        yield Case(
            f"csi_node_{name}",
            "A pod with a volume too many is requeued when the limit of any driver grows, from 0 if it had none;"
            f" here {says}.",
            _driver_added(drivers),
        )
    disk = inline(gcePersistentDisk={"pdName": "b"})
    for attacher, whose in ((DRIVER, "another_driver"), (GCE, "the_driver")):
        for place, volumes in (("last", [_NO_DISK, *disk]), ("first", [*disk, _NO_DISK])):
            yield Case(
                f"attachment_of_{whose}_deleted_disk_{place}",
                "A pod with one disk too many is requeued when an attachment of that driver is deleted, and of no"
                f" other; the disk is the {place} of its volumes, and {whose.replace('_', ' ')} detaches.",
                _detached(attacher, volumes),
            )
    yield Case(
        "attachment_that_is_being_deleted",
        "A volume counts as attached as long as there is a VolumeAttachment, even if that is being deleted.",
        _attachment_on_its_way_out(),
        ("R-VOLLIMIT-05",),
    )
    yield Case(
        "volume_attached_by_another_attacher",
        "A volume that is attached counts for its attacher, even if the driver is another one and a pod uses it.",
        _attached_by_another(),
        ("R-VOLLIMIT-05",),
    )


def _of_limits_in_the_status() -> Iterator[Case]:
    yield Case(
        "limit_of_a_driver_in_the_status_of_the_node",
        "The release says whether a limit counts that the node's status lists for a driver, and no CSINode.",
        _limited_by_the_node(),
    )
    yield Case(
        "limit_of_zero_beside_one_in_the_status_of_the_node",
        "A limit of 0 that the CSINode says for a driver is a limit, and counts before that of the node's status.",
        _limited_by_the_node(csi_node("n1", {"count": 0})),
    )


def _of_ephemeral_volumes() -> Iterator[Case]:
    yield Case(
        "user_of_an_ephemeral_volume_is_deleted",
        "A pod with a volume too many is requeued when a pod is deleted all of whose volumes are ephemeral.",
        _ephemeral_user_is_deleted(),
    )
    for owned in (False, True):
        name = "owned" if owned else "not_owned"
        yield Case(
            f"ephemeral_claim_{name}_by_the_pod_without_volume_binding",
            "Where VolumeBinding is disabled, NodeVolumeLimits rejects a pod whose ephemeral claim is another"
            f" object's; here it is {name.replace('_', ' ')} by the pod.",
            _ephemeral_claim(owned, on_the_node=False),
        )
        yield Case(
            f"ephemeral_claim_{name}_by_the_pod_on_the_node",
            "The ephemeral claim of a pod on the node counts if the pod controls it, and is an error if not; here"
            f" it is {name.replace('_', ' ')} by the pod.",
            _ephemeral_claim(owned, on_the_node=True),
            ("R-VOLLIMIT-06",),
        )


# --- Objects that are deleted or replaced ---------------------------------------------------------


def _limited(driver: str, count: int, plugin: str = "") -> Json:
    drivers = [_driver(driver, count)]
    migrated = {MIGRATED_PLUGINS: f"kubernetes.io/{plugin}"} if plugin else {}
    metadata = {"name": "n1", "annotations": migrated}
    return {"apiVersion": STORAGE, "kind": "CSINode", "metadata": metadata, "spec": {"drivers": drivers}}


_USER = pod("", volumes=using("c1"))
_BOUND, _SECOND = bound_pair("c1", "v1"), bound_pair("c2", "v2")
_GCE_DISKS = [pod("", volumes=inline(gcePersistentDisk={"pdName": name})) for name in "ab"]
_GCE_LIMITED = _limited(GCE, 1, "gce-pd")
_PORTWORX = [pod("", volumes=inline(portworxVolume={"volumeID": name})) for name in ("a", "a", "b")]
_PORTWORX_LIMITED = _limited("pxd.portworx.com", 1, "portworx-volume")
_NOT_MIGRATED = _limited("pxd.portworx.com", 1)
_SAME = with_some(_PORTWORX_LIMITED)
_LIMIT = csi_node("n1", {"count": 1})

_REPLACED = (
    Replaced("limits_deleted", [_HAND, *_BOUND, *_SECOND, _LIMIT], pod("", volumes=using("c1", "c2"))),
    Replaced("attachment_deleted", [_HAND, *_BOUND, *_SECOND, _LIMIT, _attachment(2)], _USER),
    Replaced("attached_volume_deleted", [_HAND, *_BOUND, _LIMIT, _attachment(2), _SECOND[1]], _USER),
    Replaced(
        "attachment_of_a_migrated_disk_deleted",
        [_HAND, *_SECOND, _GCE_LIMITED, _attachment(2, GCE)],
        _GCE_DISKS[0],
    ),
    Replaced(
        "attachment_of_another_driver_deleted",
        [_HAND, *_BOUND, _GCE_LIMITED, _attachment(1)],
        _GCE_DISKS[0],
        _GCE_DISKS[1:],
    ),
    Replaced("limits_of_migrated_volumes_deleted", [_PORTWORX_LIMITED], _PORTWORX[1], _PORTWORX[2:]),
    Replaced(
        "migration_ended_with_the_same_volume",
        [_PORTWORX_LIMITED],
        _PORTWORX[1],
        _PORTWORX[:1],
        later=_NOT_MIGRATED,
    ),
    Replaced(
        "limits_unchanged_with_the_same_volume", [_PORTWORX_LIMITED], _PORTWORX[1], _PORTWORX[:1], later=_SAME
    ),
    Replaced(
        "limits_unchanged_with_another_volume", [_PORTWORX_LIMITED], _PORTWORX[1], _PORTWORX[2:], later=_SAME
    ),
)

CASES: tuple[Case, ...] = (
    *_cases(),
    *_of_limits_in_the_status(),
    *_of_missing_drivers(),
    *_of_ephemeral_volumes(),
    *_of_zones(),
    *(case for replaced in _REPLACED for case in before_and_after(replaced)),
)
