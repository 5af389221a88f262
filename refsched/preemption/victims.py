# SPDX-License-Identifier: Apache-2.0
"""Victims: the dry run on one node, which finds the pods that would have to leave it.

Promised: which pods are evicted is documented with the priority of pods.
Shows in: preemption.
Source: plugins/defaultpreemption/default_preemption.go, SelectVictimsOnNode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from datetime import datetime

from attrs import frozen

from refsched.framework.choices import Choices
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.framework.status import Status, unresolvable
from refsched.preemption.candidate import Candidate
from refsched.preemption.disruption import Budgets, ByProtection, by_protection
from refsched.preemption.eligibility import may_preempt
from refsched.preemption.importance import StartTimes, all_now, by_importance
from refsched.rules import Reason, applies

NO_VICTIMS = Reason("No preemption victims found for incoming pod", "R-PREEMPT-04")


def select_victims(
    context: PostFilterContext, node: NodeInfo, budgets: Budgets, steps: PreemptionSteps
) -> Candidate | Status:
    """Returns the victims on ``node``, which may be none, or the reason why evicting pods there does not help.

    R-PREEMPT-04: A node without a pod of lower priority is no candidate for preemption.
    R-PREEMPT-05 (decides message.preemption): A node is a candidate for preemption only if the pod fits there once
    all pods of lower priority are removed, with the pods nominated to the node and without.
    R-PREEMPT-08: Potential victims are reprieved one by one as long as the pod still fits: first those whose
    eviction would violate a budget, then the others, and among each the more important ones first."""
    potential = [other for other in node.pods if may_preempt(context.pod.pod, other.pod)]
    if not potential:
        applies("R-PREEMPT-04")
        return unresolvable(NO_VICTIMS)
    started = steps.start_times(potential, context.now)
    trial = Trial(context, node)
    for victim in potential:
        trial.remove(victim)
    status = trial.filter()
    if not status.is_success:
        applies("R-PREEMPT-05")
        return status
    applies("R-PREEMPT-08")
    in_order = steps.by_importance(potential, started, context.choices)
    candidates: list[Candidate] = []
    for protected in steps.by_protection(in_order, budgets):
        tried = copy(trial)
        violating = [pod for pod in protected.violating if not tried.reprieves(pod)]
        victims = violating + [pod for pod in protected.others if not tried.reprieves(pod)]
        if steps.sorts_victims and protected.violating and protected.others:
            victims = steps.by_importance(victims, started, context.choices)
        candidates.append(Candidate(node.name, tuple(victims), len(violating)))
    return context.choices.choose("budgets", candidates) if len(candidates) > 1 else candidates[0]


@frozen
class PreemptionSteps:
    """PreemptionSteps are steps of preemption that a release may do otherwise; the defaults do what the rules
    say. ``start_times`` says when the pods of a node started, ``by_importance`` sorts them, the most important
    first, ``by_protection`` splits them by what budgets protect, and ``sorts_victims`` says whether those that are
    not reprieved are sorted once more. ``select_victims`` finds them."""

    start_times: Callable[[Sequence[PodInfo], datetime], StartTimes] = all_now
    by_importance: Callable[[Sequence[PodInfo], StartTimes, Choices], list[PodInfo]] = by_importance
    by_protection: Callable[[Sequence[PodInfo], Budgets], Sequence[ByProtection]] = by_protection
    sorts_victims: bool = True
    select_victims: Callable[[PostFilterContext, NodeInfo, Budgets, PreemptionSteps], Candidate | Status] = (
        select_victims
    )


class Trial:
    """A Trial is the node, and the states of the plugins, as pods are removed from it and added again."""

    def __init__(self, context: PostFilterContext, node: NodeInfo) -> None:
        self._context = context
        self._nominated = context.nominated_pods(node.name)
        self._node = node
        self._state = context.state

    def remove(self, pod: PodInfo) -> None:
        context = self._context
        self._node = self._node.without_pod(pod.pod.uid)
        self._state = context.framework.remove_pod(
            self._state, context.pod, pod, self._node, context.snapshot
        )

    def add(self, pod: PodInfo) -> None:
        context = self._context
        self._node = self._node.with_pod(pod)
        self._state = context.framework.add_pod(self._state, context.pod, pod, self._node, context.snapshot)

    def filter(self) -> Status:
        context = self._context
        return context.framework.run_filter_plugins_with_nominated_pods(
            self._state, context.pod, self._node, self._nominated, context.snapshot
        )

    def reprieves(self, pod: PodInfo) -> bool:
        """Adds the pod again if the preemptor still fits then, and returns whether it does."""
        self.add(pod)
        if self.filter().is_success:
            return True
        self.remove(pod)
        return False
