# SPDX-License-Identifier: Apache-2.0
"""TaintToleration in v1.19: the reason names the first taint that the pod does not tolerate.

Source: plugins/tainttoleration/taint_toleration.go (v1.19.16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.plugins import taint_toleration as current
from refsched.rules import Reason

UNTOLERATED = Reason("node(s) had taint {{{}: {}}}, that the pod didn't tolerate", "R-TAINT-51")
_SCORING = current.TaintToleration()


@frozen
class TaintToleration:
    """This TaintToleration scores as that of later releases does."""

    READS = current.TaintToleration.READS
    name = "TaintToleration"
    POINTS = ("filter", "preScore", "score")

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-TAINT-51: In v1.19 a node with an untolerated NoSchedule or NoExecute taint is rejected as
        UnschedulableAndUnresolvable, and the reason names the key and the value of the first such taint."""
        for taint in node.existing_node.spec.taints:
            is_hard = taint.effect in ("NoSchedule", "NoExecute")
            if is_hard and not any(t.tolerates(taint) for t in pod.pod.spec.tolerations):
                return unresolvable(UNTOLERATED.of(taint.key, taint.value))
        return SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[current.Tolerations]:
        return _SCORING.pre_score(pod, feasible, snapshot)

    def score(self, tolerations: current.Tolerations, pod: PodInfo, node: NodeInfo) -> int:
        return _SCORING.score(tolerations, pod, node)

    def normalize_score(
        self, tolerations: current.Tolerations, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        return _SCORING.normalize_score(tolerations, pod, scores)
