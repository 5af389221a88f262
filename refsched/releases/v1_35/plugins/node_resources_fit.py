# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit before 1.36: requestedToCapacityRatio may be given, and is checked, with any strategy.

Changed by: kubernetes #132120 (it is required with its own strategy, and refused with others).
Promised: NodeResourcesFitArgs is documented with KubeSchedulerConfiguration.
Source: pkg/scheduler/apis/config/validation/validation_pluginargs.go, ValidateNodeResourcesFitArgs.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.config.args import PluginArgs
from refsched.plugins import node_resources_fit as current
from refsched.plugins import node_resources_fit_args as current_args
from refsched.rules import applies


@frozen
class NodeResourcesFitArgs(current_args.NodeResourcesFitArgs):
    def check_ratio(self, strategy: current_args.ScoringStrategy) -> None:
        """R-ARGS-20 (instead of R-ARGS-19; shows in config): Until v1.35 a requestedToCapacityRatio is allowed
        with a strategy of another type, and its shape is checked there too."""
        ratio = strategy.requested_to_capacity_ratio
        if ratio is None or strategy.type == current_args.REQUESTED_TO_CAPACITY_RATIO:
            super().check_ratio(strategy)
            return
        applies("R-ARGS-20")
        current_args.check_ratio_shape(ratio)


@frozen
class NodeResourcesFit(current.NodeResourcesFit):
    ARGS: ClassVar[type[PluginArgs]] = NodeResourcesFitArgs
