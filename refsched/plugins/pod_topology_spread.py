# SPDX-License-Identifier: Apache-2.0
"""PodTopologySpread: matching pods are spread over zones, hosts or other domains by the labels of nodes.

pod_topology_spread_constraints.py says what a constraint is and how pods are counted, and
pod_topology_spread_scoring.py how feasible nodes are scored.
Promised: topologySpreadConstraints are documented with the Pod API.
Source: plugins/podtopologyspread/plugin.go, filtering.go, scoring.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from attrs import evolve, frozen

from refsched.config.args import PluginArgs
from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue, Fragments, Skip
from refsched.framework.left_out import ERROR_READING_PRE_SCORE, READING
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.node import HOSTNAME_LABEL, ZONE_LABEL, Node
from refsched.objects.pod import Pod, TopologySpreadConstraint
from refsched.objects.selectors import EVERYTHING
from refsched.objects.store import ObjectStore
from refsched.plugins.default_selector import default_selector
from refsched.plugins.node_affinity import required_node_affinity
from refsched.plugins.pod_topology_spread_args import SYSTEM_DEFAULTING, PodTopologySpreadArgs
from refsched.plugins.pod_topology_spread_constraints import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    Constraint,
    MatchingPods,
    compile_constraints,
    has_all_keys,
)
from refsched.plugins.pod_topology_spread_scoring import ScoreState, normalized, prepare, raw_score
from refsched.rules import Reason, applies

NO_LABEL = Reason(
    "node(s) didn't match pod topology spread constraints (missing required label)", "R-SPREAD-10"
)
NO_MATCH = Reason("node(s) didn't match pod topology spread constraints", "R-SPREAD-11")
SYSTEM_DEFAULT_CONSTRAINTS = (
    TopologySpreadConstraint(3, HOSTNAME_LABEL, SCHEDULE_ANYWAY),
    TopologySpreadConstraint(5, ZONE_LABEL, SCHEDULE_ANYWAY),
)
_NO_DOMAIN = 2**31 - 1  # This is the minimum over no domains (math.MaxInt32).


@frozen(slots=False)
class Spread:
    """A Spread has one constraint, the number of matching pods in each domain, and whether the incoming pod
    would add to it."""

    constraint: Constraint
    counts: Mapping[str, int]
    counts_itself: bool

    @cached_property
    def least(self) -> int:
        """R-SPREAD-08: The skew of a domain is measured against the domain with the fewest matching pods.
        R-SPREAD-19: If there are fewer domains than minDomains, the skew of a domain is measured against 0.
        Source: minMatchNum.

        The plugin of kube-scheduler remembers only the two domains with the fewest pods. The result is the same,
        because in one copy of the state pods are added to, or removed from, a single node.
        """
        applies("R-SPREAD-08")
        if len(self.counts) < self.constraint.min_domains:
            applies("R-SPREAD-19")
            return 0
        return min(self.counts.values(), default=_NO_DOMAIN)

    def skew_in(self, domain: str) -> int:
        """Returns how many more matching pods this domain would have, with the pod, than the one with the
        fewest."""
        return self.counts.get(domain, 0) + self.counts_itself - self.least

    def moved(self, domain: str, by: int) -> Spread:
        return evolve(self, counts={**self.counts, domain: self.counts.get(domain, 0) + by})


FilterState = tuple[Spread, ...]
Constraints = Sequence[Constraint]


@frozen
class PodTopologySpread:
    """``default_constraints`` are for pods that have none of their own. With ``defaultingType: System`` the
    two system default constraints replace them."""

    name = "PodTopologySpread"
    POINTS = ("preFilter", "filter", "preScore", "score")
    READS = (
        "Pod.spec.topologySpreadConstraints",
        "Pod.spec.nodeSelector",
        "Pod.spec.affinity.nodeAffinity",
        "Pod.spec.tolerations",
        "Node.metadata.name",
        "Node.metadata.labels",
        "Node.spec.taints",
        "Service",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    )
    ARGS: ClassVar[type[PluginArgs]] = PodTopologySpreadArgs
    WITHOUT_PRE_FILTER = error(READING.of(name))
    WITHOUT_PRE_SCORE = error(ERROR_READING_PRE_SCORE.of(name))
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    system_defaulted: bool = True

    @classmethod
    def of_args(cls, args: PodTopologySpreadArgs) -> PodTopologySpread:
        return cls(args.default_constraints, args.defaulting_type == SYSTEM_DEFAULTING)

    def constraints_of(
        self, pod: Pod, when_unsatisfiable: str, objects: ObjectStore
    ) -> tuple[Constraint, ...]:
        """R-SPREAD-01: A pod with topology spread constraints of its own, DoNotSchedule or ScheduleAnyway, gets no
        default constraints.
        R-SPREAD-02 (needs score or config): Default constraints select the pods that the pod's Services and its
        owner select; a pod without Services and owner gets no default constraints.
        Source: getConstraints, buildDefaultConstraints."""
        own = pod.spec.topology_spread_constraints
        if own:
            applies("R-SPREAD-01")
            return compile_constraints(own, pod, when_unsatisfiable)
        by_default = SYSTEM_DEFAULT_CONSTRAINTS if self.system_defaulted else self.default_constraints
        constraints = compile_constraints(by_default, pod, when_unsatisfiable)
        if not constraints:
            return ()
        applies("R-SPREAD-02")
        selector = default_selector(pod, objects)
        if selector == EVERYTHING:
            return ()
        return tuple(evolve(constraint, selector=selector) for constraint in constraints)

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments | None:
        """R-BATCH-30 (observed: which pods are taken for equal may only save searches, KEP-5598): A pod with
        topology spread constraints of its own has no signature, and no pod has one where there are default
        constraints, those of the system included."""
        given = pod.spec.topology_spread_constraints or self.system_defaulted or self.default_constraints
        return None if applies("R-BATCH-30", when=given) else {}

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[FilterState] | Skip:
        """R-SPREAD-06: A pod without DoNotSchedule constraints skips Filter of PodTopologySpread.
        R-SPREAD-07: The pods on a node count for a DoNotSchedule constraint only if the node has the topology keys
        of all DoNotSchedule constraints of the pod."""
        constraints = self.constraints_of(pod.pod, DO_NOT_SCHEDULE, snapshot.objects)
        if not constraints:
            applies("R-SPREAD-06")
            return Skip()

        def spread(constraint: Constraint) -> Spread:
            counts = snapshot.sum_over_nodes(MatchingPods.of(constraint, pod.pod, constraints, "R-SPREAD-07"))
            return Spread(constraint, counts, constraint.selector.matches(pod.pod.labels))

        return Continue(tuple(map(spread, constraints)))

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
        """R-SPREAD-10: A node without the topology key of a DoNotSchedule constraint is rejected as
        UnschedulableAndUnresolvable.
        R-SPREAD-11: A node is rejected as Unschedulable if with the pod there its domain would have more than
        maxSkew matching pods more than the domain with the fewest."""
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
        """R-SPREAD-12: A pod without ScheduleAnyway constraints skips Score of PodTopologySpread."""
        constraints = self.constraints_of(pod.pod, SCHEDULE_ANYWAY, snapshot.objects)
        if not constraints:
            applies("R-SPREAD-12")
            return Skip()
        needs_all_keys = bool(pod.pod.spec.topology_spread_constraints) or not self.system_defaulted
        return Continue(prepare(constraints, pod.pod, feasible, snapshot, needs_all_keys))

    def score(self, state: ScoreState, pod: PodInfo, node: NodeInfo) -> int:
        return raw_score(state, node)

    def normalize_score(
        self, state: ScoreState, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        return normalized(scores, state.ignored)

    # --- Events -----------------------------------------------------------------------------------

    def after_pod_change(self, pod: Pod, before: Pod | None, after: Pod | None, objects: ObjectStore) -> bool:
        """R-SPREAD-16 (observed: queueing hints may only save attempts, KEP-4247): A pod that PodTopologySpread
        rejected is requeued when an assigned pod of its namespace, or the pod itself, is added or deleted and a
        DoNotSchedule constraint selects it, when such a pod changes so that a constraint begins or ceases to
        select it, and when its own tolerations change and a constraint has nodeTaintsPolicy Honor."""
        if not all(self.is_involved(changed, pod) for changed in (before, after) if changed is not None):
            return False
        constraints = self.constraints_of(pod, DO_NOT_SCHEDULE, objects)
        tolerates_others = _has_new_tolerations(pod, before, after) and any(
            constraint.honors_taints for constraint in constraints
        )
        return applies("R-SPREAD-16", when=_selection_changes(constraints, before, after) or tolerates_others)

    def is_involved(self, changed: Pod, pod: Pod) -> bool:
        """R-SPREAD-18 (observed: queueing hints may only save attempts, KEP-4247): A pod that is nominated to a
        node counts as an assigned one where changes of pods requeue a pod that PodTopologySpread rejected.

        Returns whether the changed pod is the pod itself, or an assigned pod of its namespace. Source:
        involvedInTopologySpreading."""
        if changed.uid == pod.uid:
            return True
        is_near = changed.namespace == pod.namespace
        if changed.spec.node_name:
            return is_near
        return applies("R-SPREAD-18", when=is_near and changed.status.nominated_node_name)

    def after_node_change(
        self, pod: Pod, before: Node | None, after: Node | None, objects: ObjectStore
    ) -> bool:
        """R-SPREAD-17 (observed: queueing hints may only save attempts, KEP-4247): A pod that PodTopologySpread
        rejected is requeued when a node with the topology keys of all its DoNotSchedule constraints is added or
        deleted, when a node gains or loses the last of these keys, and when one that has them all changes its
        domain or its taints."""
        constraints = self.constraints_of(pod, DO_NOT_SCHEDULE, objects)
        had = before is not None and has_all_keys(before.metadata.labels, constraints)
        has = after is not None and has_all_keys(after.metadata.labels, constraints)
        matters = had != has
        if before is not None and after is not None and had and has:
            matters = _domain_changes(constraints, before, after) or before.spec.taints != after.spec.taints
        return applies("R-SPREAD-17", when=matters)

    EVENTS = (
        EventHint(
            POD,
            ActionType.ADD
            | ActionType.DELETE
            | ActionType.UPDATE_POD_LABEL
            | ActionType.UPDATE_POD_TOLERATION,
            after_pod_change,
            "the number of pods in a domain, or which nodes count, may have changed",
        ),
        EventHint(
            NODE,
            ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,
            after_node_change,
            "a domain may have appeared or disappeared, or consist of other nodes",
        ),
    )


def _moved(state: FilterState, incoming: Pod, other: Pod, node: Node, by: int) -> FilterState:
    """R-SPREAD-09 (needs nominations): A nominated pod that is added to a node, or a victim that is removed,
    changes the number of pods in the node's domain for each DoNotSchedule constraint that selects it.

    Unlike in PreFilter, a terminating pod counts here, and so does any pod for a selector without requirements:
    a domain may end with fewer pods than it has. Source: updateWithPod.
    """
    labels = node.metadata.labels
    if other.namespace != incoming.namespace or not has_all_keys(labels, [s.constraint for s in state]):
        return state
    required, tolerations = required_node_affinity(incoming), incoming.spec.tolerations
    moved: list[Spread] = []
    for spread in state:
        constraint = spread.constraint
        if constraint.selector.matches(other.labels) and constraint.includes(required, tolerations, node):
            applies("R-SPREAD-09")
            spread = spread.moved(labels[constraint.topology_key], by)
        moved.append(spread)
    return tuple(moved)


# --- What changed ---------------------------------------------------------------------------------


def _selection_changes(constraints: Constraints, before: Pod | None, after: Pod | None) -> bool:
    """Returns whether a constraint selects the pod either before or after the event, but not both."""
    return any(_selects(constraint, before) != _selects(constraint, after) for constraint in constraints)


def _selects(constraint: Constraint, pod: Pod | None) -> bool:
    return pod is not None and constraint.selector.matches(pod.labels)


def _has_new_tolerations(pod: Pod, before: Pod | None, after: Pod | None) -> bool:
    return (
        before is not None
        and after is not None
        and after.uid == pod.uid
        and after.spec.tolerations != before.spec.tolerations
    )


def _domain_changes(constraints: Constraints, before: Node, after: Node) -> bool:
    old, new = before.metadata.labels, after.metadata.labels
    return any(old.get(c.topology_key) != new.get(c.topology_key) for c in constraints)
