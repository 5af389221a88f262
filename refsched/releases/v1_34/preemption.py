# SPDX-License-Identifier: Apache-2.0
"""Eviction before 1.35: victims that are terminating are deleted again, and one that does not exist is an error.

Changed by: kubernetes #134245 (both are passed over).
After the upgrade: Preemption goes on where a victim no longer exists, and does not delete a victim again that is
terminating (R-PREEMPT-PREP-06).
What to do: nothing.
Promised: that victims are deleted and lower nominations withdrawn is documented with the priority of pods.
Shows in: preemption.
Source: framework/preemption/preemption.go, prepareCandidate, prepareCandidateAsync, PreemptPod.
"""

from __future__ import annotations

from refsched.framework.post_filter import PostFilterResult
from refsched.framework.status import error
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod
from refsched.preemption.eviction import PREEMPTION_PLUGIN, delete, disruption_by, withdraw
from refsched.releases.v1_35.preemption import reject
from refsched.rules import ErrorReason, applies

NOT_FOUND = ErrorReason('pods "{}" not found', "R-PREEMPT-PREP-03")

EARLY, LATE = "early", "late"
"""A preemptor that deletes itself is deleted before its nomination is written, or afterwards."""

ABSENT, PRESENT = "absent", "present"
"""When the second of two victims of one name is evicted, it is absent, since the first was deleted, or present."""


def evict_asynchronously(
    scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult
) -> PostFilterResult:
    """R-PREEMPT-PREP-08 (instead of R-PREEMPT-PREP-01, R-PREEMPT-PREP-06): Before 1.35 pods of lower priority that
    are nominated to the node lose their nomination, and then each victim is rejected or deleted, also one that is
    terminating; the last one after all others."""
    applies("R-PREEMPT-PREP-08", when=result.victims)
    withdraw(scheduler, result)
    if _evict_all(scheduler, preemptor, result, last_follows=True):
        scheduler.queue.activate([preemptor])
    if preemptor.key in scheduler.api.deleted and scheduler.choices.choose("deletion", (EARLY, LATE)) == LATE:
        scheduler.api.deleted.discard(preemptor.key)
    return result


def evict_at_once(scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult) -> PostFilterResult:
    """R-PREEMPT-PREP-03 (instead of R-PREEMPT-PREP-05): Before 1.35, without SchedulerAsyncPreemption, victims are
    evicted before nominations are withdrawn, and a victim that no longer exists makes the preemption an error:
    no node is nominated.

    Source: prepareCandidate."""
    applies("R-PREEMPT-PREP-03", when=result.victims)
    failed = _evict_all(scheduler, preemptor, result)
    if failed:
        why = scheduler.choices.choose("error", [NOT_FOUND.of(victim.name) for victim in failed])
        return PostFilterResult(error(f"preemption: {why}").by(PREEMPTION_PLUGIN), victims=result.victims)
    withdraw(scheduler, result)
    return result


def _evict_all(
    scheduler: SchedulerState, preemptor: Pod, result: PostFilterResult, *, last_follows: bool = False
) -> list[Pod]:
    """Returns the victims whose eviction is an error. ``last_follows`` says that the last one is evicted after the
    others, which are evicted at the same time."""
    victims, deleted = [info.pod for info in result.victims], set[str]()
    alone = victims[-1:] if last_follows else []
    return [
        victim
        for victim in victims
        if not _evict(scheduler, preemptor, victim, deleted, follows=victim in alone)
    ]


def _evict(
    scheduler: SchedulerState, preemptor: Pod, victim: Pod, deleted: set[str], *, follows: bool
) -> bool:
    """R-PREEMPT-PREP-02: Before 1.35, if a victim no longer exists and bears no DisruptionTarget condition, its
    eviction is an error, and the preemptor is requeued at once.
    R-PREEMPT-PREP-10: Before 1.35 a preemptor that was created anew under the name of a victim which is still
    assumed deletes itself; with SchedulerAsyncPreemption it is open whether its nomination is written before.
    R-PREEMPT-PREP-11: Before 1.35, of two victims of one name, one of which is still assumed, the second no longer
    exists after the first was deleted; of two that are evicted at the same time it is open which comes first.

    Victims are deleted by name. ``deleted`` has those that were deleted before, and ``follows`` says that this one
    is evicted after them. Returns whether the victim is evicted."""
    is_deleted = victim.key in deleted
    applies("R-PREEMPT-PREP-11", when=is_deleted)
    if is_deleted and not follows:
        is_deleted = scheduler.choices.choose("eviction", (ABSENT, PRESENT)) == ABSENT
    if reject(scheduler, victim):
        return True
    if is_deleted or scheduler.api.get(Pod, victim.name, victim.namespace) is None:
        applies("R-PREEMPT-PREP-02")
        return disruption_by(preemptor) in victim.status.conditions
    delete(scheduler, preemptor, victim)
    deleted.add(victim.key)
    if applies("R-PREEMPT-PREP-10", when=victim.key == preemptor.key):
        scheduler.api.deleted.add(preemptor.key)
    return True
