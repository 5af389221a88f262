# SPDX-License-Identifier: Apache-2.0
"""KubeSchedulerConfiguration v1beta1, as v1.19 reads it: it has no multiPoint, no preEnqueue and no parallelism.

Source: k8s.io/kube-scheduler/config/v1beta1/types.go, types_pluginargs.go (v0.19.16);
pkg/scheduler/apis/config/v1beta1/defaults.go; pkg/scheduler/apis/config/types.go, mergePluginSets;
pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.19.16).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve

from refsched.config import types
from refsched.config.args import PluginArgs, refused_by
from refsched.config.scalars import within
from refsched.config.types import KubeSchedulerConfiguration, PluginSet
from refsched.errors import InputError
from refsched.rules import applies

# --- The configuration ----------------------------------------------------------------------------

_NOT_YET = ("parallelism", "delayCacheUntilActive")
_NOT_YET_IN_PROFILES = ("percentageOfNodesToScore",)
_NOT_YET_IN_PLUGINS = ("preEnqueue", "multiPoint")
NOT_YET = (
    *_NOT_YET,
    *(f"profiles[].{name}" for name in _NOT_YET_IN_PROFILES),
    *(f"profiles[].plugins.{name}" for name in _NOT_YET_IN_PLUGINS),
)
"""These are the paths of fields that a later version of the API has, and this one refuses."""
_ADDRESSES = ("healthzBindAddress", "metricsBindAddress")
"""They do not concern scheduling."""


def read_fields(fields: Mapping[str, Any]) -> KubeSchedulerConfiguration:
    """Reads the fields besides apiVersion and kind, as those of the later version."""
    _refuse(fields, _NOT_YET)
    for index, profile in enumerate(_listed(fields.get("profiles"))):
        with within(f"profiles[{index}]"):
            _refuse(profile, _NOT_YET_IN_PROFILES)
            if isinstance(profile, Mapping):
                with within("plugins"):
                    _refuse(profile.get("plugins"), _NOT_YET_IN_PLUGINS)
    for name in _ADDRESSES:
        if not isinstance(fields.get(name) or "", str):
            raise InputError(f"expected a string, found {fields[name]!r:.60}", name)
    read = types.read_fields({name: value for name, value in fields.items() if name not in _ADDRESSES})
    return evolve(read, leader_election=evolve(read.leader_election, resource_lock=""))


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list | tuple) else ()


def _refuse(value: object, names: Iterable[str]) -> None:
    """Raises InputError if the object has one of these fields. A value that is no object is refused later."""
    for name in names:
        if isinstance(value, Mapping) and name in value:
            raise InputError("is not a field here", name)


def merged_set(default: PluginSet, custom: PluginSet) -> PluginSet:
    """R-CONFIG-51: In v1.19 the plugins that a profile enables at a point are called after the default plugins
    that it does not disable there; a default plugin that is enabled again, and not disabled, is refused.

    It is refused as a plugin that is enabled twice is (R-CONFIG-25).
    """
    disabled = custom.disabled_names
    kept = tuple(plugin for plugin in default.enabled if not disabled & {plugin.name, "*"})
    if kept and custom.enabled:
        applies("R-CONFIG-51")
    return PluginSet((*kept, *custom.enabled), custom.disabled)


# --- Arguments ------------------------------------------------------------------------------------


def check_enabled(args: PluginArgs) -> None:
    """R-CONFIG-52: In v1.19 the arguments of a plugin are checked where the plugin is enabled: weights of
    resources, the points of a shape, labels that contradict each other, default constraints and names of resources
    that are ignored."""
    with refused_by("R-CONFIG-52"):
        args.validate()
