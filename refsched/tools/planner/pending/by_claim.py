# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by its volumes and its resource claims."""

from __future__ import annotations

from collections.abc import Sequence

from refsched.errors import counted
from refsched.framework.node_info import NodeInfo
from refsched.objects.dra import DeviceRequest, ResourceClaim, ResourceSlice
from refsched.objects.selectors import Requirement
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.tools.planner.pending.by_node import Because, grouped
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import Subject, few, joined, requirement_text
from refsched.volumes.volumes_on_node import OUT_OF_REACH

# --- Volumes --------------------------------------------------------------------------------------


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


def because_of_volumes(situation: Situation, nodes: Sequence[NodeInfo]) -> list[Because]:
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
    reasons = sorted({_volumes(situation, node) for node in nodes})
    have = subject.do("has", "have")
    return f"for its claim {claims} {subject} {have} no volume: {'; '.join(reasons[:2])}"


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


# --- Devices --------------------------------------------------------------------------------------


def because_of_devices(situation: Situation, nodes: Sequence[NodeInfo]) -> list[Because]:
    return grouped((_devices(situation, node), node.name) for node in nodes)


def _devices(situation: Situation, node: NodeInfo) -> str:
    status = situation.rejecting[node.name][DynamicResources.name]
    wanted = _requests(situation)
    return f"{status.message}{f' ({wanted})' if wanted else ''}"


def _claims(situation: Situation) -> Sequence[ResourceClaim]:
    state = situation.state.states.get(DynamicResources.name)
    return state.claims if isinstance(state, PodClaims) else ()


def _requests(situation: Situation) -> str:
    """Returns what the claims ask for that are yet to be allocated."""
    said = []
    for claim in _claims(situation):
        if not claim.is_allocated:
            asked = [_request(request) for request in claim.spec.devices.requests]
            said.append(f"{claim.name or 'its extended resources'}: {joined(asked)}")
    return "; ".join(said)


def _request(request: DeviceRequest) -> str:
    exactly = (request.exactly,) if request.exactly is not None else request.first_available
    asked = [
        f"{'all devices' if one.allocation_mode == 'All' else one.count or 1} of class {one.device_class_name}"
        for one in exactly
    ]
    return joined(asked, "or")


def said_of_devices(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    elsewhere = [claim.name for claim in _claims(situation) if claim.is_allocated]
    wanted = _requests(situation)
    if not wanted and elsewhere:
        return f"the devices of its claim {few(elsewhere)} cannot be reached from {subject}"
    slices = situation.snapshot.objects.list(ResourceSlice)
    total = sum(len(each.spec.devices) for each in slices)
    published = f"{counted(total, 'device')} published" if total else "no device is published"
    holders = [
        claim.key
        for claim in situation.snapshot.objects.list(ResourceClaim)
        if claim.status.allocation is not None
        for _ in claim.status.allocation.devices.results
    ]
    if total and holders:
        published += f", {len(holders):,} allocated to {few(holders)}"
    have = subject.do("has", "have")
    return f"{subject} {have} no free devices for its claim ({wanted}; {published})"
