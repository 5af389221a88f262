# SPDX-License-Identifier: Apache-2.0
"""KubeSchedulerConfiguration: how a scheduler is configured.

Source: k8s.io/kube-scheduler/config/v1/types.go; component-base/config/v1alpha1 types.go, defaults.go.
"""

from __future__ import annotations

from typing import Any

import attrs
from attrs import frozen

from refsched.config.scalars import Base64, Int32, Seconds
from refsched.objects.reading import json_name

# --- Plugins --------------------------------------------------------------------------------------


@frozen
class Plugin:
    """``weight`` counts at Score, where 0 means 1."""

    name: str = ""
    weight: Int32 = Int32(0)


@frozen
class PluginSet:
    """A ``*`` among the disabled plugins stands for all."""

    enabled: tuple[Plugin, ...] = ()
    disabled: tuple[Plugin, ...] = ()

    @property
    def disabled_names(self) -> frozenset[str]:
        return frozenset(plugin.name for plugin in self.disabled)


@frozen
class Plugins:
    """Plugins are what a profile adds to the default plugins and removes from them, at all points or at one."""

    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    multi_point: PluginSet = PluginSet()

    def at(self, point: str) -> PluginSet:
        """Returns the set of a point, which is named as the configuration spells it: ``preFilter``."""
        found: PluginSet = getattr(self, _ATTRIBUTES[point])
        return found

    def by_field(self) -> dict[str, PluginSet]:
        """Returns the sets by the name of the field that holds each: ``pre_filter``."""
        return {field: getattr(self, field) for field in _ATTRIBUTES.values()}


_ATTRIBUTES = {json_name(attribute.name): attribute.name for attribute in attrs.fields(Plugins)}
MULTI_POINT = "multiPoint"
EXTENSION_POINTS = tuple(point for point in _ATTRIBUTES if point != MULTI_POINT)
"""These are the extension points, as a configuration spells them."""


@frozen
class PluginConfig:
    """``args`` are the arguments that the plugin takes, or, for a plugin that is not known here, what was
    written."""

    name: str = ""
    args: Any = None


@frozen
class KubeSchedulerProfile:
    """``percentage_of_nodes_to_score`` is None if the configuration's own is used."""

    scheduler_name: str = ""
    percentage_of_nodes_to_score: Int32 | None = None
    plugins: Plugins = Plugins()
    plugin_config: tuple[PluginConfig, ...] = ()


# --- Extenders ------------------------------------------------------------------------------------


@frozen
class ExtenderManagedResource:
    name: str = ""
    ignored_by_scheduler: bool = False


@frozen
class ExtenderTLSConfig:
    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: Base64 = Base64("")
    key_data: Base64 = Base64("")
    ca_data: Base64 = Base64("")


@frozen
class Extender:
    """An empty verb means that this call is not made."""

    url_prefix: str = ""
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: int = 0
    bind_verb: str = ""
    enable_https: bool = False
    tls_config: ExtenderTLSConfig | None = None
    http_timeout: Seconds = Seconds(0.0)
    node_cache_capable: bool = False
    managed_resources: tuple[ExtenderManagedResource, ...] = ()
    ignorable: bool = False


# --- The whole ------------------------------------------------------------------------------------


@frozen
class KubeSchedulerConfiguration:
    """A ``percentage_of_nodes_to_score`` of 0 stands for a share that depends on the number of nodes.

    The release has the defaults of the numbers. The fields that do not concern scheduling are in
    refsched/reading/configuration/unread.py.
    """

    parallelism: Int32
    percentage_of_nodes_to_score: Int32
    pod_initial_backoff_seconds: int
    pod_max_backoff_seconds: int
    profiles: tuple[KubeSchedulerProfile, ...] = ()
    extenders: tuple[Extender, ...] = ()
