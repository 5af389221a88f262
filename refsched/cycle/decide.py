# SPDX-License-Identifier: Apache-2.0
"""Decide: the nodes on which a pod can be placed. Nothing is assumed, moved or chosen here.

The decision has every node with the highest total; the caller chooses one of them.
Observed: which nodes are looked at, and in which order, is an optimization.
Shows in: score.
Source: pkg/scheduler/schedule_one.go, schedulePod, findNodesThatFitPod, prioritizeNodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from attrs import evolve, field, frozen

from refsched.cycle.extenders import Passed, pass_extenders, scores_of_extenders
from refsched.cycle.find_nodes import (
    NodeFilter,
    NominatedPods,
    Search,
    SearchNodes,
    find_nodes,
    num_feasible_nodes_to_find,
    round_from,
)
from refsched.cycle.fit_error import Diagnosis
from refsched.framework.cycle_state import CycleState, PreFilterResult, Scores
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, unresolvable
from refsched.rules import Reason, applies

NOT_SATISFIED = Reason("node(s) didn't satisfy plugin(s) [{}]", "R-SEARCH-09")
NO_NODE_HINT = ""

NodeHint = Callable[[CycleState], str]
"""A NodeHint takes what PreFilter computed, and returns the node that is tried first, or NO_NODE_HINT."""


def no_node_hint(state: CycleState) -> str:
    return NO_NODE_HINT


@frozen
class Decision:
    """A Decision is what one scheduling cycle found out about a pod.

    ``best`` are the nodes to choose from: it is empty if the pod fits on no node, or if ``failure`` says what
    went wrong. ``feasible`` passed Filter and every extender. ``processed`` is by how much the start index of
    the next search moves on. ``passed`` are the nodes that passed Filter, whether or not an extender rejected
    them afterwards; ``surplus`` are feasible nodes that were not kept, and ``errors`` are nodes whose filters
    failed. ``hint`` is the node that the batch hinted at, or NO_NODE_HINT.
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
    hint: str = NO_NODE_HINT

    @property
    def evaluated(self) -> int:
        """R-SEARCH-14: The nodes that were evaluated are the feasible ones that were kept, and the rejected ones.

        Source: EvaluatedNodes of ScheduleResult.
        """
        applies("R-SEARCH-14")
        return len(self.feasible) + len(self.diagnosis.node_to_status)


@frozen
class Decider:
    """A Decider decides for one profile, over one snapshot.

    ``start`` is nextStartNodeIndex; ``percentage`` is percentageOfNodesToScore, where 0 means adaptive.
    ``search`` finds the feasible nodes.
    """

    framework: Framework
    snapshot: Snapshot
    nominated_pods: NominatedPods
    start: int = 0
    percentage: int = 0
    search: SearchNodes = find_nodes
    hint: NodeHint = no_node_hint

    def decide(self, pod: PodInfo) -> Decision:
        """Runs PreFilter, Filter on the nominated node, the search, the extenders, and Score. The snapshot
        must have a node."""
        pre_filter = self.framework.run_pre_filter_plugins(pod, self.snapshot)
        if pre_filter.status.is_rejected:
            return Decision(pre_filter, _rejected_before_filter(pre_filter))
        if not pre_filter.status.is_success:
            return Decision(pre_filter, failure=pre_filter.status)
        decision = self._find_feasible_nodes(pod, pre_filter)
        return decision if decision.failure else self._score(pod, decision)

    # --- Which nodes are feasible -----------------------------------------------------------------

    def _find_feasible_nodes(self, pod: PodInfo, pre_filter: PreFilterResult) -> Decision:
        """R-SEARCH-03 (decides evaluated; promised: that a nominated node is tried first is documented with
        preemption; needs nominations): If a node is nominated to the pod, Filter and the extenders are run on that
        node alone before any other; the other nodes are searched only if it is rejected or Filter fails there.
        R-SEARCH-15 (shows in filter): The node that the batch hints at is tried before any other, as a nominated
        node is, unless a node is nominated to the pod."""
        filters = NodeFilter(self.framework, self.snapshot, self.nominated_pods, pod, pre_filter.state)
        hint = self.hint(pre_filter.state)
        tried = self._try_first(filters, hint)
        accepted = self._pass_extenders(pod, tried)
        if accepted.nodes:
            diagnosis = _diagnosis(pre_filter, tried, tried, accepted.rejected)
            return Decision(pre_filter, diagnosis, accepted.nodes, passed=tried.feasible, hint=hint)
        return evolve(self._search_all(filters, pre_filter, tried, accepted.rejected), hint=hint)

    def _try_first(self, filters: NodeFilter, hint: str) -> Search:
        nominated = filters.pod.pod.status.nominated_node_name
        node = self.snapshot.get(nominated or hint)
        nodes = [] if node is None else [node]
        applies("R-SEARCH-03" if nominated else "R-SEARCH-15", when=nodes)
        return find_nodes(nodes, 0, 1, filters)

    def _search_all(
        self, filters: NodeFilter, pre_filter: PreFilterResult, tried: Search, rejected: Mapping[str, Status]
    ) -> Decision:
        """Searches, and runs the extenders on the nodes that were found, unless Filter failed on a node. What
        rejected the node that was tried first (Filter in ``tried``, or an extender in ``rejected``) is still
        reported, unless the search rejected that node again."""
        found = self._search(filters, pre_filter)
        by_extenders = {node: status for node, status in rejected.items() if node not in found.rejected}
        diagnosis = _diagnosis(pre_filter, tried, found, by_extenders)
        decision = Decision(
            pre_filter,
            diagnosis,
            found.feasible,
            failure=self._reported_error(found),
            processed=len(found.feasible) + len(diagnosis.node_to_status),
            surplus=found.surplus,
            errors={**tried.errors, **found.errors},
            passed=(*tried.feasible, *found.feasible),
        )
        return decision if decision.failure else self._ask_extenders(filters.pod, found, decision)

    def _ask_extenders(self, pod: PodInfo, found: Search, decision: Decision) -> Decision:
        """Returns the decision without the nodes that the extenders reject, or with the error of one."""
        accepted = self._pass_extenders(pod, found)
        diagnosis = evolve(
            decision.diagnosis,
            by_extenders={**decision.diagnosis.by_extenders, **accepted.rejected},
            extenders_rejected=len(accepted.nodes) != len(found.feasible),
        )
        return evolve(decision, diagnosis=diagnosis, feasible=accepted.nodes, failure=accepted.failure)

    def _pass_extenders(self, pod: PodInfo, search: Search) -> Passed:
        """Runs the extenders on the nodes that the search found."""
        return pass_extenders(self.framework.extenders, pod, search.feasible, search.rejected)

    def _reported_error(self, found: Search) -> Status | None:
        """R-SEARCH-07: If Filter failed on more than one node, any one of the errors is reported."""
        if not found.errors:
            return None
        applies("R-SEARCH-06")
        applies("R-SEARCH-07", when=len(found.errors) > 1)
        by_message = {status.message: status for status in found.errors.values()}
        return by_message[self.snapshot.choices.choose("error", list(by_message))]

    def _search(self, filters: NodeFilter, pre_filter: PreFilterResult) -> Search:
        nodes: Sequence[NodeInfo] = self.snapshot.nodes
        if pre_filter.nodes is not None:
            nodes = [node for node in nodes if node.name in pre_filter.nodes]
        enough = num_feasible_nodes_to_find(self.percentage, len(nodes))
        if self.needs_one_only:
            enough = min(enough, 1)
        if not self.framework.filter_plugins:
            return Search(tuple(islice(round_from(nodes, self.start), enough)))
        return self.search(nodes, self.start, enough, filters)

    @property
    def needs_one_only(self) -> bool:
        """R-SEARCH-08 (needs config): If a profile has no Score plugin, and no extender filters or prioritizes, a
        search ends with one feasible node."""
        extenders = self.framework.extenders
        if self.framework.score_plugins or any(e.is_filter or e.is_prioritizer for e in extenders):
            return False
        applies("R-SEARCH-08")
        return True

    # --- Score ------------------------------------------------------------------------------------

    def _score(self, pod: PodInfo, decision: Decision) -> Decision:
        """R-SEARCH-04 (decides node, totals; promised: that the node with the highest total is chosen is
        documented with kube-scheduler): A single feasible node is chosen without scoring; of two or more feasible
        nodes, one with the highest total score is chosen."""
        feasible = decision.feasible
        applies("R-SEARCH-04", when=feasible)
        if len(feasible) <= 1:
            return evolve(decision, best=tuple(node.name for node in feasible))
        scores = self.framework.run_score_plugins(pod, feasible, self.snapshot, decision.pre_filter.state)
        if isinstance(scores, Status):
            return evolve(decision, failure=scores)
        scores = evolve(scores, extenders=scores_of_extenders(self.framework.extenders, pod, feasible))
        totals = scores.totals(feasible)
        return evolve(decision, scores=scores, totals=totals, best=with_highest_total(totals))


def with_highest_total(totals: Mapping[str, int]) -> tuple[str, ...]:
    """Returns the nodes with the highest total, in the order in which they are given."""
    highest = max(totals.values())
    return tuple(node for node, total in totals.items() if total == highest)


# --- Why nodes were rejected ----------------------------------------------------------------------


def _rejected_before_filter(pre_filter: PreFilterResult) -> Diagnosis:
    """Returns the diagnosis of a pod that PreFilter rejected on every node."""
    status = pre_filter.status
    return Diagnosis(
        absent=status,
        pre_filter_message=status.message,
        pre_filter_plugins=pre_filter.narrowed_by,
        rejecting=status,
    )


def _diagnosis(
    pre_filter: PreFilterResult, tried: Search, found: Search, by_extenders: Mapping[str, Status]
) -> Diagnosis:
    """R-SEARCH-09: All nodes that PreFilter excluded share one status, which names the plugins that excluded
    nodes and the plugin that rejected the nominated node before."""
    absent = Diagnosis().absent
    if pre_filter.nodes is not None:
        plugins = pre_filter.narrowed_by | {status.plugin for status in tried.rejected.values()}
        absent = unresolvable(NOT_SATISFIED.of(" ".join(sorted(plugins))))
    return Diagnosis(
        {**tried.rejected, **found.rejected},
        absent,
        pre_filter_plugins=pre_filter.narrowed_by,
        by_extenders=by_extenders,
    )
