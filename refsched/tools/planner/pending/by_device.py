# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by its resource claims: a class or a claim that does not exist, and devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from refsched.cel import CelError, compile_selector
from refsched.devices.cel_device import cel_device
from refsched.errors import counted
from refsched.framework.node_info import NodeInfo
from refsched.objects.dra import (
    Device,
    DeviceClass,
    DeviceRequest,
    DeviceSelector,
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
from refsched.tools.planner.pending.by_node import Because, grouped
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import Subject, few, joined, nearest_text

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
    mismatch = _mismatch(situation)
    if mismatch:
        return mismatch
    have = subject.do("has", "have")
    return f"{subject} {have} no free devices for its claim ({wanted}; {published})"


def _mismatch(situation: Situation) -> str:
    """Returns the words about the first request that no published device matches, free or not, or ""."""
    objects = situation.snapshot.objects
    devices = [
        (each.spec.driver, device) for each in objects.list(ResourceSlice) for device in each.spec.devices
    ]
    for claim in _claims(situation):
        for request in claim.spec.devices.requests if not claim.is_allocated else ():
            if request.exactly is None or not devices:
                continue
            device_class = objects.get(DeviceClass, request.exactly.device_class_name)
            by_class = device_class.spec.selectors if device_class is not None else ()
            of_class = [each for each in devices if _matches(by_class, *each)]
            if not of_class:
                of = counted(len(devices), "published device")
                return f"no device is of the class {request.exactly.device_class_name} (of {of})"
            if not any(_matches(request.exactly.selectors, *each) for each in of_class):
                of = f"{counted(len(of_class), 'device')} of the class {request.exactly.device_class_name}"
                return (
                    f"the request {request.name} of its claim {claim.name} selects none of the {of}, by"
                    f" {joined([each.cel.expression for each in request.exactly.selectors if each.cel])}"
                )
    return ""


def _matches(selectors: Sequence[DeviceSelector], driver: str, device: Device) -> bool:
    """Returns whether the device matches all; one on which an expression fails does not."""
    try:
        seen = cel_device(driver, device)
        return all(compile_selector(each.cel.expression).matches(seen) for each in selectors if each.cel)
    except CelError:
        return False
