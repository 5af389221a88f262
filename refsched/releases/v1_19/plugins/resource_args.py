# SPDX-License-Identifier: Apache-2.0
"""Resource arguments: the resources that the scoring plugins of v1.19 count.

Source: k8s.io/kube-scheduler/config/v1beta1/types_pluginargs.go;
pkg/scheduler/apis/config/validation/validation_pluginargs.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from refsched.config.args import PluginArgs, check_range
from refsched.plugins.resource_scoring import DEFAULT_RESOURCES, ResourceSpec


def or_default(resources: Sequence[ResourceSpec]) -> tuple[ResourceSpec, ...]:
    return tuple(resources) or DEFAULT_RESOURCES


@frozen
class AllocatedArgs(PluginArgs):
    """AllocatedArgs are the arguments of NodeResourcesLeastAllocated and of NodeResourcesMostAllocated."""

    resources: tuple[ResourceSpec, ...] = field(default=(), converter=or_default)

    def validate(self) -> None:
        for index, resource in enumerate(self.resources):
            check_range(resource.weight, 1, 100, f"resources[{index}].weight")
