# SPDX-License-Identifier: Apache-2.0
"""Explanation: why one pod is placed where it is, and not elsewhere, or why nowhere, and how it is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from attrs import field, frozen

from refsched.errors import counted
from refsched.framework.status import Status
from refsched.oddities.known_defects import KNOWN_DEFECTS
from refsched.preemption.eligibility import NEVER, TERMINATING
from refsched.records import SCHEDULED
from refsched.tools.planner.amounts import amounts
from refsched.tools.planner.pending.words import joined, natural
from refsched.tools.planner.verdicts import (
    HelpfulChange,
    NodeVerdict,
    Obstacle,
    Score,
    Shortage,
    Waiting,
    node_value,
    waiting_value,
)
from refsched.tools.printing import Page, some

SHORT_NAMES = {
    "DynamicResources": "devices",
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

MOST_ROWS = 12
"""This many nodes, reasons and helpful changes are listed at most, unless the nodes are asked for."""

ALL_NODES = "*"


@frozen
class Explanation:
    """An Explanation says why one pod is placed where it is. ``result`` is scheduled, unschedulable, error or
    gated. ``equals`` counts the nodes with the highest total.

    ``bound_to`` is where the pod runs already: it is decided as if it did not. ``rejected`` is what PreEnqueue or
    PreFilter said of the pod, before any node was looked at; ``narrowed_by`` are the plugins that left nodes out.
    ``extenders`` are the URLs of those that gave scores, which stand beside the plugins' own.

    Of a pod that fits nowhere, ``headline`` says in a sentence why, ``reasons`` what keeps it from which nodes,
    and ``would_help`` what would help: each was confirmed by deciding again. There are none of a pod with
    extenders, which would have to be asked again. ``waiting`` says how the pod waits if it was tried and rejected.
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
    headline: str = ""
    reasons: tuple[Obstacle, ...] = ()
    would_help: tuple[HelpfulChange, ...] = ()
    waiting: Waiting | None = None

    def __str__(self) -> str:
        """Returns what ``refsched explain`` prints."""
        page = Page(plain=True)
        write_explanation(page, self)
        return page.text()


# --- For programs ---------------------------------------------------------------------------------


def as_value(found: Explanation) -> dict[str, Any]:
    """Returns what docs/schemas/explain.json describes."""
    value: dict[str, Any] = {
        "pod": found.pod,
        "priority": found.priority,
        "result": found.result,
        "headline": found.headline,
        "node": found.node,
        "equals": found.equals,
        "message": found.message,
        "boundTo": found.bound_to,
        "narrowedBy": list(found.narrowed_by),
        "victims": list(found.victims),
        "nominatedNode": found.nominated_node,
        "weights": dict(found.weights),
        "extenders": list(found.extenders),
        "reasons": [
            {"plugin": each.plugin, "says": each.says, "because": each.because, "nodes": list(each.nodes)}
            for each in found.reasons
        ],
        "wouldHelp": [
            {"kind": each.kind, "change": each.change, "nodes": list(each.nodes)} for each in found.would_help
        ],
        "nodes": [node_value(node) for node in found.nodes],
    }
    if found.waiting is not None:
        value["waiting"] = waiting_value(found.waiting)
    if found.rejected is not None:
        rejected = found.rejected
        value["refused"] = {
            "plugin": rejected.plugin,
            "code": rejected.code.value,
            "reasons": list(rejected.reasons),
        }
    return value


# --- For people -----------------------------------------------------------------------------------


def write_explanation(page: Page, found: Explanation, listed: str = "") -> None:
    """Writes the explanation. ``listed`` is a pattern such as ``web-*`` of the nodes that are listed one by one;
    without it, few nodes are listed, and many are summed up."""
    page.line(_title(found), "bold")
    if found.headline:
        page.line(found.headline)
    if found.rejected is not None:
        page.line(f"✗ {found.rejected.plugin or 'PreFilter'}: {found.rejected.message}", "red")
    if found.bound_to:
        page.line(f"it runs on {found.bound_to}, and is decided as if it were yet to be placed")
    if found.victims:
        page.line(f"preemption: {some(found.victims)} would have to leave {found.nominated_node}")
    nodes = [node for node in found.nodes if fnmatchcase(node.node, listed or ALL_NODES)]
    _show_feasible(page, found, nodes, is_whole=bool(listed))
    refused = [node for node in nodes if node.verdict == "refused"]
    if found.reasons:
        _show_reasons(page, found.reasons)
        _show_helpful(page, found)
    elif found.would_help:
        _show_helpful(page, found)
    if found.waiting is not None:
        _show_waiting(page, found.waiting)
    if listed or (len(refused) <= MOST_ROWS and not found.reasons):
        _show_rejected(page, refused)
    elif not found.reasons:
        _show_sums(page, refused)
    _show_defects(page, nodes)
    unseen = [node.node for node in nodes if node.verdict == "unseen"]
    if unseen:
        page.line()
        page.line(f"not looked at, since the search ended before: {some(unseen)}")


def _title(found: Explanation) -> str:
    subject = f"{found.pod}   priority {found.priority}"
    if found.result != SCHEDULED:
        on = f" on {counted(len(found.nodes), 'node')}" if found.reasons else ""
        return f"{subject}   ✗ {found.result}{on}"
    feasible = [node for node in found.nodes if node.verdict in ("chosen", "feasible")]
    if len(feasible) == 1:
        return f"{subject}   → {found.node}   (one feasible node, so none is scored)"
    total = feasible[0].total
    rank = f"1 of {found.equals} equals at {total}" if found.equals > 1 else f"highest total: {total}"
    return f"{subject}   → {found.node}   ({rank})"


def _show_reasons(page: Page, reasons: Sequence[Obstacle]) -> None:
    page.line()
    rows = [(each.plugin, each.because, f"{len(each.nodes):,}") for each in reasons[:MOST_ROWS]]
    page.table(("REJECTED BY", "WHY", "NODES"), rows, right=("NODES",))
    if len(reasons) > MOST_ROWS:
        others = sum(len(each.nodes) for each in reasons[MOST_ROWS:])
        more = counted(len(reasons) - MOST_ROWS, "more reason")
        page.line(f"and {more}, on {counted(others, 'node')} (--nodes lists all)")


def _show_helpful(page: Page, found: Explanation) -> None:
    page.line()
    rows = [(each.change, _goes_to(each.nodes)) for each in found.would_help[:MOST_ROWS]]
    page.table(("WHAT WOULD HELP (EACH TRIED)", "IT WOULD GO TO"), rows)
    if not rows and not found.extenders:
        page.line("No single change that was tried would help.")


def _show_waiting(page: Page, waiting: Waiting) -> None:
    page.line()
    if waiting.nominated_node:
        page.line(
            f"It is nominated to {waiting.nominated_node}: it counts there for pods of equal or lower priority,"
            " and one of higher priority may still take its place."
        )
    if waiting.not_preempting:
        why = [f"{each.because} ({counted(len(each.nodes), 'node')})" for each in waiting.not_preempting]
        may_not = waiting.not_preempting[0].rule in (TERMINATING.rule, NEVER.rule)
        title = "It preempts no other pod" if may_not else "Preemption would not help"
        page.line(f"{title}: {'; '.join(why)}.")
    first = f"after a backoff of {waiting.backs_off:g} s" if waiting.backs_off else "at once"
    page.line(f"Requeued {first} by an event, and without one after {waiting.at_latest:g} s:")
    plugins: dict[str, list[str]] = {}
    for each in waiting.events:
        plugins.setdefault(each.event, []).append(each.plugin)
    rows = [(event, ", ".join(dict.fromkeys(by))) for event, by in plugins.items()]
    page.table(("EVENT", "SINCE IT WAS REJECTED BY"), rows[:MOST_ROWS], indent=2)


def _goes_to(nodes: Sequence[str]) -> str:
    """Returns the node or the few nodes to which the pod may go, or how many there are."""
    if len(nodes) > 3:
        return f"one of {len(nodes):,} nodes"
    return joined(sorted(nodes, key=natural), "or")


def _show_feasible(page: Page, found: Explanation, shown: Sequence[NodeVerdict], *, is_whole: bool) -> None:
    nodes = [node for node in shown if node.verdict in ("chosen", "feasible", "surplus")]
    if not nodes:
        return
    columns = [f"{SHORT_NAMES.get(plugin, plugin)}×{weight}" for plugin, weight in found.weights.items()]
    columns += found.extenders
    has_totals = any(node.total is not None for node in nodes)
    header = ["NODE", "VERDICT", *columns, *(["TOTAL"] if has_totals else [])]
    first = nodes if is_whole else nodes[:MOST_ROWS]
    page.line()
    page.table(header, [_feasible_row(node, found) for node in first], right=[*columns, "TOTAL"])
    if len(first) < len(nodes):
        page.line(f"and {counted(len(nodes) - len(first), 'more feasible node')} (--nodes lists all)")
    if any("→" in _score(score) for node in first for score in node.scores.values()):
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
        for node in sorted(nodes, key=lambda node: natural(node.node))
    ]
    page.table(("NODE", "REJECTED BY", "WHY", "PREEMPTION"), rows)


def _show_sums(page: Page, nodes: Sequence[NodeVerdict]) -> None:
    """Writes how many nodes each plugin rejected, and for what reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        why = ", ".join((*node.reasons, *node.details))
        found.setdefault((node.plugin, why), []).append(node.node)
    in_order = sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    page.line()
    rows = [(f"✗ {plugin}", why, f"{len(on):,}") for (plugin, why), on in in_order[:MOST_ROWS]]
    page.table(("REJECTED BY", "WHY", "NODES"), rows, right=("NODES",))


def _show_defects(page: Page, nodes: Sequence[NodeVerdict]) -> None:
    for known in KNOWN_DEFECTS:
        on = [node.node for node in nodes if known in node.defects]
        if on:
            page.line()
            page.line(f"known defect of kube-scheduler ({known.report}), met on {some(on)}:", "yellow")
            page.line(f"it {known.does};", indent=2)
            page.line(f"by the rule ({known.rule}) it {known.should}", indent=2)


def _why(node: NodeVerdict) -> str:
    why = ", ".join(node.reasons)
    numbers = "; ".join((*node.details, *(_numbers(lack, named=len(node.lacks) > 1) for lack in node.lacks)))
    crowd = f"with {', '.join(node.nominated)}, nominated here, counted" if node.nominated else ""
    details = ": ".join(part for part in (numbers, crowd) if part)
    return f"{why}  ({details})" if details else why


def _numbers(lack: Shortage, *, named: bool) -> str:
    asks, free = amounts(lack.resource, lack.asks, lack.free)
    return f"{lack.resource + ' ' if named else ''}asks {asks}, free {free}"
