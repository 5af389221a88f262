# SPDX-License-Identifier: Apache-2.0
"""The arguments of DynamicResources.

Promised: DynamicResourcesArgs is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: pkg/scheduler/apis/config/v1/defaults.go, SetDefaults_DynamicResourcesArgs;
pkg/scheduler/apis/config/validation/validation_pluginargs.go, ValidateDynamicResourcesArgs.
"""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, refused_by
from refsched.config.scalars import Seconds
from refsched.errors import InputError
from refsched.rules import applies

DEFAULT_FILTER_TIMEOUT = Seconds(10.0)
DEFAULT_BINDING_TIMEOUT = Seconds(600.0)


@frozen
class DynamicResourcesArgs(PluginArgs):
    """A ``filter_timeout`` of 0 means no timeout."""

    filter_timeout: Seconds | None = None
    binding_timeout: Seconds | None = None

    def with_defaults(self) -> Self:
        """R-ARGS-04: If filterTimeout of DynamicResources is not set, it is 10 s while feature gate
        DRASchedulerFilterTimeout is on."""
        if self.filter_timeout is not None:
            return self.with_binding_timeout()
        applies("R-ARGS-04")
        return evolve(self.with_binding_timeout(), filter_timeout=DEFAULT_FILTER_TIMEOUT)

    def with_binding_timeout(self) -> Self:
        """R-ARGS-05: If bindingTimeout of DynamicResources is not set, it is 600 s."""
        if self.binding_timeout is not None:
            return self
        applies("R-ARGS-05")
        return evolve(self, binding_timeout=DEFAULT_BINDING_TIMEOUT)

    def validate(self) -> None:
        if self.filter_timeout is not None and self.filter_timeout < 0:
            raise InputError("is negative", "filterTimeout")
        self.check_binding_timeout()

    def check_binding_timeout(self) -> None:
        if self.binding_timeout is not None and self.binding_timeout < 1:
            raise InputError("is shorter than 1 second", "bindingTimeout")


@frozen
class DynamicResourcesArgsWithoutTimeout(DynamicResourcesArgs):
    """While feature gate DRASchedulerFilterTimeout is off, ``filter_timeout`` is known and may not be given."""

    def with_defaults(self) -> Self:
        return self.with_binding_timeout()

    def validate(self) -> None:
        """R-ARGS-11: A filterTimeout is refused while feature gate DRASchedulerFilterTimeout is off."""
        if self.filter_timeout is not None:
            with refused_by("R-ARGS-11"):
                raise InputError("feature gate DRASchedulerFilterTimeout is off", "filterTimeout")
        self.check_binding_timeout()
