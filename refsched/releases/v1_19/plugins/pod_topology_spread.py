# SPDX-License-Identifier: Apache-2.0
"""PodTopologySpread in v1.19: there are no minDomains, no policies and no system defaults.

Promised: topologySpreadConstraints are documented with the Pod API.
Source: plugins/podtopologyspread/filtering.go, scoring.go, common.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from refsched.config.args import PluginArgs
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.pod import Pod, TopologySpreadConstraint
from refsched.objects.selectors import EVERYTHING, Requirement, Selector
from refsched.objects.store import ObjectStore
from refsched.plugins import pod_topology_spread as current
from refsched.plugins.node_affinity import matches_required
from refsched.plugins.pod_topology_spread import NO_LABEL, NO_MATCH, FilterState, Spread
from refsched.plugins.pod_topology_spread_args import check_default_constraints
from refsched.plugins.pod_topology_spread_constraints import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    Constraint,
    compile_constraints,
    count_matching,
    has_all_keys,
)
from refsched.plugins.pod_topology_spread_scoring import (
    ScoreState,
    WeighedSpread,
    normalized,
    prepare,
    sum_of_constraints,
)
from refsched.releases.v1_19.framework import ERROR_READING
from refsched.releases.v1_19.plugins.default_selector import default_selector
from refsched.rules import applies

EVERY_POD = Selector((Requirement("", "DoesNotExist"),))
"""This selects every pod, since no label has an empty key. A selector without requirements counts no pod."""


@frozen
class PodTopologySpreadArgs(PluginArgs):
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()

    def validate(self) -> None:
        check_default_constraints(self.default_constraints)


@frozen
class PodTopologySpread(current.PodTopologySpread):
    ARGS = PodTopologySpreadArgs
    WITHOUT_PRE_FILTER = error(ERROR_READING.of("PodTopologySpread"))

    @classmethod
    def of_args(  # type: ignore[override]  # The arguments are others.
        cls, args: PodTopologySpreadArgs
    ) -> PodTopologySpread:
        return cls(args.default_constraints)

    def constraints_of(
        self, pod: Pod, when_unsatisfiable: str, objects: ObjectStore
    ) -> tuple[Constraint, ...]:
        """R-SPREAD-51 (instead of R-SPREAD-01, R-SPREAD-02; needs config): In v1.19 default constraints apply to a
        pod without constraints of its own that a Service, ReplicationController, ReplicaSet or StatefulSet
        selects, and count the pods that all of these select."""
        own = pod.spec.topology_spread_constraints
        if own:
            return tuple(map(_counting_all, compile_constraints(own, pod, when_unsatisfiable)))
        constraints = compile_constraints(self.default_constraints, pod, when_unsatisfiable)
        selector = default_selector(pod, objects) if constraints else EVERYTHING
        if selector == EVERYTHING:
            return ()
        applies("R-SPREAD-51")
        return tuple(evolve(constraint, selector=selector) for constraint in constraints)

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[FilterState]:
        constraints = self.constraints_of(pod.pod, DO_NOT_SCHEDULE, snapshot.objects)
        return Continue(tuple(_spread(each, constraints, pod.pod, snapshot) for each in constraints))

    def add_pod(
        self, state: FilterState, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> FilterState:
        return _moved(state, pod.pod, added.pod, node, by=1)

    def remove_pod(
        self, state: FilterState, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> FilterState:
        return _moved(state, pod.pod, removed.pod, node, by=-1)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: FilterState, pod: PodInfo, node: NodeInfo) -> Status:
        """R-SPREAD-53: In v1.19 too, a node without the topology key of a DoNotSchedule constraint is rejected as
        UnschedulableAndUnresolvable, and one whose domain would be more than maxSkew ahead of the domain with the
        fewest pods as Unschedulable."""
        labels = node.existing_node.metadata.labels
        for spread in state:
            domain = labels.get(spread.constraint.topology_key)
            if domain is None:
                applies("R-SPREAD-53")
                return unresolvable(NO_LABEL)
            if spread.skew_in(domain) > spread.constraint.max_skew:
                applies("R-SPREAD-53")
                return unschedulable(NO_MATCH)
        return SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[ScoreState]:
        constraints = self.constraints_of(pod.pod, SCHEDULE_ANYWAY, snapshot.objects)
        state = prepare(constraints, pod.pod, feasible, snapshot, needs_all_keys=True)
        scored = [node for node in feasible if node.name not in state.ignored]
        return Continue(evolve(state, spreads=tuple(_in_domains_of(scored, each) for each in state.spreads)))

    def score(self, state: ScoreState, pod: PodInfo, node: NodeInfo) -> int:
        """R-SPREAD-55 (instead of R-SPREAD-14; observed: how a score becomes an integer is not part of the API):
        In v1.19 a node's score for topology spread is cut to an integer, not rounded."""
        applies(
            "R-SPREAD-58",
            when=node.name not in state.ignored
            and any(_is_elsewhere(node, spread) for spread in state.spreads),
        )
        total = sum_of_constraints(state, node)
        applies("R-SPREAD-55", when=total != int(total))
        return int(total)

    def normalize_score(
        self, state: ScoreState, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-SPREAD-56 (instead of R-SPREAD-12; observed: a score that is the same for every node decides nothing):
        In v1.19 every node scores 100 for topology spread where the pod has no ScheduleAnyway constraint."""
        applies("R-SPREAD-56", when=not state.spreads)
        return normalized(scores, state.ignored)


def _in_domains_of(scored: Sequence[NodeInfo], spread: WeighedSpread) -> WeighedSpread:
    """R-SPREAD-58 (observed: which nodes' pods v1.19 counts for a score was changed later): In v1.19 pods count
    for the score only in the domains of the feasible nodes, as extenders sent these back; a node whose own domain
    is none of them has no pods in it.

    v1.19.16 itself panics (a nil pointer in Score) if it scores such a node. Source: initPreScoreState.
    """
    if spread.constraint.is_by_host:
        return spread
    domains = dict.fromkeys(_domain(node, spread) for node in scored)
    return evolve(spread, counts={each: spread.counts.get(each, 0) for each in domains if each is not None})


def _is_elsewhere(node: NodeInfo, spread: WeighedSpread) -> bool:
    domain = _domain(node, spread)
    return not spread.constraint.is_by_host and domain is not None and domain not in spread.counts


def _domain(node: NodeInfo, spread: WeighedSpread) -> str | None:
    return node.existing_node.metadata.labels.get(spread.constraint.topology_key)


def _counting_all(constraint: Constraint) -> Constraint:
    """R-SPREAD-57: In v1.19 a constraint whose labelSelector is empty counts every pod of the namespace."""
    if constraint.selector != EVERYTHING:
        return constraint
    applies("R-SPREAD-57")
    return evolve(constraint, selector=EVERY_POD)


def _spread(
    constraint: Constraint, constraints: Sequence[Constraint], pod: Pod, snapshot: Snapshot
) -> Spread:
    """R-SPREAD-52 (instead of R-SPREAD-07; observed: which nodes' pods v1.19 counts was changed later): In v1.19
    the domains of a DoNotSchedule constraint are those of the nodes that the pod's node selector and required node
    affinity allow and that have the keys of all its constraints; the pods on every node of these domains count,
    also on a node that is itself not allowed."""
    counts: dict[str, int] = {}
    for info in snapshot.nodes:
        labels = info.existing_node.metadata.labels
        if has_all_keys(labels, constraints) and matches_required(pod, info.existing_node):
            counts[labels[constraint.topology_key]] = 0
    for info in snapshot.nodes:
        domain = info.existing_node.metadata.labels.get(constraint.topology_key, "")
        if domain in counts:
            applies("R-SPREAD-52")
            counts[domain] += count_matching(info.pods, constraint.selector, pod.namespace)
    return Spread(constraint, counts, constraint.selector.matches(pod.labels))


def _moved(state: FilterState, incoming: Pod, other: Pod, node: NodeInfo, by: int) -> FilterState:
    """R-SPREAD-54 (instead of R-SPREAD-09): In v1.19 a pod that comes to a node, or leaves it, changes the count
    of each domain that the node is in, if the node has the keys of all constraints and the domain counts.

    v1.19.16 itself panics (a nil pointer in updateWithPod) if the domain does not count, which may happen on
    a node that the pod's node selector excludes. Here the count stays as it is.
    """
    labels = node.existing_node.metadata.labels
    if other.namespace != incoming.namespace or not has_all_keys(labels, [s.constraint for s in state]):
        return state
    return tuple(_moved_in(spread, labels[spread.constraint.topology_key], other, by) for spread in state)


def _moved_in(spread: Spread, domain: str, other: Pod, by: int) -> Spread:
    if not spread.constraint.selector.matches(other.labels):
        return spread
    applies("R-SPREAD-54")
    return spread.moved(domain, by) if domain in spread.counts else spread
