# SPDX-License-Identifier: Apache-2.0
"""Preempting: what the dry run of preemption found on each node, for the pods of one kind.

It is found again as long as the node is the same, and so are what PreFilter computed and the disruption budgets.
Where anything else has a say (nominated pods, a choice, the clock, a plugin that follows pods as they are removed)
the specification is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn

from attrs import Factory, define, evolve

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.framework.runtime import Framework
from refsched.framework.status import Status
from refsched.objects.policy import PodDisruptionBudget
from refsched.preemption.candidate import Candidate
from refsched.remembering.answers import Numbered
from refsched.remembering.kinds import NameAskedError
from refsched.remembering.values import is_value

Found = Candidate | Status
OnNode = Callable[[PostFilterContext, NodeInfo], Found]


class ChoiceAskedError(BaseException):
    """Something was to be chosen; no plugin that catches exceptions may catch this one."""


class _NoChoice:
    def choose(self, question: str, options: Sequence[Any]) -> NoReturn:
        raise ChoiceAskedError


@define(eq=False)
class DryRuns:
    """``pod`` is one of the kind, without a name; ``found`` has False for a node that is asked about anew."""

    pod: PodInfo
    found: Numbered = Factory(Numbered)
    states: Mapping[str, Any] | None = None
    budgets: Sequence[PodDisruptionBudget] = ()

    def meet(self, states: Mapping[str, Any], budgets: Sequence[PodDisruptionBudget]) -> bool:
        """Whether anything can be remembered of what follows from these."""
        if self.states is None or states != self.states or budgets != self.budgets:
            self.found.clear()
            self.states = states if is_value(states) else None
            self.budgets = budgets
        return self.states is not None

    def remembered(
        self,
        context: PostFilterContext,
        on_node: OnNode,
        plain: Framework,
        numbers: Mapping[str, int],
        nominated: Collection[str],
    ) -> OnNode:
        found = self.found.of_node
        of_kind = evolve(context, framework=plain, pod=self.pod, choices=_NoChoice())

        def look(context: PostFilterContext, node: NodeInfo) -> Found:
            if node.name in nominated:
                return on_node(context, node)
            number = numbers[node.name]
            if found[number] is None:
                found[number] = _ask(on_node, of_kind, node)
            known: Found | None = found[number] or None
            return on_node(context, node) if known is None else known

        return look


def _ask(on_node: OnNode, of_kind: PostFilterContext, node: NodeInfo) -> Found | bool:
    if len({info.pod.status.start_time is None for info in node.pods}) > 1:
        return False  # the clock says which of these is the more important one
    try:
        return on_node(of_kind, node)
    except (NameAskedError, ChoiceAskedError):
        return False
