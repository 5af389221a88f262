# SPDX-License-Identifier: Apache-2.0
"""Configuration: a configuration as the user of another release writes it.

Histories are drawn with the configuration API of the newest release. What an older one does not have is left
out; what it enables or disables at every point at once (multiPoint) is listed point by point.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs

from refsched.config.args import PluginArgs
from refsched.config.types import Plugins
from refsched.objects.reading import json_name
from refsched.reading.without_fields import without_path
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release

Json = dict[str, Any]

MULTI_POINT = "multiPoint"
QUEUE_SORT = "queueSort"


@cache
def points_of(release: str) -> tuple[str, ...]:
    """Returns the names under ``plugins`` of a profile, in the configuration API of this release."""
    not_yet = RELEASES[release].config.not_yet
    points = (json_name(each.name) for each in attrs.fields(Plugins))
    return tuple(point for point in points if f"profiles[].plugins.{point}" not in not_yet)


def can_be_configured_for(config: Mapping[str, Any], release: Release) -> bool:
    """Returns whether the configuration is written in this release's API or the newest one."""
    return config.get("apiVersion") in (None, *DEFAULT.api_versions, *release.api_versions)


def configured_for(config: Mapping[str, Any], release: Release) -> Json:
    """Returns the configuration in the release's API."""
    if config.get("apiVersion") in (None, *release.api_versions):
        return dict(config)
    profiles = [_profile(profile, release) for profile in config.get("profiles") or ()]
    kept = {**config, "apiVersion": release.api_versions[0]} | ({"profiles": profiles} if profiles else {})
    for path in release.config.not_yet:
        kept = without_path(kept, path.split("."))
    return kept


# --- Profiles -------------------------------------------------------------------------------------


def _profile(profile: Mapping[str, Any], release: Release) -> Json:
    kept = {name: field for name, field in profile.items() if name != "pluginConfig"}
    if profile.get("plugins"):
        kept["plugins"] = _by_point(profile["plugins"], release)
    args = [
        {"name": each["name"], "args": _known(each.get("args") or {}, release.args[each["name"]])}
        for each in profile.get("pluginConfig") or ()
        if each.get("name") in release.args
    ]
    return kept | ({"pluginConfig": args} if args else {})


def _known(args: Mapping[str, Any], of: type[PluginArgs]) -> Json:
    """Returns the arguments without those that the plugin does not take in this release."""
    names = {json_name(each.name) for each in attrs.fields(of)}
    return {name: value for name, value in args.items() if name in names}


def _by_point(given: Mapping[str, Any], release: Release) -> Json:
    """Returns each point's plugins, with those of multiPoint at each of their points, except for queueSort, for
    which there is one plugin. A plugin that a point enables by default is disabled before it is enabled again,
    as an older release requires."""
    everywhere = given.get(MULTI_POINT) or {}
    by_point: Json = {}
    for point in points_of(release.name):
        if point == QUEUE_SORT:
            continue
        here = given.get(point) or {}
        disabled = [*(everywhere.get("disabled") or ()), *(here.get("disabled") or ())]
        listed = [*(here.get("enabled") or ()), *(everywhere.get("enabled") or ())]
        enabled = {each["name"]: each for each in reversed(listed) if _is_at(each["name"], point, release)}
        by_default = {plugin.name for plugin in release.default_plugins.at(point).enabled}
        disabled += [{"name": name} for name in enabled if name in by_default]
        if enabled or disabled:
            by_point[point] = {"enabled": [*reversed(enabled.values())], "disabled": _each_once(disabled)}
    return by_point


def _is_at(plugin: str, point: str, release: Release) -> bool:
    known = release.plugins.get(plugin)
    return known is not None and point in known.points


def _each_once(disabled: list[Json]) -> list[Json]:
    """Returns the names once each, and no other name besides ``*``, which stands for all."""
    names = dict.fromkeys(each["name"] for each in disabled)
    return [{"name": "*"}] if "*" in names else [{"name": name} for name in names]
