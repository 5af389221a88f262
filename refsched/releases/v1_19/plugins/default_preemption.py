# SPDX-License-Identifier: Apache-2.0
"""DefaultPreemption in v1.19: a pod that fits on no node evicts pods of lower priority.

Promised: preemption and nomination are documented with the priority of pods.
Shows in: preemption.
Source: plugins/defaultpreemption/default_preemption.go; pkg/scheduler/factory.go, create;
pkg/scheduler/util/utils.go, GetUpdatedPod, ClearNominatedNodeName.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext, PostFilterResult
from refsched.framework.status import SUCCESS, Code, error, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.candidate import Candidate
from refsched.preemption.disruption import Budgets
from refsched.preemption.eligibility import waits_for_a_victim
from refsched.preemption.pick import outranked_on, rank
from refsched.preemption.victims import PreemptionSteps
from refsched.releases.v1_36.plugins.default_preemption import at_every_budget
from refsched.rules import ErrorReason, applies

NOT_FOUND = ErrorReason('pods "{}" not found', "R-PREEMPT-61")


@frozen
class DefaultPreemption:
    name = "DefaultPreemption"
    POINTS = ("postFilter",)
    READS = ("Pod.spec.preemptionPolicy", "PodDisruptionBudget")
    steps: PreemptionSteps = PreemptionSteps(by_protection=at_every_budget, sorts_victims=False)

    # --- PostFilter -------------------------------------------------------------------------------

    def post_filter(self, context: PostFilterContext) -> PostFilterResult:
        """R-PREEMPT-58 (instead of R-PREEMPT-15): In v1.19 the pod's nomination is cleared if preemption could
        help on no node.
        R-PREEMPT-59 (instead of R-PREEMPT-16): In v1.19 too, pods of lower priority lose their nomination to the
        node.
        R-PREEMPT-60 (instead of R-PREEMPT-12; observed: that preemption asks no extender is a mistake of v1.19):
        In v1.19 no extender is asked about preemption, since the framework is not given any.
        R-PREEMPT-61 (observed: that a pod which was deleted is tried at all is a mistake of v1.19): In v1.19
        preemption is for the pod as it is stored, which may differ from the one that was popped; it ends with an
        error if there is no pod of this name any more."""
        popped = context.pod.pod
        stored = context.api.objects.get(Pod, popped.name, popped.namespace)
        if stored is None:
            return PostFilterResult(error(NOT_FOUND.of(popped.name)))
        if stored != popped:
            applies("R-PREEMPT-61")
            context = evolve(context, pod=PodInfo(stored))
        if not _is_eligible(context):
            return PostFilterResult(unschedulable())
        nodes = _potential_nodes(context)
        if not nodes:
            applies("R-PREEMPT-58")
            had = context.pod.pod.status.nominated_node_name
            return PostFilterResult(unschedulable(), nominated_node="" if had else None)
        applies("R-PREEMPT-60")
        found = _candidates(context, nodes, self.steps)
        if not found:
            return PostFilterResult(unschedulable())
        picks = sorted(_possible_picks(context, found), key=lambda candidate: candidate.node)
        picked = context.choices.choose("candidate", picks)
        outranked = outranked_on(context, picked.node)
        applies("R-PREEMPT-59", when=outranked)
        return PostFilterResult(SUCCESS, picked.node, picked.victims, outranked)


def _is_eligible(context: PostFilterContext) -> bool:
    """R-PREEMPT-51 (instead of R-PREEMPT-01): In v1.19 a pod whose preemptionPolicy is Never preempts no pod.
    R-PREEMPT-52 (instead of R-PREEMPT-02): In v1.19 a pod does not preempt while a pod of lower priority is being
    deleted on the node nominated to it, for whatever reason, unless that node has become one where evicting pods
    does not help."""
    if context.pod.pod.spec.preemption_policy == "Never":
        applies("R-PREEMPT-51")
        return False
    if waits_for_a_victim(context, lambda pod: pod.metadata.deletion_timestamp is not None):
        applies("R-PREEMPT-52")
        return False
    return True


def _potential_nodes(context: PostFilterContext) -> list[NodeInfo]:
    """R-PREEMPT-53 (instead of R-PREEMPT-03; observed: on which nodes preemption is tried is an optimization): In
    v1.19 preemption is tried on every node that was not rejected as UnschedulableAndUnresolvable, also on one that
    was not looked at or that an extender rejected."""
    hopeless = Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    nodes = [node for node in context.snapshot.nodes if context.status_of(node.name).code is not hopeless]
    applies("R-PREEMPT-53", when=nodes)
    return nodes


def _candidates(
    context: PostFilterContext, nodes: Sequence[NodeInfo], steps: PreemptionSteps
) -> list[Candidate]:
    """R-PREEMPT-54: In v1.19 the victims on a node are listed as they were tried, those whose eviction would
    violate a budget before the others, and a node without a victim is a candidate too.

    kube-scheduler may visit the nodes in any order."""
    budgets = Budgets.of(context.snapshot.objects.list(PodDisruptionBudget))
    found = (steps.select_victims(context, node, budgets, steps) for node in nodes)
    candidates = [candidate for candidate in found if isinstance(candidate, Candidate)]
    applies("R-PREEMPT-54", when=candidates)
    return candidates


def _possible_picks(context: PostFilterContext, candidates: list[Candidate]) -> list[Candidate]:
    """R-PREEMPT-55: In v1.19 preemption takes the node with the fewest violated budgets; of equal nodes the one
    whose first victim has the lowest priority, then the one with the lowest sum of priorities, then the one with
    the fewest victims, then the one where the earliest start of a victim of the highest priority is the latest; of
    nodes that are equal in all of these any is taken, and a node without a victim is taken before others.

    v1.19.16 panics when it compares a node without a victim with others, which may happen after an extender
    rejected nodes.
    """
    applies("R-PREEMPT-55")
    idle = [candidate for candidate in candidates if not candidate.victims]
    if idle:
        return idle
    best = min(rank(candidate, context.now) for candidate in candidates)
    return [candidate for candidate in candidates if rank(candidate, context.now) == best]
