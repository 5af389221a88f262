# SPDX-License-Identifier: Apache-2.0
"""Waiting: what becomes of a pod that is rejected: what would requeue it and when, and why it preempts no other.

Each plugin lists the events that may make a pod schedulable that it rejected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import Factory, frozen

from refsched.cycle.decide import Decision
from refsched.framework.interface import EnqueueExtensions, extends
from refsched.framework.node_info import NodeInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code
from refsched.machine.scheduler import Scheduler
from refsched.objects.pod import Pod
from refsched.plugins.default_preemption import NOT_HELPFUL
from refsched.preemption.eligibility import NEVER, TERMINATING, may_preempt
from refsched.preemption.victims import NO_VICTIMS
from refsched.queue.hint_table import action_name, event_rule
from refsched.queue.queued_pod import NO_BACKOFF, QueuedPod
from refsched.queue.transitions import Transition
from refsched.records import SCHEDULED, Attempt
from refsched.tools.planner.helped_by_preemption import PREEMPTION
from refsched.tools.planner.pending.words import few
from refsched.tools.planner.verdicts import NotPreempting, Requeuing, Waiting

ANY_EVENT = "any event"


@frozen
class LastQueued:
    """A LastQueued has the pod as it was put into the queue last."""

    last: list[QueuedPod] = Factory(list)

    def note(self, pod: QueuedPod, transition: Transition) -> None:
        self.last[:] = [pod]


def how_it_waits(
    scheduler: Scheduler, pod: Pod, attempt: Attempt, decision: Decision | None, moves: LastQueued
) -> Waiting | None:
    """Returns how the pod waits after this attempt, which is taken for its first, since earlier ones are not
    known; None if the attempt did not fail."""
    if attempt.result == SCHEDULED:
        return None
    state = scheduler.state
    framework = state.profiles[pod.spec.scheduler_name]
    backs_off = 0.0
    for queued in moves.last:
        if queued.backoff_expiration != NO_BACKOFF:
            backs_off = max(queued.backoff_expiration - state.clock.since_a_whole_second(), 0.0)
    events = tuple(
        each for name in sorted(attempt.unschedulable_plugins or ()) for each in _events(framework, name)
    )
    not_preempting: tuple[NotPreempting, ...] = ()
    if (
        decision is not None
        and decision.failure is None
        and not decision.feasible
        and not attempt.nominated_node
    ):
        leaving = leaving_for(state.snapshot(), pod, attempt)
        if leaving:
            because, on = f"it waits {leaving_text(leaving)}", pod.status.nominated_node_name
            not_preempting = (NotPreempting(because, (on,), TERMINATING.rule),)
        else:
            not_preempting = why_not_preempting(framework, state.snapshot(), decision, pod)
    return Waiting(
        round(backs_off, 3),
        state.queue.behaviour.max_seconds_unschedulable,
        events or (Requeuing("", ANY_EVENT),),
        attempt.nominated_node or pod.status.nominated_node_name,
        not_preempting,
    )


def _events(framework: Framework, name: str) -> Iterator[Requeuing]:
    plugin = next((each for each in framework.plugins if each.name == name), None)
    if plugin is None or not extends(plugin, EnqueueExtensions):
        yield Requeuing(name, ANY_EVENT)
        return
    for row in plugin.EVENTS:
        event = f"{row.resource.rpartition('/')[2]} {action_name(row.action)}"
        yield Requeuing(name, event, row.why, event_rule(name, row.resource, row.action))


# --- Preemption -----------------------------------------------------------------------------------


def why_not_preempting(
    framework: Framework, snapshot: Snapshot, decision: Decision, pod: Pod
) -> tuple[NotPreempting, ...]:
    """Returns for which reasons preemption helps on no node, that of most nodes first."""
    names = tuple(node.name for node in snapshot.nodes)
    if all(plugin.name != PREEMPTION for plugin in framework.post_filter_plugins):
        return (NotPreempting("the profile does not preempt", names),)
    if pod.spec.preemption_policy == "Never":
        return (NotPreempting("its preemptionPolicy is Never", names, NEVER.rule),)
    found: dict[tuple[str, str], list[str]] = {}
    for node in snapshot.nodes:
        found.setdefault(_why_not_on(decision, pod, node), []).append(node.name)
    made = [NotPreempting(because, tuple(on), rule) for (because, rule), on in found.items()]
    return tuple(sorted(made, key=lambda each: -len(each.nodes)))


def leaving_for(snapshot: Snapshot, pod: Pod, attempt: Attempt) -> tuple[str, ...]:
    """Returns the victims that are still on the node that is nominated to the pod, if it preempts no other as long
    as they are."""
    on = snapshot.get(pod.status.nominated_node_name)
    if on is None or TERMINATING not in (attempt.message or ""):
        return ()
    leaving = (each.pod for each in on.pods if each.pod.metadata.deletion_timestamp is not None)
    return tuple(each.key for each in leaving if may_preempt(pod, each))


def leaving_text(leaving: Sequence[str]) -> str:
    return f"until {few(leaving)} {'has' if len(leaving) == 1 else 'have'} left"


def _why_not_on(decision: Decision, pod: Pod, node: NodeInfo) -> tuple[str, str]:
    status = decision.diagnosis.node_to_status.get(node.name, decision.diagnosis.absent)
    if status.code is not Code.UNSCHEDULABLE:
        return "no eviction helps against what rejects it", NOT_HELPFUL.rule
    if not any(may_preempt(pod, other.pod) for other in node.pods):
        return f"no pod has a priority below {pod.priority}", NO_VICTIMS.rule
    return "it would not fit without the pods of lower priority either", NO_VICTIMS.rule
