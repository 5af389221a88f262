# SPDX-License-Identifier: Apache-2.0
"""The plugins that a profile has unless it says otherwise, and what it makes of them.

Rules: R-CONFIG-10 … R-CONFIG-12.   Source: pkg/scheduler/apis/config/v1/default_plugins.go (v1.34.2).
"""

from __future__ import annotations

import attrs
from attrs import evolve

from refsched.config.feature_gates import FeatureGates
from refsched.config.scalars import Int32
from refsched.config.types import Plugin, Plugins, PluginSet

_DEFAULTS: tuple[Plugin, ...] = (
    Plugin("SchedulingGates"),
    Plugin("PrioritySort"),
    Plugin("NodeUnschedulable"),
    Plugin("NodeName"),
    Plugin("TaintToleration", Int32(3)),
    Plugin("NodeAffinity", Int32(2)),
    Plugin("NodePorts"),
    Plugin("NodeResourcesFit", Int32(1)),
    Plugin("VolumeRestrictions"),
    Plugin("NodeVolumeLimits"),
    Plugin("VolumeBinding"),
    Plugin("VolumeZone"),
    Plugin("PodTopologySpread", Int32(2)),
    Plugin("InterPodAffinity", Int32(2)),
    Plugin("DynamicResources"),
    Plugin("DefaultPreemption"),
    Plugin("NodeResourcesBalancedAllocation", Int32(1)),
    Plugin("ImageLocality", Int32(1)),
    Plugin("DefaultBinder"),
)


def default_plugins(gates: FeatureGates) -> Plugins:
    """R-CONFIG-10: all of them through multiPoint; DynamicResources as its feature gate says."""
    enabled = _DEFAULTS
    if not gates.enabled("DynamicResourceAllocation"):
        enabled = tuple(plugin for plugin in enabled if plugin.name != "DynamicResources")
    return Plugins(multi_point=PluginSet(enabled))


def merged_plugins(custom: Plugins, gates: FeatureGates) -> Plugins:
    """A profile's plugins, set by set, laid over the default ones."""
    defaults = default_plugins(gates)
    sets = {
        attribute.name: merged_set(getattr(defaults, attribute.name), getattr(custom, attribute.name))
        for attribute in attrs.fields(Plugins)
    }
    return evolve(defaults, **sets)


def merged_set(default: PluginSet, custom: PluginSet) -> PluginSet:
    """R-CONFIG-11: a default plugin that is enabled again keeps its place, and takes the new weight.
    R-CONFIG-12: one that is disabled and enabled comes last, with the plugins that are not default."""
    last = {plugin.name: index for index, plugin in enumerate(custom.enabled)}
    disabled = custom.disabled_names
    kept = [p for p in default.enabled if not disabled & {p.name, "*"}]
    replacing = {last[plugin.name] for plugin in kept if plugin.name in last}
    enabled = [custom.enabled[last[plugin.name]] if plugin.name in last else plugin for plugin in kept]
    enabled += [plugin for index, plugin in enumerate(custom.enabled) if index not in replacing]
    return PluginSet(tuple(enabled), custom.disabled)
