# SPDX-License-Identifier: Apache-2.0
"""Orders: kube-scheduler comes upon the volumes of a class in the order of a Go map, drawn once in each cycle.

It shows where volumes are of equal size, or bound beforehand to the same claim: then the first is taken.
Source: plugins/volumebinding/binder.go, GetPodVolumeClaims; assume_cache.go, List (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import permutations

from attrs import field, frozen

from refsched.framework.snapshot import Snapshot
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim
from refsched.volume_binding.errors import VolumeError
from refsched.volume_binding.finding import PodClaims, PodVolumes, find_pod_volumes, refusals
from refsched.volume_binding.matching import could_serve

_VARIED = 6
"""So many volumes are put into all of their orders; of more, the others keep their places."""


@frozen
class VolumeOrder:
    """A pod's claims, with the volumes in the order in which they will be looked at."""

    claims: PodClaims
    _snapshot: Snapshot = field(eq=False, repr=False)

    def refusals_on(self, node_name: str) -> tuple[str, ...] | None:
        """What Filter will say of the node; None where it is an error, which no order avoids."""
        node = self._snapshot.by_name[node_name].existing_node
        try:
            return refusals(self.claims, node, self._snapshot.objects)
        except VolumeError:
            return None

    def found_on(self, node_name: str) -> PodVolumes | None:
        return find_pod_volumes(self.claims, self._snapshot.by_name[node_name].existing_node)

    def beginning_with(self, names: Sequence[str]) -> VolumeOrder:
        return VolumeOrder(self.claims.beginning_with(names), self._snapshot)


def volume_orders(claims: PodClaims, snapshot: Snapshot) -> list[VolumeOrder]:
    """The orders that may make a difference; in the first, volumes are ordered by name."""
    contested = [
        volume.name
        for volumes in claims.volumes.values()
        for volume in volumes
        if _is_contested(volume, volumes, claims.delayed)
    ]
    varied, rest = contested[:_VARIED], contested[_VARIED:]
    return [
        VolumeOrder(claims.beginning_with([*order, *rest]) if contested else claims, snapshot)
        for order in permutations(varied)
    ]


def _is_contested(
    volume: PersistentVolume,
    volumes: Collection[PersistentVolume],
    claims: Collection[PersistentVolumeClaim],
) -> bool:
    """Could another volume be taken for a claim, had it come first?"""
    return any(
        could_serve(volume, claim)
        and any(_are_equal(volume, other, claim) for other in volumes if other is not volume)
        for claim in claims
    )


def _are_equal(volume: PersistentVolume, other: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Does the first of the two win?"""
    if not could_serve(other, claim) or volume.is_bound_to(claim) != other.is_bound_to(claim):
        return False
    return volume.is_bound_to(claim) or volume.capacity == other.capacity
