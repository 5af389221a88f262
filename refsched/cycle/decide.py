# SPDX-License-Identifier: Apache-2.0
"""Decide: where a pod may go. Pure: nothing is assumed, moved on or chosen here.

The answer holds every node with the highest total; which of them is taken is the caller's choice.
Source: pkg/scheduler/schedule_one.go, schedulePod, findNodesThatFitPod, prioritizeNodes (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter

from attrs import evolve, field, frozen

from refsched.cycle.find_nodes import Search, num_feasible_nodes_to_find, search
from refsched.cycle.fit_error import Diagnosis
from refsched.framework.choices import Lazily, SearchPlan
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import CycleState, Framework, PreFilterResult, Scores
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, unresolvable

NominatedPods = Callable[[str], Sequence[PodInfo]]
"""The pods nominated to a node of this name."""


@frozen
class Verdict:
    """What Filter may say of a node."""

    node: str
    status: Status


@frozen
class Decision:
    """What one cycle found out about a pod.

    ``best`` are the nodes to choose from: empty where the pod fits nowhere or ``failure`` says what went
    wrong. ``processed`` is by how much the start index of the next search moves on. ``surplus`` are feasible
    nodes that were found and not kept, ``errors`` nodes whose filters failed.
    """

    pre_filter: PreFilterResult
    diagnosis: Diagnosis = Diagnosis()
    feasible: tuple[NodeInfo, ...] = ()
    scores: Scores | None = None
    totals: Mapping[str, int] = field(factory=dict)
    best: tuple[str, ...] = ()
    failure: Status | None = None
    processed: int = 0
    surplus: tuple[NodeInfo, ...] = ()
    errors: Mapping[str, Status] = field(factory=dict)

    @property
    def evaluated(self) -> int:
        """EvaluatedNodes: those kept as feasible, and those that were refused."""
        return len(self.feasible) + len(self.diagnosis.statuses)


@frozen
class Decider:
    """One profile's way to decide, over one snapshot.

    ``start`` is the machine's nextStartNodeIndex; ``percentage`` the profile's or the global
    percentageOfNodesToScore, 0 for adaptive. ``plan`` is asked, with the number of nodes and how many feasible
    ones are enough, what a search is known to have done; None where it is free. ``choose`` is asked what
    Filter says where that is open.
    """

    framework: Framework
    snapshot: Snapshot
    nominated_pods: NominatedPods
    start: int = 0
    percentage: int = 0
    plan: Callable[[int, int], SearchPlan | None] = lambda number_of_nodes, enough: None
    choose: Callable[[Sequence[Verdict]], Verdict] = itemgetter(0)

    def decide(self, pod: PodInfo) -> Decision:
        """The snapshot must have a node: without any, there is nothing to run a plugin on."""
        pre_filter = self.framework.run_pre_filter_plugins(pod, self.snapshot)
        if pre_filter.status.is_rejected:
            diagnosis = Diagnosis(
                absent=pre_filter.status,
                pre_filter_message=pre_filter.status.message,
                pre_filter_plugins=pre_filter.narrowed_by,
                rejecting=pre_filter.status,
            )
            return Decision(pre_filter, diagnosis)
        if not pre_filter.status.is_success:
            return Decision(pre_filter, failure=pre_filter.status)

        tried = self._try_nominated_node(pod, pre_filter.state)
        if tried is not None and tried.feasible:
            return self._score(pod, Decision(pre_filter, self._diagnosis(pre_filter, tried), tried.feasible))
        found = self._search(pod, pre_filter)
        refused = dict(tried.statuses) if tried is not None else {}
        statuses = refused | dict(found.statuses)
        processed = len(found.feasible) + len(statuses)
        diagnosis = self._diagnosis(pre_filter, Search(found.feasible, tuple(statuses.items())))
        decision = Decision(
            pre_filter,
            diagnosis,
            found.feasible,
            failure=found.failure,
            processed=processed,
            surplus=found.surplus,
            errors=dict((*(tried.errors if tried is not None else ()), *found.errors)),
        )
        return decision if found.failure else self._score(pod, decision)

    # --- Filter -----------------------------------------------------------------------------------

    def _check(self, pod: PodInfo, state: CycleState, node: NodeInfo, stopped_by: str) -> Status:
        if stopped_by:
            state = self.framework.interrupted(state, stopped_by)
        statuses = self.framework.possible_filter_statuses(
            state, pod, node, self.nominated_pods(node.name), self.snapshot
        )
        if len(statuses) == 1:
            return statuses[0]
        return self.choose(Lazily(len(statuses), lambda n: Verdict(node.name, statuses[n]))).status

    def _try_nominated_node(self, pod: PodInfo, state: CycleState) -> Search | None:
        """R-SEARCH-03: the node nominated to the pod is tried first, and alone; an error is passed over."""
        node = self.snapshot.get(pod.pod.status.nominated_node_name)
        return None if node is None else search([node], 0, 1, partial(self._check, pod, state))

    def _search(self, pod: PodInfo, pre_filter: PreFilterResult) -> Search:
        nodes: Sequence[NodeInfo] = self.snapshot.nodes
        if pre_filter.nodes is not None:
            nodes = [node for node in nodes if node.name in pre_filter.nodes]
        enough = num_feasible_nodes_to_find(self.percentage, len(nodes))
        if not self.framework.score_plugins:
            enough = min(enough, 1)
        if not self.framework.filter_plugins:
            taken = (nodes[(self.start + offset) % len(nodes)] for offset in range(enough))
            return Search(tuple(taken), ())
        plan = self.plan(len(nodes), enough)
        return search(nodes, self.start, enough, partial(self._check, pod, pre_filter.state), plan)

    @staticmethod
    def _diagnosis(pre_filter: PreFilterResult, found: Search) -> Diagnosis:
        """Nodes that PreFilter excluded are spoken for by one status, which names the plugins that did."""
        absent = Diagnosis().absent
        if pre_filter.nodes is not None:
            absent = unresolvable(
                f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(pre_filter.narrowed_by))}]"
            )
        return Diagnosis(dict(found.statuses), absent, pre_filter_plugins=pre_filter.narrowed_by)

    # --- Score ------------------------------------------------------------------------------------

    def _score(self, pod: PodInfo, decision: Decision) -> Decision:
        """R-SEARCH-04: a single feasible node is taken unscored; otherwise the highest total decides."""
        feasible = decision.feasible
        if len(feasible) <= 1:
            return evolve(decision, best=tuple(node.name for node in feasible))
        if not self.framework.score_plugins:
            ones = {node.name: 1 for node in feasible}
            return evolve(decision, totals=ones, best=tuple(ones))
        scores = self.framework.run_score_plugins(pod, feasible, self.snapshot)
        if isinstance(scores, Status):
            return evolve(decision, failure=scores)
        totals = {node.name: scores.total(node.name) for node in feasible}
        highest = max(totals.values())
        best = tuple(name for name, total in totals.items() if total == highest)
        return evolve(decision, scores=scores, totals=totals, best=best)
