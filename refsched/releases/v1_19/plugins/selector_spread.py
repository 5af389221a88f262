# SPDX-License-Identifier: Apache-2.0
"""SelectorSpread: the pods of one Service or controller are spread over hosts and zones.

This is a plugin of v1.19, which the default constraints of PodTopologySpread replaced later.
Promised: that the pods of a Service or controller are spread is documented with the scheduling policies of v1.19.
Source: plugins/selectorspread/selector_spread.go; pkg/util/node/node.go, GetZoneKey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE, Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import error
from refsched.objects.selectors import EVERYTHING, Selector
from refsched.plugins.pod_topology_spread_constraints import count_matching
from refsched.releases.v1_19.framework import ERROR_READING_PRE_SCORE
from refsched.releases.v1_19.plugins.default_selector import default_selector
from refsched.rules import applies

ZONE_WEIGHTING = 2.0 / 3.0

Zone = tuple[str, str]
"""A Zone is a region and a zone; both may be empty."""


@frozen
class SpreadState:
    """A SpreadState says which pods belong together with the pod, and has the zone of each scored node that
    is in one."""

    selector: Selector
    zones: Mapping[str, Zone]


@frozen
class SelectorSpread:
    name = "SelectorSpread"
    POINTS = ("preScore", "score")
    READS = (
        "Pod.spec.topologySpreadConstraints",
        "Service",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    )
    WITHOUT_PRE_SCORE = error(ERROR_READING_PRE_SCORE.of(name))

    def scores_alike(self, pod: PodInfo) -> bool:
        return bool(pod.pod.spec.topology_spread_constraints)

    # --- PreScore ---------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[SpreadState | None]:
        """R-SELSPREAD-01: For a pod that has topology spread constraints of its own, SelectorSpread scores every
        node 0."""
        if self.scores_alike(pod):
            applies("R-SELSPREAD-01")
            return Continue(None)
        known = (snapshot.by_name[node.name] for node in feasible)
        zones = {node.name: zone for node in known if any(zone := node.existing_node.zone)}
        return Continue(SpreadState(default_selector(pod.pod, snapshot.objects), zones))

    # --- Score ------------------------------------------------------------------------------------

    def score(self, state: SpreadState | None, pod: PodInfo, node: NodeInfo) -> int:
        """R-SELSPREAD-02: On each node SelectorSpread counts the pods of the pod's namespace that belong together
        with the pod and are not being deleted; if nothing selects the pod, it counts none."""
        if state is None or state.selector == EVERYTHING:
            return 0
        applies("R-SELSPREAD-02")
        return count_matching(node.pods, state.selector, pod.pod.namespace)

    def normalize_score(
        self, state: SpreadState | None, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-SELSPREAD-03: A node scores 100 times the share by which it stays below the node with the most pods
        that belong together; where no node has such a pod, every node scores 100.
        R-SELSPREAD-04: A node that has a zone scores one third by its own count and two thirds by that of its
        zone, which is compared with the zone that has the most such pods."""
        if state is None:
            return scores
        by_zone: dict[Zone, int] = {}
        for node, count in scores.items():
            if node in state.zones:
                by_zone[state.zones[node]] = by_zone.get(state.zones[node], 0) + count
        most_on_node = max(scores.values())
        most_in_zone = max(by_zone.values(), default=0)

        def scaled(node: str, count: int) -> int:
            applies("R-SELSPREAD-03")
            score = _below(count, most_on_node)
            if node in state.zones:
                applies("R-SELSPREAD-04")
                zone_score = _below(by_zone[state.zones[node]], most_in_zone)
                score = score * (1.0 - ZONE_WEIGHTING) + ZONE_WEIGHTING * zone_score
            return int(score)

        return {node: scaled(node, count) for node, count in scores.items()}


def _below(count: int, most: int) -> float:
    return MAX_NODE_SCORE * ((most - count) / most) if most else float(MAX_NODE_SCORE)
