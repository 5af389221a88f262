# SPDX-License-Identifier: Apache-2.0
"""Matching: the volume that a claim gets, of those that exist.

Source: component-helpers/storage/volume/pv_helpers.go, FindMatchingVolume, GetBindVolumeToClaim (v0.34.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import evolve, frozen

from refsched.objects.selectors import EVERYTHING, compile_selector
from refsched.objects.storage import (
    BOUND_BY_CONTROLLER,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
)
from refsched.volume_binding.errors import VolumeError


@frozen
class Binding:
    """A volume that a claim is to have."""

    volume: PersistentVolume
    claim: PersistentVolumeClaim

    def prepared(self) -> Binding:
        """The volume as it is written to the API server: it names the claim, and who said so. It is a copy
        even where it named the claim before."""
        volume, ref = self.volume, self.volume.spec.claim_ref
        wanted = ObjectReference(
            PersistentVolumeClaim.kind, self.claim.namespace, self.claim.name, self.claim.metadata.uid, "v1"
        )
        annotations = dict(volume.metadata.annotations)
        if not volume.is_bound_to(self.claim):
            annotations.setdefault(BOUND_BY_CONTROLLER, "yes")
        if ref is None or (ref.namespace, ref.name, ref.uid) != (wanted.namespace, wanted.name, wanted.uid):
            ref = wanted
        metadata = evolve(volume.metadata, annotations=annotations)
        return evolve(self, volume=evolve(volume, metadata=metadata, spec=evolve(volume.spec, claim_ref=ref)))


def find_matching_volume(
    claim: PersistentVolumeClaim,
    volumes: Iterable[PersistentVolume],
    node_labels: Mapping[str, str],
    taken: Collection[str],
    *,
    attributes_classes: bool,
) -> PersistentVolume | None:
    """R-VOLBIND-10: a volume that is bound to the claim beforehand is the only one for it, and must be within
    the node's reach. R-VOLBIND-11: of all others, the smallest that serves; of equals the first.

    ``taken`` names the volumes that other claims of the pod get. Without ``attributes_classes`` (a feature
    gate) a claim must not have a VolumeAttributesClass, and a volume that has one is passed over.
    """
    if claim.spec.volume_attributes_class_name and not attributes_classes:
        raise VolumeError(
            f"unsupported volumeAttributesClassName is set on claim {claim.key} "
            "when the feature-gate VolumeAttributesClass is disabled"
        )
    smallest: PersistentVolume | None = None
    for volume in volumes:
        if volume.name in taken or not _is_large_enough_and_free(volume, claim):
            continue
        if volume.is_bound_to(claim):
            return volume if volume.reaches(node_labels) else None
        if smallest is not None and smallest.capacity <= volume.capacity:
            continue
        if _serves(volume, claim) and volume.reaches(node_labels):
            smallest = volume
    return smallest


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
