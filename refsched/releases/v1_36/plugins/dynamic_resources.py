# SPDX-License-Identifier: Apache-2.0
"""DynamicResources before 1.37.

Changed by: kubernetes #140222 (PostFilter gives no reason if it does nothing), #140831 (the deletion of an
allocated claim is an event).
After the upgrade: A pod that waits for devices is tried again when a claim that has some is deleted (R-DRA-88).
What to do: nothing.

Observed: the wording of messages, and when events requeue pods, is not part of the API.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go.
"""

from __future__ import annotations

from attrs import evolve, frozen

from refsched.devices.claims import end_allocation
from refsched.framework.events import RESOURCE_CLAIM, ActionType, EventHint
from refsched.framework.interface import Api, WaitFor
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.status import SUCCESS, Status, unschedulable
from refsched.plugins import dynamic_resources as current
from refsched.plugins.dynamic_resources_claims import PodClaims
from refsched.releases.v1_36.devices import Allocator
from refsched.rules import Reason, applies

NOTHING_TO_DEALLOCATE = Reason("no new claims to deallocate", "R-DRA-111")
STILL_NOT_SCHEDULABLE = Reason("still not schedulable", "R-DRA-111")
CLAIM_EVENTS = ActionType.ADD | ActionType.UPDATE


EVENTS: tuple[EventHint, ...] = tuple(
    evolve(event, action=CLAIM_EVENTS) if event.resource == RESOURCE_CLAIM else event
    for event in current.DynamicResources.EVENTS
)


@frozen
class DynamicResources(current.DynamicResources):
    allocator = Allocator

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        """R-DRA-111: PostFilter of DynamicResources says
        that there is no claim to deallocate, or that the pod is still not schedulable."""
        result = super().post_filter(context)
        if result.status.reasons:
            return result
        has_claims = context.state.states.get(self.name) is not None
        said = STILL_NOT_SCHEDULABLE if has_claims else NOTHING_TO_DEALLOCATE
        return evolve(result, status=unschedulable(said))

    def pre_bind(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, api: Api) -> Status | WaitFor:
        """R-DRA-112 (instead of R-DRA-87): An allocation counts as about to be written until PreBind of
        DynamicResources has written the claims, or has failed to write one of them."""
        applies("R-DRA-112", when=state is not None and state.to_allocate)
        status = super().pre_bind(state, pod, node, api)
        for claim in state.to_allocate if state is not None else ():
            end_allocation(claim, api.objects)
        return status

    def bound(self, state: PodClaims, api: Api) -> Status:
        """Returns Success: ``pre_bind`` ends what counts as about to be written."""
        return SUCCESS

    EVENTS = EVENTS
