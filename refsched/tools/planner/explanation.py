# SPDX-License-Identifier: Apache-2.0
"""Explanation: why one pod is placed where it is, and not elsewhere, node by node, and how it is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from refsched.framework.status import Status
from refsched.objects.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from refsched.oddities.known_defect import KnownDefect
from refsched.oddities.known_defects import KNOWN_DEFECTS
from refsched.records import SCHEDULED
from refsched.releases import DEFAULT
from refsched.tools.printing import Page, some

SHORT_NAMES = {
    "ImageLocality": "image",
    "InterPodAffinity": "pods",
    "NodeAffinity": "affinity",
    "NodeResourcesBalancedAllocation": "balanced",
    "NodeResourcesFit": "fit",
    "PodTopologySpread": "spread",
    "TaintToleration": "taint",
    "VolumeBinding": "volume",
}
"""These are the headers of columns: with their full names eight plugins take two screens."""


@frozen
class Lack:
    """A Lack says that the pod requests more of a resource than is free: milli-CPU, bytes, pods, or whole units
    of the others."""

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
    lacks: tuple[Lack, ...] = ()
    nominated: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(factory=dict)
    total: int | None = None
    defects: tuple[KnownDefect, ...] = ()


@frozen
class Explanation:
    """An Explanation says why one pod is placed where it is. ``result`` is scheduled, unschedulable, error or
    gated. ``equals`` counts the nodes with the highest total.

    ``bound_to`` is where the pod runs already: it is decided as if it did not. ``rejected`` is what PreEnqueue or
    PreFilter said of the pod, before any node was looked at; ``narrowed_by`` are the plugins that left nodes out.
    ``extenders`` are the URLs of those that gave scores, which stand beside the plugins' own.
    """

    pod: str
    priority: int
    result: str
    node: str = ""
    equals: int = 0
    message: str = ""
    bound_to: str = ""
    rejected: Status | None = None
    narrowed_by: tuple[str, ...] = ()
    victims: tuple[str, ...] = ()
    nominated_node: str = ""
    weights: Mapping[str, int] = field(factory=dict)
    extenders: tuple[str, ...] = ()
    nodes: tuple[NodeVerdict, ...] = ()

    def __str__(self) -> str:
        """Returns what ``refsched explain`` prints."""
        page = Page(plain=True)
        write_explanation(page, self)
        return page.text()


# --- For programs ---------------------------------------------------------------------------------


def as_value(found: Explanation) -> dict[str, Any]:
    value: dict[str, Any] = {
        "pod": found.pod,
        "priority": found.priority,
        "result": found.result,
        "node": found.node,
        "equals": found.equals,
        "message": found.message,
        "boundTo": found.bound_to,
        "narrowedBy": list(found.narrowed_by),
        "victims": list(found.victims),
        "nominatedNode": found.nominated_node,
        "weights": dict(found.weights),
        "extenders": list(found.extenders),
        "nodes": [_node(node) for node in found.nodes],
    }
    if found.rejected is not None:
        rejected = found.rejected
        value["refused"] = {
            "plugin": rejected.plugin,
            "code": rejected.code.value,
            "reasons": list(rejected.reasons),
        }
    return value


def _node(node: NodeVerdict) -> dict[str, Any]:
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


# --- For people -----------------------------------------------------------------------------------


def write_explanation(page: Page, found: Explanation) -> None:
    page.line(_headline(found), "bold")
    if found.bound_to:
        page.line(f"it runs on {found.bound_to}, and is decided as if it were yet to be placed")
    if found.message:
        page.line(found.message)
    if found.rejected is not None:
        when = "before it enters the queue" if found.result == "gated" else "before any node is looked at"
        page.line(
            f"✗ {found.rejected.plugin or 'PreFilter'} rejects the pod {when}: {found.rejected.message}",
            "red",
        )
    if found.victims:
        page.line(f"preemption: {', '.join(found.victims)} would have to leave {found.nominated_node}")
    _show_feasible(page, found)
    _show_rejected(page, [node for node in found.nodes if node.verdict == "refused"])
    _show_defects(page, found.nodes)
    unseen = [node.node for node in found.nodes if node.verdict == "unseen"]
    if unseen:
        page.line()
        page.line(f"not looked at, since the search ended before: {some(unseen)}")


def _headline(found: Explanation) -> str:
    subject = f"{found.pod}   priority {found.priority}"
    if found.result != SCHEDULED:
        return f"{subject}   ✗ {found.result}"
    feasible = [node for node in found.nodes if node.verdict in ("chosen", "feasible")]
    if len(feasible) == 1:
        return f"{subject}   → {found.node}   (one feasible node, so none is scored)"
    total = feasible[0].total
    rank = f"1 of {found.equals} equals at {total}" if found.equals > 1 else f"highest total: {total}"
    return f"{subject}   → {found.node}   ({rank})"


def _show_feasible(page: Page, found: Explanation) -> None:
    nodes = [node for node in found.nodes if node.verdict in ("chosen", "feasible", "surplus")]
    if not nodes:
        return
    columns = [f"{SHORT_NAMES.get(plugin, plugin)}×{weight}" for plugin, weight in found.weights.items()]
    columns += found.extenders
    has_totals = any(node.total is not None for node in nodes)
    header = ["NODE", "VERDICT", *columns, *(["TOTAL"] if has_totals else [])]
    page.line()
    page.table(header, [_feasible_row(node, found) for node in nodes], right=[*columns, "TOTAL"])
    if any("→" in _score(score) for node in nodes for score in node.scores.values()):
        page.line(
            "scores: as the plugin gave it → normalized → by its weight; one number where it stays the same"
        )


def _feasible_row(node: NodeVerdict, found: Explanation) -> list[str]:
    words = {"chosen": "✓ chosen", "feasible": "✓", "surplus": "✓ one more than enough"}
    verdict = words[node.verdict]
    if node.nominated:
        verdict += f" (with {', '.join(node.nominated)}, nominated here, counted)"
    names = (*found.weights, *found.extenders)
    scores = [_score(node.scores[name]) for name in names if name in node.scores]
    return [node.node, verdict, *scores, *([str(node.total)] if node.total is not None else [])]


def _score(score: Score) -> str:
    steps = [score.raw, score.normalized, score.weighted]
    return str(score.raw) if len(set(steps)) == 1 else "→".join(map(str, steps))


def _show_rejected(page: Page, nodes: Sequence[NodeVerdict]) -> None:
    if not nodes:
        return
    page.line()
    rows = [
        (node.node, f"✗ {node.plugin}", _why(node), "would help" if node.curable else "would not help")
        for node in nodes
    ]
    page.table(("NODE", "REJECTED BY", "WHY", "PREEMPTION"), rows)


def _show_defects(page: Page, nodes: Sequence[NodeVerdict]) -> None:
    for known in KNOWN_DEFECTS:
        on = [node.node for node in nodes if known in node.defects]
        if on:
            page.line()
            page.line(f"known defect of {DEFAULT.tag} ({known.report}), met on {some(on)}:", "yellow")
            page.line(f"it {known.does};", indent=2)
            page.line(f"by the rule ({known.rule}) it {known.should}", indent=2)


def _why(node: NodeVerdict) -> str:
    why = ", ".join(node.reasons)
    numbers = "; ".join((*node.details, *(_numbers(lack, named=len(node.lacks) > 1) for lack in node.lacks)))
    crowd = f"with {', '.join(node.nominated)}, nominated here, counted" if node.nominated else ""
    details = ": ".join(part for part in (numbers, crowd) if part)
    return f"{why}  ({details})" if details else why


def _numbers(lack: Lack, *, named: bool) -> str:
    asks, free = amounts(lack.resource, lack.asks, lack.free)
    return f"{lack.resource + ' ' if named else ''}asks {asks}, free {free}"


# --- Amounts --------------------------------------------------------------------------------------


def amounts(resource: str, *values: int) -> tuple[str, ...]:
    """Returns the values as people write them, or exactly to the byte if they would otherwise look the same."""
    written = tuple(_amount(resource, value) for value in values)
    return written if len(set(written)) == len(set(values)) else tuple(map(str, values))


def _amount(resource: str, value: int) -> str:
    if resource == CPU:
        return f"{value / 1000:g}"
    if resource not in (MEMORY, EPHEMERAL_STORAGE):
        return f"{value:,}"
    for unit, shift in (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if abs(value) >= 1 << shift:
            return f"{round(value / (1 << shift), 2):g}{unit}"
    return str(value)
