# SPDX-License-Identifier: Apache-2.0
"""Held devices: pods that hold the devices which the pod lacks, and which would be free without these pods.

A claim loses its allocation once no pod that is there has reserved it (Source: the ResourceClaim controller,
pkg/controller/resourceclaim/controller.go, syncClaim).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from refsched.devices.ids import DeviceID
from refsched.errors import counted
from refsched.objects.dra import ResourceClaim
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.tools.planner.pending.changed_cluster import MOST, MOST_PODS, may_go
from refsched.tools.planner.pending.device_requests import RequestOnNode, requests_on
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import joined
from refsched.tools.planner.verdicts import HelpfulChange


def pods_that_hold_devices(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields the fewest pods of a node without which the devices that the pod lacks there are free."""
    holding = _holding(situation)
    pods = {each.pod.uid: each.pod for node in situation.nodes for each in node.pods}
    found = []
    for node in situation.only_by(DynamicResources.name):
        held = _held_that_it_lacks(list(requests_on(situation, node)), holding)
        users = dict.fromkeys(user.uid for claim in held.values() for user in claim.status.reserved_for)
        going = tuple(pods[uid] for uid in users if uid in pods and may_go(pods[uid]))
        if going and len(going) == len(users) <= MOST_PODS:
            found.append((len(going), sum(pod.priority for pod in going), node.name, going, held))
    for _, _, name, leaving, held in sorted(found, key=lambda each: each[:3])[:MOST]:
        hold = f"{'holds' if len(leaving) == 1 else 'hold'} {counted(len(held), 'device')}"
        where = {pod.spec.node_name for pod in leaving}
        on = f" on {name}" if where == {name} else ""
        change = f"delete or move {joined([pod.key for pod in leaving])}{on}, which {hold}"
        freed = {claim.key: claim.deallocated() for claim in held.values()}
        yield HelpfulChange("delete", change, updated=tuple(freed.values()), deleted=leaving)


def _holding(situation: Situation) -> dict[DeviceID, ResourceClaim]:
    """Returns the claims that hold devices, by device."""
    return {
        DeviceID(result.driver, result.pool, result.device): claim
        for claim in situation.snapshot.objects.list(ResourceClaim)
        if claim.status.allocation is not None
        for result in claim.status.allocation.devices.results
        if not result.admin_access
    }


def _held_that_it_lacks(
    requests: Sequence[RequestOnNode], holding: Mapping[DeviceID, ResourceClaim]
) -> dict[DeviceID, ResourceClaim]:
    """Returns devices without which requests have too few, with the claims that hold them, those first that hold
    the most; none if a request would still have too few."""
    lacking: dict[DeviceID, ResourceClaim] = {}
    for request in requests:
        taken = [each.id for each in request.tolerated if each not in request.free and each.id in holding]
        by_claim = Counter(holding[each].key for each in taken)
        wanted = request.wanted - len(request.free)
        for key, number in by_claim.most_common():
            if wanted > 0:
                lacking |= {each: holding[each] for each in taken if holding[each].key == key}
                wanted -= number
        if wanted > 0:
            return {}
    return lacking
