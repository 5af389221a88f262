# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by its volumes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from attrs import evolve

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import HOSTNAME_LABEL
from refsched.objects.quantity import Quantity
from refsched.objects.resources import MEMORY
from refsched.objects.selectors import Requirement, compile_selector
from refsched.objects.storage import (
    NO_PROVISIONER,
    READ_WRITE_ONCE_POD,
    STORAGE,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    claim_names,
)
from refsched.objects.store import ObjectStore
from refsched.plugins.node_volume_limits import LIMIT_EXCEEDED, NOT_INSTALLED
from refsched.plugins.volume_restrictions import CLAIM_IN_USE
from refsched.tools.planner.amounts import amounts
from refsched.tools.planner.pending.by_node import NodeObstacle, grouped
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import Subject, few, joined, requirement_text, selector_text
from refsched.volumes.provisioning import NOT_ENOUGH_SPACE
from refsched.volumes.volumes_on_node import OUT_OF_REACH


def claims_of(situation: Situation) -> list[PersistentVolumeClaim]:
    """Returns the PersistentVolumeClaims of the pod that exist."""
    pod, objects = situation.pod.pod, situation.snapshot.objects
    names = [volume.claim_name(pod.name) for volume in pod.spec.volumes]
    found = (objects.get(PersistentVolumeClaim, name, pod.namespace) for name in names if name)
    return [claim for claim in found if claim is not None]


def volumes_out_of_reach(situation: Situation, node: NodeInfo) -> list[tuple[str, PersistentVolume]]:
    """Returns the volumes of the pod's claims that the node cannot reach, each with its claim's name."""
    found = []
    for claim in claims_of(situation):
        volume = situation.snapshot.objects.get(PersistentVolume, claim.spec.volume_name)
        if volume is not None and not volume.reaches(node.existing_node.metadata.labels):
            found.append((claim.name, volume))
    return found


def because_of_volumes(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    return grouped((_volumes(situation, node), node.name) for node in nodes)


def _volumes(situation: Situation, node: NodeInfo) -> str:
    by = situation.rejecting[node.name]
    status = next(by[name] for name in ("VolumeBinding", "VolumeZone") if name in by)
    away = volumes_out_of_reach(situation, node) if OUT_OF_REACH in status.reasons else []
    if not away:
        return _without_prefix(status.message)
    return joined(
        [f"the volume {volume.name} of its claim {claim} is out of reach" for claim, volume in away]
    )


def _without_prefix(reason: str) -> str:
    return reason.removeprefix("node(s) ")


def said_of_volumes(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    away = dict(pair for node in nodes[:50] for pair in volumes_out_of_reach(situation, node))
    claims = few(claim.name for claim in claims_of(situation))
    if away:
        claim, volume = next(iter(away.items()))
        not_from = (
            f"not from {str(subject).rstrip(',')}" if len(nodes) < subject.total else "and there is none"
        )
        said = f"the volume {volume.name} of its claim {claim} can only be reached from {_reach(volume)}"
        return f"{said}, {not_from}"
    for unbound in claims_of(situation):
        of_class = situation.snapshot.objects.get(StorageClass, unbound.class_name)
        if of_class is None or unbound.spec.volume_name:
            continue
        if not any(of_class.allows(node.existing_node.metadata.labels) for node in nodes):
            there_is = (
                "and there is none" if len(nodes) == subject.total else f"not for {subject}".rstrip(",")
            )
            only = f"provisions only for nodes with {_topologies(of_class)}"
            return f"the class {of_class.name} of its claim {unbound.name} {only}, {there_is}"
    space = _too_little_space(situation, nodes, subject)
    if space:
        return space
    reasons = sorted({_volumes(situation, node) for node in nodes})
    have = subject.do("has", "have")
    return f"for its claim {claims} {subject} {have} no volume: {'; '.join(reasons[:2])}"


def _too_little_space(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    """Returns the words about a claim of a class of which there is not so much, or ""."""
    objects = situation.snapshot.objects
    for claim in claims_of(situation):
        of_class = objects.get(StorageClass, claim.class_name)
        if of_class is None or claim.spec.volume_name:
            continue
        asks = f"its claim {claim.name} asks for {size_text(claim.requested)} of the class {of_class.name}"
        largest = largest_volume(of_class, nodes, objects)
        if of_class.provisioner == NO_PROVISIONER:
            if largest is None:
                return f"{asks}, which provisions none, and no volume of it is free"
            if largest < claim.requested:
                return f"{asks}, and the largest volume of it that is free has {size_text(largest)}"
            for what in _that_none_has(claim, free_volumes(of_class, objects)):
                return f"{asks} with {what}, which no free volume of it has"
        elif all(
            situation.rejecting[node.name]["VolumeBinding"].reasons == (NOT_ENOUGH_SPACE,) for node in nodes
        ):
            if largest is None:
                return f"{asks}, and no capacity is published for it"
            return f"{asks}, and at most {size_text(largest)} can be had {subject.among}".rstrip(" ,")
    return ""


def largest_volume(
    of_class: StorageClass, nodes: Sequence[NodeInfo], objects: ObjectStore
) -> Quantity | None:
    """Returns how large a new volume of the class may be, or the largest free one of a class that provisions none;
    None if there is none, or no limit is known."""
    if of_class.provisioner != NO_PROVISIONER:
        return max(_limits(of_class, nodes, objects), default=None)
    free = (volume.spec.capacity.get(STORAGE, Quantity()) for volume in free_volumes(of_class, objects))
    return max(free, default=None)


def free_volumes(of_class: StorageClass, objects: ObjectStore) -> list[PersistentVolume]:
    """Returns the volumes of the class that no claim has."""
    return [
        volume
        for volume in objects.list(PersistentVolume)
        if volume.spec.storage_class_name == of_class.name and volume.spec.claim_ref is None
    ]


def _that_none_has(claim: PersistentVolumeClaim, volumes: Sequence[PersistentVolume]) -> Iterator[str]:
    """Yields what the claim asks for besides its size, as far as none of the volumes has it."""
    for mode in claim.spec.access_modes:
        if not any(mode in volume.spec.access_modes for volume in volumes):
            yield f"the access mode {mode}"
    if not any(volume.spec.volume_mode == claim.spec.volume_mode for volume in volumes):
        yield f"the volumeMode {claim.spec.volume_mode}"
    if claim.spec.selector is not None:
        selector = compile_selector(claim.spec.selector)
        if not any(selector.matches(volume.metadata.labels) for volume in volumes):
            yield f"the labels {selector_text(selector)}"


def _limits(of_class: StorageClass, nodes: Sequence[NodeInfo], objects: ObjectStore) -> Iterator[Quantity]:
    """Yields how large a volume of the class can be at most, by each capacity that is published for the nodes."""
    for each in objects.list(CSIStorageCapacity):
        if each.storage_class_name != of_class.name or each.volume_limit is None:
            continue
        topology = compile_selector(each.node_topology)
        if any(topology.matches(node.existing_node.metadata.labels) for node in nodes):
            yield each.volume_limit


def size_text(asked: Quantity) -> str:
    return amounts(MEMORY, asked.value)[0]


def _topologies(of_class: StorageClass) -> str:
    terms = [
        joined([requirement_text(Requirement(r.key, "In", r.values)) for r in term.match_label_expressions])
        for term in of_class.allowed_topologies
    ]
    return joined(terms, "or")


def _reach(volume: PersistentVolume) -> str:
    required = volume.spec.node_affinity.required if volume.spec.node_affinity else None
    terms = required.node_selector_terms if required is not None else ()
    said = [joined([requirement_text(r) for r in term.match_expressions]) for term in terms]
    return f"nodes with {joined(said, 'or')}"


def places_of_volumes(situation: Situation) -> list[dict[str, str]]:
    """Returns labels that no node has, and with which one would reach a volume of the pod's claims, or the class
    of a claim would provision one."""
    objects, found = situation.snapshot.objects, list[dict[str, str]]()
    for claim in claims_of(situation):
        volume = objects.get(PersistentVolume, claim.spec.volume_name)
        of_class = objects.get(StorageClass, claim.class_name)
        asked: list[list[tuple[str, tuple[str, ...]]]] = []
        if volume is not None and volume.spec.node_affinity and volume.spec.node_affinity.required:
            terms = volume.spec.node_affinity.required.node_selector_terms
            asked = [[(r.key, r.values) for r in t.match_expressions if r.operator == "In"] for t in terms]
        elif volume is None and of_class is not None:
            topologies = of_class.allowed_topologies
            asked = [[(r.key, r.values) for r in term.match_label_expressions] for term in topologies]
        found += [{key: values[0] for key, values in term if values} for term in asked]
    labels = [node.existing_node.metadata.labels.items() for node in situation.nodes]
    movable = [
        each for each in found if each and HOSTNAME_LABEL not in each
    ]  # a local volume stays with its node
    return [each for each in movable if not any(each.items() <= there for there in labels)]


# --- Pods that use volumes ------------------------------------------------------------------------


def users_of(situation: Situation) -> dict[str, list[PodInfo]]:
    """Returns the pods that run and use a ReadWriteOncePod claim of the pod, by the claim's name."""
    found: dict[str, list[PodInfo]] = {}
    for claim in claims_of(situation):
        if READ_WRITE_ONCE_POD in claim.spec.access_modes:
            for node in situation.nodes:
                using = [
                    each
                    for each in node.pods
                    if each.pod.namespace == claim.namespace and claim.name in claim_names(each.pod)
                ]
                found.setdefault(claim.name, []).extend(using)
    return {claim: using for claim, using in found.items() if using}


def because_of_sharing(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    using = users_of(situation)
    return grouped((_sharing(situation, node, using), node.name) for node in nodes)


def said_of_sharing(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    using = users_of(situation)
    said = sorted({_sharing(situation, node, using) for node in nodes})
    return said[0] if len(said) == 1 else f"VolumeRestrictions rejects {subject}: {'; '.join(said[:2])}"


def _sharing(situation: Situation, node: NodeInfo, using: dict[str, list[PodInfo]]) -> str:
    status = situation.rejecting[node.name]["VolumeRestrictions"]
    if CLAIM_IN_USE not in status.reasons or not using:
        return _without_prefix(status.message)
    claim, pods = next(iter(using.items()))
    by = few(each.pod.key for each in pods)
    return f"its claim {claim} is ReadWriteOncePod, and is used by {by}"


def because_of_limits(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    return grouped((_limit(situation, node), node.name) for node in nodes)


def said_of_limits(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    said = sorted({_limit(situation, node) for node in nodes})
    return f"on {subject} {'; or '.join(said[:2])}"


def _limit(situation: Situation, node: NodeInfo) -> str:
    status = situation.rejecting[node.name]["NodeVolumeLimits"]
    absent = [driver for driver in _drivers(situation) if NOT_INSTALLED.of(driver) in status.reasons]
    if absent:
        return f"the CSI driver {joined(absent)}, which its volumes need, is not installed"
    csi_node = situation.snapshot.objects.get(CSINode, node.name)
    if LIMIT_EXCEEDED not in status.reasons or csi_node is None:
        return _without_prefix(status.message)
    limits = {each.name: each.limit for each in csi_node.spec.drivers if each.limit is not None}
    asked = sorted(set(_drivers(situation)) & set(limits)) or sorted(limits)
    most = joined([f"{limits[driver]:,} of {driver}" for driver in asked], "or")
    return f"its volumes would make more than the {most} that may be attached"


def with_volumes_of_its_drivers(situation: Situation, node: NodeInfo) -> list[PodInfo]:
    """Returns pods on the node whose claims have as many volumes of the pod's CSI drivers as the pod itself, those
    with the most first."""
    wanted = Counter(_drivers(situation))
    found: list[tuple[int, PodInfo]] = []
    for each in node.pods:
        there = Counter(_drivers(evolve(situation, pod=each)))
        if number := (there & wanted).total():
            found.append((number, each))
    taken, left = list[PodInfo](), wanted.total()
    for number, each in sorted(found, key=lambda pair: -pair[0]):
        if left > 0:
            taken.append(each)
            left -= number
    return taken


def _drivers(situation: Situation) -> Iterator[str]:
    """Yields the CSI drivers of the pod's claims."""
    objects = situation.snapshot.objects
    for claim in claims_of(situation):
        volume = objects.get(PersistentVolume, claim.spec.volume_name)
        of_class = objects.get(StorageClass, claim.class_name)
        if volume is not None and volume.spec.csi is not None:
            yield volume.spec.csi.driver
        elif of_class is not None:
            yield of_class.provisioner
