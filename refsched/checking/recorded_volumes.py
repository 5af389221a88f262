# SPDX-License-Identifier: Apache-2.0
"""Recorded volumes: the order in which the followed scheduler must have considered volumes to do what was
recorded, and whether volumes and their claims were written as the rules require."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from attrs import Factory, define, evolve, frozen

from refsched.checking.agreement import Disagreement
from refsched.framework.choices import FirstChoice
from refsched.framework.interface import ScorePlugin
from refsched.framework.node_info import PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim
from refsched.plugins.volume_binding import PodState, VolumeBinding
from refsched.records import Attempt, NodeStatus, Record, Write
from refsched.volumes.errors import VolumeError
from refsched.volumes.orders import VolumeOrder
from refsched.volumes.volumes_on_node import Match, find_pod_volumes, rejections


@frozen
class ClaimedVolume:
    """A ClaimedVolume says that the scheduler wrote into the volume that it is bound to this claim
    (``namespace/name``)."""

    volume: str
    claim: str


@frozen
class GuessedVolume:
    """A GuessedVolume is the volume that a claim of this pod may get; which one of equal ones it gets has not been
    recorded yet."""

    pod: str
    volume: str


Claimed = tuple[ClaimedVolume, ...]


def claimed_volumes(records: Iterable[Record]) -> Claimed:
    """Returns the volumes in the ``write`` records, in their order."""
    return tuple(
        ClaimedVolume(volume.metadata.name, f"{ref.namespace}/{ref.name}")
        for volume in written_storage(records)
        if isinstance(volume, PersistentVolume) and (ref := volume.spec.claim_ref) is not None
    )


def written_storage(records: Iterable[Record]) -> Iterator[PersistentVolume | PersistentVolumeClaim]:
    """Yields the volumes and the claims on them in the ``write`` records, in their order."""
    for written in (record.object for record in records if isinstance(record, Write)):
        if written.get("kind") == PersistentVolume.kind:
            yield read_as(PersistentVolume, written)
        elif written.get("kind") == PersistentVolumeClaim.kind:
            yield read_as(PersistentVolumeClaim, written)


@define
class StorageWrites:
    """StorageWrites have the volumes and claims that the specification wrote so far. What is written before the
    specification wrote the same volume for the same claim proves nothing; nor does a missing annotation of an
    object that is recorded without its uid, and so is not complete."""

    _written: list[PersistentVolume | PersistentVolumeClaim] = Factory(list)

    def specify(self, record: Record) -> None:
        """Takes note of a record of the specification, which may write a volume or a claim."""
        self._written.extend(written_storage((record,)))

    def take(self, record: Record) -> Iterator[Disagreement]:
        """Compares the annotations of a volume or claim that the other scheduler wrote."""
        for got in written_storage((record,)):
            alike = [each for each in self._written if _is_written_alike(each, got)]
            noted = got.metadata.annotations
            if not alike or any(noted == each.metadata.annotations for each in alike):
                continue
            expected = alike[-1].metadata.annotations
            if got.metadata.uid or not noted.items() <= expected.items():
                yield Disagreement(f"annotations.{got.key.lstrip('/')}", dict(expected), dict(noted))


def _is_written_alike(
    one: PersistentVolume | PersistentVolumeClaim, other: PersistentVolume | PersistentVolumeClaim
) -> bool:
    if one.kind != other.kind or one.key != other.key:
        return False
    claims = [each.spec.claim_ref for each in (one, other) if isinstance(each, PersistentVolume)]
    return len({(claim.namespace, claim.name) if claim is not None else None for claim in claims}) < 2


@frozen
class VolumeScores:
    """VolumeScores are what the ``plugin`` VolumeBinding scored the nodes for a pod, times its weight."""

    plugin: ScorePlugin
    weight: int
    pod: PodInfo
    by_node: Mapping[str, int]

    @classmethod
    def recorded(cls, record: Attempt, framework: Framework, pod: Pod) -> VolumeScores | None:
        """Returns the scores of this attempt, or None if the plugin does not score."""
        plugin = next((each for each in framework.score_plugins if each.name == VolumeBinding.name), None)
        if plugin is None:
            return None
        scores = (record.scores or {}).items()
        by_node = {node: given[plugin.name] for node, given in scores if plugin.name in given}
        return cls(plugin, framework.score_weights[plugin.name], PodInfo(pod), by_node)

    def are_explained_by(self, order: VolumeOrder, snapshot: Snapshot) -> bool:
        """Returns whether VolumeBinding scores so in this order. A node that is not there says nothing."""
        state = PodState(order.claims, snapshot.objects, FirstChoice())
        return all(
            score == self.plugin.score(state, self.pod, node) * self.weight
            for name, score in self.by_node.items()
            if (node := snapshot.get(name)) is not None
        )


def explaining_order(
    record: Attempt,
    claimed: Claimed,
    scores: VolumeScores | None,
    orders: Sequence[VolumeOrder],
    snapshot: Snapshot,
) -> VolumeOrder:
    """Returns the first order that leads to what was recorded, or else to all of it but the scores, or else to the
    statuses of Filter that were recorded, or else the first of all orders. ``claimed`` need not contain all of the
    pod's claims."""
    likely = evolve(orders[0], names=tuple(pair.volume for pair in claimed))
    explaining: VolumeOrder | None = None
    for order in (likely, *orders):
        if _explains_filter(order, record, snapshot) and not unexplained(order, record, claimed, snapshot):
            if scores is None or scores.are_explained_by(order, snapshot):
                return order
            explaining = explaining or order
    return explaining or next(
        (order for order in orders if _explains_filter(order, record, snapshot)), orders[0]
    )


def unexplained(order: VolumeOrder, record: Attempt, claimed: Claimed, snapshot: Snapshot) -> Claimed:
    """Returns the volumes that were written for the pod and that it would not get in this order."""
    matches = _matches(order, record, snapshot)
    if matches is None:
        return ()
    expected = {ClaimedVolume(match.volume.name, match.claim.key) for match in matches}
    own = {claim.key for claim in order.claims.delayed}
    return tuple(pair for pair in claimed if pair.claim in own and pair not in expected)


def contested_volumes(orders: Sequence[VolumeOrder]) -> frozenset[str]:
    """Returns the names of the volumes for which the order decides which claim gets them."""
    first = orders[0]
    if all(order.searching == first.searching for order in orders):
        return frozenset(first.names)
    return frozenset(v.name for volumes in first.claims.candidates.values() for v in volumes)


def guessed_volumes(
    order: VolumeOrder, contested: Collection[str], record: Attempt, claimed: Claimed, snapshot: Snapshot
) -> Claimed:
    """Returns the volumes that the pod gets in this order and might not get in another. Only a later write can
    show which it got."""
    recorded = {pair.claim for pair in claimed}
    return tuple(
        ClaimedVolume(match.volume.name, match.claim.key)
        for match in _matches(order, record, snapshot) or ()
        if match.volume.name in contested and match.claim.key not in recorded
    )


def _matches(order: VolumeOrder, record: Attempt, snapshot: Snapshot) -> tuple[Match, ...] | None:
    """Returns the volumes that the pod gets in this order on the recorded node, or None if there is no such
    node or the node is rejected."""
    node = snapshot.get(record.node or "")
    if node is None or order.node not in ("", node.name):
        return None
    found = find_pod_volumes(order.claims, node.existing_node)
    return found.matches if found is not None else None


def _explains_filter(order: VolumeOrder, record: Attempt, snapshot: Snapshot) -> bool:
    return all(
        _explains(order, node, status, snapshot)
        for node, status in (record.filter or {}).items()
        if order.node in ("", node)
    )


def _explains(order: VolumeOrder, node: str, status: NodeStatus, snapshot: Snapshot) -> bool:
    """Returns whether this order explains the status of the node. A node that is not there, that another plugin
    rejected, or on which Filter fails, says nothing about the order."""
    there = snapshot.get(node)
    if there is None or (status.code != "Success" and status.plugin != VolumeBinding.name):
        return True
    try:
        expected = rejections(order.claims, there.existing_node, snapshot.objects)
    except VolumeError:
        return True
    return sorted(expected) == sorted(status.reasons)
