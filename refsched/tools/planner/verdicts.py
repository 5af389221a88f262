# SPDX-License-Identifier: Apache-2.0
"""Verdicts: how a node was judged, what keeps a pod from nodes, and what would help it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from refsched.objects.dra import ResourceClaim
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.storage import PersistentVolumeClaim
from refsched.oddities.known_defect import KnownDefect


@frozen
class Shortage:
    """A Shortage says that the pod requests more of a resource than is free: milli-CPU, bytes, pods, or whole
    units of the others."""

    resource: str
    asks: int
    free: int
    allocatable: int


@frozen
class Score:
    """A Score is one plugin's score of one node: as the plugin returned it, normalized to 0..100, and multiplied
    by the weight. That of an extender is reported as it counts."""

    raw: int
    normalized: int
    weighted: int


@frozen
class NodeVerdict:
    """A NodeVerdict says how one node was judged. ``verdict`` is chosen, feasible (and scored, if ``total`` is
    set), surplus (found when enough were), refused, or unseen (not evaluated).

    ``curable`` says whether preemption would make room there; ``details`` is what a reason leaves out, ``lacks``
    the numbers behind it; ``nominated`` are the pods that counted there since they are nominated to the node.
    ``defects`` are the known defects of the release without which the plugins would decide otherwise there.
    """

    node: str
    verdict: str
    plugin: str = ""
    reasons: tuple[str, ...] = ()
    curable: bool = False
    details: tuple[str, ...] = ()
    lacks: tuple[Shortage, ...] = ()
    nominated: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(factory=dict)
    total: int | None = None
    defects: tuple[KnownDefect, ...] = ()


@frozen
class Obstacle:
    """An Obstacle is one thing that keeps the pod from ``nodes``: the plugin, what it says, and what exactly
    stands in the way."""

    plugin: str
    says: str
    because: str
    nodes: tuple[str, ...]


@frozen
class HelpfulChange:
    """A HelpfulChange is one change after which the pod is feasible on ``nodes``. ``kind`` is wait, gate,
    toleration, selector, request, claim, port, spread, affinity, uncordon, label, delete or node.

    ``updated`` are the objects as they are after the change: the pod, claims or nodes; ``deleted`` are pods
    that go, and ``created`` is a node that comes."""

    kind: str
    change: str
    nodes: tuple[str, ...] = ()
    updated: tuple[Pod | ResourceClaim | PersistentVolumeClaim | Node, ...] = ()
    deleted: tuple[Pod, ...] = ()
    created: tuple[Node, ...] = ()


# --- While it waits -------------------------------------------------------------------------------


@frozen
class Requeuing:
    """A Requeuing is an event that may requeue the pod, since ``plugin`` rejected it; ``rule`` is that of the row
    in the plugin's table."""

    plugin: str
    event: str
    why: str = ""
    rule: str = ""


@frozen
class NotPreempting:
    """A NotPreempting is one reason why preemption helps on none of ``nodes``."""

    because: str
    nodes: tuple[str, ...]
    rule: str = ""


@frozen
class Waiting:
    """A Waiting says how a pod waits after a first attempt that failed: how many seconds it backs off, after how
    many it is tried again without an event, and which events requeue it before. ``nominated_node`` is that of its
    status, and ``not_preempting`` says why it preempts no other pod."""

    backs_off: float
    at_latest: float
    events: tuple[Requeuing, ...] = ()
    nominated_node: str = ""
    not_preempting: tuple[NotPreempting, ...] = ()


# --- For programs ---------------------------------------------------------------------------------


def node_value(node: NodeVerdict) -> dict[str, Any]:
    value: dict[str, Any] = {"node": node.node, "verdict": node.verdict}
    if node.verdict == "refused":
        value["plugin"] = node.plugin
        value["reasons"] = list(node.reasons)
        value["curableByPreemption"] = node.curable
        value["details"] = list(node.details)
        value["lacks"] = [
            {"resource": lack.resource, "asks": lack.asks, "free": lack.free, "allocatable": lack.allocatable}
            for lack in node.lacks
        ]
    if node.nominated:
        value["nominatedPodsCounted"] = list(node.nominated)
    if node.defects:
        value["knownDefects"] = [
            {
                "id": known.id,
                "rule": known.rule,
                "report": known.report,
                "does": known.does,
                "should": known.should,
            }
            for known in node.defects
        ]
    if node.scores:
        value["scores"] = {
            plugin: {"raw": score.raw, "normalized": score.normalized, "weighted": score.weighted}
            for plugin, score in node.scores.items()
        }
        value["total"] = node.total
    return value


def waiting_value(waiting: Waiting) -> dict[str, Any]:
    return {
        "backoffSeconds": waiting.backs_off,
        "atLatestSeconds": waiting.at_latest,
        "requeuedBy": [
            {"plugin": each.plugin, "event": each.event, "why": each.why, "rule": each.rule}
            for each in waiting.events
        ],
        "nominatedNode": waiting.nominated_node,
        "notPreempting": [
            {"because": each.because, "rule": each.rule, "nodes": list(each.nodes)}
            for each in waiting.not_preempting
        ],
    }
