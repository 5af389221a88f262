# SPDX-License-Identifier: Apache-2.0
"""Preempting: what the dry run of preemption found on each node, for the pods of one kind.

It is found again as long as the node is the same, and so are what PreFilter computed and the disruption budgets.
Where anything else has a say (nominated pods, a choice, the clock, a plugin that follows pods as they are removed)
the specification is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn

from attrs import define, evolve

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.framework.runtime import Framework
from refsched.framework.status import Status
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.candidate import Candidate
from refsched.preemption.disruption import Budgets
from refsched.preemption.victims import PreemptionSteps
from refsched.remembering.answers import Numbered
from refsched.remembering.kinds import NameAskedError
from refsched.remembering.values import is_value

Found = Candidate | Status
SelectVictims = Callable[[PostFilterContext, NodeInfo, Budgets, PreemptionSteps], Found]


class ChoiceAskedError(BaseException):
    """A ChoiceAskedError says that something was to be chosen; no plugin that catches exceptions may catch this
    one."""


class _NoChoice:
    def choose(self, question: str, options: Sequence[Any]) -> NoReturn:
        raise ChoiceAskedError


@define(eq=False)
class DryRuns:
    """``pod`` is one of the kind, without a name; ``found`` has False for a node that is asked about anew."""

    pod: PodInfo
    found: Numbered
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
        numbers: Mapping[str, int],
        nominated: Collection[str],
    ) -> SelectVictims:
        found = self.found.of_node
        of_kind = evolve(context, framework=plain, pod=self.pod, choices=_NoChoice())

        def look(
            context: PostFilterContext, node: NodeInfo, budgets: Budgets, steps: PreemptionSteps
        ) -> Found:
            if node.name in nominated:
                return select(context, node, budgets, steps)
            number = numbers[node.name]
            if found[number] is None:
                found[number] = _ask(lambda: select(of_kind, node, budgets, steps), node)
            known: Found | None = found[number] or None
            return select(context, node, budgets, steps) if known is None else known

        return look


def _ask(select: Callable[[], Found], node: NodeInfo) -> Found | bool:
    if len({info.pod.status.start_time is None for info in node.pods}) > 1:
        return False  # the clock says which of these is the more important one
    try:
        return select()
    except (NameAskedError, ChoiceAskedError):
        return False
