# SPDX-License-Identifier: Apache-2.0
"""Fitting: whether one pod fits on one node, of the cluster or of a template, and how many more fit altogether.

The decider of the release is asked, with a search that looks at this node only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from attrs import evolve, field, frozen

from refsched.cycle.find_nodes import NodeFilter, Search, find_nodes
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Count, K, Snapshot, summed
from refsched.framework.status import SUCCESS, Status
from refsched.machine.scheduler import Scheduler
from refsched.objects.node import Node
from refsched.objects.pod import Pod, PodStatus
from refsched.objects.resources import resource_of
from refsched.preemption.eligibility import NEVER
from refsched.records import SCHEDULED, Attempt, Write
from refsched.tools.planner.cluster import why_gated
from refsched.tools.planner.controllers import answer
from refsched.tools.planner.own_claims import create_with_claims
from refsched.tools.planner.rejections import Rejection, rejections_of

HOSTNAME = "kubernetes.io/hostname"


# --- One node -------------------------------------------------------------------------------------


def fits(scheduler: Scheduler, snapshot: Snapshot, pod: Pod, node: str) -> Status:
    """Returns Success, or why the pod does not fit on this node of the snapshot. Pods that are nominated to it
    count, as they do in an attempt. Nothing changes."""
    state = scheduler.state
    framework = state.profiles[pod.spec.scheduler_name]
    asked = snapshot.by_name[node]

    def this_one(nodes: Sequence[NodeInfo], start: int, number: int, filters: NodeFilter) -> Search:
        if not any(each is asked for each in nodes):
            return Search()
        return find_nodes((asked,), 0, 1, filters)

    decider = state.decider(framework, snapshot, state.queue.nominated_pods_for_node, search=this_one)
    free = evolve(pod, status=evolve(pod.status, nominated_node_name=""))
    decision = decider.decide(PodInfo(free))
    if decision.failure is not None:
        return decision.failure
    if decision.pre_filter.status.is_rejected:
        return decision.pre_filter.status
    if any(each.name == node for each in decision.feasible):
        return SUCCESS
    return decision.diagnosis.node_to_status.get(node, decision.diagnosis.absent)


def with_template(snapshot: Snapshot, template: Node, pods: Sequence[PodInfo] = ()) -> tuple[Snapshot, str]:
    """Returns the snapshot with one more node, and its name: that of the template, or a new one if there is such a
    node, with the hostname that goes with it. These pods alone are on the node."""
    name = template.name
    number = 0
    while name in snapshot.by_name:
        number += 1
        name = f"{template.name}-{number}"
    labels = dict(template.metadata.labels)
    if labels.get(HOSTNAME) == template.name:
        labels[HOSTNAME] = name
    node = evolve(template, metadata=evolve(template.metadata, name=name, labels=labels))
    added = reduce(NodeInfo.with_pod, pods, NodeInfo(node, allocatable=resource_of(node.status.allocatable)))
    with_it = _OneMore(
        (*snapshot.nodes, added),
        {**snapshot.by_name, name: added},
        snapshot.namespace_labels,
        snapshot.objects,
        snapshot.choices,
        snapshot.time,
        snapshot.counted_claims,
        without=snapshot,
    )
    return with_it, name


@frozen
class _OneMore(Snapshot):
    """A _OneMore has one node more than the snapshot ``without`` it, which may remember what it counted."""

    without: Snapshot = field(kw_only=True, eq=False)

    def sum_over_nodes(self, count: Count[K]) -> Mapping[K, int]:
        return summed((self.without.sum_over_nodes(count), count(self.nodes[-1])))


# --- How many -------------------------------------------------------------------------------------


@frozen
class Capacity:
    """A Capacity says how many more pods like ``pod`` fit, and on which nodes. ``stopped_by`` says what stops the
    next one, ``message`` the same as its FailedScheduling event does, but for preemption; both are empty if this
    many fit as were asked for at most. ``stopped`` is that next one."""

    pod: str
    fit: int
    nodes: Mapping[str, int] = field(factory=dict)
    message: str = ""
    stopped_by: tuple[Rejection, ...] = ()
    stopped: Pod | None = field(default=None, eq=False, repr=False)


def capacity(
    scheduler: Scheduler, pod: Pod, at_most: int, progress: Callable[[int], None] = lambda placed: None
) -> Capacity:
    """Schedules one pod like this after the other until one fails, or until there are ``at_most``. The scheduler
    is used up by this. No pod is evicted for them. Controllers make the claims of each, which is bound before the
    next one is tried. ``progress`` is called with how many were placed so far."""
    spec = evolve(pod.spec, node_name="", preemption_policy="Never")
    like = evolve(pod, spec=spec, status=PodStatus())
    nodes: dict[str, int] = {}
    for number in range(at_most):
        name = f"{pod.name}-{number + 1}"
        metadata = evolve(like.metadata, name=name, uid=f"capacity-{number + 1}")
        each = create_with_claims(scheduler, evolve(like, metadata=metadata))
        gated = why_gated(scheduler, each)
        if gated is not None:
            rejection = Rejection(gated.plugin, gated.message)
            return Capacity(pod.key, number, nodes, gated.message, (rejection,), each)
        scheduler.schedule(each.key)
        attempt = _attempt_and_binding(scheduler)
        if attempt.result != SCHEDULED or attempt.node is None:
            names = [found.name for found in scheduler.state.objects.list(Node)]
            rejections = rejections_of(attempt, names)
            return Capacity(pod.key, number, nodes, _message(attempt, pod), rejections, each)
        nodes[attempt.node] = nodes.get(attempt.node, 0) + 1
        progress(number + 1)
    return Capacity(pod.key, at_most, nodes)


def _attempt_and_binding(scheduler: Scheduler) -> Attempt:
    """Returns the attempt that was made, after controllers have done what its binding waits for."""
    attempts: list[Attempt] = []
    while records := scheduler.take_records():
        for record in records:
            if isinstance(record, Attempt):
                attempts.append(record)
            elif isinstance(record, Write):
                answer(scheduler, record)
    return attempts[0]


def _message(attempt: Attempt, pod: Pod) -> str:
    """Returns what the event says, without that the copies may not preempt, if the pod itself may."""
    message = attempt.message or ""
    return message if pod.spec.preemption_policy == "Never" else message.removesuffix(f" preemption: {NEVER}")
