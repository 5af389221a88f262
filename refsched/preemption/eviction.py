# SPDX-License-Identifier: Apache-2.0
"""Eviction: the victims on the node that preemption picked are deleted, and nominations to it are withdrawn.

Promised: that victims are deleted and lower nominations withdrawn is documented with the priority of pods.
Shows in: preemption.
Source: framework/preemption/executor.go, prepareCandidate, prepareCandidateAsync, PreemptPod.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import evolve

from refsched.framework.node_info import PodInfo
from refsched.framework.post_filter import PostFilterResult
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod, PodCondition
from refsched.rules import ErrorReason, applies

PREEMPTION_PLUGIN = "DefaultPreemption"
PREEMPTED_BY = ErrorReason("preempted by {}", "R-BIND-06")

PreemptPod = Callable[[SchedulerState, Pod, Pod], bool]
"""A PreemptPod preempts, for the first pod, the second one, and returns whether this was done without a
deletion."""


def preempt_pod(scheduler: SchedulerState, preemptor: Pod, victim: Pod) -> bool:
    """R-PREEMPT-PREP-07 (needs scripted or volumes or devices): A victim that waits on Permit, or for which a
    PreBind plugin runs, is not deleted: its binding fails, and it is tried again.

    Returns whether that is so."""
    waiting = scheduler.waiting_pods.get(victim.uid)
    in_pre_bind = scheduler.pods_in_pre_bind.get(victim.uid)
    if waiting is not None:
        is_undone = waiting.preempt(PREEMPTION_PLUGIN)
    else:
        is_undone = in_pre_bind is not None and in_pre_bind.cancel(PREEMPTED_BY.of(PREEMPTION_PLUGIN))
    applies("R-PREEMPT-PREP-07", when=is_undone)
    if not is_undone:
        delete(scheduler, preemptor, victim)
    return is_undone


def delete(scheduler: SchedulerState, preemptor: Pod, victim: Pod) -> None:
    """Writes the reason into the victim's status, and deletes it, if it still exists."""
    if scheduler.api.get(Pod, victim.name, victim.namespace) is not None:
        scheduler.api.patch_status(victim, disruption_by(preemptor))
        scheduler.write("delete", victim)


def disruption_by(preemptor: Pod) -> PodCondition:
    """Returns the condition that a victim of this pod bears."""
    message = f"{preemptor.spec.scheduler_name}: preempting to accommodate a higher priority pod"
    return PodCondition("DisruptionTarget", "True", "PreemptionByScheduler", message)


def evict_asynchronously(
    scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult, preempt: PreemptPod = preempt_pod
) -> PostFilterResult:
    """R-PREEMPT-PREP-01: Unless all victims are terminating already, pods of lower priority that are nominated to
    the node lose their nomination; then each victim is preempted.
    R-PREEMPT-PREP-04 (observed: that a preemptor waits for events that concern its victims is not part of the
    API): A preemptor whose last victim was preempted without a deletion is activated, since no event shows that
    the victim left.

    kube-scheduler does this in a goroutine (SchedulerAsyncPreemption), and gates the preemptor meanwhile. Here
    it is over before the scheduler sees the first deletion; whether the preemptor is activated before it is back
    in the queue, and so backs off, or afterwards is left open.
    """
    victims = _still_running(result)
    if not victims:
        return evolve(result, victims=())
    applies("R-PREEMPT-PREP-01")
    withdraw(scheduler, result)
    preempted = [preempt(scheduler, preemptor, victim.pod) for victim in victims]
    applies("R-PREEMPT-PREP-04", when=preempted[-1])
    return evolve(result, activates=preempted[-1])


def evict_at_once(
    scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult, preempt: PreemptPod = preempt_pod
) -> PostFilterResult:
    """R-PREEMPT-PREP-05: Without SchedulerAsyncPreemption victims are preempted before nominations are withdrawn,
    which they are also if all victims are terminating already.

    Source: prepareCandidate."""
    applies("R-PREEMPT-PREP-05", when=result.victims)
    victims = _still_running(result)
    for victim in victims:
        preempt(scheduler, preemptor, victim.pod)
    withdraw(scheduler, result)
    return result if victims else evolve(result, victims=())


def _still_running(result: PostFilterResult) -> Sequence[PodInfo]:
    """R-PREEMPT-PREP-06: A victim that is terminating already is not deleted again; if all victims are, nobody is
    preempted."""
    running = [each for each in result.victims if each.pod.metadata.deletion_timestamp is None]
    applies("R-PREEMPT-PREP-06", when=len(running) < len(result.victims))
    return running


def withdraw(scheduler: SchedulerState, result: PostFilterResult) -> None:
    """Withdraws the nominations of pods of lower priority to the node."""
    for outranked in result.outranked:
        if outranked.pod.status.nominated_node_name:
            scheduler.api.patch_status(outranked.pod, nominated_node="")
