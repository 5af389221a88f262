# SPDX-License-Identifier: Apache-2.0
"""Provisioning: whether the volumes that do not exist yet can be provisioned for a node.

Promised: allowedTopologies and CSIStorageCapacity are documented with the storage API, KEP-1472.
Shows in: volumes.
Source: plugins/volumebinding/binder.go, checkVolumeProvisions, hasEnoughCapacity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from refsched.objects.node import Node
from refsched.objects.selectors import compile_selector
from refsched.objects.storage import (
    NO_PROVISIONER,
    STORAGE,
    CSIDriver,
    CSIStorageCapacity,
    PersistentVolumeClaim,
    StorageClass,
)
from refsched.objects.store import ObjectStore
from refsched.rules import Reason

NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NOT_PROVISIONABLE = Reason(NOTHING_TO_BIND, "R-VOLBIND-14")
NOT_ENOUGH_SPACE = Reason("node(s) did not have enough free storage", "R-VOLBIND-15")


def why_not_provisioned(
    claims: Iterable[PersistentVolumeClaim],
    classes: Mapping[str, StorageClass],
    node: Node,
    objects: ObjectStore,
) -> Reason | None:
    """R-VOLBIND-14: A node is rejected for a claim without a matching volume if the claim's StorageClass has no
    provisioner, or if its allowedTopologies do not match the node. A topology with a value that no label can have
    matches no node.

    The reason is that of the first claim that cannot be provisioned.
    """
    for claim in claims:
        storage_class = classes[claim.class_name]
        if storage_class.provisioner in ("", NO_PROVISIONER):
            return NOT_PROVISIONABLE
        if not storage_class.allows(node.metadata.labels):
            return NOT_PROVISIONABLE
        if not _has_enough_capacity(claim, storage_class, node, objects):
            return NOT_ENOUGH_SPACE
    return None


def _has_enough_capacity(
    claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node, objects: ObjectStore
) -> bool:
    """R-VOLBIND-15: If the CSIDriver of the provisioner has storageCapacity, a node is rejected for a claim unless
    a CSIStorageCapacity of the claim's class matches the node and has enough capacity for this claim alone."""
    if not _is_capacity_checked(claim, storage_class, objects):
        return True
    return next(sufficient_capacities(claim, storage_class, node, objects), None) is not None


def sufficient_capacities(
    claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node, objects: ObjectStore
) -> Iterator[CSIStorageCapacity]:
    """Yields the capacities that have enough for the claim on the node; none if capacity is not checked."""
    if not _is_capacity_checked(claim, storage_class, objects):
        return
    yield from (
        capacity
        for capacity in objects.list(CSIStorageCapacity)
        if capacity.storage_class_name == storage_class.name
        and (limit := capacity.volume_limit) is not None
        and limit.value >= claim.requested.value
        and compile_selector(capacity.node_topology).matches(node.metadata.labels)
    )


def _is_capacity_checked(
    claim: PersistentVolumeClaim, storage_class: StorageClass, objects: ObjectStore
) -> bool:
    driver = objects.get(CSIDriver, storage_class.provisioner)
    has_request = STORAGE in claim.spec.resources.requests
    return has_request and driver is not None and driver.spec.storage_capacity
