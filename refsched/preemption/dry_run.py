# SPDX-License-Identifier: Apache-2.0
"""Dry run: the nodes on which preemption could help, and the victims that each of them would need.

Promised: when preemption helps is documented with the priority of pods.
Shows in: preemption.
Source: framework/preemption/preemption.go, findCandidates, DryRunPreemption; framework/interface.go,
NodesForStatusCode; plugins/defaultpreemption/default_preemption.go, calculateNumCandidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from refsched.framework.node_info import NodeInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.framework.status import Code, Status, error
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.candidate import Candidate
from refsched.preemption.disruption import Budgets
from refsched.preemption.victims import PreemptionSteps
from refsched.rules import ErrorReason, applies

NO_VICTIM = ErrorReason('expected at least one victim pod on node "{}"', "R-PREEMPT-14")


@frozen
class DryRun:
    """A DryRun has the nodes where evicting victims helps, and the statuses of the others, both in the order
    of the snapshot."""

    candidates: tuple[Candidate, ...]
    statuses: Mapping[str, Status]

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(status.message for status in self.statuses.values() if status.code is Code.ERROR)


def potential_nodes(context: PostFilterContext) -> list[NodeInfo]:
    """R-PREEMPT-03: Preemption considers only nodes that rejected the pod as Unschedulable, not as
    UnschedulableAndUnresolvable."""
    applies("R-PREEMPT-03")
    return [n for n in context.snapshot.nodes if context.status_of(n.name).code is Code.UNSCHEDULABLE]


def number_of_candidates(nodes: int, percentage: int, absolute: int) -> int:
    """R-PREEMPT-09 (observed: how many candidates are looked at is an optimization): The dry run ends when the
    candidates that it has found are minCandidateNodesPercentage of the potential nodes, but at least
    minCandidateNodesAbsolute, and at most as many as there are nodes."""
    applies("R-PREEMPT-09")
    return min(max(nodes * percentage // 100, absolute), nodes)


def dry_run(context: PostFilterContext, nodes: Sequence[NodeInfo], steps: PreemptionSteps) -> DryRun:
    """Returns the result of the dry run on all of these nodes. A real search that ends early has seen a part
    of it (see pick.py)."""
    budgets = Budgets.of(context.snapshot.objects.list(PodDisruptionBudget))
    candidates: list[Candidate] = []
    statuses: dict[str, Status] = {}
    for node in nodes:
        match steps.select_victims(context, node, budgets, steps):
            case Candidate(victims=()):
                statuses[node.name] = error(NO_VICTIM.of(node.name))
            case Candidate() as candidate:
                candidates.append(candidate)
            case status:
                statuses[node.name] = status
    return DryRun(tuple(candidates), statuses)


def aggregate(errors: Sequence[str]) -> str:
    """Joins errors into one text, each once (apimachinery, util/errors/errors.go, aggregate.Error)."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
