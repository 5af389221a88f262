# SPDX-License-Identifier: Apache-2.0
"""TaintToleration: a pod keeps away from nodes with taints that it does not tolerate.

Promised: the effects of taints are documented with the Node and the Pod API.
Source: plugins/tainttoleration/taint_toleration.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from attrs import frozen

from refsched.framework.events import NODE, POD, ActionType, EventHint
from refsched.framework.interface import Continue
from refsched.framework.left_out import FAILED_TO_READ_PRE_SCORE
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable
from refsched.objects.node import Node, Taint
from refsched.objects.pod import Pod, Toleration
from refsched.objects.store import ObjectStore
from refsched.plugins.normalize import normalize
from refsched.plugins.signatures import sign_tolerations
from refsched.rules import Reason, applies

UNTOLERATED = Reason("node(s) had untolerated taint(s)", "R-TAINT-01")

Tolerations = tuple[Toleration, ...]


@frozen
class TaintToleration:
    name = "TaintToleration"
    POINTS: ClassVar[tuple[str, ...]] = ("preFilter", "filter", "preScore", "score")
    READS = ("Pod.spec.tolerations", "Node.spec.taints")
    WITHOUT_PRE_SCORE = error(FAILED_TO_READ_PRE_SCORE.of(name))

    sign = sign_tolerations

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[None]:
        """Lets every pod pass. What kube-scheduler does here for the resize of a running pod is behind the feature
        gate InPlacePodVerticalScalingSchedulerPreemption, which is off."""
        return Continue(None)

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-TAINT-01: A node with an untolerated NoSchedule or NoExecute taint is rejected as
        UnschedulableAndUnresolvable.
        R-TAINT-02: An untolerated PreferNoSchedule taint does not reject a node."""
        if is_repelled(pod.pod.spec.tolerations, node.existing_node):
            return unresolvable(UNTOLERATED)
        applies("R-TAINT-02", when=_untolerated_preferences(node.existing_node, pod.pod.spec.tolerations))
        return SUCCESS

    # --- Score ------------------------------------------------------------------------------------

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[Tolerations]:
        """R-TAINT-03: Only tolerations with the effect PreferNoSchedule, or without an effect, count when
        TaintToleration scores."""
        tolerations = pod.pod.spec.tolerations
        counted = tuple(t for t in tolerations if t.effect in ("", "PreferNoSchedule"))
        applies("R-TAINT-03", when=len(counted) < len(tolerations))
        return Continue(counted)

    def score(self, tolerations: Tolerations, pod: PodInfo, node: NodeInfo) -> int:
        """Returns the number of PreferNoSchedule taints that the pod does not tolerate."""
        return _untolerated_preferences(node.existing_node, tolerations)

    def normalize_score(
        self, tolerations: Tolerations, pod: PodInfo, scores: Mapping[str, int]
    ) -> Mapping[str, int]:
        """R-TAINT-04: The scores of TaintToleration are inverted: the feasible node with the most untolerated
        PreferNoSchedule taints gets 0, and one with none gets 100."""
        applies("R-TAINT-04", when=any(scores.values()))
        return normalize(scores, reverse=True)

    # --- Events -----------------------------------------------------------------------------------

    def after_node_change(self, pod: Pod, before: Node | None, after: Node, objects: ObjectStore) -> bool:
        """R-TAINT-05 (observed: queueing hints may only save attempts, KEP-4247): A node that is added without
        NoSchedule or NoExecute taints that the pod does not tolerate, or that loses the last of them, requeues a
        pod that TaintToleration rejected."""
        tolerations = pod.spec.tolerations
        was_tolerated = before is not None and not is_repelled(tolerations, before)
        return applies("R-TAINT-05", when=not is_repelled(tolerations, after) and not was_tolerated)

    def after_toleration_change(self, pod: Pod, before: Pod, after: Pod, objects: ObjectStore) -> bool:
        """R-TAINT-06 (observed: queueing hints may only save attempts, KEP-4247): Any change of its own
        tolerations requeues a pod that TaintToleration rejected."""
        return applies("R-TAINT-06", when=after.uid == pod.uid)

    EVENTS = (
        EventHint(
            NODE,
            ActionType.ADD | ActionType.UPDATE_NODE_TAINT,
            after_node_change,
            "a node may have been added, or have lost a taint",
        ),
        EventHint(
            POD,
            ActionType.UPDATE_POD_TOLERATION,
            after_toleration_change,
            "the pod may tolerate a taint now",
        ),
    )


def untolerated_taints(tolerations: Tolerations, node: Node) -> Iterator[Taint]:
    """Returns the NoSchedule and NoExecute taints of the node that the pod does not tolerate."""
    rejecting = (taint for taint in node.spec.taints if taint.effect in ("NoSchedule", "NoExecute"))
    return (taint for taint in rejecting if not _tolerated(taint, tolerations))


def is_repelled(tolerations: Tolerations, node: Node) -> bool:
    return any(untolerated_taints(tolerations, node))


def _untolerated_preferences(node: Node, tolerations: Tolerations) -> int:
    taints = node.spec.taints
    return sum(t.effect == "PreferNoSchedule" and not _tolerated(t, tolerations) for t in taints)


def _tolerated(taint: Taint, tolerations: Tolerations) -> bool:
    return any(toleration.tolerates(taint) for toleration in tolerations)
