# SPDX-License-Identifier: Apache-2.0
"""The arguments of DynamicResources before 1.36.

Changed by: KEP-5007 (feature gate DRADeviceBindingConditions is on).

Promised: DynamicResourcesArgs is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: pkg/scheduler/apis/config/v1/defaults.go, SetDefaults_DynamicResourcesArgs;
pkg/scheduler/apis/config/validation/validation_pluginargs.go, ValidateDynamicResourcesArgs.
"""

from __future__ import annotations

from typing import Self

from attrs import frozen

from refsched.config.args import refused_by
from refsched.errors import InputError
from refsched.plugins import dynamic_resources_args as current


@frozen
class DynamicResourcesArgs(current.DynamicResourcesArgs):
    def with_binding_timeout(self) -> Self:
        """Returns the same arguments."""
        return self

    def check_binding_timeout(self) -> None:
        """R-ARGS-21 (instead of R-ARGS-05): Before 1.36 a bindingTimeout of DynamicResources is refused."""
        if self.binding_timeout is not None:
            with refused_by("R-ARGS-21"):
                raise InputError("feature gate DRADeviceBindingConditions is off", "bindingTimeout")


@frozen
class DynamicResourcesArgsWithoutTimeout(current.DynamicResourcesArgsWithoutTimeout):
    with_binding_timeout = DynamicResourcesArgs.with_binding_timeout
    check_binding_timeout = DynamicResourcesArgs.check_binding_timeout
