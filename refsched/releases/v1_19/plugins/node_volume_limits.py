# SPDX-License-Identifier: Apache-2.0
"""NodeVolumeLimits in v1.19: only the volumes that the pods of a node use count, not what else is attached
there.

Promised: the limits of volumes are documented with the CSINode API and with node-specific volume limits.
Shows in: volumes.
Source: plugins/nodevolumelimits/csi.go, utils.go; pkg/volume/util/attach_limit.go, GetCSIAttachLimitKey.
"""

from __future__ import annotations

import hashlib
from collections import Counter

from attrs import frozen

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.resources import ATTACHABLE_VOLUMES_PREFIX
from refsched.objects.storage import (
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    claim_names,
)
from refsched.objects.store import ObjectStore
from refsched.rules import Reason, applies
from refsched.volumes.csi_migration import plugin_called

TOO_MANY = Reason("node(s) exceed max volume count", "R-VOLLIMIT-51")
NO_NAME = "PersistentVolumeClaim had no name"

_CSI_PREFIX = f"{ATTACHABLE_VOLUMES_PREFIX}csi-"
_LONGEST_KEY = 63

Volumes = dict[str, str]
"""Volumes maps the unique name of each volume, which consists of its driver's name and its handle, to the resource
that stands for the driver's limit."""


@frozen
class NodeVolumeLimits:
    name = "NodeVolumeLimits"
    POINTS = ("filter",)
    READS = (
        "Pod.spec.volumes",
        "CSINode",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
    )

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[ObjectStore]:
        """Returns the objects that Filter looks up. The plugin of kube-scheduler had no PreFilter in v1.19."""
        return Continue(snapshot.objects)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, objects: ObjectStore, pod: PodInfo, node: NodeInfo) -> Status:
        """R-VOLLIMIT-51 (instead of R-VOLLIMIT-02): In v1.19 a node is rejected as Unschedulable if, for a CSI
        driver with a limit, the volumes of the pods there and the pod's own that none of them uses are more than
        the limit."""
        new = _csi_volumes(pod.pod, objects)
        if isinstance(new, Status):
            return new
        limits = _limits(node, objects)
        if not new or not limits:
            return SUCCESS
        used: Volumes = {}
        for other in node.pods:
            found = _csi_volumes(other.pod, objects)
            if isinstance(found, Status):
                return found
            used |= found
        counted = Counter(used.values())
        wanted = Counter(key for volume, key in new.items() if volume not in used)
        if any(counted[key] + count > limits[key] for key, count in wanted.items() if key in limits):
            return unschedulable(TOO_MANY)
        return SUCCESS


def _limits(node: NodeInfo, objects: ObjectStore) -> dict[str, int]:
    """R-VOLLIMIT-52 (instead of R-VOLLIMIT-04): In v1.19 the limit of a driver is the count in the CSINode or,
    where it has none, what the node's status lists as allocatable under attachable-volumes-csi- and the driver's
    name."""
    allocatable = node.allocatable.scalar
    limits = {key: limit for key, limit in allocatable.items() if key.startswith(ATTACHABLE_VOLUMES_PREFIX)}
    applies("R-VOLLIMIT-52", when=limits)
    csi_node = objects.get(CSINode, node.name)
    drivers = csi_node.spec.drivers if csi_node is not None else ()
    return limits | {limit_key(driver.name): driver.limit for driver in drivers if driver.limit is not None}


def limit_key(driver: str) -> str:
    """Returns the resource that stands for a driver's limit. A long name is cut, and its hash is appended."""
    key = f"{_CSI_PREFIX}{driver}"
    if len(key) < _LONGEST_KEY:
        return key
    digest = hashlib.sha1(driver.encode(), usedforsecurity=False).hexdigest()
    return f"{_CSI_PREFIX}{driver[:23]}{digest[:16]}"


def _csi_volumes(pod: Pod, objects: ObjectStore) -> Volumes | Status:
    """R-VOLLIMIT-53 (instead of R-VOLLIMIT-06): In v1.19 only volumes that claims stand for count, and a claim
    that does not exist counts nothing."""
    volumes: Volumes = {}
    for name in claim_names(pod):
        if not name:
            return error(NO_NAME)
        claim = objects.get(PersistentVolumeClaim, name, pod.namespace)
        if claim is None:
            applies("R-VOLLIMIT-53")
            continue
        driver, handle = _driver_and_handle(claim, objects)
        if driver and handle:
            volumes[f"{driver}/{handle}"] = limit_key(driver)
    return volumes


def _driver_and_handle(claim: PersistentVolumeClaim, objects: ObjectStore) -> tuple[str, str]:
    """R-VOLLIMIT-54 (instead of R-VOLLIMIT-08): In v1.19 a claim whose volume does not exist counts for the
    provisioner of its class, unless that is a plugin that was compiled into Kubernetes."""
    volume = objects.get(PersistentVolume, claim.spec.volume_name) if claim.spec.volume_name else None
    if volume is not None:
        csi = volume.spec.csi
        return (csi.driver, csi.volume_handle) if csi is not None else ("", "")
    storage_class = objects.get(StorageClass, claim.class_name)
    if storage_class is None or plugin_called(storage_class.provisioner) is not None:
        return "", ""
    applies("R-VOLLIMIT-54")
    return storage_class.provisioner, f"\0{claim.key}"
