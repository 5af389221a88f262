# SPDX-License-Identifier: Apache-2.0
"""TaintToleration: a pod stays away from taints that it does not tolerate.

Rules: R-TAINT-01 … R-TAINT-06.   Source: plugins/tainttoleration/taint_toleration.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.node import Node, Taint
from refsched.objects.pod import Pod, Toleration
from refsched.objects.store import ObjectStore
from refsched.plugins.normalize import normalize

Tolerations = tuple[Toleration, ...]


@frozen
class TaintToleration:
    name: ClassVar[str] = "TaintToleration"
    READS: ClassVar[tuple[str, ...]] = ("Pod.spec.tolerations", "Node.spec.taints")

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-TAINT-01: one untolerated NoSchedule or NoExecute taint refuses the node.
        R-TAINT-02: PreferNoSchedule never refuses."""
        if _is_repelled(pod.pod, node.existing_node):
            return unresolvable("node(s) had untolerated taint(s)")
        return SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Tolerations]:
        """R-TAINT-03: only tolerations of PreferNoSchedule, or of every effect, count for the score."""
        return Continue(tuple(t for t in pod.pod.spec.tolerations if t.effect in ("", "PreferNoSchedule")))

    def score(self, tolerations: Tolerations, pod: PodInfo, node: NodeInfo) -> int:
        """The number of PreferNoSchedule taints that the pod does not tolerate."""
        taints = node.existing_node.spec.taints
        return sum(t.effect == "PreferNoSchedule" and not _tolerated(t, tolerations) for t in taints)

    def normalize_score(
        self, tolerations: Tolerations, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-TAINT-04: the fewer the better; the node with the most gets 0."""
        return normalize(scores, reverse=True)

    # --- Events -----------------------------------------------------------------------------------

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-TAINT-05: a node that comes without taints against the pod, or loses them, may help."""
        return not _is_repelled(pod, after) and (before is None or _is_repelled(pod, before))

    def after_toleration_change(self, pod: Pod, before: Pod, after: Pod, objects: ObjectStore) -> bool:
        """R-TAINT-06: any new toleration of the pod itself is worth another try."""
        return after.uid == pod.uid

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_TAINT,
            after_node_change,
            "a node may have come, or lost a taint",
        ),
        EventHint(
            POD,
            ActionType.UPDATE_POD_TOLERATION,
            after_toleration_change,
            "the pod may have come to tolerate a taint",
        ),
    )


def _is_repelled(pod: Pod, node: Node) -> bool:
    refusing = (taint for taint in node.spec.taints if taint.effect in ("NoSchedule", "NoExecute"))
    return any(not _tolerated(taint, pod.spec.tolerations) for taint in refusing)


def _tolerated(taint: Taint, tolerations: Tolerations) -> bool:
    return any(toleration.tolerates(taint) for toleration in tolerations)
