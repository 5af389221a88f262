# SPDX-License-Identifier: Apache-2.0
"""PodTopologySpread: pods that belong together spread over zones, hosts or whatever nodes are labelled with.

What a constraint is and how pods are counted stands in pod_topology_spread_constraints.py; how candidates
are scored, in pod_topology_spread_scoring.py.
Rules: R-SPREAD-01 … R-SPREAD-17.
Source: plugins/podtopologyspread/plugin.go, filtering.go, scoring.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from attrs import evolve, frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable, unschedulable
from refsched.objects.node import HOSTNAME_LABEL, ZONE_LABEL, Node
from refsched.objects.pod import Pod, TopologySpreadConstraint
from refsched.objects.selectors import EVERYTHING
from refsched.objects.store import ObjectStore
from refsched.plugins.default_selector import default_selector
from refsched.plugins.pod_topology_spread_constraints import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    Constraint,
    compile_constraints,
    has_all_keys,
    tally,
)
from refsched.plugins.pod_topology_spread_scoring import ScoreState, normalized, prepare, raw_score

NO_MATCH = "node(s) didn't match pod topology spread constraints"
NO_LABEL = "node(s) didn't match pod topology spread constraints (missing required label)"
SYSTEM_DEFAULT_CONSTRAINTS = (
    TopologySpreadConstraint(3, HOSTNAME_LABEL, SCHEDULE_ANYWAY),
    TopologySpreadConstraint(5, ZONE_LABEL, SCHEDULE_ANYWAY),
)
_NO_DOMAIN = 2**31 - 1  # what the least of no domains holds (math.MaxInt32)


@frozen(slots=False)
class Spread:
    """One constraint, the matching pods of each domain, and whether the incoming pod would add to them."""

    constraint: Constraint
    counts: Mapping[str, int]
    counts_itself: bool

    @cached_property
    def least(self) -> int:
        """R-SPREAD-08: the domain with the fewest pods is what others are measured against; with fewer
        domains than minDomains it is 0. Source: minMatchNum.

        The real plugin remembers only the two least domains. That comes to the same, because one copy of
        the state sees pods come to, or leave, a single node.
        """
        if len(self.counts) < self.constraint.min_domains:
            return 0
        return min(self.counts.values(), default=_NO_DOMAIN)

    def skew_in(self, domain: str) -> int:
        """How far this domain would be ahead of the least one, with the pod in it."""
        return self.counts.get(domain, 0) + self.counts_itself - self.least

    def moved(self, domain: str, by: int) -> Spread:
        return evolve(self, counts={**self.counts, domain: self.counts.get(domain, 0) + by})


FilterState = tuple[Spread, ...]


@frozen
class PodTopologySpread:
    """``default_constraints`` are for pods that have none of their own. Where defaulting is the system's
    (``defaultingType: System``), its own two take their place."""

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    system_defaulted: bool = True
    name: ClassVar[str] = "PodTopologySpread"
    READS: ClassVar[tuple[str, ...]] = (
        "Pod.spec.topologySpreadConstraints",
        "Pod.spec.nodeSelector",
        "Pod.spec.affinity.nodeAffinity",
        "Pod.spec.tolerations",
        "Node.spec.taints",
        "Service",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    )

    def _constraints(self, pod: Pod, when_unsatisfiable: str, objects: ObjectStore) -> tuple[Constraint, ...]:
        """R-SPREAD-01: a pod with constraints of its own, of either kind, gets no default ones.
        R-SPREAD-02: default constraints count the pods that belong together by their Services and owner;
        a pod that belongs to none gets none. Source: getConstraints, buildDefaultConstraints."""
        own = pod.spec.topology_spread_constraints
        if own:
            return compile_constraints(own, pod, when_unsatisfiable)
        by_default = SYSTEM_DEFAULT_CONSTRAINTS if self.system_defaulted else self.default_constraints
        constraints = compile_constraints(by_default, pod, when_unsatisfiable)
        selector = default_selector(pod, objects) if constraints else EVERYTHING
        if selector == EVERYTHING:
            return ()
        return tuple(evolve(constraint, selector=selector) for constraint in constraints)

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[FilterState] | Skip:
        """R-SPREAD-06: without DoNotSchedule constraints nothing is filtered.
        R-SPREAD-07: a node counts for any of them only if it has the keys of all."""
        constraints = self._constraints(pod.pod, DO_NOT_SCHEDULE, snapshot.objects)
        if not constraints:
            return Skip()
        nodes = (n for n in snapshot.nodes if has_all_keys(n.existing_node.metadata.labels, constraints))
        counts = tally(constraints, pod.pod, nodes)
        spreads = (
            Spread(constraint, by_domain, constraint.selector.matches(pod.pod.labels))
            for constraint, by_domain in zip(constraints, counts, strict=True)
        )
        return Continue(tuple(spreads))

    def add_pod(
        self, state: FilterState, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> FilterState:
        return _moved(state, pod.pod, added.pod, node.existing_node, by=1)

    def remove_pod(
        self, state: FilterState, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> FilterState:
        return _moved(state, pod.pod, removed.pod, node.existing_node, by=-1)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: FilterState, pod: PodInfo, node: NodeInfo) -> Status:
        """R-SPREAD-10: a node without the topology key is refused, and evicting pods would not help.
        R-SPREAD-11: the pod must not put its domain more than maxSkew ahead of the least one."""
        labels = node.existing_node.metadata.labels
        for spread in state:
            domain = labels.get(spread.constraint.topology_key)
            if domain is None:
                return unresolvable(NO_LABEL)
            if spread.skew_in(domain) > spread.constraint.max_skew:
                return unschedulable(NO_MATCH)
        return SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[ScoreState] | Skip:
        """R-SPREAD-12: without ScheduleAnyway constraints nothing is scored.
        R-SPREAD-13: nodes that lack a key neither count nor score, except under the system's own defaults,
        which spread over hosts where there are no zones."""
        constraints = self._constraints(pod.pod, SCHEDULE_ANYWAY, snapshot.objects)
        if not constraints or not snapshot.nodes:
            return Skip()
        needs_all_keys = bool(pod.pod.spec.topology_spread_constraints) or not self.system_defaulted
        return Continue(prepare(constraints, pod.pod, feasible, snapshot.nodes, needs_all_keys))

    def score(self, state: ScoreState, pod: PodInfo, node: NodeInfo) -> int:
        return raw_score(state, pod.pod, node)

    def normalize_score(
        self, state: ScoreState, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        return normalized(scores, state.ignored)

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_change(self, pod: Pod, before: Pod | None, after: Pod | None, objects: ObjectStore) -> bool:
        """R-SPREAD-16: a pod that comes or goes matters where a constraint counts it, one that changes where
        it begins or ceases to be counted; and a new toleration of the pod itself, where taints are honored.
        Only the pod itself and assigned pods of its namespace matter at all."""
        if not all(_is_involved(changed, pod) for changed in (before, after) if changed is not None):
            return False
        constraints = self._constraints(pod, DO_NOT_SCHEDULE, objects)
        if before is None or after is None:
            changed = before or after
            return changed is not None and any(c.selector.matches(changed.labels) for c in constraints)
        if (
            after.uid == pod.uid
            and after.spec.tolerations != before.spec.tolerations
            and any(constraint.honors_taints for constraint in constraints)
        ):
            return True
        return any(c.selector.matches(before.labels) != c.selector.matches(after.labels) for c in constraints)

    def after_node_change(
        self, pod: Pod, before: Node | None, after: Node | None, objects: ObjectStore
    ) -> bool:
        """R-SPREAD-17: a node matters if it has the keys of all constraints; one that changes, if it gets or
        loses them, moves to another domain, or has other taints."""
        constraints = self._constraints(pod, DO_NOT_SCHEDULE, objects)
        had = before is not None and has_all_keys(before.metadata.labels, constraints)
        has = after is not None and has_all_keys(after.metadata.labels, constraints)
        if before is None or after is None:
            return had or has
        if had != has:
            return True
        old, new = before.metadata.labels, after.metadata.labels
        moved = any(old.get(c.topology_key) != new.get(c.topology_key) for c in constraints)
        return has and (moved or before.spec.taints != after.spec.taints)

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            POD,
            ActionType.ADD
            | ActionType.DELETE
            | ActionType.UPDATE_POD_LABEL
            | ActionType.UPDATE_POD_TOLERATION,
            after_pod_change,
            "the count of a domain changes, or which nodes count",
        ),
        EventHint(
            NODE,
            ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,
            after_node_change,
            "a domain appears, disappears or is made of other nodes",
        ),
    )


def _moved(state: FilterState, incoming: Pod, other: Pod, node: Node, by: int) -> FilterState:
    """R-SPREAD-09: a pod that comes to a counted node, or leaves it, changes the counts that it matches.

    Unlike in PreFilter, a terminating pod counts here, and so does any pod for a selector without
    requirements: removing one may leave a domain below what it had. Source: updateWithPod.
    """
    labels = node.metadata.labels
    if other.namespace != incoming.namespace or not has_all_keys(labels, [s.constraint for s in state]):
        return state
    return tuple(
        spread.moved(labels[spread.constraint.topology_key], by)
        if spread.constraint.selector.matches(other.labels) and spread.constraint.includes(incoming, node)
        else spread
        for spread in state
    )


def _is_involved(changed: Pod, pod: Pod) -> bool:
    """Is it the pod itself, or an assigned one of its namespace? Source: involvedInTopologySpreading."""
    assigned = bool(changed.spec.node_name)
    return changed.uid == pod.uid or (assigned and changed.namespace == pod.namespace)
