# SPDX-License-Identifier: Apache-2.0
"""Reading a KubeSchedulerConfiguration, strictly and with its plugins' arguments.

Promised: what a configuration says is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: cmd/kube-scheduler/app/options/configfile.go, loadConfig; pkg/scheduler/apis/config/scheme/scheme.go;
pkg/scheduler/apis/config/v1/defaults.go; k8s.io/kube-scheduler/config/v1/types.go,
DecodeNestedObjects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from refsched.config.args import PluginArgs, refused_by
from refsched.config.scalars import within
from refsched.config.types import (
    KubeSchedulerProfile,
    PluginConfig,
)
from refsched.errors import InputError
from refsched.objects.pod import DEFAULT_SCHEDULER_NAME
from refsched.objects.reading import read_as
from refsched.reading.configuration.another_kind import what_to_do
from refsched.reading.configuration.converter import CONVERTER
from refsched.reading.configuration.unread import WholeConfiguration
from refsched.reading.configuration.validation import validate
from refsched.releases import DEFAULT
from refsched.releases.release import Release
from refsched.rules import applies

KIND = "KubeSchedulerConfiguration"


def read_config(value: object, release: Release = DEFAULT) -> WholeConfiguration:
    """R-CONFIG-01: A configuration is refused if its apiVersion or its kind is missing or not known, or if it has
    a field that this apiVersion does not have.

    The profiles' plugins stay as they are written; ``resolve`` merges them with the default plugins.
    """
    with refused_by("R-CONFIG-01"):
        fields = _without_type(value, KIND, release, required=True)
        config = _read_fields(_named(fields), release)
    profiles = []
    for index, profile in enumerate(config.profiles):
        with within(f"profiles[{index}]"):
            profiles.append(_with_args(profile, release))
    config = evolve(config, profiles=tuple(profiles))
    validate(config, release)
    return config


def default_config(release: Release = DEFAULT) -> WholeConfiguration:
    """Returns the configuration with which kube-scheduler runs if none is given."""
    return read_config({"apiVersion": release.api_versions[0], "kind": KIND}, release)


def _without_type(value: object, kind: str, release: Release, *, required: bool = False) -> dict[str, Any]:
    """Returns the fields besides apiVersion and kind, which must be right if they are given."""
    if not isinstance(value, Mapping):
        raise InputError(f"expected an object, found {value!r:.60}")
    for name, expected in (("apiVersion", release.api_versions), ("kind", (kind,))):
        found = value.get(name)
        if found not in expected and (required or found not in (None, "")):
            advice = what_to_do(value, kind, release) if required else ""
            raise InputError(f"expected {' or '.join(expected)}, found {found!r:.60}{advice}", name)
    return {key: field for key, field in value.items() if key not in ("apiVersion", "kind")}


def _read_fields(fields: Mapping[str, Any], release: Release) -> WholeConfiguration:
    for path in release.config.not_yet:
        _refuse(fields, path)
    unread = release.config.unread
    for name in unread:
        if not isinstance(fields.get(name) or "", str):
            raise InputError(f"expected a string, found {fields[name]!r:.60}", name)
    known = {name: value for name, value in fields.items() if name not in unread}
    left_out = {name: value for name, value in release.config.defaults.items() if known.get(name) is None}
    return read_as(WholeConfiguration, known | left_out, CONVERTER)


def _refuse(value: object, path: str) -> None:
    """Raises InputError if there is a field at this path. A value of another shape is refused later."""
    name, _, below = path.partition(".")
    field = name.removesuffix("[]")
    if not isinstance(value, Mapping) or field not in value:
        return
    if not below:
        raise InputError("is not a field here", field)
    found = value[field]
    if field == name:
        with within(field):
            _refuse(found, below)
        return
    for index, item in enumerate(found if isinstance(found, list | tuple) else ()):
        with within(f"{field}[{index}]"):
            _refuse(item, below)


def _named(fields: dict[str, Any]) -> dict[str, Any]:
    """R-CONFIG-02: A configuration without profiles has one profile, and the schedulerName of the only profile is
    default-scheduler if it is left out."""
    profiles = fields.get("profiles")
    if profiles in (None, [], ()):
        profiles = [{}]
    if isinstance(profiles, list | tuple) and len(profiles) == 1:
        only = {} if profiles[0] is None else profiles[0]
        if isinstance(only, Mapping) and only.get("schedulerName") is None:
            applies("R-CONFIG-02")
            return {**fields, "profiles": [{**only, "schedulerName": DEFAULT_SCHEDULER_NAME}]}
    return fields


def _with_args(profile: KubeSchedulerProfile, release: Release) -> KubeSchedulerProfile:
    """R-CONFIG-03: Arguments are refused if they have a field that the plugin does not take; those of a plugin
    that takes none, or is not known, are not read."""
    configs = []
    for index, config in enumerate(profile.plugin_config):
        if config.name in release.args:
            with within(f"pluginConfig[{index}].args"):
                config = PluginConfig(config.name, read_args(config.name, config.args, release))
        else:
            applies("R-CONFIG-03")
        configs.append(config)
    return evolve(profile, plugin_config=tuple(configs))


def read_args(plugin: str, value: object, release: Release = DEFAULT) -> PluginArgs:
    """Returns the arguments of one of the plugins that take any; for None these are its defaults."""
    fields = _without_type({} if value is None else value, f"{plugin}Args", release)
    with refused_by("R-CONFIG-03"):
        args: PluginArgs = read_as(release.args[plugin], fields, CONVERTER)
    return args.with_defaults()
