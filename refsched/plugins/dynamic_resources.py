# SPDX-License-Identifier: Apache-2.0
"""DynamicResources: a pod runs where its resource claims are, or can be, allocated.

Feature gates are at their defaults: DRAAdminAccess, DRAPrioritizedList and DRAResourceClaimDeviceStatus are on,
the other ones of DRA off. Out of scope: the ten seconds after which a search for devices is given up.
Not modelled, because its order of events cannot happen here: a device given twice while one binding cycle
writes and the next pod is looked at (kubernetes #136269).

Rules: R-DRA-01 … R-DRA-17, and those of refsched/dra.
Source: plugins/dynamicresources/dynamicresources.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

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
from refsched.devices.errors import AllocationError, RefusedOnNode
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
    DELETE_PROTECTION,
    AllocationResult,
    DeviceClass,
    DeviceRequest,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceSlice,
)
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore

MAX_ORDERS = 5040
"""How many orders of pools are considered: all those of seven pools."""

_NOT_AVAILABLE = "resourceclaim not available on the node"


@frozen
class PodClaims:
    """A pod's claims as PreFilter found them, in the order in which the pod names them.

    ``allocator`` is there if some are yet to be allocated, and ``allocations`` once Reserve has done so: for
    each claim what it gets, or None where it was allocated before.
    """

    claims: tuple[ResourceClaim, ...]
    allocator: Allocator | None
    allocations: tuple[AllocationResult | None, ...] = ()
    choices: Choices = field(factory=FirstChoice, eq=False)

    @property
    def to_allocate(self) -> tuple[ResourceClaim, ...]:
        return tuple(claim for claim in self.claims if not claim.is_allocated)

    def unavailable(self, node: NodeInfo) -> tuple[ResourceClaim, ...]:
        """Claims that are allocated where this node cannot reach them."""
        return tuple(claim for claim in self.claims if not _reaches(claim.status.allocation, node))


def _reaches(allocation: AllocationResult | None, node: NodeInfo) -> bool:
    selector = allocation.node_selector if allocation is not None else None
    return selector is None or selector.matches(node.existing_node)


@frozen
class DynamicResources:
    name: ClassVar[str] = "DynamicResources"
    POINTS: ClassVar[tuple[str, ...]] = (
        "preEnqueue",
        "preFilter",
        "filter",
        "postFilter",
        "reserve",
        "preBind",
    )
    WITHOUT_PRE_FILTER: ClassVar[Status] = error("not found")
    steps: AllocatorSteps = AllocatorSteps()
    READS: ClassVar[tuple[str, ...]] = (
        "Pod.spec.resourceClaims",
        "ResourceClaim",
        "ResourceSlice",
        "DeviceClass",
    )

    # --- PreEnqueue -------------------------------------------------------------------------------

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status:
        """R-DRA-01: a pod is not even queued before all of its claims are there."""
        try:
            claims_of(pod, objects)
        except ClaimProblem as problem:
            return unresolvable(str(problem))
        return SUCCESS

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[PodClaims] | Skip | Reject:
        """R-DRA-02: a pod without claims is not filtered; one whose claim another pod is having allocated waits.
        R-DRA-03: which devices are taken is settled here, for all nodes."""
        objects = snapshot.objects
        try:
            claims = claims_of(pod.pod, objects)
        except ClaimProblem as problem:
            return Reject(unresolvable(str(problem)))
        if not claims:
            return Skip()
        for claim in claims:
            status = SUCCESS if claim.is_allocated else _may_be_allocated(claim, objects)
            if not status.is_success:
                return Reject(status)
        if all(claim.is_allocated for claim in claims):
            return Continue(PodClaims(claims, None))
        allocator = Allocator(
            objects.list(ResourceSlice),
            devices_in_use(objects),
            lambda name: objects.get(DeviceClass, name),
            self.steps,
        )
        return Continue(PodClaims(claims, allocator, choices=snapshot.choices))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: PodClaims, pod: PodInfo, node: NodeInfo) -> Status:
        """R-DRA-04: on the node, devices must be found for all claims that are not allocated.
        R-DRA-05: and the node must be one where the allocated ones can be used."""
        if state.allocator is not None:
            try:
                found = state.allocator.allocate(node.existing_node, state.to_allocate)
            except RefusedOnNode as refusal:
                return unresolvable(str(refusal))
            except AllocationError as problem:
                return error(str(problem))
            if found is None:
                return unresolvable("cannot allocate all claims")
        return unresolvable(_NOT_AVAILABLE) if state.unavailable(node) else SUCCESS

    # --- PostFilter -------------------------------------------------------------------------------

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        """R-DRA-06: one claim that kept a node from being feasible, and that nobody else has reserved, is
        deallocated, so that it can be allocated elsewhere; which one is left to chance.
        R-DRA-07: where another plugin ended PreFilter before this one's turn, this is an error, and no
        later PostFilter runs."""
        state: PodClaims | None = context.state.states.get(self.name)
        if state is None:
            came_to_run = self.name in context.state.skipped or context.absent.plugin == self.name
            return PostFilterResult(
                unschedulable("no new claims to deallocate") if came_to_run else error("not found")
            )
        idle = self._idle_unavailable_claims(state, context)
        if not idle:
            return PostFilterResult(unschedulable("still not schedulable"))
        claim = context.choices.choose("claim", idle)
        freed = evolve(claim.status, allocation=None, reserved_for=(), devices=())
        _write(evolve(claim, status=freed), context.api)
        return PostFilterResult(unschedulable("deallocation of ResourceClaim completed"))

    def _idle_unavailable_claims(
        self, state: PodClaims, context: PostFilterContext
    ) -> tuple[ResourceClaim, ...]:
        refused = [
            context.snapshot.by_name[node]
            for node, status in context.statuses.items()
            if status.plugin == self.name and status.reasons == (_NOT_AVAILABLE,)
        ]
        unavailable = {claim.key for node in refused for claim in state.unavailable(node)}
        uid = context.pod.pod.uid
        return tuple(
            claim
            for claim in state.claims
            if claim.key in unavailable and all(user.uid == uid for user in claim.status.reserved_for)
        )

    # --- Reserve ----------------------------------------------------------------------------------

    def reserve(
        self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[PodClaims | None] | Reject:
        """R-DRA-08: the devices that Filter found on the node are held until they are written, or given up.
        R-DRA-17: Of the allocations that are possible on the chosen node, Filter found any one."""
        if state is None or state.allocator is None:
            return Continue(state)
        possible = _possible_allocations(state, state.allocator, node)
        if not possible:
            return Reject(error("claim allocation not found for node"))
        chosen = state.choices.choose("allocation", possible)
        for claim, allocation in chosen:
            if allocation is not None:
                start_allocation(_protected(claim).allocated(allocation), objects)
        return Continue(evolve(state, allocations=tuple(allocation for _, allocation in chosen)))

    def unreserve(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, objects: ObjectStore) -> None:
        """R-DRA-09: devices that were held, but not written, are free again."""
        for claim in state.to_allocate if state is not None else ():
            if is_being_allocated(claim, objects):
                end_allocation(claim, objects)
                objects.restore(ResourceClaim, claim.metadata.name, claim.metadata.namespace)

    def take_back(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, api: Api) -> None:
        """R-DRA-10: a claim that is allocated and reserved for the pod loses the reservation, and stays
        allocated. Source: Unreserve."""
        for claim in state.claims if state is not None else ():
            current = api.objects.latest(ResourceClaim, claim.metadata.name, claim.metadata.namespace)
            if current is None or not current.is_allocated or not current.is_reserved_for(pod.pod.uid):
                continue
            others = tuple(user for user in current.status.reserved_for if user.uid != pod.pod.uid)
            _write(evolve(current, status=evolve(current.status, reserved_for=others)), api)

    # --- PreBind ----------------------------------------------------------------------------------

    def pre_bind(self, state: PodClaims | None, pod: PodInfo, node: NodeInfo, api: Api) -> Status:
        """R-DRA-11: each claim that is not reserved for the pod yet is, and its allocation written with it."""
        if state is None:
            return SUCCESS
        allocations = state.allocations or (None,) * len(state.claims)
        for claim, allocation in zip(state.claims, allocations, strict=True):
            if claim.is_reserved_for(pod.pod.uid):
                continue
            problem = _bind_claim(claim, allocation, pod.pod, api)
            if allocation is not None:
                end_allocation(claim, api.objects)
            if problem:
                return error(problem)
        return SUCCESS

    # --- Events -----------------------------------------------------------------------------------

    def after_claim_change(
        self, pod: Pod, before: ResourceClaim | None, after: ResourceClaim, objects: ObjectStore
    ) -> bool:
        """R-DRA-13: a claim that lost its allocation frees devices for all pods; any other change concerns only
        the pods that use the claim, if it is in its status, or the claim is new."""
        try:
            claims = claims_of(pod, objects)
        except ClaimProblem:
            return False
        if before is not None and before.is_allocated and not after.is_allocated:
            return True
        if all(claim.metadata.uid != after.metadata.uid for claim in claims):
            return False
        return before is None or before.status != after.status

    def after_pod_change(self, pod: Pod, before: Pod | None, after: Pod, objects: ObjectStore) -> bool:
        """R-DRA-14: the pod's own status tells that its claims were made, and they are there."""
        if pod.uid != after.uid:
            return False
        try:
            claims_of(after, objects)
        except ClaimProblem:
            return False
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
            ActionType.ADD | ActionType.UPDATE,
            after_claim_change,
            "the pod's claim may have come, or devices may be free; a claim's deletion is not looked at",
        ),
        EventHint(
            POD,
            ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM,
            after_pod_change,
            "a claim may have been made for the pod",
        ),
        EventHint(
            DEVICE_CLASS, ActionType.ADD | ActionType.UPDATE, None, "the class may have been what was missing"
        ),
        EventHint(RESOURCE_SLICE, ActionType.ADD | ActionType.UPDATE, None, "devices may have been added"),
    )


def _may_be_allocated(claim: ResourceClaim, objects: ObjectStore) -> Status:
    """R-DRA-12: the classes of all requests, and of all their alternatives, must exist."""
    if is_being_allocated(claim, objects):
        return unresolvable(f"resource claim {claim.key} is in the process of being allocated")
    for request in claim.spec.devices.requests:
        if request.exactly is None and not request.first_available:
            said = f"resource claim {claim.key}, request {request.name}: unknown request type"
            return unresolvable(said)
        for name, device_class in _classes_of(request):
            if not device_class:
                return error(f"request {name}: unsupported request type")
            if objects.get(DeviceClass, device_class) is None:
                return unresolvable(f"request {name}: device class {device_class} does not exist")
    return SUCCESS


def _classes_of(request: DeviceRequest) -> tuple[tuple[str, str], ...]:
    """The names of a request, or of its alternatives, each with its class's name."""
    if request.exactly is not None:
        return ((request.name, request.exactly.device_class_name),)
    return tuple((f"{request.name}/{sub.name}", sub.device_class_name) for sub in request.first_available)


Allocations = tuple[tuple[ResourceClaim, AllocationResult | None], ...]
"""What each claim gets; None where it was allocated before."""


def _possible_allocations(state: PodClaims, allocator: Allocator, node: NodeInfo) -> list[Allocations]:
    """R-DRA-16: The order in which pools are tried may decide which devices are found on a node, or that none
    are."""
    found: list[Allocations] = []
    for pools in allocator.pool_orders(node.existing_node)[:MAX_ORDERS]:
        allocated = _allocations(state, allocator, pools, node)
        if allocated and allocated not in found:
            found.append(allocated)
    return found


def _allocations(state: PodClaims, allocator: Allocator, pools: Pools, node: NodeInfo) -> Allocations:
    """Nothing if that is not possible in this order of pools."""
    try:
        found = allocator.allocate(node.existing_node, state.to_allocate, pools)
    except AllocationError:
        return ()
    results = iter(found or ())
    return (
        tuple((claim, None if claim.is_allocated else next(results)) for claim in state.claims)
        if found
        else ()
    )


def _protected(claim: ResourceClaim) -> ResourceClaim:
    """The claim with the finalizer that keeps it while devices are allocated to it."""
    finalizers = claim.metadata.finalizers
    if DELETE_PROTECTION in finalizers:
        return claim
    return evolve(claim, metadata=evolve(claim.metadata, finalizers=(*finalizers, DELETE_PROTECTION)))


def _bind_claim(claim: ResourceClaim, allocation: AllocationResult | None, pod: Pod, api: Api) -> str:
    """Write the reservation, with the allocation where there is a new one, into the claim as it is by now.
    The finalizer is written before. Answers what went wrong. Source: bindClaim."""
    current = api.objects.latest(ResourceClaim, claim.metadata.name, claim.metadata.namespace)
    if current is None:
        return f"{_first_step(claim, allocation)} claim {claim.key}: {_gone(claim)}"
    if current.metadata.deletion_timestamp is not None:
        return f"claim {claim.key} got deleted in the meantime"
    if allocation is not None:
        if current.is_allocated:
            return f"claim {claim.key} got allocated elsewhere in the meantime"
        if _protected(current) != current:
            current = _protected(current)
            _write(current, api)
        current = current.allocated(allocation)
    consumer = ResourceClaimConsumerReference(resource="pods", name=pod.name, uid=pod.uid)
    reserved = evolve(current.status, reserved_for=(*current.status.reserved_for, consumer))
    _write(evolve(current, status=reserved), api)
    return ""


def _first_step(claim: ResourceClaim, allocation: AllocationResult | None) -> str:
    if allocation is None:
        return "add reservation to"
    return "add allocation and reservation to" if _protected(claim) == claim else "add finalizer to"


def _gone(claim: ResourceClaim) -> str:
    return f'resourceclaims.resource.k8s.io "{claim.metadata.name}" not found'


def _write(claim: ResourceClaim, api: Api) -> None:
    """What was written counts at once, also before the API server has shown it."""
    api.write("update", claim)
    api.objects.assume(claim)
