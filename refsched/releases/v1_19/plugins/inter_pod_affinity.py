# SPDX-License-Identifier: Apache-2.0
"""InterPodAffinity in v1.19: every pod is filtered and every node is scored, and reasons come in pairs.

Promised: podAffinity and podAntiAffinity are documented with the Pod API.
Source: plugins/interpodaffinity/filtering.go, scoring.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, check_range
from refsched.config.scalars import Int32
from refsched.framework.interface import MAX_NODE_SCORE, Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, error
from refsched.plugins import inter_pod_affinity as current
from refsched.plugins.topology_counts import TopologyCounts
from refsched.releases.v1_19.framework import ERROR_READING_PRE_SCORE
from refsched.rules import Reason, applies

NOT_MATCHED = Reason("node(s) didn't match pod affinity/anti-affinity", "R-PODAFF-51")
_NOTHING = current.Filtering((), (), None, TopologyCounts(), TopologyCounts(), TopologyCounts())


@frozen
class InterPodAffinityArgs(PluginArgs):
    hard_pod_affinity_weight: Int32 = Int32(1)

    def validate(self) -> None:
        check_range(self.hard_pod_affinity_weight, 0, 100, "hardPodAffinityWeight")


@frozen
class InterPodAffinity(current.InterPodAffinity):
    ARGS = InterPodAffinityArgs
    WITHOUT_PRE_SCORE = error(ERROR_READING_PRE_SCORE.of("InterPodAffinity"))

    @classmethod
    def of_args(  # type: ignore[override]  # The arguments are others.
        cls, args: InterPodAffinityArgs
    ) -> InterPodAffinity:
        return cls(args.hard_pod_affinity_weight)

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[current.Filtering]:
        """Never answers Skip, since the terms of a pod that is nominated to a node may be the first to count."""
        answer = super().pre_filter(pod, snapshot)
        return answer if isinstance(answer, Continue) else Continue(_NOTHING)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: current.Filtering, pod: PodInfo, node: NodeInfo) -> Status:
        """R-PODAFF-51 (observed: the wording of reasons is not part of the API): In v1.19 a node that does not
        match the pod's affinity or anti-affinity, or the anti-affinity of a running pod, is rejected with a
        general reason beside the one that says which of them."""
        status = super().filter(state, pod, node)
        if status.is_success:
            return status
        applies(NOT_MATCHED.rule)
        return evolve(status, reasons=(NOT_MATCHED, *status.reasons))

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[current.TopologyScores]:
        """R-PODAFF-52 (observed: a score that is the same for every node decides nothing): In v1.19 every node
        gets a score for inter-pod affinity, which is 0 where no term of the pod or of a running pod is met."""
        answer = super().pre_score(pod, feasible, snapshot)
        if isinstance(answer, Continue):
            return answer
        applies("R-PODAFF-52")
        return Continue({})

    def normalize_score(
        self, scores: current.TopologyScores, pod: PodInfo, raw: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-PODAFF-53 (instead of R-PODAFF-13): In v1.19 scores for inter-pod affinity are scaled between the
        lowest and the highest, where the lowest is at most 0 and the highest at least 0; where all are 0, all stay
        0."""
        lowest, highest = min(0, *raw.values()), max(0, *raw.values())
        if lowest == highest:
            return raw
        applies("R-PODAFF-53")
        spread = highest - lowest
        return {node: int(MAX_NODE_SCORE * ((score - lowest) / spread)) for node, score in raw.items()}
