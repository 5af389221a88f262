# SPDX-License-Identifier: Apache-2.0
"""ConfigRules: what a release says about its configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from refsched.config.types import KubeSchedulerConfiguration, PluginSet


@frozen
class ConfigRules:
    """``read_fields`` reads what stands beside apiVersion and kind. ``merged_set`` is what a profile's plugins at
    a point make of the default ones there."""

    read_fields: Callable[[Mapping[str, Any]], KubeSchedulerConfiguration]
    merged_set: Callable[[PluginSet, PluginSet], PluginSet]
