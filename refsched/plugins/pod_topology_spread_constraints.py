# SPDX-License-Identifier: Apache-2.0
"""Topology spread constraints as PodTopologySpread works with them, and how it counts pods by domain.

A *domain* is one value of a constraint's topology key: all nodes with that label value.
Promised: topologySpreadConstraints are documented with the Pod API.
Source: plugins/podtopologyspread/common.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import HOSTNAME_LABEL, Node
from refsched.objects.pod import Pod, TopologySpreadConstraint
from refsched.objects.selectors import EVERYTHING, Selector, compile_selector
from refsched.plugins.default_selector import with_labels
from refsched.plugins.node_affinity import RequiredNodeAffinity, required_node_affinity
from refsched.plugins.taint_toleration import Tolerations, is_repelled
from refsched.rules import applies

DO_NOT_SCHEDULE = "DoNotSchedule"
SCHEDULE_ANYWAY = "ScheduleAnyway"
HONOR = "Honor"


@frozen
class Constraint:
    """A Constraint is a spread constraint with its selector compiled and its defaults applied."""

    max_skew: int
    topology_key: str
    selector: Selector
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False

    @property
    def is_by_host(self) -> bool:
        return self.topology_key == HOSTNAME_LABEL

    def includes(self, required: RequiredNodeAffinity, tolerations: Tolerations, node: Node) -> bool:
        """R-SPREAD-04: A node that does not match the pod's nodeSelector or required node affinity does not count,
        unless nodeAffinityPolicy is Ignore; a node with untolerated taints does not count if nodeTaintsPolicy is
        Honor, and counts otherwise. Source: matchNodeInclusionPolicies."""
        if self.honors_affinity and not required.matches(node):
            applies("R-SPREAD-04")
            return False
        if self.honors_taints and is_repelled(tolerations, node):
            applies("R-SPREAD-04")
            return False
        return True


def compile_constraints(
    constraints: Iterable[TopologySpreadConstraint], pod: Pod, when_unsatisfiable: str
) -> tuple[Constraint, ...]:
    """Returns the constraints with this whenUnsatisfiable, in order. Source: filterTopologySpreadConstraints."""
    return tuple(
        Constraint(
            max_skew=asked.max_skew,
            topology_key=asked.topology_key,
            selector=_selector(asked, pod.labels),
            min_domains=1 if asked.min_domains is None else asked.min_domains,
            honors_affinity=asked.node_affinity_policy in (None, HONOR),
            honors_taints=asked.node_taints_policy == HONOR,
        )
        for asked in constraints
        if asked.when_unsatisfiable == when_unsatisfiable
    )


def _selector(asked: TopologySpreadConstraint, labels: Mapping[str, str]) -> Selector:
    """R-SPREAD-03: The matchLabelKeys narrow the labelSelector to pods that have the same values for these keys as
    the pod; keys that the pod does not have are ignored.

    The API server usually merges the keys into the selector when the pod is created, and nothing is left to add.
    The plugin uses the labels that the pod has now.
    """
    applies("R-SPREAD-03", when=asked.match_label_keys)
    shared = {key: labels[key] for key in asked.match_label_keys if key in labels}
    return with_labels(compile_selector(asked.label_selector), shared)


def has_all_keys(labels: Mapping[str, str], constraints: Iterable[Constraint]) -> bool:
    return all(constraint.topology_key in labels for constraint in constraints)


# --- Counting -------------------------------------------------------------------------------------


def count_matching(pods: Sequence[PodInfo], selector: Selector, namespace: str) -> int:
    """R-SPREAD-05: A constraint counts the pods of the pod's namespace that its labelSelector matches; terminating
    pods do not count (kubernetes #87621), and a selector without requirements counts no pods.
    Source: countPodsMatchSelector."""
    if selector == EVERYTHING:
        applies("R-SPREAD-05")
        return 0
    matching = [
        info.pod.metadata
        for info in pods
        if info.pod.metadata.namespace == namespace and selector.matches(info.pod.metadata.labels)
    ]
    applies("R-SPREAD-05", when=matching)
    return sum(metadata.deletion_timestamp is None for metadata in matching)


@frozen
class MatchingPods:
    """MatchingPods counts the pods on a node that match a constraint of a pod in ``namespace``, in the node's
    domain. A node that lacks one of ``keys``, the topology keys of all the constraints, applies ``rule``: it does
    not count or, without ``needs_all_keys``, may be in the domain ``""``."""

    constraint: Constraint
    namespace: str
    required: RequiredNodeAffinity
    tolerations: Tolerations
    keys: frozenset[str]
    rule: str
    needs_all_keys: bool = True

    @classmethod
    def of(
        cls,
        constraint: Constraint,
        pod: Pod,
        all_of_them: Iterable[Constraint],
        rule: str,
        needs_all_keys: bool = True,
    ) -> MatchingPods:
        keys = frozenset(each.topology_key for each in all_of_them)
        required, tolerations = required_node_affinity(pod), pod.spec.tolerations
        return cls(constraint, pod.namespace, required, tolerations, keys, rule, needs_all_keys)

    def __call__(self, node: NodeInfo) -> Mapping[str, int]:
        labels = node.existing_node.metadata.labels
        if not self.keys <= labels.keys():
            applies(self.rule)
            if self.needs_all_keys:
                return {}
        if not self.constraint.includes(self.required, self.tolerations, node.existing_node):
            return {}
        domain = labels.get(self.constraint.topology_key, "")
        return {domain: count_matching(node.pods, self.constraint.selector, self.namespace)}

    def selects(self, pod: PodInfo) -> bool:
        return bool(count_matching((pod,), self.constraint.selector, self.namespace))


@frozen
class MatchingPodsByNode:
    """MatchingPodsByNode counts the pods in ``namespace`` on a node that match a selector, by the node's name."""

    selector: Selector
    namespace: str

    def __call__(self, node: NodeInfo) -> Mapping[str, int]:
        matching = count_matching(node.pods, self.selector, self.namespace)
        return {node.name: matching} if matching else {}

    def selects(self, pod: PodInfo) -> bool:
        return bool(count_matching((pod,), self.selector, self.namespace))
