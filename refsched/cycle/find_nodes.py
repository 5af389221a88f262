# SPDX-License-Identifier: Apache-2.0
"""Find nodes: which nodes a pod fits on, and how many are looked at before the search ends.

Source: pkg/scheduler/schedule_one.go, findNodesThatFitPod, findNodesThatPassFilters,
numFeasibleNodesToFind (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import Factory, define, frozen

from refsched.framework.choices import SearchPlan
from refsched.framework.node_info import NodeInfo
from refsched.framework.status import Code, Status

MIN_FEASIBLE_NODES_TO_FIND = 100
MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND = 5

UNDISTURBED = ""
FAILED = "some other Filter operation failed"
FOUND_ENOUGH = "findNodesThatPassFilters has found enough nodes"
"""Why a search was stopped, as a Filter that gives up repeats it."""

Check = Callable[[NodeInfo, str], Status]
"""What a node says, and what it says when it is asked while the search is stopped for this cause."""


def num_feasible_nodes_to_find(percentage: int, number_of_nodes: int) -> int:
    """R-SEARCH-01: how many feasible nodes end the search.

    Below 100 nodes all are looked at. A percentage of 0 adapts: 50 less one for each 125 nodes, at least 5.
    The answer is not monotonic in the number of nodes (3000 nodes: 780, 6000 nodes: 300).
    """
    if number_of_nodes < MIN_FEASIBLE_NODES_TO_FIND:
        return number_of_nodes
    if percentage == 0:
        percentage = max(50 - number_of_nodes // 125, MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND)
    return max(number_of_nodes * percentage // 100, MIN_FEASIBLE_NODES_TO_FIND)


@frozen
class Search:
    """What a search found: the feasible nodes it kept, and what the others said, in search order.

    ``surplus`` are feasible nodes that were found when enough were kept. ``errors`` are nodes whose filters
    failed; one is enough to end the search, and ``failure`` is the one that is reported.
    """

    feasible: tuple[NodeInfo, ...] = ()
    statuses: tuple[tuple[str, Status], ...] = ()
    surplus: tuple[NodeInfo, ...] = ()
    errors: tuple[tuple[str, Status], ...] = ()
    failure: Status | None = None


def search(
    nodes: Sequence[NodeInfo],
    start: int,
    number_to_find: int,
    check: Check,
    plan: SearchPlan | None = None,
) -> Search:
    """R-SEARCH-02: nodes are looked at from the start index on, round the list, until one more than enough is
    feasible: finding it is what ends the search (the one surplus of a search that is not parallel).

    Source: findNodesThatPassFilters, checkNode, where the node beyond the number cancels the search. With a
    ``plan`` the nodes that it names are looked at; the others too, unless something ended the search.
    """
    in_order = [nodes[(start + offset) % len(nodes)] for offset in range(len(nodes))]
    found = _Found(number_to_find, plan.kept if plan is not None else None)
    if plan is None:
        for node in in_order:
            if found.stopped_by:
                break
            found.take(node, check(node, UNDISTURBED))
        return found.as_search()
    interrupted = [node for node in in_order if node.name in plan.interrupted]
    undisturbed = plan.evaluated - plan.interrupted
    for node in in_order:
        if node.name in undisturbed:
            found.take(node, check(node, UNDISTURBED))
    late = interrupted if found.has_enough else [node for node in in_order if node.name not in undisturbed]
    stopped_by = found.stopped_by
    if plan.stopped_by in found.causes:
        stopped_by = plan.stopped_by
    for node in late:
        found.take(node, check(node, stopped_by))
    return found.as_search(plan.reported)


@define
class _Found:
    """What a search has come to so far."""

    number_to_find: int
    kept: frozenset[str] | None
    feasible: list[NodeInfo] = Factory(list)
    surplus: list[NodeInfo] = Factory(list)
    statuses: list[tuple[str, Status]] = Factory(list)
    errors: list[tuple[str, Status]] = Factory(list)

    def take(self, node: NodeInfo, status: Status) -> None:
        if status.code is Code.ERROR:
            self.errors.append((node.name, status))
        elif not status.is_success:
            self.statuses.append((node.name, status))
        elif self._is_kept(node.name) and len(self.feasible) < self.number_to_find:
            self.feasible.append(node)
        else:
            self.surplus.append(node)

    def _is_kept(self, node: str) -> bool:
        return self.kept is None or node in self.kept

    @property
    def causes(self) -> tuple[str, ...]:
        """R-SEARCH-06: an error on one node ends the search, for all; so does a feasible node too many."""
        return (FAILED,) * bool(self.errors) + (FOUND_ENOUGH,) * bool(self.surplus)

    @property
    def stopped_by(self) -> str:
        return next(iter(self.causes), UNDISTURBED)

    @property
    def has_enough(self) -> bool:
        """No further node need be looked at."""
        return bool(self.stopped_by) or len(self.feasible) >= self.number_to_find

    def as_search(self, reported: str = "") -> Search:
        """R-SEARCH-07: where several nodes failed, any of the errors is the one that is reported."""
        failures = [status for _, status in self.errors]
        failure = next((status for status in failures if status.message == reported), None)
        return Search(
            tuple(self.feasible),
            tuple(self.statuses),
            tuple(self.surplus),
            tuple(self.errors),
            failure or next(iter(failures), None),
        )
