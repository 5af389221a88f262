# SPDX-License-Identifier: Apache-2.0
"""Changes of the pod's resource claims that might help it: fewer devices, or a toleration of their taints."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from refsched.objects.dra import DeviceToleration, ExactDeviceRequest, ResourceClaim
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.tools.planner.pending.device_offers import Offer, offers, untolerated
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import joined, taint_text
from refsched.tools.planner.verdicts import HelpfulChange


def changed_claims(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields for each request as many devices as are free on a node at most, and with tolerations of the taints
    that are met first."""
    found = [
        offer
        for node in situation.only_by(DynamicResources.name)
        for offer in offers(situation, node)
        if offer.claim.name and len(offer.free) < offer.wanted
    ]
    most: dict[tuple[str, str], Offer] = {}
    for offer in sorted(found, key=lambda offer: -len(offer.free)):
        most.setdefault((offer.claim.name, offer.request), offer)
    for offer in most.values():
        if offer.free:
            asks = f"(it asks for {offer.wanted:,})"
            change = f"ask for at most {len(offer.free):,} in its claim {offer.claim.name} {asks}"
            yield _changed(change, offer, evolve(offer.asked, count=len(offer.free)))
    for offer in most.values():
        taints = {(taint.key, taint.value, taint.effect): taint for taint in untolerated(offer)}.values()
        if taints:
            added = tuple(DeviceToleration(each.key, "Equal", each.value, each.effect) for each in taints)
            change = f"tolerate {joined(sorted(map(taint_text, taints)))} in its claim {offer.claim.name}"
            tolerations = (*offer.asked.tolerations, *added)
            yield _changed(change, offer, evolve(offer.asked, tolerations=tolerations))


def _changed(change: str, offer: Offer, asked: ExactDeviceRequest) -> HelpfulChange:
    return HelpfulChange("claim", change, updated=(_with(offer.claim, offer.request, asked),))


def _with(claim: ResourceClaim, request: str, asked: ExactDeviceRequest) -> ResourceClaim:
    devices = claim.spec.devices
    requests = tuple(
        evolve(each, exactly=asked) if each.name == request else each for each in devices.requests
    )
    return evolve(claim, spec=evolve(claim.spec, devices=evolve(devices, requests=requests)))
