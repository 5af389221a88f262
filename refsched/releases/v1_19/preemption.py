# SPDX-License-Identifier: Apache-2.0
"""Eviction in v1.19: the victims of the candidate that preemption picked are deleted, and then nominations
cleared.

Promised: that victims are deleted and lower nominations withdrawn is documented with the priority of pods.
Shows in: preemption.
Source: plugins/defaultpreemption/default_preemption.go, PrepareCandidate; pkg/scheduler/util/utils.go,
DeletePod, ClearNominatedNodeName.
"""

from __future__ import annotations

from attrs import evolve

from refsched.framework.post_filter import PostFilterResult
from refsched.framework.status import error
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod
from refsched.preemption.eviction import PREEMPTION_PLUGIN
from refsched.rules import ErrorReason, Reason, applies

PREEMPTED = Reason("preempted", "R-EVICT-01")
NOT_FOUND = ErrorReason('pods "{}" not found', "R-EVICT-01")


def evict(scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult) -> PostFilterResult:
    """R-EVICT-01 (instead of R-PREEMPT-PREP-08, R-PREEMPT-PREP-09): In v1.19 victims are deleted one after the
    other, and one that waits on Permit is rejected as well; a victim that does not exist any more, or has the
    name of one before it, ends preemption with an error, and the pod is not nominated.
    R-EVICT-02: In v1.19 pods of lower priority that are nominated to the node lose their nomination once all
    victims are deleted."""
    deleted: set[str] = set()
    for number, victim in enumerate(result.victims):
        applies("R-EVICT-01")
        key = victim.pod.key
        if key in deleted or scheduler.api.get(Pod, victim.pod.name, victim.pod.namespace) is None:
            not_found = error(NOT_FOUND.of(victim.pod.name)).by(PREEMPTION_PLUGIN)
            return evolve(result, status=not_found, nominated_node=None, victims=result.victims[:number])
        deleted.add(key)
        scheduler.write("delete", victim.pod)
        waiting = scheduler.waiting_pods.get(victim.pod.uid)
        if waiting is not None:
            waiting.reject(PREEMPTION_PLUGIN, PREEMPTED)
    for outranked in result.outranked:
        if outranked.pod.status.nominated_node_name:
            applies("R-EVICT-02")
            scheduler.api.patch_status(outranked.pod, nominated_node="")
    return result
