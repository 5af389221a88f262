# SPDX-License-Identifier: Apache-2.0
"""Scoring: how well the storage that a node can reach suits the pod's claims.

Observed: that storage capacity counts for the score is documented, and not how it is counted.
Shows in: volumes.
Source: plugins/volumebinding/volume_binding.go, Score; scorer.go, buildScorerFunction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product

from attrs import frozen

from refsched.objects.node import Node
from refsched.objects.storage import STORAGE, StorageClass
from refsched.objects.store import ObjectStore
from refsched.plugins.resource_scoring import MAX_UTILIZATION, Shape, score_at
from refsched.rules import applies
from refsched.volumes.provisioning import sufficient_capacities
from refsched.volumes.volumes_on_node import Claims, Match, PodVolumes


@frozen
class StorageUse:
    """A StorageUse is what claims of one StorageClass request of the capacity that there is, in bytes."""

    requested: int = 0
    capacity: int = 0


def storage_scores(
    found: PodVolumes, classes: Mapping[str, StorageClass], node: Node, objects: ObjectStore, shape: Shape
) -> Sequence[int]:
    """R-VOLBIND-30: VolumeBinding's score of a node is the mean, over the StorageClasses of the volumes that the
    pod's claims would get there, of what the shape gives at the share of the capacity that the claims request, in
    percent, rounded half up; a pod that would get no volume there scores 0.
    R-VOLBIND-31: If claims would be bound to existing volumes on the node, these count, each class with the sum of
    the capacities of the volumes whose spec names it, and claims that would be provisioned do not.

    Returns each score that the node may have, the lowest first."""
    if not found.matches:
        uses = _of_provisions(found.provisions, classes, node, objects)
    else:
        applies("R-VOLBIND-31", when=found.provisions)
        uses = [_of_matches(found.matches)]
    return sorted({_mean(use_by_class.values(), shape) for use_by_class in uses})


def _mean(uses: Collection[StorageUse], shape: Shape) -> int:
    if not uses:
        return 0
    applies("R-VOLBIND-30")
    total = sum(score_at(shape, _utilization(use)) for use in uses)
    return (2 * total + len(uses)) // (2 * len(uses))


def _of_matches(matches: Iterable[Match]) -> Mapping[str, StorageUse]:
    uses: dict[str, StorageUse] = {}
    for match in matches:
        storage_class, capacity = match.volume.spec.storage_class_name, match.volume.spec.capacity
        known = uses.get(storage_class, StorageUse())
        uses[storage_class] = StorageUse(
            known.requested + match.claim.requested.value,
            known.capacity + (capacity[STORAGE].value if STORAGE in capacity else 0),
        )
    return uses


def _of_provisions(
    claims: Claims, classes: Mapping[str, StorageClass], node: Node, objects: ObjectStore
) -> Iterable[Mapping[str, StorageUse]]:
    """R-VOLBIND-32: If no claim would be bound to an existing volume, the claims that would be provisioned count
    class by class: the sum of their requests as a share of the CSIStorageCapacity of the last of them, which may
    be any one that suffices; a claim for which none suffices does not count.
    R-VOLBIND-35: Claims that would be provisioned count under the class that their spec names, even if an
    annotation names another one, from which they would be provisioned."""
    requested: Counter[str] = Counter()
    capacities: dict[str, Sequence[int]] = {}
    for claim in claims:
        sufficient = list(sufficient_capacities(claim, classes[claim.class_name], node, objects))
        if not sufficient:
            continue
        applies("R-VOLBIND-32")
        named = claim.spec.storage_class_name
        applies("R-VOLBIND-35", when=named != claim.class_name)
        requested[named] += claim.requested.value
        capacities[named] = [one.capacity.value if one.capacity is not None else 0 for one in sufficient]
    for chosen in product(*capacities.values()):
        yield {
            named: StorageUse(requested[named], capacity)
            for named, capacity in zip(capacities, chosen, strict=True)
        }


def _utilization(use: StorageUse) -> int:
    """R-VOLBIND-33: What is requested beyond the capacity, or of a capacity that is 0 or not said, counts as 100
    percent."""
    if use.capacity == 0 or use.requested > use.capacity:
        applies("R-VOLBIND-33")
        return MAX_UTILIZATION
    return use.requested * MAX_UTILIZATION // use.capacity
