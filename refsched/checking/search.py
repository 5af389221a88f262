# SPDX-License-Identifier: Apache-2.0
"""Search: the search for feasible nodes when it may have stopped early, as far as a record shows it.

kube-scheduler filters nodes in parallel. It may therefore evaluate other nodes than a search that filters one
node after the other, it may keep any of the feasible nodes that it found, and Filter may be interrupted on a
node when the search is stopped. Which outcomes are possible is checked in early_stop.py.
Source: pkg/scheduler/schedule_one.go, findNodesThatPassFilters.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import Factory, define, evolve, frozen

from refsched.checking.open_filters import interrupted
from refsched.cycle.extenders import pass_extenders
from refsched.cycle.find_nodes import NodeFilter, Search, round_from
from refsched.extenders.extender import Extender
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import Code, Status

FAILED = "some other Filter operation failed"
FOUND_ENOUGH = "findNodesThatPassFilters has found enough nodes"
"""These are the causes for which a search was stopped, as an interrupted Filter reports them."""


@frozen
class SearchPlan:
    """A SearchPlan is what a search that may have stopped early is known to have done: the nodes it evaluated,
    and, if that is known, the feasible ones that it kept.

    ``interrupted`` are the nodes whose Filter reported that it was interrupted, and ``stopped_by`` the cause
    that it reported. ``left`` are the nodes that extenders did not reject, or None if there are no extenders.
    """

    evaluated: frozenset[str]
    kept: frozenset[str] | None = None
    interrupted: frozenset[str] = frozenset()
    stopped_by: str = ""
    left: frozenset[str] | None = None


def planned_search(
    plan: SearchPlan, nodes: Sequence[NodeInfo], start: int, number_to_find: int, filters: NodeFilter
) -> Search:
    """Filters the nodes that the plan names, and the other nodes too unless something stopped the search."""
    in_order = list(round_from(nodes, start))
    found = _Found(number_to_find, plan.kept)
    undisturbed = plan.evaluated - plan.interrupted
    for node in in_order:
        if node.name in undisturbed:
            found.take(node, filters.run(node))
    if found.has_enough:
        late = [node for node in in_order if node.name in plan.interrupted]
    else:
        late = [node for node in in_order if node.name not in undisturbed]
    cause = plan.stopped_by if plan.stopped_by in found.causes else found.stopped_by
    if cause:
        filters = evolve(filters, state=interrupted(filters.state, cause))
    for node in late:
        found.take(node, filters.run(node))
    search = found.as_search()
    if plan.left is None or not search.surplus:
        return search
    return keep(filters.framework.extenders, filters.pod, search, plan.left)


@define
class _Found:
    """A _Found is what a search has found so far."""

    number_to_find: int
    kept: frozenset[str] | None
    feasible: list[NodeInfo] = Factory(list)
    surplus: list[NodeInfo] = Factory(list)
    rejected: dict[str, Status] = Factory(dict)
    errors: dict[str, Status] = Factory(dict)

    def take(self, node: NodeInfo, status: Status) -> None:
        if status.code is Code.ERROR:
            self.errors[node.name] = status
        elif not status.is_success:
            self.rejected[node.name] = status
        elif self._is_kept(node.name) and len(self.feasible) < self.number_to_find:
            self.feasible.append(node)
        else:
            self.surplus.append(node)

    def _is_kept(self, node: str) -> bool:
        return self.kept is None or node in self.kept

    @property
    def causes(self) -> tuple[str, ...]:
        return (FAILED,) * bool(self.errors) + (FOUND_ENOUGH,) * bool(self.surplus)

    @property
    def stopped_by(self) -> str:
        return next(iter(self.causes), "")

    @property
    def has_enough(self) -> bool:
        """Returns whether no further node need be filtered."""
        return bool(self.causes) or len(self.feasible) >= self.number_to_find

    def as_search(self) -> Search:
        return Search(tuple(self.feasible), self.rejected, tuple(self.surplus), self.errors)


def keep(extenders: Sequence[Extender], pod: PodInfo, found: Search, left: frozenset[str]) -> Search:
    """Returns the nodes that a search kept if it found more feasible nodes than enough: those that extenders
    left, and then, first of all, nodes that extenders reject."""
    everyone = (*found.feasible, *found.surplus)
    accepted = {node.name for node in pass_extenders(extenders, pod, everyone).nodes}
    likely = sorted(everyone, key=lambda node: (node.name not in left, node.name in accepted))
    enough = len(found.feasible)
    return evolve(found, feasible=tuple(likely[:enough]), surplus=tuple(likely[enough:]))
