# SPDX-License-Identifier: Apache-2.0
"""NodeVolumeLimits: a node gets no more volumes than its CSI drivers can attach.

Promised: the limits of volumes are documented with the CSINode API and with node-specific volume limits.
Shows in: volumes.
Source: plugins/nodevolumelimits/csi.go, utils.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from attrs import frozen

from refsched.framework.events import (
    CSI_NODE,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    VOLUME_ATTACHMENT,
    ActionType,
    EventHint,
)
from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.storage import (
    CSIDriver,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
    claims_named,
)
from refsched.objects.store import ObjectStore
from refsched.objects.volumes import Volume
from refsched.plugins.signatures import sign_volumes
from refsched.rules import ErrorReason, Reason, applies
from refsched.volumes.csi_migration import (
    InTreeVolumePlugin,
    UntranslatableError,
    counts_as_csi,
    inline_handle,
    plugin_called,
    plugin_of,
    volume_handle,
)

NOT_INSTALLED = Reason("{} CSI driver is not installed on the node", "R-VOLLIMIT-14")
LIMIT_EXCEEDED = Reason("node(s) exceed max volume count", "R-VOLLIMIT-02")
CLAIM_WITHOUT_NAME = ErrorReason("PersistentVolumeClaim had no name", "R-VOLLIMIT-06")
CLAIM_NOT_FOUND = Reason('looking up PVC {}/{}: persistentvolumeclaim "{}" not found', "R-VOLLIMIT-06")
CLAIM_OF_ANOTHER = ErrorReason("PVC {} was not created for pod {} (pod is not owner)", "R-VOLLIMIT-06")
NOT_CONVERTED = ErrorReason("converting volume({}) from inline to csi: {}", "R-VOLLIMIT-07")

Attached = dict[str, str]
"""Attached maps the unique name of each volume, made of its driver's name and its handle, to the driver."""

CountsAsCSI = Callable[[InTreeVolumePlugin, CSINode | None], bool]
"""A CountsAsCSI returns whether a plugin's volumes count as its CSI driver's on a node with this CSINode."""

Counts = Callable[[InTreeVolumePlugin], bool]

_TO_BE_PROVISIONED = "\0"
"""The handle of a volume that does not exist yet is the name of its claim after this prefix, with which no other
handle begins."""


@frozen
class Drivers:
    """Drivers are looked up among ``objects``. kube-scheduler looks at those of a pod in the order of a Go map:
    ``first`` is the one that is looked at first, if it is one of them, and the others follow by name."""

    objects: ObjectStore
    first: str = ""

    def in_order(self, names: Iterable[str]) -> list[str]:
        return sorted(set(names), key=lambda name: (name != self.first, name))


@frozen
class NodeVolumeLimits:
    name = "NodeVolumeLimits"
    POINTS = ("preFilter", "filter")
    READS = (
        "Pod.metadata.name",
        "Pod.metadata.uid",
        "Pod.spec.volumes",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
        "CSINode",
        "CSIDriver",
        "VolumeAttachment",
    )
    counts_as_csi: CountsAsCSI = counts_as_csi
    sign = sign_volumes

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Drivers] | Skip:
        """R-VOLLIMIT-01: A pod without a claim and without an inline volume of a plugin that has been migrated to
        CSI skips Filter of NodeVolumeLimits."""
        if not _may_be_attached(pod.pod):
            applies("R-VOLLIMIT-01")
            return Skip()
        return Continue(Drivers(snapshot.objects))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: Drivers, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLLIMIT-02: A node is rejected as Unschedulable if for a driver with a limit the volumes of the pods
        on the node, the other volumes that are attached to it, and the pod's volumes that no pod on the node uses
        add up to more than the limit.
        R-VOLLIMIT-03 (observed: that a volume may count twice is an accident): A volume of the pod that is
        attached to the node but used by no pod there counts twice against the driver's limit, as an attached
        volume and as a volume of the pod."""
        objects = state.objects
        csi_node = objects.get(CSINode, node.name)

        def counts(plugin: InTreeVolumePlugin) -> bool:
            return self.counts_as_csi(plugin, csi_node)

        wanted = _volumes(pod.pod, counts, objects, is_new=True)
        if isinstance(wanted, Status):
            return wanted
        if not wanted:
            return SUCCESS
        missing = self.missing_driver(state.in_order(wanted.values()), csi_node, objects)
        if missing:
            return unschedulable(NOT_INSTALLED.of(missing))
        limits = _limits(csi_node)
        if not limits:
            return SUCCESS
        used = _used_volumes(node, counts, objects)
        if isinstance(used, Status):
            return used
        attached = _attached(node.name, objects)
        applies("R-VOLLIMIT-03", when=any(volume in attached and volume not in used for volume in wanted))
        total = Counter((attached | used).values())
        new = Counter(driver for volume, driver in wanted.items() if volume not in used)
        if any(total[driver] + count > limits[driver] for driver, count in new.items() if driver in limits):
            return unschedulable(LIMIT_EXCEEDED)
        return SUCCESS

    def missing_driver(self, drivers: Iterable[str], csi_node: CSINode | None, objects: ObjectStore) -> str:
        """R-VOLLIMIT-14: A node is rejected as Unschedulable if the CSIDriver of one of the pod's volumes has
        preventPodSchedulingIfMissing and the node's CSINode does not list the driver; if more than one is missing,
        any of them is the reason.

        Returns the name of the first one that is missing, or an empty string. Source: csi.go,
        checkCSIDriverOnNode."""
        installed = {driver.name for driver in csi_node.spec.drivers} if csi_node is not None else ()
        for name in drivers:
            driver = objects.get(CSIDriver, name)
            if driver is not None and driver.spec.prevent_pod_scheduling_if_missing and name not in installed:
                return name
        return ""

    # --- Events -----------------------------------------------------------------------------------

    def after_csi_node_update(self, pod: Pod, before: CSINode, after: CSINode, objects: ObjectStore) -> bool:
        """R-VOLLIMIT-10 (observed: queueing hints may only save attempts, KEP-4247): An update of a CSINode
        requeues a pod that NodeVolumeLimits rejected if the limit of a driver has grown; having no limit counts as
        0 here."""
        old = {driver.name: driver.limit or 0 for driver in before.spec.drivers}
        has_grown = any((driver.limit or 0) > old.get(driver.name, 0) for driver in after.spec.drivers)
        return applies("R-VOLLIMIT-10", when=has_grown)

    def after_pod_deletion(self, pod: Pod, before: Pod, after: None, objects: ObjectStore) -> bool:
        """R-VOLLIMIT-11 (observed: queueing hints may only save attempts, KEP-4247): The deletion of a pod that
        ran on a node, or was nominated to one, requeues a pod that NodeVolumeLimits rejected if the deleted pod
        had a claim or an inline volume of a migrated plugin."""
        placed = before.spec.node_name or before.status.nominated_node_name
        return applies("R-VOLLIMIT-11", when=placed and _may_be_attached(before))

    def after_claim_creation(
        self, pod: Pod, before: None, after: PersistentVolumeClaim, objects: ObjectStore
    ) -> bool:
        """R-VOLLIMIT-12 (observed: queueing hints may only save attempts, KEP-4247): The creation of one of the
        pod's claims, that of an ephemeral volume included, requeues a pod that NodeVolumeLimits rejected."""
        is_own = after.namespace == pod.namespace and claims_named(pod, after.name)
        return applies("R-VOLLIMIT-12", when=is_own)

    def after_attachment_deletion(
        self, pod: Pod, before: VolumeAttachment, after: None, objects: ObjectStore
    ) -> bool:
        """R-VOLLIMIT-13 (observed: queueing hints may only save attempts, KEP-4247): The deletion of a
        VolumeAttachment requeues a pod that NodeVolumeLimits rejected if the pod names a claim or has an inline
        volume of the attachment's driver."""
        frees = any(_may_be_freed(volume, before.spec.attacher) for volume in pod.spec.volumes)
        return applies("R-VOLLIMIT-13", when=frees)

    EVENTS = (
        EventHint(CSI_NODE, ActionType.ADD, None, "what a node can attach may have become known"),
        EventHint(CSI_NODE, ActionType.UPDATE, after_csi_node_update, "a node may attach more"),
        EventHint(POD, ActionType.DELETE, after_pod_deletion, "the pod's volumes may be detached"),
        EventHint(
            PERSISTENT_VOLUME_CLAIM,
            ActionType.ADD,
            after_claim_creation,
            "the claim that was missing may have been created",
        ),
        EventHint(VOLUME_ATTACHMENT, ActionType.DELETE, after_attachment_deletion, "a volume was detached"),
    )


def _may_be_attached(pod: Pod) -> bool:
    return any(
        volume.claim_name(pod.name) is not None or plugin_of(volume) is not None
        for volume in pod.spec.volumes
    )


def _may_be_freed(volume: Volume, attacher: str) -> bool:
    """Returns whether the volume may be one of the attacher's. For a volume that cannot be translated the
    hint returns an error, which requeues the pod."""
    if volume.persistent_volume_claim is not None:
        return True
    plugin = plugin_of(volume)
    if plugin is None:
        return False
    try:
        inline_handle(volume, plugin)
    except UntranslatableError:
        return True
    return plugin.driver == attacher


def _limits(csi_node: CSINode | None) -> Mapping[str, int]:
    """R-VOLLIMIT-04: Volumes are not limited on a node without a CSINode, nor those of a driver whose CSINode
    entry has no allocatable count."""
    drivers = csi_node.spec.drivers if csi_node is not None else ()
    applies("R-VOLLIMIT-04", when=csi_node is None or any(driver.limit is None for driver in drivers))
    return {driver.name: driver.limit for driver in drivers if driver.limit is not None}


def _attached(node_name: str, objects: ObjectStore) -> Attached:
    """R-VOLLIMIT-05: A CSI volume that a VolumeAttachment of the node names counts there as a volume of the
    attachment's attacher. Source: getNodeVolumeAttachmentInfo."""
    attached: Attached = {}
    for attachment in objects.list(VolumeAttachment):
        spec = attachment.spec
        if spec.node_name != node_name or not spec.attacher or spec.source.persistent_volume_name is None:
            continue
        volume = objects.get(PersistentVolume, spec.source.persistent_volume_name)
        if volume is not None and volume.spec.csi is not None:
            applies("R-VOLLIMIT-05")
            attached[f"{spec.attacher}/{volume.spec.csi.volume_handle}"] = spec.attacher
    return attached


# --- A pod's volumes ------------------------------------------------------------------------------


def _used_volumes(node: NodeInfo, counts: Counts, objects: ObjectStore) -> Attached | Status:
    """Returns the volumes of the pods on the node, or why they cannot be counted."""
    used: Attached = {}
    for pod in node.pods:
        volumes = _volumes(pod.pod, counts, objects, is_new=False)
        if isinstance(volumes, Status):
            return volumes
        used |= volumes
    return used


def _volumes(pod: Pod, counts: Counts, objects: ObjectStore, *, is_new: bool) -> Attached | Status:
    """Returns those of the pod's volumes that count on this node. Source: filterAttachableVolumes."""
    attached: Attached = {}
    for volume in pod.spec.volumes:
        name = volume.claim_name(pod.name)
        if name is None:
            found = _inline_volume(volume, counts)
        else:
            claim = _claim(name, volume, pod, objects, is_new=is_new)
            if isinstance(claim, Status):
                return claim
            found = None if claim is None else _claimed_volume(claim, counts, objects)
        if isinstance(found, Status):
            return found
        if found is not None:
            driver, handle = found
            attached[f"{driver}/{handle}"] = driver
    return attached


def _claim(
    name: str, volume: Volume, pod: Pod, objects: ObjectStore, *, is_new: bool
) -> PersistentVolumeClaim | Status | None:
    """R-VOLLIMIT-06: A node is rejected as UnschedulableAndUnresolvable if a claim of the pod does not exist,
    while a missing claim of a pod on the node is not counted; a claim without a name, or an ephemeral volume whose
    claim belongs to another pod, is an error."""
    if not name:
        return error(CLAIM_WITHOUT_NAME)
    claim = objects.get(PersistentVolumeClaim, name, pod.namespace)
    if claim is None:
        if is_new:
            return unresolvable(CLAIM_NOT_FOUND.of(pod.namespace, name, name))
        applies("R-VOLLIMIT-06")
        return None
    if volume.ephemeral is not None and not claim.is_made_for(pod):
        return error(CLAIM_OF_ANOTHER.of(claim.key, pod.key))
    return claim


def _inline_volume(volume: Volume, counts: Counts) -> tuple[str, str] | Status | None:
    """R-VOLLIMIT-07: An inline volume counts as a volume of the CSI driver that its plugin has been migrated to;
    an inline CSI volume does not count, since it is not attached. Source: checkAttachableInlineVolume."""
    plugin = plugin_of(volume)
    if plugin is None or not counts(plugin):
        return None
    try:
        handle = inline_handle(volume, plugin)
    except UntranslatableError as why:
        return error(NOT_CONVERTED.of(volume.name, why))
    applies("R-VOLLIMIT-07")
    return plugin.driver, handle


def _claimed_volume(
    claim: PersistentVolumeClaim, counts: Counts, objects: ObjectStore
) -> tuple[str, str] | None:
    """R-VOLLIMIT-08: A claim counts as the volume that it is bound to; a claim without a volume counts as one
    volume of its StorageClass's provisioner. Source: getCSIDriverInfo."""
    volume = objects.get(PersistentVolume, claim.spec.volume_name) if claim.spec.volume_name else None
    found = (
        _volume_to_be_provisioned(claim, counts, objects)
        if volume is None
        else _existing_volume(volume, counts)
    )
    applies("R-VOLLIMIT-08", when=found is not None)
    return found


def _existing_volume(volume: PersistentVolume, counts: Counts) -> tuple[str, str] | None:
    if volume.spec.csi is not None:
        driver, handle = volume.spec.csi.driver, volume.spec.csi.volume_handle
        return (driver, handle) if driver and handle else None
    plugin = plugin_of(volume.spec)
    if plugin is None or not counts(plugin):
        return None
    try:
        handle = volume_handle(volume, plugin)
    except UntranslatableError:
        return None
    return (plugin.driver, handle) if handle else None


def _volume_to_be_provisioned(
    claim: PersistentVolumeClaim, counts: Counts, objects: ObjectStore
) -> tuple[str, str] | None:
    """Returns the volume that a claim without a volume counts as. Any provisioner counts as a driver, whether
    or not the driver exists. Source: getCSIDriverInfoFromSC."""
    storage_class = objects.get(StorageClass, claim.class_name)
    if storage_class is None:
        return None
    driver = storage_class.provisioner
    plugin = plugin_called(driver)
    if plugin is not None:
        if not counts(plugin):
            return None
        driver = plugin.driver
    return (driver, f"{_TO_BE_PROVISIONED}{claim.key}") if driver else None
