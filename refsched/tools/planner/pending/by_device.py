# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by its resource claims: a class or a claim that does not exist, and devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from refsched.errors import counted
from refsched.framework.node_info import NodeInfo
from refsched.objects.dra import (
    DeviceClass,
    DeviceRequest,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.tools.planner.pending.by_node import NodeObstacle, grouped
from refsched.tools.planner.pending.device_requests import (
    RequestOnNode,
    exact_requests,
    incomplete_pools,
    matches,
    requests_on,
    untolerated,
)
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import Subject, few, joined, nearest_text, taint_text

# --- Before a node is looked at -------------------------------------------------------------------


def why_claims_keep_out(pod: Pod, objects: ObjectStore) -> str:
    """Returns the words about a claim of the pod that does not exist, or that asks for a class that does not; ""
    if all exist."""
    made = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses}
    for named in pod.spec.resource_claims:
        name = named.resource_claim_name or made.get(named.name)
        if name is None and named.name not in made:
            return _not_made(named.name, named.resource_claim_template_name or "", pod, objects)
        claim = objects.get(ResourceClaim, name, pod.namespace) if name else None
        if name and claim is None:
            known = [each.name for each in objects.list(ResourceClaim) if each.namespace == pod.namespace]
            return f"its ResourceClaim {name} does not exist{nearest_text(name, known)}"
        for asked in _asked(claim) if claim is not None else ():
            if objects.get(DeviceClass, asked.device_class_name) is None:
                near = nearest_text(
                    asked.device_class_name, (each.name for each in objects.list(DeviceClass))
                )
                wants = f"asks for devices of the class {asked.device_class_name}"
                return f"its ResourceClaim {name} {wants}, and there is no such DeviceClass{near}"
    return ""


def _not_made(name: str, template: str, pod: Pod, objects: ObjectStore) -> str:
    templates = [each.name for each in objects.list(ResourceClaimTemplate) if each.namespace == pod.namespace]
    if template in templates:
        return f"its claim {name} has not been created yet from the ResourceClaimTemplate {template}"
    missing = f"the ResourceClaimTemplate {template} does not exist{nearest_text(template, templates)}"
    return f"its claim {name} cannot be created, since {missing}"


def _asked(claim: ResourceClaim) -> Iterator[ExactDeviceRequest | DeviceSubRequest]:
    for request in claim.spec.devices.requests:
        yield from (request.exactly,) if request.exactly is not None else request.first_available


# --- Node by node ---------------------------------------------------------------------------------


def because_of_devices(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    return grouped((_devices(situation, node), node.name) for node in nodes)


def _devices(situation: Situation, node: NodeInfo) -> str:
    status = situation.rejecting[node.name][DynamicResources.name]
    wanted = _requests(situation)
    return f"{status.message}{f' ({wanted})' if wanted else ''}"


def _incomplete(situation: Situation, nodes: Sequence[NodeInfo]) -> str:
    """Returns the words about the first pool that is incomplete, from which no device is allocated, or ""."""
    for node in nodes:
        for pool in incomplete_pools(situation, node):
            published = counted(len(pool.slices) + len(pool.unreached), "ResourceSlice")
            stated = (pool.listed_first or pool.slices[0]).spec.pool.resource_slice_count
            there = f"{published} of {stated:,}"
            return f"the pool {pool.name} of {pool.driver} is incomplete, with {there} published"
    return ""


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
    shortage = _mismatch(situation) or _shortage(situation, nodes, subject)
    incomplete = _incomplete(situation, nodes)
    no_choice = f"on {subject} no choice of devices satisfies its claim ({wanted})"
    return shortage or no_choice + (f", and {incomplete}" if incomplete else "")


def _mismatch(situation: Situation) -> str:
    """Returns the words about the first request that no published device matches, on whatever node, or ""."""
    objects = situation.snapshot.objects
    devices = [
        (each.spec.driver, device) for each in objects.list(ResourceSlice) for device in each.spec.devices
    ]
    for claim in _claims(situation):
        for request, asked in exact_requests(claim):
            if not devices:
                return f"{_asks(claim, asked)}, and no device is published"
            device_class = objects.get(DeviceClass, asked.device_class_name)
            by_class = device_class.spec.selectors if device_class is not None else ()
            of_class = [each for each in devices if matches(by_class, *each)]
            if not of_class:
                of = counted(len(devices), "published device")
                return f"no device is of the class {asked.device_class_name} (of {of})"
            if not any(matches(asked.selectors, *each) for each in of_class):
                of = f"{counted(len(of_class), 'device')} of the class {asked.device_class_name}"
                by = _selecting(asked)
                return f"the request {request} of its claim {claim.name} selects none of the {of}, by {by}"
    return ""


def _asks(claim: ResourceClaim, asked: ExactDeviceRequest) -> str:
    by = f"its claim {claim.name} asks" if claim.name else "its extended resources ask"
    selecting = f" where {_selecting(asked)}" if asked.selectors else ""
    return f"{by} for {counted(asked.count or 1, 'device')} of the class {asked.device_class_name}{selecting}"


def _selecting(asked: ExactDeviceRequest) -> str:
    return joined([each.cel.expression for each in asked.selectors if each.cel])


def _shortage(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    """Returns the words about the first request for which no node has enough devices, or ""."""
    by_request: dict[tuple[str, str], dict[str, RequestOnNode]] = {}
    for node in nodes:
        for request in requests_on(situation, node):
            by_request.setdefault((request.claim.name, request.name), {})[node.name] = request
    for found in by_request.values():
        too_few = _too_few(situation, found, subject)
        if too_few:
            first = next(iter(found.values()))
            return f"{_asks(first.claim, first.asked)}, and {too_few}"
    return ""


def _too_few(situation: Situation, found: Mapping[str, RequestOnNode], subject: Subject) -> str:
    """Returns the words about a request, which ``found`` has by node, or "" if there are enough free devices."""
    best = max(found, key=lambda name: len(found[name].devices))
    most = len(found[best].devices)
    if most < found[best].wanted:
        on = f" ({best})" if len(found) > 1 and most else ""
        published = (
            f"at most {most:,} {'is' if most == 1 else 'are'} published" if most else "none is published"
        )
        return f"{published} {subject.among}{on}"
    if all(len(request.tolerated) < request.wanted for request in found.values()):
        taints = {taint_text(taint) for request in found.values() for taint in untolerated(request)}
        taint = f"the taint{'' if len(taints) == 1 else 's'} {few(taints)}"
        return f"those {subject.among} carry {taint}, which it does not tolerate"
    best = max(found, key=lambda name: len(found[name].free))
    most = len(found[best].free)
    if most >= found[best].wanted:
        return ""
    taken = {each.id for request in found.values() for each in request.tolerated if each not in request.free}
    holders = few(
        claim.key
        for claim in situation.snapshot.objects.list(ResourceClaim)
        if claim.status.allocation is not None
        and any((r.driver, r.pool, r.device) in taken for r in claim.status.allocation.devices.results)
    )
    on = f" on {best}" if len(found) > 1 and most else ""
    return f"the most that is free {subject.among} is {most:,}{on} (allocated to {holders})"
