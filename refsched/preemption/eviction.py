# SPDX-License-Identifier: Apache-2.0
"""Eviction: the victims on the node that preemption picked are deleted, and nominations to it are withdrawn.

Promised: that victims are deleted and lower nominations withdrawn is documented with the priority of pods.
Shows in: preemption.
Source: framework/preemption/preemption.go, prepareCandidate, prepareCandidateAsync, PreemptPod.
"""

from __future__ import annotations

from refsched.framework.post_filter import PostFilterResult
from refsched.framework.status import error
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod, PodCondition
from refsched.rules import applies

PREEMPTION_PLUGIN = "DefaultPreemption"


def evict_asynchronously(
    scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult
) -> PostFilterResult:
    """R-PREEMPT-PREP-01: Pods of lower priority that are nominated to the node lose their nomination; then
    each victim is rejected if it waits on Permit, and deleted if it does not.

    kube-scheduler does this in a goroutine (SchedulerAsyncPreemption), and gates the preemptor meanwhile. Here
    it is over before the scheduler sees the first deletion.
    """
    applies("R-PREEMPT-PREP-01", when=result.victims)
    _withdraw(scheduler, result)
    failed = [victim.pod for victim in result.victims if not _evict(scheduler, preemptor, victim.pod)]
    if failed:
        scheduler.queue.activate([preemptor])
    return result


def evict_at_once(scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult) -> PostFilterResult:
    """R-PREEMPT-PREP-03: Without SchedulerAsyncPreemption victims are evicted before nominations are
    withdrawn, and a victim that no longer exists makes the preemption an error: no node is nominated.

    Source: prepareCandidate."""
    applies("R-PREEMPT-PREP-03", when=result.victims)
    failed = [victim.pod for victim in result.victims if not _evict(scheduler, preemptor, victim.pod)]
    if failed:
        why = scheduler.choices.choose("error", [f'pods "{victim.name}" not found' for victim in failed])
        return PostFilterResult(error(f"preemption: {why}").by(PREEMPTION_PLUGIN), victims=result.victims)
    _withdraw(scheduler, result)
    return result


def _withdraw(scheduler: SchedulerState, result: PostFilterResult) -> None:
    for outranked in result.outranked:
        if outranked.pod.status.nominated_node_name:
            scheduler.api.patch_status(outranked.pod, nominated_node="")


def _evict(scheduler: SchedulerState, preemptor: Pod, victim: Pod) -> bool:
    """R-PREEMPT-PREP-02: If a victim no longer exists and bears no DisruptionTarget condition, its eviction is an
    error, and the preemptor is requeued at once.

    Returns whether the victim is evicted."""
    waiting = scheduler.waiting_pods.get(victim.uid)
    if waiting is not None:
        waiting.reject(PREEMPTION_PLUGIN, "preempted")
        return True
    message = f"{preemptor.spec.scheduler_name}: preempting to accommodate a higher priority pod"
    condition = PodCondition("DisruptionTarget", "True", "PreemptionByScheduler", message)
    if scheduler.api.get(Pod, victim.name, victim.namespace) is None:
        applies("R-PREEMPT-PREP-02")
        return condition in victim.status.conditions
    scheduler.api.patch_status(victim, condition)
    scheduler.write("delete", victim)
    return True
