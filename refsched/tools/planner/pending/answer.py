# SPDX-License-Identifier: Apache-2.0
"""PendingAnswer: why a pod fits nowhere, in one sentence and by reasons, and what would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from refsched.cycle.decide import Decision
from refsched.framework.node_info import PodInfo
from refsched.machine.scheduler import Scheduler
from refsched.objects.pod import Pod
from refsched.records import SCHEDULED, Attempt
from refsched.tools.planner.cluster import why_gated
from refsched.tools.planner.pending.before_filter import why_gated_words, why_rejected_words
from refsched.tools.planner.pending.helpful_changes import helpful_changes
from refsched.tools.planner.pending.reasons import reasons_of, why
from refsched.tools.planner.pending.situation import situation_of
from refsched.tools.planner.pending.trying import decided
from refsched.tools.planner.pending.words import sentence
from refsched.tools.planner.verdicts import HelpfulChange, Obstacle


@frozen
class PendingAnswer:
    """A PendingAnswer has nothing in it if the pod fits somewhere."""

    headline: str = ""
    reasons: tuple[Obstacle, ...] = ()
    would_help: tuple[HelpfulChange, ...] = ()


def answer(
    scheduler: Scheduler, pod: Pod, decision: Decision | None, crowd: Mapping[str, Sequence[PodInfo]]
) -> PendingAnswer:
    """Returns why the decision, None if there is no node, places the pod nowhere. ``crowd`` are by node the
    nominated pods that count there. The scheduler stays as it is."""
    if decision is None:
        return PendingAnswer("There is no node in the cluster.")
    if decision.failure is not None:
        by = f"{decision.failure.plugin}: " if decision.failure.plugin else ""
        return PendingAnswer(sentence(f"the attempt ends in an error: {by}{decision.failure.message}"))
    if decision.feasible:
        return PendingAnswer()
    status, state = decision.pre_filter.status, scheduler.state
    if not status.is_success:
        return PendingAnswer(sentence(why_rejected_words(pod, status, state.objects)))
    framework = state.profiles[pod.spec.scheduler_name]
    situation = situation_of(framework, state.snapshot(), decision, PodInfo(pod), crowd)
    found = () if framework.extenders else helpful_changes(scheduler, situation)
    return PendingAnswer(sentence(why(situation)), reasons_of(situation), found)


def answer_now(scheduler: Scheduler, pod: Pod) -> PendingAnswer:
    """Returns why the pod fits nowhere as things are, without what would help."""
    gated = why_gated(scheduler, pod)
    if gated is not None:
        return PendingAnswer(sentence(why_gated_words(pod, gated, scheduler.state.objects)))
    decision = decided(scheduler, pod)
    if decision is None or decision.failure is not None or decision.feasible:
        return answer(scheduler, pod, decision, {})
    state = scheduler.state
    if not decision.pre_filter.status.is_success:
        return answer(scheduler, pod, decision, {})
    snapshot = state.snapshot()
    nominated = {node.name: state.queue.nominated_pods_for_node(node.name) for node in snapshot.nodes}
    crowd = {name: tuple(each for each in on if counts_for(pod, each)) for name, on in nominated.items()}
    framework = state.profiles[pod.spec.scheduler_name]
    situation = situation_of(framework, snapshot, decision, PodInfo(pod), crowd)
    return PendingAnswer(sentence(why(situation)), reasons_of(situation))


def counts_for(pod: Pod, nominated: PodInfo) -> bool:
    """Returns whether a pod that is nominated to a node counts there for this one."""
    return nominated.pod.priority >= pod.priority and nominated.pod.uid != pod.uid


def after_a_node_was_found(attempt: Attempt) -> str:
    """Returns the sentence about an attempt that found a node and failed after that; "" if it did not fail."""
    if attempt.result == SCHEDULED:
        return ""
    where = f"on {attempt.node}" if attempt.node else "once a node was found"
    return sentence(f"a node passes every check, and the attempt fails {where} after that: {attempt.message}")
