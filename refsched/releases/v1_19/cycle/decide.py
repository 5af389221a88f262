# SPDX-License-Identifier: Apache-2.0
"""Decide in v1.19: every search considers all nodes, and every node that PreFilter rejected has its status.

Observed: which nodes are looked at, and in which order, is an optimization.
Shows in: score.
Source: pkg/scheduler/core/generic_scheduler.go, Schedule, findNodesThatFitPod, prioritizeNodes.
"""

from __future__ import annotations

from attrs import evolve, frozen

from refsched.cycle import decide as current
from refsched.cycle.extenders import Passed, pass_extenders
from refsched.cycle.find_nodes import NodeFilter, Search
from refsched.framework.node_info import PodInfo
from refsched.framework.status import SUCCESS, Status
from refsched.rules import applies


@frozen
class Decider(current.Decider):
    """This Decider is that of later releases except for the methods that it overrides."""

    def decide(self, pod: PodInfo) -> current.Decision:
        """Decides as later releases do, but gives no status to nodes that were not looked at, so that
        preemption may be tried there."""
        decision = super().decide(pod)
        if decision.pre_filter.status.is_rejected:
            return decision
        return evolve(decision, diagnosis=evolve(decision.diagnosis, absent=SUCCESS))

    def _try_first(self, filters: NodeFilter, hint: str) -> Search:
        """R-SEARCH-51 (instead of R-SEARCH-03): In v1.19 the node nominated to the pod is searched like any other,
        in its place."""
        applies("R-SEARCH-51", when=self.snapshot.get(filters.pod.pod.status.nominated_node_name) is not None)
        return Search()

    def _pass_extenders(self, pod: PodInfo, search: Search) -> Passed:
        return pass_extenders(self.framework.extenders, pod, search.feasible, search.rejected, _with_reasons)

    @property
    def needs_one_only(self) -> bool:
        """R-SEARCH-52 (instead of R-SEARCH-08): In v1.19 a search goes on without anything that scores, and any
        feasible node is chosen."""
        applies("R-SEARCH-52", when=not self._has_scores)
        return False

    def _score(self, pod: PodInfo, decision: current.Decision) -> current.Decision:
        """Scores the nodes; if nothing scores, every node has the same score. Source: generic_scheduler.go,
        prioritizeNodes."""
        if self._has_scores:
            return super()._score(pod, decision)
        return evolve(decision, best=tuple(node.name for node in decision.feasible))

    @property
    def _has_scores(self) -> bool:
        return bool(self.framework.score_plugins or self.framework.extenders)


def _with_reasons(before: Status, now: Status) -> Status:
    """R-EXTENDER-54 (instead of R-EXTENDER-15; observed: the wording of reasons is not part of the API; shows in
    extenders): In v1.19 a node that Filter, or an extender before, rejected keeps its status if an extender
    rejects it too, and the extender's reason is added to it. Source: findNodesThatPassExtenders."""
    applies("R-EXTENDER-54")
    return evolve(before, reasons=(*before.reasons, *now.reasons))
