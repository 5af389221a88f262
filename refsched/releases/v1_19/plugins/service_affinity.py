# SPDX-License-Identifier: Apache-2.0
"""ServiceAffinity: the pods of a Service run on nodes with equal labels, or are spread over nodes by a label.

This is a plugin of v1.19, which a configuration may enable; later releases no longer have it.
Promised: ServiceAffinityArgs is documented with KubeSchedulerConfiguration.
Source: plugins/serviceaffinity/service_affinity.go; framework/v1alpha1/types.go, NodeInfo.FilterOutPods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from refsched.config.args import PluginArgs
from refsched.framework.choices import Choices
from refsched.framework.interface import MAX_NODE_SCORE, Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.workloads import Service
from refsched.plugins.default_selector import selecting, selects_labels
from refsched.releases.v1_19.framework import ERROR_READING
from refsched.rules import ErrorReason, Reason, applies

OTHER_LABELS = Reason("node(s) didn't match service affinity", "R-SVCAFF-01")
NODE_NOT_FOUND = ErrorReason("node not found", "R-SVCAFF-03")


@frozen
class Companions:
    """Companions are the pods that have all labels of the pod, in the order of nodes and of pods there,
    nominated pods last; whether any Service selects the pod; and the labels of every node."""

    pods: tuple[Pod, ...]
    has_service: bool
    snapshot: Snapshot


@frozen
class ServiceScores:
    """ServiceScores has what the Services of the pod select, and the labels of the nodes to be scored."""

    selectors: tuple[Mapping[str, str], ...]
    labels: Mapping[str, Mapping[str, str]]
    choices: Choices


@frozen
class ServiceAffinityArgs(PluginArgs):
    affinity_labels: tuple[str, ...] = ()
    anti_affinity_labels_preference: tuple[str, ...] = ()


@frozen
class ServiceAffinity:
    """The fields are label keys: ``affinity_labels`` are for Filter, ``anti_affinity_labels_preference`` for
    Score."""

    name = "ServiceAffinity"
    POINTS = ("preFilter", "filter", "score")
    READS = ("Pod.spec.nodeSelector", "Service")
    ARGS = ServiceAffinityArgs
    WITHOUT_PRE_FILTER = error(ERROR_READING.of(name))
    affinity_labels: tuple[str, ...] = ()
    anti_affinity_labels_preference: tuple[str, ...] = ()

    @classmethod
    def of_args(cls, args: ServiceAffinityArgs) -> ServiceAffinity:
        return cls(args.affinity_labels, args.anti_affinity_labels_preference)

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Companions]:
        pods = tuple(
            other.pod for node in snapshot.nodes for other in node.pods if _is_companion(other.pod, pod.pod)
        )
        return Continue(Companions(pods, bool(selecting(Service, pod.pod, snapshot.objects)), snapshot))

    def add_pod(
        self, state: Companions, pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Companions:
        """R-SVCAFF-04: For ServiceAffinity, a pod that is nominated to a node, or reprieved there, comes after the
        other pods."""
        if not _is_companion(added.pod, pod.pod):
            return state
        applies("R-SVCAFF-04")
        return evolve(state, pods=(*state.pods, added.pod))

    def remove_pod(
        self, state: Companions, pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> Companions:
        """Removes the first pod of this name; one that was created anew under the same name stays."""
        at = next((at for at, other in enumerate(state.pods) if other.key == removed.pod.key), None)
        return state if at is None else evolve(state, pods=(*state.pods[:at], *state.pods[at + 1 :]))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: Companions, pod: PodInfo, node: NodeInfo) -> Status:
        """R-SVCAFF-01: A node is rejected as Unschedulable if a label that ServiceAffinity lists has another value
        there than the pod's nodeSelector asks for.
        R-SVCAFF-02: For a label that ServiceAffinity lists and the pod's nodeSelector does not ask for, a pod that
        a Service selects asks for the value on the node that runs the first pod with all labels of the pod.
        R-SVCAFF-03 (observed: an error for a pod that is nominated and runs nowhere is an accident): If the first
        pod with all labels of the pod is not on a node that exists, the attempt ends with an error."""
        selector = pod.pod.spec.node_selector
        asked = {label: selector[label] for label in self.affinity_labels if label in selector}
        others = [other for other in state.pods if _counts_on(node, other)]
        if len(self.affinity_labels) > len(asked) and state.has_service and others:
            there = state.snapshot.get(others[0].spec.node_name)
            if there is None:
                return error(NODE_NOT_FOUND)
            applies("R-SVCAFF-02")
            labels = there.existing_node.metadata.labels
            asked = {label: labels[label] for label in self.affinity_labels if label in labels} | asked
        if selects_labels(asked, node.existing_node.metadata.labels):
            return SUCCESS
        return unschedulable(OTHER_LABELS)

    def filter_alone(self, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Returns Success if Filter has no labels to compare; otherwise it needs what PreFilter finds."""
        return None if self.affinity_labels else SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[ServiceScores]:
        """Returns what Score looks up. The plugin of kube-scheduler has no PreScore."""
        selectors = tuple(service.spec.selector for service in selecting(Service, pod.pod, snapshot.objects))
        known = (snapshot.by_name[node.name] for node in feasible)
        labels = {node.name: node.existing_node.metadata.labels for node in known}
        return Continue(ServiceScores(selectors, labels, snapshot.choices))

    def score(self, state: ServiceScores, pod: PodInfo, node: NodeInfo) -> int:
        """R-SVCAFF-05: ServiceAffinity counts for a node the pods there, of the pod's namespace and not being
        deleted, that are selected by a Service that selects the pod; if there is more than one, any may count, and
        another one for each node.

        kube-scheduler takes the first Service of a list that it asks for anew for each node, and whose order is
        that of a Go map.
        """
        if not state.selectors:
            return 0
        applies("R-SVCAFF-05")
        alive = [
            other.pod.labels
            for other in node.pods
            if other.pod.namespace == pod.pod.namespace and other.pod.metadata.deletion_timestamp is None
        ]
        counts = {sum(selects_labels(selector, labels) for labels in alive) for selector in state.selectors}
        return state.choices.choose("service", sorted(counts))

    def normalize_score(
        self, state: ServiceScores, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-SVCAFF-06: For each label of antiAffinityLabelsPreference, a node that bears it scores 100 times the
        share of the Service's pods that run on nodes with another value, divided by the number of labels; a node
        without the label scores nothing for it.

        The terms are added up in float64, label by label, and cut to an integer.
        """
        total = sum(scores.values())
        preferred = self.anti_affinity_labels_preference
        reduced = dict.fromkeys(scores, 0.0)
        for label in preferred:
            values = {node: state.labels[node][label] for node in scores if label in state.labels[node]}
            counts: dict[str, int] = {}
            for node, value in values.items():
                counts[value] = counts.get(value, 0) + scores[node]
            for node, value in values.items():
                applies("R-SVCAFF-06")
                share = (total - counts[value]) / total if total else 1.0
                reduced[node] += MAX_NODE_SCORE * share / len(preferred)
        return {node: int(score) for node, score in reduced.items()}


def _is_companion(other: Pod, pod: Pod) -> bool:
    """Returns whether the other pod is of the pod's namespace and has all of the pod's labels."""
    return other.namespace == pod.namespace and selects_labels(pod.labels, other.labels)


def _counts_on(node: NodeInfo, other: Pod) -> bool:
    """Returns whether the other pod counts on this node. A pod that the dry run has removed from it does not."""
    return other.spec.node_name != node.name or any(there.pod.uid == other.uid for there in node.pods)
