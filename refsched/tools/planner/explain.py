# SPDX-License-Identifier: Apache-2.0
"""Explain: the attempt of one pod, decided with all that records do not show.

The scheduler itself tries the pod in the cluster as it is given: other pending pods are not placed before, but
count where they are nominated. The same attempt is decided a second time for what records do not show: the scores
before weights, and the nodes that were never evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from attrs import evolve, frozen

from refsched.cycle.decide import Decision
from refsched.errors import InputError
from refsched.framework.cycle_state import Scores
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import Status
from refsched.machine.scheduler import Scheduler
from refsched.objects.kinds import described_as
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod, PodStatus
from refsched.objects.resources import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    PODS,
    amount,
    requests_of_spec,
)
from refsched.records import UNSCHEDULABLE, Attempt
from refsched.tools.planner.cluster import show, why_gated
from refsched.tools.planner.defects_met import DefectsMet
from refsched.tools.planner.explanation import Explanation
from refsched.tools.planner.helped_by_preemption import helped_by_preemption
from refsched.tools.planner.pending.answer import after_a_node_was_found, answer, counts_for
from refsched.tools.planner.pending.before_filter import why_gated_words
from refsched.tools.planner.pending.helpful_changes import what_helps_gated
from refsched.tools.planner.pending.waiting import LastQueued, how_it_waits, leaving_for, leaving_text
from refsched.tools.planner.pending.words import sentence, taint_text, untolerated_taints
from refsched.tools.planner.rejections import EXTENDER, LEFT_OUT, PRE_FILTER, REMOVED
from refsched.tools.planner.verdicts import NodeVerdict, Score, Shortage

FIT = "NodeResourcesFit"
TAINTS = "TaintToleration"
INSUFFICIENT = "Insufficient "
TOO_MANY_PODS = "Too many pods"


def explain(scheduler: Scheduler, objects: Sequence[ApiObject], pod: Pod) -> Explanation:
    """Explains the decision on ``pod``, which is one of the objects, and the scheduler's to place. Raises
    InputError as ``plan`` does."""
    bound_to, waiting = pod.spec.node_name, without_node(pod)
    show(scheduler, [waiting if shown is pod else shown for shown in objects])
    gated = why_gated(scheduler, waiting)
    if gated is not None:
        return Explanation(
            pod.key,
            pod.priority,
            "gated",
            bound_to=bound_to,
            message=gated.message,
            rejected=gated,
            headline=sentence(why_gated_words(waiting, gated, scheduler.state.objects)),
            would_help=what_helps_gated(scheduler, waiting),
        )
    before = _preview(scheduler, waiting)
    decision, crowd = (before.decision, before.crowd) if before is not None else (None, {})
    why = answer(scheduler, waiting, decision, crowd)
    moves = LastQueued()
    scheduler.state.queue.on_move = moves.note
    attempt = _tried(scheduler, waiting)
    leaving = leaving_for(scheduler.state.snapshot(), waiting, attempt)
    nominated = f"It is nominated to {waiting.status.nominated_node_name}, and waits "
    explanation = Explanation(
        pod.key,
        pod.priority,
        attempt.result,
        attempt.node or "",
        message=attempt.message or "",
        bound_to=bound_to,
        victims=attempt.victims or (),
        nominated_node=attempt.nominated_node or "",
        headline=(f"{nominated}{leaving_text(leaving)}. " if leaving else "")
        + (why.headline or after_a_node_was_found(attempt)),
        reasons=why.reasons,
        would_help=why.would_help,
        waiting=how_it_waits(scheduler, waiting, attempt, decision, moves),
    )
    return explanation if before is None else _with_nodes(explanation, before)


def _tried(scheduler: Scheduler, pod: Pod) -> Attempt:
    """Tries the pod. Raises InputError if a scripted plugin holds it."""
    scheduler.schedule(pod.key)
    held = scheduler.take_held()
    if held is not None:
        problem = f"{held[1].plugin} holds it at {held[1].point}, and nobody releases it"
        raise InputError(problem, where=described_as(pod))
    return next(record for record in scheduler.take_records() if isinstance(record, Attempt))


def without_node(pod: Pod) -> Pod:
    """Returns the pod as if it were yet to be placed."""
    if not pod.spec.node_name:
        return pod
    status = PodStatus(resource_claim_statuses=pod.status.resource_claim_statuses)
    return evolve(pod, spec=evolve(pod.spec, node_name=""), status=status)


# --- Node by node ---------------------------------------------------------------------------------


@frozen
class _Preview:
    """A _Preview is what the attempt is about to find out: the nodes in search order, the nominated pods that
    count on each, and the decision, with the names of nodes: feasible to the end, more than enough, and passed by
    all plugins."""

    pod: Pod
    defects: DefectsMet
    nodes: tuple[NodeInfo, ...]
    crowd: Mapping[str, tuple[PodInfo, ...]]
    decision: Decision
    weights: Mapping[str, int]
    feasible: frozenset[str]
    surplus: frozenset[str]
    passed: frozenset[str]
    helped: frozenset[str]


def _preview(scheduler: Scheduler, pod: Pod) -> _Preview | None:
    """Returns what the attempt will find out, or None if there is no node."""
    state, decision = scheduler.state, decision_on(scheduler, PodInfo(pod))
    if decision is None:
        return None
    framework, snapshot = state.profiles[pod.spec.scheduler_name], state.snapshot()
    nominated_pods = state.queue.nominated_pods_for_node
    return _Preview(
        pod,
        DefectsMet(PodInfo(pod), snapshot, decision.pre_filter.state),
        snapshot.nodes,
        {node.name: _counted(pod, nominated_pods(node.name)) for node in snapshot.nodes},
        decision,
        framework.score_weights,
        frozenset(node.name for node in decision.feasible),
        frozenset(node.name for node in decision.surplus),
        frozenset(node.name for node in decision.passed),
        helped_by_preemption(state, framework, snapshot, decision, PodInfo(pod)),
    )


def decision_on(scheduler: Scheduler, pod: PodInfo) -> Decision | None:
    """Returns what the pod's profile decides of it as things are, without an attempt; None if there is no node."""
    state = scheduler.state
    framework, snapshot = state.profiles[pod.pod.spec.scheduler_name], state.snapshot()
    if not snapshot.nodes:
        return None
    nominated_pods = state.queue.nominated_pods_for_node
    percentage = framework.percentage_of_nodes_to_score
    return state.decider(framework, snapshot, nominated_pods, percentage=percentage).decide(pod)


def _counted(pod: Pod, nominated: Sequence[PodInfo]) -> tuple[PodInfo, ...]:
    """Returns, of the pods nominated to a node, those that count for this one (R-NOM-01)."""
    return tuple(each for each in nominated if counts_for(pod, each))


def _with_nodes(explanation: Explanation, preview: _Preview) -> Explanation:
    pre_filter, scores = preview.decision.pre_filter, preview.decision.scores
    if explanation.result == UNSCHEDULABLE and not explanation.nominated_node:
        preview = evolve(preview, helped=frozenset())
    explanation = evolve(explanation, narrowed_by=tuple(sorted(pre_filter.narrowed_by)))
    if not pre_filter.status.is_success:
        return evolve(explanation, rejected=pre_filter.status)
    verdicts = [_verdict(explanation, preview, node) for node in preview.nodes]
    return evolve(
        explanation,
        equals=len(preview.decision.best),
        weights={} if scores is None else {plugin: preview.weights[plugin] for plugin in scores.raw},
        extenders=() if scores is None else tuple(scores.extenders),
        nodes=tuple(sorted(verdicts, key=_most_interesting_first)),
    )


def _most_interesting_first(verdict: NodeVerdict) -> tuple[int, int]:
    order = ("chosen", "feasible", "surplus", "refused", "unseen")
    return order.index(verdict.verdict), -(verdict.total or 0)


def _verdict(explanation: Explanation, preview: _Preview, node: NodeInfo) -> NodeVerdict:
    name, crowd, decision = node.name, preview.crowd[node.name], preview.decision
    verdict = NodeVerdict(
        name,
        "unseen",
        nominated=tuple(each.pod.key for each in crowd),
        defects=preview.defects.on(node),
    )
    status = {**decision.errors, **decision.diagnosis.node_to_status}.get(name)
    if name in preview.feasible:
        verdict = evolve(verdict, verdict="chosen" if explanation.node == name else "feasible")
        if decision.scores is None:
            return verdict
        return evolve(verdict, scores=_scores(decision.scores, name), total=decision.totals[name])
    if name in preview.surplus:
        return evolve(verdict, verdict="surplus")
    if status is not None:
        rejected = _rejected(verdict, status, preview.pod, reduce(NodeInfo.with_pod, crowd, node))
        return evolve(rejected, curable=name in preview.helped)
    if decision.pre_filter.nodes is not None and name not in decision.pre_filter.nodes:
        by = f"{', '.join(explanation.narrowed_by)} ({PRE_FILTER})"
        return evolve(verdict, verdict="refused", plugin=by, reasons=(LEFT_OUT,))
    if name in preview.passed:
        return evolve(verdict, verdict="refused", plugin=EXTENDER, reasons=(REMOVED,))
    return verdict


def _rejected(verdict: NodeVerdict, status: Status, pod: Pod, crowded: NodeInfo) -> NodeVerdict:
    return evolve(
        verdict,
        verdict="refused",
        plugin=status.plugin or EXTENDER,
        reasons=status.reasons,
        details=_untolerated(pod, crowded.existing_node) if status.plugin == TAINTS else (),
        lacks=_lacks(status.reasons, pod, crowded) if status.plugin == FIT else (),
    )


def _scores(scores: Scores, node: str) -> Mapping[str, Score]:
    by_plugins = {
        plugin: Score(
            scores.raw[plugin][node], scores.normalized[plugin][node], scores.weighted[plugin][node]
        )
        for plugin in scores.raw
    }
    given = {extender: by_node.get(node, 0) for extender, by_node in scores.extenders.items()}
    return by_plugins | {extender: Score(score, score, score) for extender, score in given.items()}


def _untolerated(pod: Pod, node: Node) -> tuple[str, ...]:
    """Returns the taints that the pod does not tolerate, as kubectl writes them."""
    return tuple(f"untolerated {taint_text(taint)}" for taint in untolerated_taints(pod, node))


def _lacks(reasons: Sequence[str], pod: Pod, node: NodeInfo) -> tuple[Shortage, ...]:
    """Returns the numbers behind NodeResourcesFit's reasons, with the nominated pods counted as it counts them."""
    wanted = requests_of_spec(pod)
    allowed = node.allocatable.allowed_pod_number
    lacks = [Shortage(PODS, 1, allowed - len(node.pods), allowed)] if TOO_MANY_PODS in reasons else []
    for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar):
        if INSUFFICIENT + resource in reasons:
            capacity = amount(node.allocatable, resource)
            free = capacity - amount(node.requested, resource)
            lacks.append(Shortage(resource, amount(wanted, resource), free, capacity))
    return tuple(lacks)
