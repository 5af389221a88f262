# SPDX-License-Identifier: Apache-2.0
"""Orders: the order in which a pod's claims choose their volumes, and the one in which volumes are
considered.

Claims that request equally much may choose in any order. kube-scheduler considers the volumes of a class in
the order of a Go map, which is drawn once in each cycle: it decides between volumes of equal size, and
between volumes that are pre-bound to the same claim.
Source: plugins/volumebinding/binder.go, GetPodVolumeClaims; assume_cache.go, List.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain, groupby, permutations, product

from attrs import evolve, frozen

from refsched.objects.storage import PersistentVolumeClaim
from refsched.volumes.matching import preference
from refsched.volumes.volumes_on_node import Claims, PodVolumeClaims

_VARIED = 6
"""All orders of this many volumes are considered; any further volumes follow by name."""

_VARIED_CLAIMS = 4
"""All orders of this many claims that request equally much are considered; any further ones follow as the pod
names them."""


def orders_of_claims(claims: Sequence[PersistentVolumeClaim]) -> list[Claims]:
    """Returns the orders in which a claim that requests less comes before one that requests more."""
    equals = [tuple(group) for _, group in groupby(claims, key=lambda claim: claim.requested)]
    of_equals = [
        [(*varied, *group[_VARIED_CLAIMS:]) for varied in permutations(group[:_VARIED_CLAIMS])]
        for group in equals
    ]
    return [tuple(chain.from_iterable(order)) for order in product(*of_equals)]


@frozen
class VolumeSteps:
    """VolumeSteps are steps of VolumeBinding that a release may do otherwise; the defaults do what the rules
    say. ``orders_of_claims`` returns the orders in which claims, sorted by what they request, may choose
    their volumes."""

    orders_of_claims: Callable[[Sequence[PersistentVolumeClaim]], list[Claims]] = orders_of_claims


@frozen
class VolumeOrder:
    """A VolumeOrder is a pod's claims, and the volumes that are considered first; the others follow by name. It
    holds on one ``node``, or on all if that is empty."""

    _claims: PodVolumeClaims
    names: tuple[str, ...]
    node: str = ""

    @property
    def searching(self) -> Claims:
        return self._claims.searching

    @cached_property
    def claims(self) -> PodVolumeClaims:
        """Returns the claims, with their volumes in this order."""
        return self._claims.beginning_with(self.names)


def volume_orders(claims: PodVolumeClaims, steps: VolumeSteps) -> list[VolumeOrder]:
    """Returns the orders that may make a difference. In the first one, volumes are ordered by name."""
    contested = sorted({name for claim in claims.delayed for name in _contested(claim, claims)})
    varied, rest = contested[:_VARIED], contested[_VARIED:]
    return [
        VolumeOrder(evolve(claims, searching=searching), (*order, *rest))
        for searching in steps.orders_of_claims(claims.searching)
        for order in permutations(varied)
    ]


def _contested(claim: PersistentVolumeClaim, claims: PodVolumeClaims) -> list[str]:
    """Returns the volumes that the claim may or may not get, depending on the order."""
    ranks = {volume.name: preference(volume, claim) for volume in claims.candidates[claim.key]}
    times = Counter(ranks.values())
    return [name for name, rank in ranks.items() if times[rank] > 1]
