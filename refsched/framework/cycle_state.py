# SPDX-License-Identifier: Apache-2.0
"""Cycle state: what PreFilter computed for a pod, and how the nodes were scored.

Source: pkg/scheduler/framework/runtime/framework.go; pkg/scheduler/framework/cycle_state.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import field, frozen

from refsched.framework.left_out import FilterAnswer
from refsched.framework.node_info import NodeInfo
from refsched.framework.status import Status


@frozen
class CycleState:
    """A CycleState holds what PreFilter computed, by plugin, and the plugins whose Filter is not called for
    this pod. ``filters`` has what plugins whose PreFilter was left out answer in place of their Filter."""

    states: Mapping[str, Any] = field(factory=dict)
    skipped: frozenset[str] = frozenset()
    filters: Mapping[str, FilterAnswer] = field(factory=dict)


NO_STATE = CycleState()
"""No plugin has computed anything yet."""


@frozen
class PreFilterResult:
    """``nodes`` is None where no plugin narrowed the search; ``narrowed_by`` names those that did."""

    status: Status
    state: CycleState
    nodes: frozenset[str] | None = None
    narrowed_by: frozenset[str] = frozenset()


@frozen(slots=False)
class Scores:
    """Scores holds what each plugin scored each node, before Normalize and after it, and the weights by which the
    normalized scores are multiplied. The scores in ``extenders`` are weighted already, and need not name every
    node."""

    raw: Mapping[str, Mapping[str, int]]
    normalized: Mapping[str, Mapping[str, int]]
    weights: Mapping[str, int]
    extenders: Mapping[str, Mapping[str, int]] = field(factory=dict)

    @cached_property
    def weighted(self) -> Mapping[str, Mapping[str, int]]:
        return {
            name: {node: score * self.weights[name] for node, score in scores.items()}
            for name, scores in self.normalized.items()
        }

    def totals(self, nodes: Sequence[NodeInfo]) -> dict[str, int]:
        """Returns the sum of all scores of each of these nodes."""
        given = (*self.weighted.values(), *self.extenders.values())
        return {node.name: sum(scores.get(node.name, 0) for scores in given) for node in nodes}
