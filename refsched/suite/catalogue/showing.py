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

from refsched.suite.catalogue.rules import EVENT_ROWS, Rule, all_rules, plugin_of

_METHODS: tuple[tuple[str, str], ...] = (
    (r"(pre_score|score|normalize_score)\b", "score"),
    (r"(after_\w+|pre_enqueue|EVENTS)\b", "queue"),
    (r"post_filter\b", "preemption"),
)
"""Where a rule stands with a method of a plugin: the capability that shows what this method decides."""

_LOOK_AT_PODS = (
    "NodeResourcesFit",
    "NodePorts",
    "PodTopologySpread",
    "InterPodAffinity",
    "VolumeRestrictions",
    "NodeVolumeLimits",
)
_COUNT_REQUESTS = ("NodeResourcesFit", "NodeResourcesBalancedAllocation")
_SELECT_NODES = ("NodeAffinity", "PodTopologySpread", "VolumeBinding", "DynamicResources")

_USED_BY: Mapping[str, tuple[str, ...]] = {
    "cache.cache.Cache.add_pod": _LOOK_AT_PODS,
    "cache.cache.ImageRegister": ("ImageLocality",),
    "cycle.scheduling_cycle.assume": _LOOK_AT_PODS,
    "node_info.PodInfo.non_zero_requests": _COUNT_REQUESTS,
    "node_info.PodInfo.host_ports": ("NodePorts",),
    "node_info.HostPort": ("NodePorts",),
    "objects.pod.Toleration": ("TaintToleration", "NodeUnschedulable", "PodTopologySpread"),
    "objects.resources.": _COUNT_REQUESTS,
    "objects.RoundedRequirements": _COUNT_REQUESTS,
    "objects.selectors.Requirement": (*_SELECT_NODES, "InterPodAffinity"),
    "objects.selectors.NodeSelector": _SELECT_NODES,
    "objects.selectors.compile_selector": ("InterPodAffinity", "PodTopologySpread"),
    "plugins.default_selector": ("SelectorSpread", "PodTopologySpread"),
    "plugins.node_label": ("NodeLabel",),
    "plugins.node_resources_most_allocated": ("NodeResourcesMostAllocated",),
    "plugins.requested_to_capacity_ratio": ("RequestedToCapacityRatio",),
    "plugins.resource_allocation": (
        "NodeResourcesLeastAllocated",
        "NodeResourcesMostAllocated",
        "NodeResourcesBalancedAllocation",
        "RequestedToCapacityRatio",
    ),
    "plugins.resource_scoring": ("NodeResourcesFit",),
    "plugins.service_affinity": ("ServiceAffinity",),
}
"""By the place where a rule stands, the plugins of which one must be there, if it is no module of a default
plugin."""


@cache
def shown_with(rule: str) -> tuple[str, ...]:
    """Returns the capabilities of which one must be claimed, so that the rule can show. Empty: it shows in any
    case."""
    stated = all_rules().get(rule)
    if stated is None:
        return ()
    said = stated.said.shows_in
    return _by_place(stated) if said is None else said


@cache
def shown_only_with(rule: str) -> tuple[str, ...]:
    """Returns the capabilities of which one must be claimed besides, so that anything brings the rule about.
    Empty: a cluster and a default configuration do. For example, a rule of a plugin's Score needs ``score``
    besides the capability to have the plugin."""
    stated = all_rules().get(rule)
    return () if stated is None else stated.said.needs or _by_place(stated)


def _by_place(rule: Rule) -> tuple[str, ...]:
    if not rule.is_of_a_plugin:
        return ()
    if rule.module.endswith("_scoring"):
        return ("score",)
    last = rule.place.rpartition(".")[2]
    return next(((shown,) for pattern, shown in _METHODS if re.match(pattern, last)), ())


@cache
def deciding_plugins(rule: str) -> tuple[str, ...]:
    """Returns the default plugins of which one must be there, so that the rule decides anything. Empty: it is no
    plugin's rule."""
    stated = all_rules().get(rule)
    where = f"{stated.module}.{stated.place}" if stated is not None else ""
    for place, plugins in _USED_BY.items():
        if place in where:
            return plugins
    plugin = plugin_of(rule)
    return (plugin,) if plugin is not None else ()


@cache
def brought_about_by(rule: str) -> tuple[str, ...]:
    """Returns the inputs of which one must be taken (``create``, ``update``, ``delete``), so that anything brings
    the rule about. Empty: whatever inputs there are."""
    stated = all_rules().get(rule)
    if stated is None or stated.area != EVENT_ROWS:
        return stated.said.brought_about_by if stated is not None else ()
    actions = rule.rpartition("-")[2].split("+")
    inputs = {"Add": "create", "Delete": "delete", "*": ""}
    found = tuple(dict.fromkeys(inputs.get(action, "update") for action in actions))
    return () if "" in found else found


def counts_on_nodes(rule: str) -> bool:
    """Returns whether the rule says what counts on a node, which shows in ``cache`` whatever plugins there are."""
    return deciding_plugins(rule) is _LOOK_AT_PODS
