# SPDX-License-Identifier: Apache-2.0
"""Preempting: what the dry run of preemption found on each node, for the pods of one kind.

The same is found as long as the node, what PreFilter computed and the disruption budgets are the same. Where
anything else has a say (nominated pods, a choice, the clock, a plugin that reads who the pod is, or that follows
pods as they are removed) the specification is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from attrs import Factory, define, evolve

from refsched.framework.node_info import NodeInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.framework.runtime import Framework
from refsched.framework.status import Status
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.candidate import Candidate
from refsched.preemption.disruption import Budgets
from refsched.preemption.victims import PreemptionSteps
from refsched.remembering.noted_choices import NotedChoices
from refsched.remembering.values import is_value

Found = Candidate | Status
SelectVictims = Callable[[PostFilterContext, NodeInfo, Budgets, PreemptionSteps], Found]


@define(eq=False)
class DryRuns:
    """``found`` has what was found on each node, by its name, and the node as it was then."""

    found: dict[str, tuple[NodeInfo, Found]] = Factory(dict)
    states: Mapping[str, Any] | None = None
    budgets: Sequence[PodDisruptionBudget] = ()

    def meet(self, states: Mapping[str, Any], budgets: Sequence[PodDisruptionBudget]) -> bool:
        """Returns whether anything can be remembered of what follows from these."""
        if self.states is None or states != self.states or budgets != self.budgets:
            self.found.clear()
            self.states = states if is_value(states) else None
            self.budgets = budgets
        return self.states is not None

    def remembered(
        self,
        context: PostFilterContext,
        select: SelectVictims,
        plain: Framework,
        nominated: Collection[str],
    ) -> SelectVictims:
        noted = NotedChoices(context.choices)
        asked_in = evolve(context, framework=plain, choices=noted)

        def look(
            context: PostFilterContext, node: NodeInfo, budgets: Budgets, steps: PreemptionSteps
        ) -> Found:
            known = self.found.get(node.name)
            if known is not None and known[0] is node and node.name not in nominated:
                return known[1]
            before = noted.asked
            found = select(asked_in, node, budgets, steps)
            if not (noted.asked > before or node.name in nominated or _clock_has_a_say(node)):
                self.found[node.name] = node, found
            return found

        return look


def _clock_has_a_say(node: NodeInfo) -> bool:
    """Returns whether the clock says which of the pods there is the more important one."""
    return len({info.pod.status.start_time is None for info in node.pods}) > 1
