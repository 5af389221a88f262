# SPDX-License-Identifier: Apache-2.0
"""Attribution: from where a record and the specification differ to the rule that was broken.

A verdict or a score belongs to the plugin that the specification, or else the record, names; within the plugin to
the rule of the method that speaks at that point. Other members belong to the station that fills them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from conformance.catalogue.rules import all_rules
from refsched.checking.agreement import Disagreement
from refsched.trace.records import NodeStatus, PreFilter

_STATIONS: tuple[tuple[str, str], ...] = (
    ("pod", "R-QUEUE-47"),
    ("evaluated", "R-SEARCH-01"),
    ("feasible", "R-SEARCH-01"),
    ("totals", "R-SEARCH-04"),
    ("node", "R-SEARCH-04"),
    ("waiting", "R-PERMIT-01"),
    ("nominatedNode", "R-NOM-01"),
    ("victims", "R-PREEMPT-01"),
    ("calls", "R-ROLLBACK-01"),
    ("message", "R-FAIL-01"),
    ("unschedulablePlugins", "R-QUEUE-46"),
    ("queues", "R-QUEUE-07"),
    ("nodes", "R-ASSUME-01"),
    ("bind", "R-BIND-01"),
    ("attempt", "R-QUEUE-04"),
    ("result", "R-FAIL-01"),
)
FALLBACK = "R-FAIL-01"


def rule_of(disagreement: Disagreement) -> str:
    """The id of the rule that a disagreement breaks."""
    first, *rest = disagreement.member.split(".")
    if first in ("filter", "preFilter"):
        plugin = _plugin(disagreement.expected) or _plugin(disagreement.got)
        return _rule_in(plugin, "filter" if first == "filter" else "pre_filter") or "R-SEARCH-01"
    if first == "scores":
        return _rule_in(rest[-1] if len(rest) > 1 else "", "score") or "R-SEARCH-04"
    return dict(_STATIONS).get(first, FALLBACK)


def _plugin(value: Any) -> str:
    if isinstance(value, NodeStatus | PreFilter):
        return value.plugin
    return ""


def _rule_in(plugin: str, method: str) -> str | None:
    """The first rule of a plugin's method; else the first of the plugin."""
    of_plugin = _by_plugin().get(plugin, {})
    return of_plugin.get(method) or next(iter(of_plugin.values()), None)


@cache
def _by_plugin() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for rule in all_rules().values():
        plugin, _, method = rule.place.partition(".")
        if rule.module.startswith("plugins/"):
            found.setdefault(plugin, {}).setdefault(method, rule.id)
    return found
