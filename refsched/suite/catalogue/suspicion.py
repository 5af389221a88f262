# SPDX-License-Identifier: Apache-2.0
"""Suspicion: of the rules that were applied in a history, those that a difference points to.

Where a difference shows is seldom where it comes from: a node is rejected for its cpu because of how the requests
of init containers add up. A history that was made small applies a rare rule only if it is needed to show the
difference, so of the rules that can be behind it the rarest one is suspected first. How rare a rule is was counted
over the histories of the suite (``applied.json``, which ``python -m conformance.wrong.rarity`` writes).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from math import log
from pathlib import Path

from attrs import frozen

from refsched.queue.transitions import TRANSITIONS
from refsched.suite.catalogue.rules import level_of, plugin_of
from refsched.suite.catalogue.showing import shown_with

TABLE = Path(__file__).with_name("applied.json")

MOST = 3
"""So many rules are named."""

SHARED = 1.25
"""What a rule weighs more that a plugin shares with others: it stands farther in than the plugin's own."""

NEAREST, HINTED = 0.5, 3.0
"""What it weighs that a difference shows at the place of a rule, and that a hint answered otherwise."""

_BINDERS = ("R-EXTENDER-01", "R-EXTENDER-13")
_STATE = ("CACHE", "ASSUME", "ROLLBACK", "R-EVENT-02", "R-EVENT-05", "R-EVENT-07", "BIND")
_NOMINATED = ("NOM", "R-FAIL-03", "R-PREEMPT-13", "R-PREEMPT-15", "R-PREEMPT-16", "POSTFILTER", "R-ASSUME-01")
_REQUEUED = (
    "CHANGE",
    "EVENT",
    "HINT",
    "QUEUE",
    "BACKOFF",
    "FLIGHT",
    "FAIL",
    "GATES",
    "R-ROLLBACK-03",
    "BIND",
    "SORT",
)
_VICTIMS = (
    *("R-PREEMPT-04", "R-PREEMPT-05", "R-PREEMPT-06", "R-PREEMPT-07", "R-PREEMPT-08", "R-PREEMPT-12"),
    *("R-PREEMPT-51", "R-PREEMPT-52", "R-PREEMPT-53", "R-PREEMPT-54", "R-PREEMPT-55"),
    "EVICT",
)
_LATE = ("PERMIT", "RESERVE", "BIND", "ROLLBACK", "FAIL", "EVENT", "R-FLIGHT-02", "ASSUME", *_BINDERS)

#   member          areas and rules that can be behind a difference there, beside those of the plugin
_BEHIND: Mapping[str, tuple[str, ...]] = {
    "filter": (*_STATE, "R-SEARCH-03", "R-FRAMEWORK-10", "R-FRAMEWORK-13"),
    "scores": ("R-FRAMEWORK-11", "R-FRAMEWORK-14", "R-CACHE-01", "R-CACHE-02"),
    "totals": ("R-FRAMEWORK-14", "R-CONFIG-26", "EXTENDER"),
    "nodes": ("REQUEST", *_STATE, *_LATE),
    "queues": (*_REQUEUED, "PERMIT"),
    "pod": (*_REQUEUED, *_LATE),
    "victims": _VICTIMS,
    "nominatedNode": (
        *_VICTIMS,
        "R-PREEMPT-01",
        "R-PREEMPT-02",
        "R-PREEMPT-03",
        "R-PREEMPT-09",
        "R-PREEMPT-11",
        "R-PREEMPT-13",
        "R-PREEMPT-15",
        "POSTFILTER",
        "R-FAIL-03",
    ),
    "calls": _LATE,
    "evaluated": ("SEARCH", "R-CACHE-03", "CONFIG"),
    "message": ("WORDS", "PREEMPT", "R-SEARCH-09"),
    "write": ("DRA", "VOLBIND"),
}
_IN_A_DRY_RUN = ("NOM", "R-SPREAD-09", "R-PODAFF-03")
"""What is computed anew for each node on which preemption is tried."""

_FARTHER: Mapping[str, tuple[str, ...]] = {
    "filter": _NOMINATED,
    "victims": _IN_A_DRY_RUN,
    "nominatedNode": _IN_A_DRY_RUN,
}
"""What can be behind a difference there, too, and is less likely to be."""
_LIKE = {
    "preFilter": "filter",
    "node": "totals",
    "feasible": "evaluated",
    "waiting": "calls",
    "bind": "calls",
    "attempt": "calls",
    "volumes": "write",
    "result": "message",
    "unschedulablePlugins": "queues",
}

_SHARED: Mapping[str, tuple[str, ...]] = {
    "NodeResourcesFit": ("REQUEST", "R-FIT-06", "R-FIT-07", "R-FIT-08"),
    "NodeResourcesBalancedAllocation": ("REQUEST",),
    "NodePorts": ("PORTS",),
    "ImageLocality": ("IMAGE",),
    "TaintToleration": ("R-TAINT-07",),
    "NodeUnschedulable": ("R-TAINT-07",),
    "NodeAffinity": ("SELECTOR",),
    "PodTopologySpread": ("SELECTOR", "R-TAINT-07"),
    "InterPodAffinity": ("SELECTOR",),
    "VolumeBinding": ("SELECTOR",),
    "DynamicResources": ("SELECTOR",),
}
"""What a plugin decides by that stands outside its module."""

_ROWS = frozenset(row.rule for row in TRANSITIONS)

_SIDE = {"scores": "score", "queues": "queue", "unschedulablePlugins": "queue"}
"""The rules of a plugin that can be behind a difference in a member: those of its Score, or of its hints."""


@frozen
class Circumstances:
    """``last`` are the rules that were applied since the last comparison, ``ever`` those of the whole history;
    ``plugins`` those that the record or the specification name; ``is_nominated`` says that the difference is about
    pods that are nominated to the node. ``moved`` are the rows by which pods came to queues where they are not, or
    None where it is not about queues."""

    member: str
    plugins: Collection[str]
    last: Collection[str]
    ever: Collection[str]
    is_nominated: bool = False
    moved: Collection[str] | None = None


def suspects(symptom: str, seen: Circumstances) -> tuple[str, ...]:
    """The rules that a difference points to, the first one first. ``symptom`` is the rule of the place where it
    shows. The first one is promised if that one is, and observed if that one is: which of them is named does not
    decide whether a scheduler conforms."""
    weights = {rule: weight for rule in seen.ever if (weight := _weight(rule, seen)) > 0}
    is_hint = "queue" in shown_with(symptom) and plugin_of(symptom) is not None
    weights[symptom] = weights.get(symptom, 0.0) + (HINTED if is_hint else NEAREST)
    ranked = sorted(weights, key=lambda rule: (-weights[rule], rule))
    first = next(rule for rule in ranked if level_of(rule) == level_of(symptom))
    return tuple(dict.fromkeys((first, *ranked)))


def _weight(rule: str, seen: Circumstances) -> float:
    first = seen.member.partition(".")[0]
    kind = "write" if first.startswith("claim") else _LIKE.get(first, first)
    behind = _NOMINATED if seen.is_nominated else _BEHIND.get(kind, ())
    side = _SIDE.get(first, "filter")
    plugins = () if seen.is_nominated else seen.plugins
    is_last = rule in seen.last
    near = 1.0 if is_last else 0.7
    if rule in _ROWS and seen.moved is not None and rule not in seen.moved:
        return 0.0
    if _is_on(rule, side, is_last=is_last):
        if any(_is_in(rule, _SHARED.get(plugin, ())) for plugin in plugins):
            return rarity(rule) * near * (1.0 if side == "queue" else SHARED)
        if any(plugin_of(rule) == plugin for plugin in plugins):
            return rarity(rule) * near
    if _is_in(rule, behind):
        return rarity(rule) * near * 0.8
    return rarity(rule) * near * 0.4 if _is_in(rule, _FARTHER.get(kind, ())) else 0.0


def _is_on(rule: str, side: str, *, is_last: bool) -> bool:
    """Whether a plugin's rule decides on this side. A hint may ask what a filter asks."""
    if rule.startswith("R-CURE-"):
        return False
    sides = shown_with(rule)
    if side == "filter":
        return not {"score", "queue"} & set(sides)
    return side in sides or (is_last and "score" not in sides and (side == "queue" or not sides))


def _is_in(rule: str, areas: Iterable[str]) -> bool:
    return rule in areas or rule.split("-")[1] in areas


def rarity(rule: str) -> float:
    """How much it says that a history applies the rule: 0 if every one does."""
    histories, counts = _table()
    return log((histories + 1) / (counts.get(rule, 0) + 1))


@cache
def _table() -> tuple[int, Mapping[str, int]]:
    """How many histories there are, and how many of them apply each rule."""
    table = json.loads(TABLE.read_text("utf-8"))
    return table["histories"], table["rules"]
