# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit before 1.36: devices serve no extended resources, and requestedToCapacityRatio may be given,
and is checked, with any strategy.

Changed by: KEP-5004 (feature gate DRAExtendedResource is on);
kubernetes #132120 (requestedToCapacityRatio is required with its own strategy, and refused with others).
After the upgrade: A configuration that gives a requestedToCapacityRatio to a scoring strategy of another type is
refused, and kube-scheduler does not start (R-ARGS-19).
What to do: before the upgrade read your configuration as the new release does, with refsched what-if --kubernetes
1.36 --config FILE.
Promised: NodeResourcesFitArgs is documented with KubeSchedulerConfiguration.
Source: plugins/noderesources/fit.go;
pkg/scheduler/apis/config/validation/validation_pluginargs.go, ValidateNodeResourcesFitArgs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from attrs import frozen

from refsched.config.args import PluginArgs
from refsched.framework.events import DEVICE_CLASS
from refsched.objects.resources import Resource
from refsched.objects.store import ObjectStore
from refsched.plugins import node_resources_fit as current
from refsched.plugins import node_resources_fit_args as current_args
from refsched.plugins.resource_scoring_devices import CountedDevices
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


def no_devices(resources: Iterable[str], objects: ObjectStore) -> CountedDevices | None:
    """Returns None."""
    return None


@frozen
class NodeResourcesFit(current.NodeResourcesFit):
    counted_devices = staticmethod(no_devices)

    ARGS: ClassVar[type[PluginArgs]] = NodeResourcesFitArgs

    def served(self, wanted: Resource, objects: ObjectStore) -> frozenset[str]:
        """Returns nothing."""
        return frozenset()

    EVENTS = tuple(event for event in current.NodeResourcesFit.EVENTS if event.resource != DEVICE_CLASS)
