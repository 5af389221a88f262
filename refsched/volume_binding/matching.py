# SPDX-License-Identifier: Apache-2.0
"""Matching: the volume that a claim gets, of those that exist.

Source: component-helpers/storage/volume/pv_helpers.go, FindMatchingVolume (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from refsched.objects.selectors import EVERYTHING, compile_selector
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim


def find_matching_volume(
    claim: PersistentVolumeClaim,
    volumes: Iterable[PersistentVolume],
    node_labels: Mapping[str, str],
    taken: Collection[str],
) -> PersistentVolume | None:
    """R-VOLBIND-10: the first volume that is bound to the claim beforehand is the only one for it, and must be
    within the node's reach. R-VOLBIND-11: of all others the smallest that serves; of equals the first.

    ``volumes`` come in the order in which they are looked at; ``taken`` names those that the pod's other claims
    get.
    """
    smallest: PersistentVolume | None = None
    for volume in volumes:
        if volume.name in taken or not could_serve(volume, claim):
            continue
        if volume.is_bound_to(claim):
            return volume if volume.reaches(node_labels) else None
        if (smallest is None or volume.capacity < smallest.capacity) and volume.reaches(node_labels):
            smallest = volume
    return smallest


def could_serve(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Wherever it can be reached from."""
    return _is_large_enough_and_free(volume, claim) and (volume.is_bound_to(claim) or _serves(volume, claim))


def _is_large_enough_and_free(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """What must hold also of a volume that is bound to the claim beforehand.

    R-VOLBIND-12: it is no other claim's, not being deleted, as large as the claim asks, of the same volume
    mode and of the same VolumeAttributesClass.
    """
    return (
        (volume.spec.claim_ref is None or volume.is_bound_to(claim))
        and volume.capacity >= claim.requested
        and volume.spec.volume_mode == claim.spec.volume_mode
        and volume.spec.volume_attributes_class_name == claim.spec.volume_attributes_class_name
        and volume.metadata.deletion_timestamp is None
    )


def _serves(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """R-VOLBIND-13: it is Available, the claim's selector selects it, it is of the claim's class and has all
    of the access modes that the claim asks for."""
    selector = EVERYTHING if claim.spec.selector is None else compile_selector(claim.spec.selector)
    return (
        volume.status.phase == "Available"
        and volume.class_name == claim.class_name
        and set(claim.spec.access_modes) <= set(volume.spec.access_modes)
        and selector.matches(volume.metadata.labels)
    )
