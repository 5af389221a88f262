# SPDX-License-Identifier: Apache-2.0
"""Resolve: the plugins of each profile, point by point, in the order in which they are called.

Promised: how profiles and extension points are configured is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: pkg/scheduler/framework/runtime/framework.go, NewFramework, updatePluginList, expandMultiPointPlugins,
getValidScoreWeights; pkg/scheduler/profile/profile.go, NewMap; pkg/scheduler/scheduler.go, buildExtenders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from refsched.config.args import refused_by
from refsched.config.default_plugins import merged_plugins
from refsched.config.scalars import Seconds, within
from refsched.config.types import (
    EXTENSION_POINTS,
    MULTI_POINT,
    Extender,
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    Plugins,
)
from refsched.errors import InputError, did_you_mean
from refsched.framework.interface import MAX_NODE_SCORE
from refsched.releases import DEFAULT
from refsched.releases.release import Release
from refsched.rules import applies

_MAX_TOTAL_SCORE = 2**63 - 1
_EXTENDER_TIMEOUT = Seconds(5.0)


@frozen
class EnabledPlugin:
    """``weight`` is the plugin's weight at Score, and 0 at other points."""

    name: str
    weight: int = 0


@frozen
class ResolvedProfile:
    """``points`` has every extension point, as the configuration spells it; ``args`` has those of the enabled
    plugins that take arguments. kube-scheduler runs PreEnqueue plugins in no fixed order."""

    scheduler_name: str
    percentage_of_nodes_to_score: int
    points: Mapping[str, tuple[EnabledPlugin, ...]]
    args: Mapping[str, Any]


def resolve(config: KubeSchedulerConfiguration, release: Release = DEFAULT) -> tuple[ResolvedProfile, ...]:
    """Returns the profiles in their order. The QueueSort plugin of the first one sorts all pods."""
    resolved = []
    for index, profile in enumerate(config.profiles):
        with within(f"profiles[{index}]"):
            resolved.append(_resolve(config, profile, release))
    _same_queue_sort_args(config.profiles, resolved)
    return tuple(resolved)


def extenders_in_order(config: KubeSchedulerConfiguration) -> tuple[Extender, ...]:
    """R-CONFIG-28: Extenders are called in the order of the configuration, ignorable ones last, each with a
    timeout of 5 s if it has none of its own."""
    timed = [evolve(e, http_timeout=e.http_timeout or _EXTENDER_TIMEOUT) for e in config.extenders]
    applies("R-CONFIG-28", when=timed)
    return tuple(sorted(timed, key=lambda extender: extender.ignorable))


def _resolve(
    config: KubeSchedulerConfiguration, profile: KubeSchedulerProfile, release: Release
) -> ResolvedProfile:
    """R-CONFIG-20: A profile is refused unless exactly one plugin is enabled at queueSort, and at least one at
    bind.
    R-CONFIG-21 (needs score): A profile's percentageOfNodesToScore, also if it is 0, takes precedence over the
    configuration's."""
    plugins = merged_plugins(release.default_plugins, profile.plugins, release.config.merged_set)
    with within("plugins"):
        needed = _needed(plugins, profile.plugins, release)
        names = {point: _plugins_at(point, plugins, profile.plugins, release) for point in EXTENSION_POINTS}
        with refused_by("R-CONFIG-20"):
            if len(names["queueSort"]) != 1:
                raise InputError(f"exactly one plugin is needed, not {len(names['queueSort'])}", "queueSort")
            if not names["bind"]:
                raise InputError("at least one plugin is needed", "bind")
        weights = _score_weights(plugins, release)
    points = {
        point: tuple(EnabledPlugin(name, weights[name] if point == "score" else 0) for name in found)
        for point, found in names.items()
    }
    percentage = profile.percentage_of_nodes_to_score
    if percentage is None:
        percentage = config.percentage_of_nodes_to_score
    elif percentage != config.percentage_of_nodes_to_score:
        applies("R-CONFIG-21")
    args = _args(profile, needed, _ignored_resources(config), release)
    return ResolvedProfile(profile.scheduler_name, percentage, points, args)


# --- Which plugins, and where ---------------------------------------------------------------------


def _needed(plugins: Plugins, custom: Plugins, release: Release) -> frozenset[str]:
    """R-CONFIG-22: A profile is refused if it enables a plugin that does not exist."""
    needed = set()
    for point in (*EXTENSION_POINTS, MULTI_POINT):
        for plugin in plugins.at(point).enabled:
            if plugin.name not in release.plugins:
                applies("R-CONFIG-22")
                hint = did_you_mean(plugin.name, release.plugins)
                raise InputError(
                    f"there is no plugin {plugin.name!r:.60}{hint}", _place(custom, point, plugin.name)
                )
            needed.add(plugin.name)
    return frozenset(needed)


def _plugins_at(point: str, plugins: Plugins, custom: Plugins, release: Release) -> Sequence[str]:
    """R-CONFIG-23: A plugin that multiPoint enables is called at every point that it extends unless it is disabled
    there.
    R-CONFIG-24: At a point the plugins of multiPoint that the point enables again come first, in the point's
    order, then the other plugins of multiPoint, then those that only the point enables."""
    specific = _specific(point, plugins, custom, release)
    disabled = plugins.at(point).disabled_names
    if "*" in disabled:
        return specific
    again: set[str] = set()
    expanded: list[str] = []
    for plugin in plugins.multi_point.enabled:
        if point not in release.plugins[plugin.name].points or plugin.name in disabled:
            continue
        if plugin.name in specific:
            again.add(plugin.name)
        elif plugin.name in expanded:
            raise InputError(f"{plugin.name} is there already", _place(custom, MULTI_POINT, plugin.name))
        else:
            applies("R-CONFIG-23")
            expanded.append(plugin.name)
    before = [name for name in specific if name in again]
    applies("R-CONFIG-24", when=expanded and specific)
    return [*before, *expanded, *(name for name in specific if name not in again)]


def _specific(point: str, plugins: Plugins, custom: Plugins, release: Release) -> Sequence[str]:
    """R-CONFIG-25: A profile is refused if it enables a plugin at a point that the plugin does not extend, or
    twice at one point."""
    names: list[str] = []
    for plugin in plugins.at(point).enabled:
        if point not in release.plugins[plugin.name].points:
            applies("R-CONFIG-25")
            raise InputError(f"{plugin.name} does not extend {point}", _place(custom, point, plugin.name))
        if plugin.name in names:
            applies("R-CONFIG-25")
            raise InputError(f"{plugin.name} is there already", _place(custom, point, plugin.name))
        names.append(plugin.name)
    return names


def _place(custom: Plugins, point: str, name: str) -> str:
    """Returns the last place where the profile itself enables the plugin."""
    indices = [index for index, plugin in enumerate(custom.at(point).enabled) if plugin.name == name]
    return f"{point}.enabled[{indices[-1]}]"


def _score_weights(plugins: Plugins, release: Release) -> Mapping[str, int]:
    """R-CONFIG-26 (needs score): A plugin's weight at score takes precedence over that at multiPoint, weight 0 is
    1, and a profile whose weights could make a total that overflows 64 bits is refused.

    The sum is computed in 64 bits: once it is negative, no other weight may follow.
    """
    weights: dict[str, int] = {}
    total = 0
    for plugin in (*plugins.score.enabled, *plugins.multi_point.enabled):
        if "score" not in release.plugins[plugin.name].points or plugin.name in weights:
            continue
        applies("R-CONFIG-26")
        weights[plugin.name] = plugin.weight or 1
        highest = weights[plugin.name] * MAX_NODE_SCORE
        if total < 0 or highest > _MAX_TOTAL_SCORE - total:
            raise InputError("the total of all weights could overflow", "score")
        total += highest
    return weights


# --- Arguments ------------------------------------------------------------------------------------


def _args(
    profile: KubeSchedulerProfile, needed: frozenset[str], ignored: tuple[str, ...], release: Release
) -> Mapping[str, Any]:
    """R-CONFIG-27: In every profile the managed resources of extenders that are ignoredByScheduler replace the
    ignoredResources of NodeResourcesFit."""
    args: dict[str, Any] = {
        plugin: release.args[plugin]().with_defaults() for plugin in sorted(needed & release.args.keys())
    }
    places = {config.name: f"pluginConfig[{i}].args" for i, config in enumerate(profile.plugin_config)}
    args |= {config.name: config.args for config in profile.plugin_config if config.name in release.args}
    if ignored:
        applies("R-CONFIG-27")
        fit = args.get("NodeResourcesFit")
        if fit is None:
            raise InputError("has no NodeResourcesFit, whose resources an extender manages", "pluginConfig")
        args["NodeResourcesFit"] = evolve(fit, ignored_resources=ignored)
    for plugin in sorted(needed & args.keys() & release.config.checked_where_enabled):
        with within(places.get(plugin, "pluginConfig")):
            release.config.check_enabled(args[plugin])
    return {plugin: found for plugin, found in args.items() if plugin in needed}


def _ignored_resources(config: KubeSchedulerConfiguration) -> tuple[str, ...]:
    return tuple(
        resource.name
        for extender in config.extenders
        for resource in extender.managed_resources
        if resource.ignored_by_scheduler
    )


def _same_queue_sort_args(
    profiles: Sequence[KubeSchedulerProfile], resolved: Sequence[ResolvedProfile]
) -> None:
    plugin = resolved[0].points["queueSort"][0].name
    first: Any = None
    for index, profile in enumerate(profiles):
        args = next((config.args for config in profile.plugin_config if config.name == plugin), None)
        first = args if index == 0 else first
        if args != first:
            raise InputError(f"the args of {plugin} are not those of profiles[0]", f"profiles[{index}]")
