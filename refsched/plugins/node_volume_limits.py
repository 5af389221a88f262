# SPDX-License-Identifier: Apache-2.0
"""NodeVolumeLimits: no more volumes on a node than its CSI drivers can attach.

Rules: R-VOLLIMIT-01 … R-VOLLIMIT-13.   Source: plugins/nodevolumelimits/csi.go, utils.go (v1.34.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

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
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
    claims_named,
)
from refsched.objects.store import ObjectStore
from refsched.objects.volumes import Volume
from refsched.volumes.csi_migration import (
    InTreePlugin,
    UntranslatableError,
    inline_handle,
    plugin_called,
    plugin_of,
    volume_handle,
)

Attached = dict[str, str]
"""A volume's unique name, which holds its driver's and its handle, → its driver."""

_NOT_YET_MADE = "\0"
"""Stands before the name of a claim whose volume has no handle yet: no handle begins like this."""


@frozen
class NodeVolumeLimits:
    name: ClassVar[str] = "NodeVolumeLimits"
    READS: ClassVar[tuple[str, ...]] = (
        "Pod.spec.volumes",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
        "CSINode",
        "CSIDriver",
        "VolumeAttachment",
    )

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[ObjectStore] | Skip:
        """R-VOLLIMIT-01: without a claim or an inline volume that a driver could stand in for, nothing is
        filtered."""
        return Continue(snapshot.objects) if _may_be_attached(pod.pod) else Skip()

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: ObjectStore, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLLIMIT-02: for each driver with a limit, the pod's volumes that no pod there uses yet, those of
        the pods there, and those that are attached though no pod there uses them, are no more than it.

        R-VOLLIMIT-03: the pod's own volume, attached but used by no pod there, counts on both sides.
        """
        csi_node = state.get(CSINode, node.name)
        wanted = _volumes(pod.pod, csi_node, state, is_new=True)
        if isinstance(wanted, Status):
            return wanted
        limits = _limits(csi_node)
        if not wanted or not limits:
            return SUCCESS
        used: Attached = {}
        for other in node.pods:
            volumes = _volumes(other.pod, csi_node, state, is_new=False)
            if isinstance(volumes, Status):
                return volumes
            used |= volumes
        total = Counter((_attached(node.name, state) | used).values())
        new = Counter(driver for volume, driver in wanted.items() if volume not in used)
        if any(total[driver] + count > limits[driver] for driver, count in new.items() if driver in limits):
            return unschedulable("node(s) exceed max volume count")
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_csi_node_update(self, pod: Pod, before: CSINode, after: CSINode, objects: ObjectStore) -> bool:
        """R-VOLLIMIT-10: a driver can attach more than before; having no limit counts as 0 here."""
        old = {driver.name: driver.limit or 0 for driver in before.spec.drivers}
        return any((driver.limit or 0) > old.get(driver.name, 0) for driver in after.spec.drivers)

    def after_pod_deletion(self, pod: Pod, before: Pod, after: None, objects: ObjectStore) -> bool:
        """R-VOLLIMIT-11: a pod on a node, or nominated to one, that had volumes that count."""
        placed = before.spec.node_name or before.status.nominated_node_name
        return bool(placed) and _may_be_attached(before)

    def after_claim_creation(
        self, pod: Pod, before: None, after: PersistentVolumeClaim, objects: ObjectStore
    ) -> bool:
        """R-VOLLIMIT-12: one of the pod's claims, an ephemeral volume's included."""
        return after.namespace == pod.namespace and claims_named(pod, after.name)

    def after_attachment_deletion(
        self, pod: Pod, before: VolumeAttachment, after: None, objects: ObjectStore
    ) -> bool:
        """R-VOLLIMIT-13: any attachment, for a pod that names a claim; one of the same driver, for one with an
        inline volume."""
        for volume in pod.spec.volumes:
            if volume.persistent_volume_claim is not None:
                return True
            plugin = plugin_of(volume)
            if plugin is not None and _may_free(volume, plugin, before.spec.attacher):
                return True
        return False

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(CSI_NODE, ActionType.ADD, None, "what a node can attach may have become known"),
        EventHint(CSI_NODE, ActionType.UPDATE, after_csi_node_update, "a node may attach more"),
        EventHint(POD, ActionType.DELETE, after_pod_deletion, "the pod's volumes may be detached"),
        EventHint(
            PERSISTENT_VOLUME_CLAIM,
            ActionType.ADD,
            after_claim_creation,
            "the claim that was missing may have come",
        ),
        EventHint(VOLUME_ATTACHMENT, ActionType.DELETE, after_attachment_deletion, "a volume was detached"),
    )


def _may_be_attached(pod: Pod) -> bool:
    return any(
        volume.claim_name(pod.name) is not None or plugin_of(volume) is not None
        for volume in pod.spec.volumes
    )


def _may_free(volume: Volume, plugin: InTreePlugin, attacher: str) -> bool:
    """A volume that cannot be translated is an error of the hint, and so worth a try."""
    try:
        inline_handle(volume, plugin)
    except UntranslatableError:
        return True
    return plugin.driver == attacher


def _limits(csi_node: CSINode | None) -> Mapping[str, int]:
    """R-VOLLIMIT-04: a node without CSINode, and a driver without a count, have no limit."""
    drivers = csi_node.spec.drivers if csi_node is not None else ()
    return {driver.name: driver.limit for driver in drivers if driver.limit is not None}


def _attached(node_name: str, objects: ObjectStore) -> Attached:
    """R-VOLLIMIT-05: what VolumeAttachments of the node name, if it is a CSI volume. The driver is the
    attachment's. Source: getNodeVolumeAttachmentInfo."""
    attached: Attached = {}
    for attachment in objects.list(VolumeAttachment):
        spec = attachment.spec
        if spec.node_name != node_name or not spec.attacher or spec.source.persistent_volume_name is None:
            continue
        volume = objects.get(PersistentVolume, spec.source.persistent_volume_name)
        if volume is not None and volume.spec.csi is not None:
            attached[f"{spec.attacher}/{volume.spec.csi.volume_handle}"] = spec.attacher
    return attached


# --- A pod's volumes ------------------------------------------------------------------------------


def _volumes(pod: Pod, csi_node: CSINode | None, objects: ObjectStore, *, is_new: bool) -> Attached | Status:
    """Those of the pod's volumes that count on this node. Source: filterAttachableVolumes."""
    attached: Attached = {}
    for volume in pod.spec.volumes:
        name = volume.claim_name(pod.name)
        if name is None:
            found = _inline_volume(volume, csi_node)
        else:
            claim = _claim(name, volume, pod, objects, is_new=is_new)
            if isinstance(claim, Status):
                return claim
            found = None if claim is None else _claimed_volume(claim, csi_node, objects)
        if isinstance(found, Status):
            return found
        if found is not None:
            driver, handle = found
            attached[f"{driver}/{handle}"] = driver
    return attached


def _claim(
    name: str, volume: Volume, pod: Pod, objects: ObjectStore, *, is_new: bool
) -> PersistentVolumeClaim | Status | None:
    """R-VOLLIMIT-06: a new pod's claim must exist; a claim that a running pod lacks is not counted. An
    ephemeral volume's claim must be the pod's own."""
    if not name:
        return error("PersistentVolumeClaim had no name")
    claim = objects.get(PersistentVolumeClaim, name, pod.namespace)
    if claim is None:
        missing = f'looking up PVC {pod.namespace}/{name}: persistentvolumeclaim "{name}" not found'
        return unresolvable(missing) if is_new else None
    if volume.ephemeral is not None and not claim.is_made_for(pod):
        return error(f"PVC {claim.key} was not created for pod {pod.key} (pod is not owner)")
    return claim


def _inline_volume(volume: Volume, csi_node: CSINode | None) -> tuple[str, str] | Status | None:
    """R-VOLLIMIT-07: an inline volume counts where a driver stands in for its plugin. An inline CSI volume
    never does: it is not attached. Source: checkAttachableInlineVolume."""
    plugin = plugin_of(volume)
    if plugin is None or not plugin.counts_on(csi_node):
        return None
    try:
        return plugin.driver, inline_handle(volume, plugin)
    except UntranslatableError as why:
        return error(f"converting volume({volume.name}) from inline to csi: {why}")


def _claimed_volume(
    claim: PersistentVolumeClaim, csi_node: CSINode | None, objects: ObjectStore
) -> tuple[str, str] | None:
    """R-VOLLIMIT-08: the driver and the handle of the claim's volume. While there is none, its class says
    which driver will make it. Source: getCSIDriverInfo."""
    volume = objects.get(PersistentVolume, claim.spec.volume_name) if claim.spec.volume_name else None
    if volume is None:
        return _volume_to_be_made(claim, csi_node, objects)
    if volume.spec.csi is not None:
        driver, handle = volume.spec.csi.driver, volume.spec.csi.volume_handle
        return (driver, handle) if driver and handle else None
    plugin = plugin_of(volume.spec)
    if plugin is None or not plugin.counts_on(csi_node):
        return None
    try:
        handle = volume_handle(volume, plugin)
    except UntranslatableError:
        return None
    return (plugin.driver, handle) if handle else None


def _volume_to_be_made(
    claim: PersistentVolumeClaim, csi_node: CSINode | None, objects: ObjectStore
) -> tuple[str, str] | None:
    """Source: getCSIDriverInfoFromSC. Any provisioner counts as a driver, there being one or not."""
    storage_class = objects.get(StorageClass, claim.class_name)
    if storage_class is None:
        return None
    driver = storage_class.provisioner
    plugin = plugin_called(driver)
    if plugin is not None:
        if not plugin.counts_on(csi_node):
            return None
        driver = plugin.driver
    return (driver, f"{_NOT_YET_MADE}{claim.key}") if driver else None
