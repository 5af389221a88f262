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

from refsched.cycle.extenders import Passed, keep, pass_extenders, scores_of_extenders
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
    nodes that were found and not kept, ``passed`` those kept, also where an extender refused them afterwards,
    ``errors`` nodes whose filters failed.
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
    passed: tuple[NodeInfo, ...] = ()

    @property
    def evaluated(self) -> int:
        """EvaluatedNodes: those kept as feasible, and those that were refused."""
        return len(self.feasible) + len(self.diagnosis.node_to_status)


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

        tried, passed = self._try_nominated_node(pod, pre_filter.state)
        if passed.nodes:
            diagnosis = self._diagnosis(pre_filter, tried, tried, passed.refused)
            return self._score(pod, Decision(pre_filter, diagnosis, passed.nodes, passed=tried.feasible))
        decision = self._search_all(pod, pre_filter, tried, passed)
        return decision if decision.failure else self._score(pod, decision)

    def _search_all(
        self, pod: PodInfo, pre_filter: PreFilterResult, tried: Search, passed: Passed
    ) -> Decision:
        """Filter, and then extenders; what the nominated node said before counts too."""
        found = self._search(pod, pre_filter)
        left = Passed(found.feasible, failure=found.failure)
        if found.failure is None:
            left = pass_extenders(self.framework.extenders, pod, found.feasible)
        again = dict(found.statuses)
        struck_before = {node: why for node, why in passed.refused.items() if node not in again}
        diagnosis = self._diagnosis(pre_filter, tried, found, {**struck_before, **left.refused})
        processed = diagnosis.statuses.keys() | struck_before.keys()
        return Decision(
            pre_filter,
            evolve(diagnosis, struck=len(left.nodes) != len(found.feasible)),
            left.nodes,
            failure=left.failure,
            processed=len(found.feasible) + len(processed),
            surplus=found.surplus,
            errors=dict((*tried.errors, *found.errors)),
            passed=(*tried.feasible, *found.feasible),
        )

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

    def _try_nominated_node(self, pod: PodInfo, state: CycleState) -> tuple[Search, Passed]:
        """R-SEARCH-03: the node nominated to the pod is tried first, and alone, also by extenders; an error is
        passed over."""
        node = self.snapshot.get(pod.pod.status.nominated_node_name)
        nodes = [] if node is None else [node]
        tried = search(nodes, 0, 1, partial(self._check, pod, state))
        return tried, pass_extenders(self.framework.extenders, pod, tried.feasible)

    def _search(self, pod: PodInfo, pre_filter: PreFilterResult) -> Search:
        nodes: Sequence[NodeInfo] = self.snapshot.nodes
        if pre_filter.nodes is not None:
            nodes = [node for node in nodes if node.name in pre_filter.nodes]
        enough = num_feasible_nodes_to_find(self.percentage, len(nodes))
        if not self._tells_nodes_apart:
            enough = min(enough, 1)
        if not self.framework.filter_plugins:
            taken = (nodes[(self.start + offset) % len(nodes)] for offset in range(enough))
            return Search(tuple(taken), ())
        plan = self.plan(len(nodes), enough)
        found = search(nodes, self.start, enough, partial(self._check, pod, pre_filter.state), plan)
        if plan is None or plan.left is None or not found.surplus:
            return found
        return keep(self.framework.extenders, pod, found, plan.left)

    @property
    def _tells_nodes_apart(self) -> bool:
        """R-SEARCH-08: without anyone that scores, or an extender that filters, one node is enough."""
        extenders = self.framework.extenders
        return bool(self.framework.score_plugins) or any(e.is_filter or e.is_prioritizer for e in extenders)

    @staticmethod
    def _diagnosis(
        pre_filter: PreFilterResult, tried: Search, found: Search, by_extenders: Mapping[str, Status]
    ) -> Diagnosis:
        """R-SEARCH-09: nodes that PreFilter excluded are spoken for by one status, which names the plugins that
        did; and with them one that refused the nominated node before."""
        absent = Diagnosis().absent
        if pre_filter.nodes is not None:
            refused_it = {status.plugin for _, status in tried.statuses}
            absent = unresolvable(
                f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(pre_filter.narrowed_by | refused_it))}]"
            )
        return Diagnosis(
            {**dict(tried.statuses), **dict(found.statuses)},
            absent,
            pre_filter_plugins=pre_filter.narrowed_by,
            by_extenders=by_extenders,
        )

    # --- Score ------------------------------------------------------------------------------------

    def _score(self, pod: PodInfo, decision: Decision) -> Decision:
        """R-SEARCH-04: a single feasible node is taken unscored; otherwise the highest total decides. Where
        nobody tells nodes apart there is but one (R-SEARCH-08)."""
        feasible = decision.feasible
        if len(feasible) <= 1:
            return evolve(decision, best=tuple(node.name for node in feasible))
        extenders = self.framework.extenders
        scores = self.framework.run_score_plugins(pod, feasible, self.snapshot)
        if isinstance(scores, Status):
            return evolve(decision, failure=scores)
        scores = evolve(scores, extenders=scores_of_extenders(extenders, pod, feasible))
        totals = {node.name: scores.total(node.name) for node in feasible}
        highest = max(totals.values())
        best = tuple(name for name, total in totals.items() if total == highest)
        return evolve(decision, scores=scores, totals=totals, best=best)
