# SPDX-License-Identifier: Apache-2.0
"""Default plugins: how a profile's plugins are merged with them.

Promised: how plugins are enabled and disabled is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: pkg/scheduler/apis/config/v1/default_plugins.go.
"""

from __future__ import annotations

from collections.abc import Callable

from refsched.config.types import Plugins, PluginSet
from refsched.rules import applies

MergeSets = Callable[[PluginSet, PluginSet], PluginSet]
"""A MergeSets returns the plugins of a point, from the default ones there and what a profile says there."""


def merged_plugins(defaults: Plugins, custom: Plugins, merged: MergeSets) -> Plugins:
    """Returns a profile's plugins merged with the default ones, point by point."""
    own = custom.by_field()
    return Plugins(**{field: merged(default, own[field]) for field, default in defaults.by_field().items()})


def merged_set(default: PluginSet, custom: PluginSet) -> PluginSet:
    """R-CONFIG-11: A default plugin that a profile enables again keeps its place and takes the new weight.
    R-CONFIG-12: A default plugin that a profile disables and enables comes last, with the plugins that are not
    default."""
    last = {plugin.name: index for index, plugin in enumerate(custom.enabled)}
    disabled = custom.disabled_names
    kept = [p for p in default.enabled if not disabled & {p.name, "*"}]
    applies("R-CONFIG-12", when=disabled & last.keys() & {plugin.name for plugin in default.enabled})
    replacing = {last[plugin.name] for plugin in kept if plugin.name in last}
    applies("R-CONFIG-11", when=replacing)
    enabled = [custom.enabled[last[plugin.name]] if plugin.name in last else plugin for plugin in kept]
    enabled += [plugin for index, plugin in enumerate(custom.enabled) if index not in replacing]
    return PluginSet(tuple(enabled), custom.disabled)
