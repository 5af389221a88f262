# SPDX-License-Identifier: Apache-2.0
"""Changes of the pod's claims that might help: fewer devices, a toleration of their taints, a smaller volume."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from refsched.objects.dra import DeviceToleration, ExactDeviceRequest, ResourceClaim
from refsched.objects.storage import STORAGE, StorageClass
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.tools.planner.pending.by_claim import claims_of, largest_volume, size_text
from refsched.tools.planner.pending.device_requests import RequestOnNode, requests_on, untolerated
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import joined, taint_text
from refsched.tools.planner.verdicts import HelpfulChange


def changed_claims(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields each claim of which a request cannot be satisfied with as many devices as are free on a node at
    most, and then with tolerations of the taints that it meets on that node."""
    found = [
        request
        for node in situation.only_by(DynamicResources.name)
        for request in requests_on(situation, node)
        if request.claim.name and len(request.free) < request.wanted
    ]
    nearest: dict[tuple[str, str], RequestOnNode] = {}
    for request in sorted(found, key=lambda each: -len(each.free)):
        nearest.setdefault((request.claim.name, request.name), request)
    for request in nearest.values():
        if request.free:
            asks = f"{len(request.free):,} in {_where(request)} (it asks for {request.wanted:,})"
            yield _changed(f"ask for at most {asks}", request, evolve(request.asked, count=len(request.free)))
    for request in nearest.values():
        taints = {(taint.key, taint.value, taint.effect): taint for taint in untolerated(request)}.values()
        if taints:
            added = tuple(DeviceToleration(each.key, "Equal", each.value, each.effect) for each in taints)
            change = f"tolerate {joined(sorted(map(taint_text, taints)))} in {_where(request)}"
            tolerations = (*request.asked.tolerations, *added)
            yield _changed(change, request, evolve(request.asked, tolerations=tolerations))


def smaller_volumes(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields each claim that is larger than any volume that it can have, with as much as that volume has."""
    nodes, objects = situation.only_by("VolumeBinding"), situation.snapshot.objects
    for claim in claims_of(situation) if nodes else ():
        of_class = objects.get(StorageClass, claim.class_name)
        largest = largest_volume(of_class, nodes, objects) if of_class is not None else None
        if largest is not None and largest < claim.requested and not claim.spec.volume_name:
            requests = {**claim.spec.resources.requests, STORAGE: largest}
            asks = (
                f"{size_text(largest)} in its claim {claim.name} (it asks for {size_text(claim.requested)})"
            )
            resources = evolve(claim.spec.resources, requests=requests)
            smaller = evolve(claim, spec=evolve(claim.spec, resources=resources))
            yield HelpfulChange("claim", f"ask for at most {asks}", updated=(smaller,))


def _where(request: RequestOnNode) -> str:
    claim = f"its claim {request.claim.name}"
    is_only = len(request.claim.spec.devices.requests) == 1
    return claim if is_only else f"the request {request.name} of {claim}"


def _changed(change: str, request: RequestOnNode, asked: ExactDeviceRequest) -> HelpfulChange:
    claim = _with(request.claim, request.name, asked)
    return HelpfulChange("claim", change, updated=(claim,))


def _with(claim: ResourceClaim, request: str, asked: ExactDeviceRequest) -> ResourceClaim:
    devices = claim.spec.devices
    requests = tuple(
        evolve(each, exactly=asked) if each.name == request else each for each in devices.requests
    )
    return evolve(claim, spec=evolve(claim.spec, devices=evolve(devices, requests=requests)))
