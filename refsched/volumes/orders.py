# SPDX-License-Identifier: Apache-2.0
"""Orders: in which order a pod's claims choose their volumes, and in which order volumes are considered.

Claims that request equally much may choose in any order. kube-scheduler looks at the volumes of a class in the
order of a Go map, drawn once in each cycle: it decides between volumes of equal size, and between volumes that are
pre-bound to the same claim.
Source: plugins/volumebinding/binder.go, GetPodVolumeClaims; assume_cache.go, List (v1.34.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain, groupby, permutations, product

from attrs import evolve, field, frozen

from refsched.framework.snapshot import Snapshot
from refsched.objects.storage import PersistentVolumeClaim
from refsched.volumes.errors import VolumeError
from refsched.volumes.finding import Claims, PodClaims, PodVolumes, find_pod_volumes, rejections
from refsched.volumes.matching import preference

_VARIED = 6
"""This many volumes are put into all of their orders; any further ones follow by name."""

_VARIED_CLAIMS = 4
"""The same for claims that request equally much; any further ones follow as the pod names them."""


def orders_of_claims(claims: Sequence[PersistentVolumeClaim]) -> list[Claims]:
    """The orders in which a claim that requests less comes before one that requests more."""
    equals = [tuple(group) for _, group in groupby(claims, key=lambda claim: claim.requested)]
    of_equals = [
        [(*varied, *group[_VARIED_CLAIMS:]) for varied in permutations(group[:_VARIED_CLAIMS])]
        for group in equals
    ]
    return [tuple(chain.from_iterable(order)) for order in product(*of_equals)]


@frozen
class VolumeSteps:
    """Steps of VolumeBinding that a release may take otherwise; the defaults do what the rules say.
    ``orders_of_claims`` are those in which claims, given by what they request, may choose their volumes."""

    orders_of_claims: Callable[[Sequence[PersistentVolumeClaim]], list[Claims]] = orders_of_claims


@frozen
class VolumeOrder:
    """A pod's claims, and which of their volumes are looked at first; the others follow by name."""

    _claims: PodClaims
    names: tuple[str, ...]
    _snapshot: Snapshot = field(eq=False, repr=False)

    @property
    def searching(self) -> Claims:
        return self._claims.searching

    @cached_property
    def claims(self) -> PodClaims:
        """The claims, with their volumes in this order."""
        return self._claims.beginning_with(self.names)

    def rejections_on(self, node_name: str) -> tuple[str, ...] | None:
        """The reasons for which Filter would reject the node; None if it fails, which no order avoids."""
        node = self._snapshot.by_name[node_name].existing_node
        try:
            return rejections(self.claims, node, self._snapshot.objects)
        except VolumeError:
            return None

    def found_on(self, node_name: str) -> PodVolumes | None:
        return find_pod_volumes(self.claims, self._snapshot.by_name[node_name].existing_node)

    def beginning_with(self, names: Iterable[str]) -> VolumeOrder:
        return evolve(self, names=tuple(names))


def volume_orders(claims: PodClaims, snapshot: Snapshot, steps: VolumeSteps) -> list[VolumeOrder]:
    """The orders that may make a difference; in the first one, volumes are ordered by name."""
    contested = sorted({name for claim in claims.delayed for name in _contested(claim, claims)})
    varied, rest = contested[:_VARIED], contested[_VARIED:]
    return [
        VolumeOrder(evolve(claims, searching=searching), (*order, *rest), snapshot)
        for searching in steps.orders_of_claims(claims.searching)
        for order in permutations(varied)
    ]


def _contested(claim: PersistentVolumeClaim, claims: PodClaims) -> list[str]:
    """Volumes that the claim may get or not, depending on the order."""
    ranks = {volume.name: preference(volume, claim) for volume in claims.candidates[claim.key]}
    times = Counter(ranks.values())
    return [name for name, rank in ranks.items() if times[rank] > 1]
