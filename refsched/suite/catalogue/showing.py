# SPDX-License-Identifier: Apache-2.0
"""Showing: in what an implementation reports a rule can show, and which of its plugins decide by it.

A rule shows where breaking it would change something that is compared. A rule of a plugin's Score shows in
scores, one of its hints in queues, one of its Filter on nodes; a rule that plugins share shows if one of
them is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from refsched.suite.catalogue.rules import Rule, all_rules, plugin_of

_BINDS = ("scripted", "volumes", "devices", "extenders", "api")

#   area        is decided where this capability shows it
_AREAS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("SORT", "GATES", "QUEUE", "BACKOFF", "FLIGHT", "HINT", "CURE", "CHANGE", "FAIL", "EVENT"), ("queue",)
    ),
    **dict.fromkeys(("NOM", "POSTFILTER", "PREEMPT", "EVICT"), ("preemption",)),
    **dict.fromkeys(("VOLBIND", "VOLLIMIT", "VOLRESTR", "VOLZONE", "CLOUDLIMIT", "BASIC"), ("volumes",)),
    **dict.fromkeys(("RESERVE", "PERMIT"), ("scripted",)),
    **dict.fromkeys(("BIND", "ROLLBACK"), _BINDS),
    **dict.fromkeys(("CONFIG", "ARGS", "FEATURE", "FRAMEWORK"), ("config",)),
    "DRA": ("devices",),
    "EXTENDER": ("extenders",),
    **dict.fromkeys(
        ("SEARCH", "IMAGE", "BALANCED", "ALLOC", "LEAST", "MOST", "RATIO", "SELSPREAD"), ("score",)
    ),
}

_RULES: Mapping[str, tuple[str, ...]] = {
    "R-EVENT-02": (),
    "R-FRAMEWORK-13": ("filter",),
    "R-FRAMEWORK-14": ("score",),
    "R-REQUEST-08": ("score",),
    "R-REQUEST-11": ("score",),
    "R-CACHE-03": ("score",),
    "R-BIND-02": ("scripted",),
    "R-BIND-03": ("scripted",),
    "R-CYCLE-52": ("preemption",),
    "R-CYCLE-53": _BINDS,
    "R-INV-02": ("filter",),
    "R-INV-03": ("score",),
    "R-INV-04": ("score",),
    "R-INV-05": ("queue",),
    "R-INV-06": ("queue",),
    "R-INV-07": ("queue",),
    "R-INV-08": ("cache",),
    "R-INV-09": ("queue",),
}
"""Single rules whose area says something else; nothing needs to be claimed for those without any."""

_AND: Mapping[str, tuple[str, ...]] = {
    "R-SPREAD-02": ("score", "config"),
    **dict.fromkeys(("R-PODAFF-11", "R-CONFIG-21", "R-CONFIG-26"), ("score",)),
    **dict.fromkeys(("R-EXTENDER-05", "R-EXTENDER-12", "R-EXTENDER-53"), ("score",)),
    "R-EXTENDER-06": ("preemption",),
    **dict.fromkeys(("R-SPREAD-51", "R-NODEAFF-03", "R-PODAFF-10"), ("config",)),
    **dict.fromkeys(("R-FIT-04", "R-FIT-07", "R-FIT-08", "R-FIT-54"), ("config",)),
    **dict.fromkeys(("R-SEARCH-05", "R-SEARCH-08", "R-SEARCH-11", "R-SEARCH-12", "R-SEARCH-13"), ("config",)),
    **dict.fromkeys(
        ("R-SPREAD-09", "R-PODAFF-02", "R-PODAFF-03", "R-SEARCH-03", "R-EVENT-03"), ("preemption",)
    ),
    **dict.fromkeys(("R-QUEUE-10", "R-QUEUE-17"), ("scripted", "devices")),
    **dict.fromkeys(("R-FAIL-03", "R-FLIGHT-01", "R-FLIGHT-02"), _BINDS),
}
"""Single rules that need one of these capabilities besides those of their area: what they decide on has to be
configured (the default constraints that every release has are scored) or nominated, or to happen while an attempt
goes on or after it."""

_METHODS: tuple[tuple[str, str], ...] = (
    (r"(pre_score|score|normalize_score)\b", "score"),
    (r"(after_\w+|pre_enqueue|EVENTS)\b", "queue"),
    (r"post_filter\b", "preemption"),
)
"""Where a rule stands with a method of a plugin: the capability that shows what this method decides."""

_LOOKS_AT_PODS = (
    "NodeResourcesFit",
    "NodePorts",
    "PodTopologySpread",
    "InterPodAffinity",
    "VolumeRestrictions",
    "NodeVolumeLimits",
)
_SELECTS_NODES = ("NodeAffinity", "PodTopologySpread", "VolumeBinding", "DynamicResources")
_SELECTS_PODS = ("InterPodAffinity", "PodTopologySpread")

_PLUGINS: Mapping[str, tuple[str, ...]] = {
    "R-PORTS": ("NodePorts",),
    "R-IMAGE": ("ImageLocality",),
    "R-NODELABEL": ("NodeLabel",),
    "R-SVCAFF": ("ServiceAffinity",),
    "R-MOST": ("NodeResourcesMostAllocated",),
    "R-RATIO": ("RequestedToCapacityRatio",),
    "R-ALLOC": (
        "NodeResourcesLeastAllocated",
        "NodeResourcesMostAllocated",
        "NodeResourcesBalancedAllocation",
        "RequestedToCapacityRatio",
    ),
    "R-SELSPREAD-05": ("SelectorSpread", "PodTopologySpread"),
    "R-REQUEST": ("NodeResourcesFit", "NodeResourcesBalancedAllocation"),
    "R-TAINT-07": ("TaintToleration", "NodeUnschedulable", "PodTopologySpread"),
    "R-SELECTOR": (*_SELECTS_NODES, "InterPodAffinity"),
    "R-SELECTOR-03": _SELECTS_NODES,
    "R-SELECTOR-04": _SELECTS_NODES,
    "R-SELECTOR-05": _SELECTS_PODS,
    "R-ASSUME": _LOOKS_AT_PODS,
    "R-CACHE-01": _LOOKS_AT_PODS,
}
"""The plugins of which one must be there, for rules that stand outside their modules. The longest beginning of an
id counts."""


@cache
def shown_with(rule: str) -> tuple[str, ...]:
    """The capabilities of which one must be claimed, so that the rule can show. Empty: it shows in any case."""
    if rule in _RULES:
        return _RULES[rule]
    needed = _AREAS.get(rule.split("-")[1])
    if needed is not None:
        return needed
    return _by_place(rule)


def shown_only_with(rule: str) -> tuple[str, ...]:
    """Returns the capabilities of which one must be claimed besides, so that anything brings the rule about.
    Empty: a cluster and a default configuration do. For example, a rule of a plugin's Score needs ``score``
    besides the capability to have the plugin."""
    return _AND.get(rule) or _by_place(rule)


def _by_place(rule: str) -> tuple[str, ...]:
    stated = all_rules().get(rule)
    return _by_method(stated) if stated is not None and stated.is_of_a_plugin else ()


def _by_method(rule: Rule) -> tuple[str, ...]:
    if rule.module.endswith("_scoring"):
        return ("score",)
    last = rule.place.rpartition(".")[2]
    return next(((shown,) for pattern, shown in _METHODS if re.match(pattern, last)), ())


@cache
def deciding_plugins(rule: str) -> tuple[str, ...]:
    """The default plugins of which one must be there, so that the rule decides anything. Empty: it is no plugin's
    rule."""
    known = [start for start in _PLUGINS if rule.startswith(start)]
    if known:
        return _PLUGINS[max(known, key=len)]
    plugin = plugin_of(rule)
    return (plugin,) if plugin is not None else ()


_CHANGES = ("R-CHANGE-03", "R-CHANGE-04", "R-CHANGE-05", "R-CHANGE-06", "R-CHANGE-07", "R-EVENT-07")


@cache
def brought_about_by(rule: str) -> tuple[str, ...]:
    """The inputs of which one must be taken (``create``, ``update``, ``delete``), so that anything brings the rule
    about. Empty: whatever inputs there are."""
    if rule in _CHANGES:
        return ("update",)
    if not rule.startswith("R-CURE-"):
        return ()
    actions = rule.rpartition("-")[2].split("+")
    inputs = {"Add": "create", "Delete": "delete", "*": ""}
    found = tuple(dict.fromkeys(inputs.get(action, "update") for action in actions))
    return () if "" in found else found


OF_WHAT_COUNTS = ("R-ASSUME", "R-CACHE-01")
"""Rules of what counts on a node, which shows in ``cache`` whatever plugins there are."""
