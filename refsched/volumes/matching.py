# SPDX-License-Identifier: Apache-2.0
"""Matching: the existing volume that a claim gets.

Promised: which volume satisfies a claim is documented with the storage API.
Shows in: volumes.
Source: component-helpers/storage/volume/pv_helpers.go, FindMatchingVolume.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from refsched.objects.quantity import Quantity
from refsched.objects.selectors import EVERYTHING, compile_selector
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim
from refsched.rules import applies

Volumes = tuple[PersistentVolume, ...]


def candidates(claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume]) -> Volumes:
    """Returns the volumes that the claim could have, whatever nodes reach them, the best first.

    R-VOLBIND-11 (decides volumes): A claim gets a volume that is pre-bound to it before any other, and otherwise
    the smallest matching volume; of equal volumes it gets any.
    """
    matching = [
        volume
        for volume in volumes
        if _is_large_enough_and_free(volume, claim) and (volume.is_bound_to(claim) or _serves(volume, claim))
    ]
    applies("R-VOLBIND-11", when=len(matching) > 1)
    return tuple(sorted(matching, key=lambda volume: preference(volume, claim)))


def preference(volume: PersistentVolume, claim: PersistentVolumeClaim) -> tuple[bool, Quantity]:
    """Returns a key by which the best volume sorts first: one that is pre-bound, then the smallest."""
    is_bound = volume.is_bound_to(claim)
    return not is_bound, Quantity() if is_bound else volume.capacity


def find_matching_volume(
    claim: PersistentVolumeClaim, ranked: Volumes, node_labels: Mapping[str, str], taken: Collection[str]
) -> PersistentVolume | None:
    """R-VOLBIND-10: On a node a claim gets the best matching volume whose node affinity matches the node; a claim
    with a pre-bound volume gets no other one.

    ``taken`` has the names of the volumes that the pod's other claims get.
    """
    for volume in ranked:
        if volume.name in taken:
            continue
        if volume.reaches(node_labels):
            applies("R-VOLBIND-10")
            return volume
        if volume.is_bound_to(claim):
            applies("R-VOLBIND-10")
            return None
    return None


def _is_large_enough_and_free(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """R-VOLBIND-12: A volume does not match a claim, pre-bound or not, if it is bound to another claim, is being
    deleted, is smaller than the claim requests, or differs from the claim in volumeMode or VolumeAttributesClass.
    """
    matches = (
        (volume.spec.claim_ref is None or volume.is_bound_to(claim))
        and volume.capacity >= claim.requested
        and volume.spec.volume_mode == claim.spec.volume_mode
        and volume.spec.volume_attributes_class_name == claim.spec.volume_attributes_class_name
        and volume.metadata.deletion_timestamp is None
    )
    applies("R-VOLBIND-12", when=not matches)
    return matches


def _serves(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """R-VOLBIND-13: A volume that is not pre-bound matches a claim only if it is Available, has the claim's class
    and all access modes of the claim, and matches the claim's selector."""
    selector = EVERYTHING if claim.spec.selector is None else compile_selector(claim.spec.selector)
    matches = (
        volume.status.phase == "Available"
        and volume.class_name == claim.class_name
        and set(claim.spec.access_modes) <= set(volume.spec.access_modes)
        and selector.matches(volume.metadata.labels)
    )
    applies("R-VOLBIND-13", when=not matches)
    return matches
