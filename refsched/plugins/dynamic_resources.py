# SPDX-License-Identifier: Apache-2.0
"""DynamicResources: a pod runs where its resource claims are, or can be, allocated.

Feature gates have their defaults. The gates of DRA that are alpha are off, and so is
DRAFractionalCapacityRange.

Promised: how claims are allocated and reserved is documented with dynamic resource allocation, KEP-4381.
Shows in: devices.
Source: plugins/dynamicresources/dynamicresources.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import evolve, frozen

from refsched.devices.allocator import Allocator
from refsched.devices.claims import (
    ClaimProblem,
    claims_of,
    devices_in_use,
    end_allocation,
    is_being_allocated,
    start_allocation,
)
from refsched.devices.errors import AllocationError, RejectedOnNode, SearchTooLong
from refsched.devices.steps import AllocatorSteps
from refsched.devices.taints import with_rules
from refsched.framework.events import (
    DEVICE_CLASS,
    NODE,
    POD,
    RESOURCE_CLAIM,
    RESOURCE_SLICE,
    ActionType,
    EventHint,
)
from refsched.framework.interface import Api, Continue, Reject, Skip, WaitFor
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.dra import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_args import DynamicResourcesArgs
from refsched.plugins.dynamic_resources_claims import (
    Allocations,
    PodClaims,
    allocations_on,
    possible_allocations,
    preference,
    special_of,
)
from refsched.plugins.dynamic_resources_conditions import BindingConditions
from refsched.plugins.dynamic_resources_extended import IN_MEMORY, special_claim
from refsched.plugins.dynamic_resources_requests import may_be_allocated
from refsched.plugins.dynamic_resources_writes import (
    bind_claims,
    bound_claims,
    delete,
    give_up_allocation,
    protected,
    take_back,
    write,
)
from refsched.plugins.normalize import normalize
from refsched.plugins.signatures import sign_without_resource_claims
from refsched.rules import ErrorReason, Reason, applies

CANNOT_ALLOCATE = Reason("cannot allocate all claims", "R-DRA-04")
NOT_AVAILABLE = Reason("resourceclaim not available on the node", "R-DRA-05")
DELETED = Reason("deletion of ResourceClaim completed", "R-DRA-95")
DEALLOCATED = Reason("deallocation of ResourceClaim completed", "R-DRA-06")
NO_STATE = ErrorReason("not found", "R-DRA-07")
NO_ALLOCATION = ErrorReason("claim allocation not found for node", "R-DRA-08")
SEARCH_TOO_LONG = ErrorReason("node {}: {}", "R-DRA-68")


@frozen
class DynamicResources:
    name = "DynamicResources"
    POINTS: ClassVar[tuple[str, ...]] = (
        "preEnqueue",
        "preFilter",
        "filter",
        "postFilter",
        "score",
        "reserve",
        "preBind",
    )
    READS = ("Pod.spec.resourceClaims", "ResourceClaim", "ResourceSlice", "DeviceClass", "DeviceTaintRule")
    ARGS = DynamicResourcesArgs
    WITHOUT_PRE_FILTER = error("not found")
    SCORES_BY_PRE_FILTER = True
    allocator: ClassVar[type[Allocator]] = Allocator
    steps: AllocatorSteps = AllocatorSteps()
    is_timed: bool = True
    conditions: BindingConditions = BindingConditions()

    @classmethod
    def of_args(cls, args: DynamicResourcesArgs) -> DynamicResources:
        made = cls(is_timed=bool(args.filter_timeout))
        if args.binding_timeout is None:
            return made
        return evolve(made, conditions=BindingConditions(args.binding_timeout))

    sign = sign_without_resource_claims

    # --- PreEnqueue -------------------------------------------------------------------------------

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status:
        """R-DRA-01: A pod is rejected by PreEnqueue until all of its ResourceClaims exist."""
        try:
            claims_of(pod, objects)
        except ClaimProblem as problem:
            applies("R-DRA-01")
            return unresolvable(problem.reason)
        return SUCCESS

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[PodClaims] | Skip | Reject:
        """R-DRA-02: A pod without ResourceClaims skips Filter of DynamicResources; a pod with a claim that is
        being allocated for another pod is rejected as UnschedulableAndUnresolvable.
        R-DRA-03: Which devices are in use is determined once in PreFilter, for all nodes."""
        objects = snapshot.objects
        try:
            claims = claims_of(pod.pod, objects)
        except ClaimProblem as problem:
            return Reject(unresolvable(problem.reason))
        special = self.special_claim(pod.pod, objects)
        if not claims and special is None:
            applies("R-DRA-02")
            return Skip()
        for claim in claims:
            status = SUCCESS if claim.is_allocated else may_be_allocated(claim, objects)
            if not status.is_success:
                return Reject(status)
        failed = self.conditions.failed(claims, snapshot.time)
        found = PodClaims(claims, None, choices=snapshot.choices, failed=failed)
        if special is not None:
            found = evolve(found, claims=(*claims, special), special=special_of(pod.pod, objects))
        if not found.to_allocate:
            return Continue(found)
        applies("R-DRA-03")
        allocator = self.allocator(
            with_rules(objects.list(ResourceSlice), objects.list(DeviceTaintRule)),
            devices_in_use(objects),
            lambda name: objects.get(DeviceClass, name),
            self.steps,
            self.is_timed,
        )
        return Continue(evolve(found, allocator=allocator))

    def special_claim(self, pod: Pod, objects: ObjectStore) -> ResourceClaim | None:
        """Returns the claim of the pod for extended resources that devices serve, if it has one."""
        return special_claim(pod, objects)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: PodClaims, pod: PodInfo, node: NodeInfo) -> Status:
        """R-DRA-04: A node on which devices cannot be allocated for all unallocated claims of the pod is
        rejected as UnschedulableAndUnresolvable.
        R-DRA-05: A node that the allocation of one of the pod's claims does not include is rejected as
        UnschedulableAndUnresolvable."""
        there = state.on(node)
        if isinstance(there, Status):
            return there
        if there.allocator is not None:
            try:
                found = there.allocator.allocate(node.existing_node, there.to_allocate)
            except RejectedOnNode as rejection:
                return unresolvable(rejection.reason)
            except SearchTooLong as problem:
                return self.too_long(problem, node)
            except AllocationError as problem:
                return error(problem.reason)
            if found is None:
                return unresolvable(CANNOT_ALLOCATE)
        return unresolvable(NOT_AVAILABLE) if there.unavailable(node) else SUCCESS

    def too_long(self, problem: SearchTooLong, node: NodeInfo) -> Status:
        """R-DRA-68 (observed: how long a search for devices may take is a setting): An attempt in which the
        search for devices is given up on a node ends with an error, so that the pod is tried again after a
        backoff."""
        return error(SEARCH_TOO_LONG.of(node.name, problem))

    # --- PostFilter -------------------------------------------------------------------------------

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        """R-DRA-06: If no node is feasible, one of the pod's claims that made a node unavailable and that no
        other pod has reserved is deallocated, so that it can be allocated elsewhere; which one is open. If
        there is none, PostFilter of DynamicResources gives no reason.
        R-DRA-95: If no node is feasible and none of the pod's claims is deallocated, the special claim of an
        earlier attempt is deleted.
        R-DRA-07 (observed: a PostFilter that misses what PreFilter would have left is an accident): If
        PreFilter of DynamicResources was not called, because another plugin rejected the pod before it or
        because it is disabled, PostFilter of DynamicResources fails with an error, and no later PostFilter
        plugin is called."""
        state: PodClaims | None = context.state.states.get(self.name)
        if state is None:
            has_run = self.name in context.state.skipped or context.absent.plugin == self.name
            return PostFilterResult(unschedulable() if has_run else error(NO_STATE))
        idle = self._idle_unavailable_claims(state, context)
        if not idle and state.special is not None and state.claims[-1].name != IN_MEMORY:
            delete(state.claims[-1], context.api)
            return PostFilterResult(unschedulable(DELETED))
        if not idle:
            applies("R-DRA-06")
            return PostFilterResult(unschedulable())
        claim = context.choices.choose("claim", idle)
        write(claim.deallocated(), context.api)
        return PostFilterResult(unschedulable(DEALLOCATED))

    def _idle_unavailable_claims(
        self, state: PodClaims, context: PostFilterContext
    ) -> tuple[ResourceClaim, ...]:
        rejected = [
            context.snapshot.by_name[node]
            for node, status in context.statuses.items()
            if status.plugin == self.name and status.reasons == (NOT_AVAILABLE,)
        ]
        unavailable = {claim.key for node in rejected for claim in state.unavailable(node)}
        uid = context.pod.pod.uid
        return tuple(
            claim
            for claim in state.of_the_user
            if claim.key in unavailable and all(user.uid == uid for user in claim.status.reserved_for)
        )

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo) -> int:
        """R-DRA-18: A node scores, for each list of alternatives of which one would be allocated there, 8 minus
        the number of alternatives before that one, if any claim of the pod is yet to be allocated.
        Source: computeScore."""
        state = _claims_where_filtered(state, node)
        if state is None or not state.is_filtered or state.allocator is None or not state.has_alternatives:
            return 0
        applies("R-DRA-18")
        return sum(
            preference(claim, allocation or claim.status.allocation)
            for claim, allocation in allocations_on(state, node)
        )

    def normalize_score(
        self, state: PodClaims | None, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-DRA-19: Scores of DynamicResources are normalized so that the feasible node with the most gets
        100."""
        applies("R-DRA-19", when=any(scores.values()))
        return normalize(scores)

    # --- Reserve ----------------------------------------------------------------------------------

    def without_filter(self, state: PodClaims) -> PodClaims:
        """Returns the claims without what Filter would have found: Reserve has nothing to allocate."""
        return evolve(state, is_filtered=False)

    def reserve(
        self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[PodClaims | None] | Reject:
        """R-DRA-08: Reserve of DynamicResources assumes the devices that Filter found on the node to be
        allocated until PreBind writes the allocation or Unreserve ends it; without Filter, it fails with an
        error."""
        state = _claims_where_filtered(state, node)
        if state is None or state.allocator is None:
            return Continue(state)
        chosen = self.allocations(state, node) if state.is_filtered else ()
        if not chosen:
            return Reject(error(NO_ALLOCATION))
        for claim, allocation in chosen:
            if allocation is not None:
                applies("R-DRA-08")
                self.start_allocation(protected(claim).allocated(allocation), objects)
        return Continue(evolve(state, allocations=tuple(allocation for _, allocation in chosen)))

    def start_allocation(self, claim: ResourceClaim, objects: ObjectStore) -> None:
        """R-DRA-158 (observed: it is an accident that a claim is allocated twice): A claim that the pod names
        twice is allocated twice, and counts with the first allocation until one is written.

        Source: SignalClaimPendingAllocation."""
        if not applies("R-DRA-158", when=is_being_allocated(claim, objects)):
            start_allocation(claim, objects)

    def allocations(self, state: PodClaims, node: NodeInfo) -> Allocations:
        """Returns what Filter found for the claims on this node, or nothing if it found nothing."""
        possible = possible_allocations(state, node)
        return state.choices.choose("allocation", possible) if possible else ()

    def unreserve(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, api: Api) -> None:
        """R-DRA-09: Unreserve of DynamicResources frees devices whose allocation was assumed and not
        written."""
        if state is None:
            return
        for claim in state.to_allocate:
            if is_being_allocated(claim, api.objects):
                applies("R-DRA-09")
                give_up_allocation(claim, api)
        take_back(state, pod.pod, api)

    # --- PreBind ----------------------------------------------------------------------------------

    def pre_flight(self, state: PodClaims | None) -> bool:
        """Returns whether the pod has any claims."""
        return state is not None and bool(state.claims)

    def pre_bind(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, api: Api) -> Status | WaitFor:
        """R-DRA-11: PreBind of DynamicResources writes into each claim that is not reserved for the pod the
        reservation, together with a new allocation."""
        if state is None:
            return SUCCESS
        problem = bind_claims(state, pod.pod, api, self.conditions.allocation_time(api))
        if problem is not None:
            return error(problem)
        return self.conditions.wait(bound_claims(state, pod.pod, api), api, lambda: self.bound(state, api))

    def bound(self, state: PodClaims, api: Api) -> Status:
        """R-DRA-87 (observed: what counts while a binding cycle runs is not part of the API): Until PreBind of
        DynamicResources has succeeded, an allocation counts as about to be written."""
        for claim in state.to_allocate:
            applies("R-DRA-87")
            end_allocation(claim, api.objects)
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_claim_change(
        self, pod: Pod, before: ResourceClaim | None, after: ResourceClaim | None, objects: ObjectStore
    ) -> bool:
        """R-DRA-13 (observed: queueing hints may only save attempts, KEP-4247): A pod that DynamicResources
        rejected is requeued when any claim loses its allocation, and when one of its own claims is created or
        changes its status, if all of its claims exist.
        R-DRA-88 (observed: queueing hints may only save attempts, KEP-4247): A pod that DynamicResources
        rejected is requeued when an allocated claim is deleted."""
        if after is None:
            return applies("R-DRA-88", when=before is not None and before.is_allocated)
        try:
            claims = claims_of(pod, objects)
        except ClaimProblem:
            return False
        frees = before is not None and before.is_allocated and not after.is_allocated
        is_own = any(claim.uid == after.uid for claim in claims)
        has_changed = before is None or before.status != after.status
        return applies("R-DRA-13", when=(frees or is_own) and has_changed)

    def after_pod_change(self, pod: Pod, before: Pod | None, after: Pod, objects: ObjectStore) -> bool:
        """R-DRA-14 (observed: queueing hints may only save attempts, KEP-4247): A pod that DynamicResources
        rejected is requeued when its status names its generated claims and all of its claims exist."""
        if pod.uid != after.uid:
            return False
        try:
            claims_of(after, objects)
        except ClaimProblem:
            return False
        applies("R-DRA-14")
        return True

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE,
            None,
            "devices may be usable on the node",
        ),
        EventHint(
            RESOURCE_CLAIM,
            ActionType.ADD | ActionType.UPDATE | ActionType.DELETE,
            after_claim_change,
            "the pod's claim may have been created, or devices may be free",
        ),
        EventHint(
            POD,
            ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM,
            after_pod_change,
            "a claim may have been generated for the pod",
        ),
        EventHint(DEVICE_CLASS, ActionType.ADD | ActionType.UPDATE, None, "the class may have been missing"),
        EventHint(RESOURCE_SLICE, ActionType.ADD | ActionType.UPDATE, None, "devices may have been added"),
    )


def _claims_where_filtered(state: PodClaims | None, node: NodeInfo) -> PodClaims | None:
    """Returns the claims as they are on a node that passed Filter."""
    found = state.on(node) if state is not None else None
    return found if isinstance(found, PodClaims) else None
