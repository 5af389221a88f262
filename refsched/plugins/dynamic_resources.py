# SPDX-License-Identifier: Apache-2.0
"""DynamicResources: a pod runs where its resource claims are, or can be, allocated.

Feature gates have their defaults: DRAAdminAccess, DRAPrioritizedList and DRAResourceClaimDeviceStatus are on,
and the others of DRA are off. One thing is not modelled, because its order of events cannot happen here: a
device is allocated twice while one binding cycle writes and the next pod is scheduled (kubernetes #136269).

Promised: how claims are allocated and reserved is documented with dynamic resource allocation, KEP-4381.
Source: plugins/dynamicresources/dynamicresources.go (v1.34.2).
"""

from __future__ import annotations

from attrs import evolve, field, frozen

from refsched.devices.allocator import Allocator
from refsched.devices.claims import (
    ClaimProblem,
    claims_of,
    devices_in_use,
    end_allocation,
    is_being_allocated,
    start_allocation,
)
from refsched.devices.errors import AllocationError, RejectedOnNode
from refsched.devices.pools import Pools
from refsched.devices.steps import AllocatorSteps
from refsched.framework.choices import Choices, FirstChoice
from refsched.framework.events import (
    DEVICE_CLASS,
    NODE,
    POD,
    RESOURCE_CLAIM,
    RESOURCE_SLICE,
    ActionType,
    EventHint,
)
from refsched.framework.interface import Api, Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.dra import (
    AllocationResult,
    DeviceClass,
    ResourceClaim,
    ResourceSlice,
)
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.dynamic_resources_args import DynamicResourcesArgs
from refsched.plugins.dynamic_resources_requests import may_be_allocated
from refsched.plugins.dynamic_resources_writes import bind_claim, protected, write
from refsched.rules import Reason, applies

MAX_ORDERS = 5040
"""At most so many orders of pools are considered: all those of seven pools."""

CANNOT_ALLOCATE = Reason("cannot allocate all claims", "R-DRA-04")
NOT_AVAILABLE = Reason("resourceclaim not available on the node", "R-DRA-05")
NOTHING_TO_DEALLOCATE = Reason("no new claims to deallocate", "R-DRA-06")
STILL_NOT_SCHEDULABLE = Reason("still not schedulable", "R-DRA-06")
DEALLOCATED = Reason("deallocation of ResourceClaim completed", "R-DRA-06")
NO_STATE = Reason("not found", "R-DRA-07")
NO_ALLOCATION = Reason("claim allocation not found for node", "R-DRA-08")


@frozen
class PodClaims:
    """PodClaims are a pod's claims as PreFilter found them, in the order in which the pod names them.

    ``allocator`` is set if some are yet to be allocated, and ``allocations`` once Reserve has allocated them:
    for each claim its allocation, or None if it was allocated before. ``is_filtered`` says whether Filter looked
    for allocations.
    """

    claims: tuple[ResourceClaim, ...]
    allocator: Allocator | None
    allocations: tuple[AllocationResult | None, ...] = ()
    choices: Choices = field(factory=FirstChoice, eq=False)
    is_filtered: bool = True

    @property
    def to_allocate(self) -> tuple[ResourceClaim, ...]:
        return tuple(claim for claim in self.claims if not claim.is_allocated)

    def unavailable(self, node: NodeInfo) -> tuple[ResourceClaim, ...]:
        """Returns the claims that are allocated where this node cannot reach them."""
        return tuple(claim for claim in self.claims if not _reaches(claim.status.allocation, node))


def _reaches(allocation: AllocationResult | None, node: NodeInfo) -> bool:
    selector = allocation.node_selector if allocation is not None else None
    return selector is None or selector.matches(node.existing_node)


@frozen
class DynamicResources:
    name = "DynamicResources"
    POINTS = ("preEnqueue", "preFilter", "filter", "postFilter", "reserve", "preBind")
    WITHOUT_PRE_FILTER = error("not found")
    steps: AllocatorSteps = AllocatorSteps()
    is_timed: bool = True
    ARGS = DynamicResourcesArgs
    READS = ("Pod.spec.resourceClaims", "ResourceClaim", "ResourceSlice", "DeviceClass")

    @classmethod
    def of_args(cls, args: DynamicResourcesArgs) -> DynamicResources:
        return cls(is_timed=bool(args.filter_timeout))

    # --- PreEnqueue -------------------------------------------------------------------------------

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status:
        """R-DRA-01: A pod is rejected by PreEnqueue until all of its ResourceClaims exist."""
        try:
            claims_of(pod, objects)
        except ClaimProblem as problem:
            return unresolvable(Reason(str(problem), "R-DRA-01"))
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
            return Reject(unresolvable(Reason(str(problem), "R-DRA-01")))
        if not claims:
            applies("R-DRA-02")
            return Skip()
        for claim in claims:
            status = SUCCESS if claim.is_allocated else may_be_allocated(claim, objects)
            if not status.is_success:
                return Reject(status)
        if all(claim.is_allocated for claim in claims):
            return Continue(PodClaims(claims, None))
        applies("R-DRA-03")
        allocator = Allocator(
            objects.list(ResourceSlice),
            devices_in_use(objects),
            lambda name: objects.get(DeviceClass, name),
            self.steps,
            self.is_timed,
        )
        return Continue(PodClaims(claims, allocator, choices=snapshot.choices))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: PodClaims, pod: PodInfo, node: NodeInfo) -> Status:
        """R-DRA-04: A node on which devices cannot be allocated for all unallocated claims of the pod is rejected
        as UnschedulableAndUnresolvable.
        R-DRA-05: A node that the allocation of one of the pod's claims does not include is rejected as
        UnschedulableAndUnresolvable."""
        if state.allocator is not None:
            try:
                found = state.allocator.allocate(node.existing_node, state.to_allocate)
            except RejectedOnNode as rejection:
                return unresolvable(Reason(str(rejection), rejection.rule))
            except AllocationError as problem:
                return error(Reason(str(problem), "R-DRA-04"))
            if found is None:
                return unresolvable(CANNOT_ALLOCATE)
        return unresolvable(NOT_AVAILABLE) if state.unavailable(node) else SUCCESS

    # --- PostFilter -------------------------------------------------------------------------------

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        """R-DRA-06: If no node is feasible, one of the pod's claims that made a node unavailable and that no other
        pod has reserved is deallocated, so that it can be allocated elsewhere; which one is open.
        R-DRA-07 (observed: a PostFilter that misses what PreFilter would have left is an accident): If PreFilter
        of DynamicResources was not called, because another plugin rejected the pod before it or because it is
        disabled, PostFilter of DynamicResources fails with an error, and no later PostFilter plugin is called."""
        state: PodClaims | None = context.state.states.get(self.name)
        if state is None:
            has_run = self.name in context.state.skipped or context.absent.plugin == self.name
            return PostFilterResult(unschedulable(NOTHING_TO_DEALLOCATE) if has_run else error(NO_STATE))
        idle = self._idle_unavailable_claims(state, context)
        if not idle:
            return PostFilterResult(unschedulable(STILL_NOT_SCHEDULABLE))
        claim = context.choices.choose("claim", idle)
        freed = evolve(claim.status, allocation=None, reserved_for=(), devices=())
        write(evolve(claim, status=freed), context.api)
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
            for claim in state.claims
            if claim.key in unavailable and all(user.uid == uid for user in claim.status.reserved_for)
        )

    # --- Reserve ----------------------------------------------------------------------------------

    def without_filter(self, state: PodClaims) -> PodClaims:
        """Returns the claims without what Filter would have found: Reserve has nothing to allocate."""
        return evolve(state, is_filtered=False)

    def reserve(
        self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[PodClaims | None] | Reject:
        """R-DRA-08: Reserve of DynamicResources assumes the devices that Filter found on the node to be allocated
        until PreBind writes the allocation or Unreserve ends it; without Filter, it fails with an error.
        R-DRA-17: Of the allocations that are possible on the chosen node, Filter found any one."""
        if state is None or state.allocator is None:
            return Continue(state)
        possible = _possible_allocations(state, state.allocator, node) if state.is_filtered else []
        if not possible:
            return Reject(error(NO_ALLOCATION))
        applies("R-DRA-17", when=len(possible) > 1)
        chosen = state.choices.choose("allocation", possible)
        for claim, allocation in chosen:
            if allocation is not None:
                applies("R-DRA-08")
                start_allocation(protected(claim).allocated(allocation), objects)
        return Continue(evolve(state, allocations=tuple(allocation for _, allocation in chosen)))

    def unreserve(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore) -> None:
        """R-DRA-09: Unreserve of DynamicResources frees devices whose allocation was assumed and not written."""
        for claim in state.to_allocate if state is not None else ():
            if is_being_allocated(claim, objects):
                applies("R-DRA-09")
                end_allocation(claim, objects)
                objects.restore(ResourceClaim, claim.name, claim.namespace)

    def take_back(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, api: Api) -> None:
        """R-DRA-10: When binding fails, an allocated claim that is reserved for the pod loses the reservation and
        stays allocated. Source: Unreserve."""
        for claim in state.claims if state is not None else ():
            current = api.objects.latest(ResourceClaim, claim.name, claim.namespace)
            if current is None or not current.is_allocated or not current.is_reserved_for(pod.pod.uid):
                continue
            applies("R-DRA-10")
            others = tuple(user for user in current.status.reserved_for if user.uid != pod.pod.uid)
            write(evolve(current, status=evolve(current.status, reserved_for=others)), api)

    # --- PreBind ----------------------------------------------------------------------------------

    def pre_bind(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, api: Api) -> Status:
        """R-DRA-11: PreBind of DynamicResources writes into each claim that is not reserved for the pod the
        reservation, together with a new allocation."""
        if state is None:
            return SUCCESS
        allocations = state.allocations or (None,) * len(state.claims)
        for claim, allocation in zip(state.claims, allocations, strict=True):
            if claim.is_reserved_for(pod.pod.uid):
                continue
            applies("R-DRA-11")
            problem = bind_claim(claim, allocation, pod.pod, api)
            if allocation is not None:
                end_allocation(claim, api.objects)
            if problem:
                return error(Reason(problem, "R-DRA-11"))
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_claim_change(
        self, pod: Pod, before: ResourceClaim | None, after: ResourceClaim, objects: ObjectStore
    ) -> bool:
        """R-DRA-13 (observed: queueing hints may only save attempts, KEP-4247): A pod that DynamicResources
        rejected is requeued when any claim loses its allocation, and when one of its own claims is created or
        changes its status, if all of its claims exist."""
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

    EVENTS = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE,
            None,
            "devices may be usable on the node",
        ),
        EventHint(
            RESOURCE_CLAIM,
            ActionType.ADD | ActionType.UPDATE,
            after_claim_change,
            "the pod's claim may have been created, or devices may be free; its deletion is not an event",
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


Allocations = tuple[tuple[ResourceClaim, AllocationResult | None], ...]
"""Allocations have what each claim gets, or None if it was allocated before."""


def _possible_allocations(state: PodClaims, allocator: Allocator, node: NodeInfo) -> list[Allocations]:
    """R-DRA-16 (observed: in which order pools are tried is not part of the API): The order in which pools are
    tried may decide which devices are found on a node, if any."""
    orders = allocator.pool_orders(node.existing_node)
    applies("R-DRA-16", when=len(orders) > 1)
    found: list[Allocations] = []
    for number in range(min(len(orders), MAX_ORDERS)):
        allocated = _allocations(state, allocator, orders[number], node)
        if allocated and allocated not in found:
            found.append(allocated)
    return found


def _allocations(state: PodClaims, allocator: Allocator, pools: Pools, node: NodeInfo) -> Allocations:
    """Returns the allocations on the node, or nothing if they are not possible in this order of pools."""
    try:
        found = allocator.allocate(node.existing_node, state.to_allocate, pools)
    except AllocationError:
        return ()
    if not found:
        return ()
    results = iter(found)
    return tuple((claim, None if claim.is_allocated else next(results)) for claim in state.claims)
