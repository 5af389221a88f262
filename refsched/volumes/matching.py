# SPDX-License-Identifier: Apache-2.0
"""Matching: the volume that a claim gets, of those that exist.

Source: component-helpers/storage/volume/pv_helpers.go, FindMatchingVolume (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from refsched.objects.quantity import Quantity
from refsched.objects.selectors import EVERYTHING, compile_selector
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim

Volumes = tuple[PersistentVolume, ...]


def candidates(claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume]) -> Volumes:
    """Those that the claim could have, wherever they can be reached from, the best first."""
    able = (
        volume
        for volume in volumes
        if _is_large_enough_and_free(volume, claim) and (volume.is_bound_to(claim) or _serves(volume, claim))
    )
    return tuple(sorted(able, key=lambda volume: preference(volume, claim)))


def preference(volume: PersistentVolume, claim: PersistentVolumeClaim) -> tuple[bool, Quantity]:
    """R-VOLBIND-11: what is bound to the claim beforehand comes first, and then the smallest; of equals, the one
    that is looked at first."""
    is_bound = volume.is_bound_to(claim)
    return not is_bound, Quantity() if is_bound else volume.capacity


def find_matching_volume(
    claim: PersistentVolumeClaim, ranked: Volumes, node_labels: Mapping[str, str], taken: Collection[str]
) -> PersistentVolume | None:
    """R-VOLBIND-10: the first candidate within the node's reach; but a claim that has a volume bound to it
    beforehand gets no other one. ``taken`` names what the pod's other claims get."""
    for volume in ranked:
        if volume.name in taken:
            continue
        if volume.reaches(node_labels):
            return volume
        if volume.is_bound_to(claim):
            return None
    return None


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
