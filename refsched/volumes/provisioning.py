# SPDX-License-Identifier: Apache-2.0
"""Provisioning: whether the volumes that do not exist yet can be made for a node.

Source: plugins/volumebinding/binder.go, checkVolumeProvisions, hasEnoughCapacity (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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

NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NOT_ENOUGH_SPACE = "node(s) did not have enough free storage"


def refusal_to_provision(
    claims: Iterable[PersistentVolumeClaim],
    classes: Mapping[str, StorageClass],
    node: Node,
    objects: ObjectStore,
) -> str | None:
    """Why the claims cannot all be provisioned for the node: the first claim that cannot be says it.

    R-VOLBIND-14: the class must have a provisioner, and its topology allow the node.
    """
    for claim in claims:
        storage_class = classes[claim.class_name]
        if storage_class.provisioner in ("", NO_PROVISIONER):
            return NOTHING_TO_BIND
        if not storage_class.allows(node.metadata.labels):
            return NOTHING_TO_BIND
        if not _has_enough_capacity(claim, storage_class, node, objects):
            return NOT_ENOUGH_SPACE
    return None


def _has_enough_capacity(
    claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node, objects: ObjectStore
) -> bool:
    """R-VOLBIND-15: where the provisioner's CSIDriver says that it tells its capacity, some CSIStorageCapacity
    of the class must reach the node and have room for the claim. Each claim is looked at by itself: two may
    be promised the same room."""
    driver = objects.get(CSIDriver, storage_class.provisioner)
    if STORAGE not in claim.spec.resources.requests or driver is None or not driver.spec.storage_capacity:
        return True
    return any(
        capacity.storage_class_name == storage_class.metadata.name
        and (limit := capacity.volume_limit) is not None
        and limit.value >= claim.requested.value
        and compile_selector(capacity.node_topology).matches(node.metadata.labels)
        for capacity in objects.list(CSIStorageCapacity)
    )
