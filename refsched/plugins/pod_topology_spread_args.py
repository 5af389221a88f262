# SPDX-License-Identifier: Apache-2.0
"""The arguments of PodTopologySpread.

Promised: PodTopologySpreadArgs is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: pkg/scheduler/apis/config/validation/validation_pluginargs.go, ValidatePodTopologySpreadArgs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from attrs import evolve, frozen

from refsched.config.args import PluginArgs, check_choice, check_qualified, refused_by
from refsched.config.scalars import within
from refsched.errors import InputError
from refsched.objects.pod import TopologySpreadConstraint
from refsched.plugins.pod_topology_spread_constraints import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY
from refsched.rules import applies

SYSTEM_DEFAULTING = "System"
LIST_DEFAULTING = "List"


@frozen
class PodTopologySpreadArgs(PluginArgs):
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: str = SYSTEM_DEFAULTING

    def with_defaults(self) -> Self:
        """R-ARGS-03: An empty defaultingType of PodTopologySpread is System."""
        if self.defaulting_type:
            return self
        applies("R-ARGS-03")
        return evolve(self, defaulting_type=SYSTEM_DEFAULTING)

    def validate(self) -> None:
        """R-ARGS-16: The arguments of PodTopologySpread are refused if defaultConstraints are given and
        defaultingType is System, if one of them has a selector or is malformed, or if two have the same
        topologyKey and whenUnsatisfiable."""
        with refused_by("R-ARGS-16"):
            check_choice(self.defaulting_type, (LIST_DEFAULTING, SYSTEM_DEFAULTING), "defaultingType")
            if self.defaulting_type == SYSTEM_DEFAULTING and self.default_constraints:
                raise InputError("is System, and defaultConstraints are given", "defaultingType")
            check_default_constraints(self.default_constraints)


def check_default_constraints(constraints: Sequence[TopologySpreadConstraint]) -> None:
    """Raises InputError if one of the constraints has a selector or is malformed, or if two have the same
    topologyKey and whenUnsatisfiable."""
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(constraints):
        with within(f"defaultConstraints[{index}]"):
            _check_constraint(constraint)
            key = (constraint.topology_key, constraint.when_unsatisfiable)
            if key in seen:
                raise InputError(f"{{{', '.join(key)}}} is there already")
            seen.add(key)


def _check_constraint(constraint: TopologySpreadConstraint) -> None:
    if constraint.max_skew <= 0:
        raise InputError(f"{constraint.max_skew} is not positive", "maxSkew")
    check_qualified(constraint.topology_key, "topologyKey")
    check_choice(constraint.when_unsatisfiable, (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY), "whenUnsatisfiable")
    if constraint.label_selector is not None:
        raise InputError("is not allowed: each pod's own is used", "labelSelector")
