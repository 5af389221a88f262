# SPDX-License-Identifier: Apache-2.0
"""TaintToleration: a pod stays away from taints that it does not tolerate.

Rules: R-TAINT-01 … R-TAINT-04.   Source: plugins/tainttoleration/taint_toleration.go (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.node import Taint
from refsched.objects.pod import Toleration
from refsched.plugins.normalize import normalize

Tolerations = tuple[Toleration, ...]


@frozen
class TaintToleration:
    name: ClassVar[str] = "TaintToleration"

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-TAINT-01: one untolerated NoSchedule or NoExecute taint refuses the node.
        R-TAINT-02: PreferNoSchedule never refuses."""
        for taint in node.existing_node.spec.taints:
            if taint.effect in ("NoSchedule", "NoExecute") and not _tolerated(
                taint, pod.pod.spec.tolerations
            ):
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


def _tolerated(taint: Taint, tolerations: Tolerations) -> bool:
    return any(toleration.tolerates(taint) for toleration in tolerations)
