# SPDX-License-Identifier: Apache-2.0
"""Validation: the configurations that are refused before any plugin is made.

What concerns leader election and the connection to the API server is not validated, since nothing is decided
by it.

Promised: what a configuration may say is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: pkg/scheduler/apis/config/validation/validation.go; pkg/scheduler/extender.go, makeTransport;
client-go/transport/transport.go, TLSConfigFor.
"""

from __future__ import annotations

from collections.abc import Sequence

from refsched.config.args import refused_by
from refsched.config.scalars import is_qualified_name, within
from refsched.config.types import (
    EXTENSION_POINTS,
    Extender,
    ExtenderTLSConfig,
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    Plugins,
)
from refsched.errors import InputError
from refsched.objects.resources import is_extended_resource
from refsched.releases.release import Release
from refsched.rules import applies


def validate(config: KubeSchedulerConfiguration, release: Release) -> None:
    """R-CONFIG-04: A configuration is refused if parallelism is not positive, if a percentageOfNodesToScore is
    not in 0..100, or if podInitialBackoffSeconds is not positive or is greater than podMaxBackoffSeconds."""
    with refused_by("R-CONFIG-04"):
        if config.parallelism <= 0:
            raise InputError(f"{config.parallelism} is not positive", "parallelism")
    _profiles(config.profiles, release)
    _percentage(config.percentage_of_nodes_to_score)
    with refused_by("R-CONFIG-04"):
        initial, maximum = config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds
        if initial <= 0:
            raise InputError(f"{initial} is not positive", "podInitialBackoffSeconds")
        if maximum < initial:
            raise InputError("is less than podInitialBackoffSeconds", "podMaxBackoffSeconds")
    _extenders(config.extenders)


def _percentage(value: int | None) -> None:
    if value is not None and not 0 <= value <= 100:
        applies("R-CONFIG-04")
        raise InputError(f"{value} is not in [0, 100]", "percentageOfNodesToScore")


# --- Profiles -------------------------------------------------------------------------------------


def _profiles(profiles: Sequence[KubeSchedulerProfile], release: Release) -> None:
    """R-CONFIG-05: A configuration is refused if a profile has no schedulerName or that of another profile."""
    seen: dict[str, int] = {}
    for index, profile in enumerate(profiles):
        with within(f"profiles[{index}]"):
            if not profile.scheduler_name:
                applies("R-CONFIG-05")
                raise InputError("is required and missing", "schedulerName")
            _percentage(profile.percentage_of_nodes_to_score)
            _plugin_names(profile.plugins, release)
            _plugin_config(profile, release)
            if profile.scheduler_name in seen:
                applies("R-CONFIG-05")
                raise InputError(f"is that of profiles[{seen[profile.scheduler_name]}]", "schedulerName")
            seen[profile.scheduler_name] = index
    _common_queue_sort(profiles)


def _plugin_names(plugins: Plugins, release: Release) -> None:
    for point in EXTENSION_POINTS:
        for index, plugin in enumerate(plugins.at(point).enabled):
            if plugin.name in release.config.removed_plugins:
                raise InputError("was removed", f"plugins.{point}.enabled[{index}]")


def _plugin_config(profile: KubeSchedulerProfile, release: Release) -> None:
    """R-CONFIG-06: A profile is refused if it configures a plugin twice, or with arguments that are refused,
    even if the plugin is not enabled; the arguments of NodeResourcesFit are checked only if it is enabled.

    kube-scheduler's check looks for the latter under the name NodeResourcesFitArgs, which no configuration
    can use.
    """
    seen: set[str] = set()
    for index, config in enumerate(profile.plugin_config):
        with within(f"pluginConfig[{index}]"):
            if config.name in seen:
                applies("R-CONFIG-06")
                raise InputError(f"{config.name!r} is there already", "name")
            seen.add(config.name)
            if config.name in release.config.removed_plugins:
                raise InputError(f"{config.name!r} was removed", "name")
            if config.name in release.config.misnamed_args:
                raise InputError("are not those of this plugin", "args")
            if config.name in release.args.keys() - release.config.checked_where_enabled:
                with refused_by("R-CONFIG-06"), within("args"):
                    config.args.validate()


def _common_queue_sort(profiles: Sequence[KubeSchedulerProfile]) -> None:
    """R-CONFIG-07: A configuration is refused if its profiles differ in what they say about queueSort, or in the
    arguments of the plugin that they enable there.

    Where they enable none, arguments of a plugin without a name count as those of that plugin, and the first
    profile has none.
    """
    first = profiles[0].plugins.queue_sort
    if len(first.enabled) > 1:
        raise InputError("only one plugin may be enabled", "profiles[0].plugins.queueSort.enabled")
    plugin = first.enabled[0].name if first.enabled else ""
    args = [c.args for c in profiles[0].plugin_config if plugin and c.name == plugin]
    names = [p.name for p in first.disabled]
    for index, profile in enumerate(profiles[1:], 1):
        other = profile.plugins.queue_sort
        if other.enabled != first.enabled or [p.name for p in other.disabled] != names:
            applies("R-CONFIG-07")
            raise InputError("is not that of profiles[0]", f"profiles[{index}].plugins.queueSort")
        for position, config in enumerate(profile.plugin_config):
            if config.name == plugin and config.args != (args[0] if args else None):
                applies("R-CONFIG-07")
                field = f"profiles[{index}].pluginConfig[{position}].args"
                raise InputError("are not those of profiles[0]", field)


# --- Extenders ------------------------------------------------------------------------------------


def _extenders(extenders: Sequence[Extender]) -> None:
    """R-CONFIG-08: A configuration is refused if an extender with a prioritizeVerb has no positive weight, if two
    extenders have a bindVerb, or if a managed resource is not an extended resource or is managed twice."""
    managed: set[str] = set()
    for index, extender in enumerate(extenders):
        with within(f"extenders[{index}]"):
            if extender.prioritize_verb and extender.weight <= 0:
                applies("R-CONFIG-08")
                raise InputError(f"{extender.weight} is not positive", "weight")
            for position, resource in enumerate(extender.managed_resources):
                with refused_by("R-CONFIG-08"), within(f"managedResources[{position}].name"):
                    _managed_resource(resource.name, managed)
                managed.add(resource.name)
            if extender.tls_config is not None:
                with within("tlsConfig"):
                    _tls(extender.tls_config)
    if sum(1 for extender in extenders if extender.bind_verb) > 1:
        applies("R-CONFIG-08")
        raise InputError("only one may bind", "extenders")


def _managed_resource(name: str, managed: set[str]) -> None:
    if not (is_extended_resource(name) and is_qualified_name(name) and is_qualified_name(f"requests.{name}")):
        raise InputError(f"{name!r} is not an extended resource")
    if name in managed:
        raise InputError(f"{name!r} is managed already")


def _tls(tls: ExtenderTLSConfig) -> None:
    """R-CONFIG-09: A tlsConfig is refused if it is insecure and names a certificate authority.

    No file is opened here.
    """
    if tls.insecure and (tls.ca_file or tls.ca_data):
        applies("R-CONFIG-09")
        raise InputError("stands beside a certificate authority", "insecure")
