# SPDX-License-Identifier: Apache-2.0
"""Find nodes: which nodes a pod fits on, and how many are looked at before the search ends.

Source: pkg/scheduler/schedule_one.go, findNodesThatFitPod, findNodesThatPassFilters,
numFeasibleNodesToFind (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

from refsched.framework.choices import SearchPlan
from refsched.framework.node_info import NodeInfo
from refsched.framework.status import Code, Status

MIN_FEASIBLE_NODES_TO_FIND = 100
MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND = 5


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

    ``surplus`` are feasible nodes that were found when enough were kept. ``failure`` is the first Error met,
    which ends the search.
    """

    feasible: tuple[NodeInfo, ...]
    statuses: tuple[tuple[str, Status], ...]
    failure: Status | None = None
    surplus: tuple[NodeInfo, ...] = ()


def search(
    nodes: Sequence[NodeInfo],
    start: int,
    number_to_find: int,
    check: Callable[[NodeInfo], Status],
    plan: SearchPlan | None = None,
) -> Search:
    """R-SEARCH-02: nodes are looked at from the start index on, round the list, until one more than enough is
    feasible: finding it is what ends the search (the one surplus of a search that is not parallel).

    Source: findNodesThatPassFilters, checkNode, where the node beyond the number cancels the search. With a
    ``plan`` the nodes that it names are looked at, and no others.
    """
    feasible: list[NodeInfo] = []
    surplus: list[NodeInfo] = []
    statuses: list[tuple[str, Status]] = []
    for offset in range(len(nodes)):
        if surplus and plan is None:
            break
        node = nodes[(start + offset) % len(nodes)]
        if plan is not None and node.name not in plan.evaluated:
            continue
        status = check(node)
        if status.code is Code.ERROR:
            return Search(tuple(feasible), tuple(statuses), status)
        if not status.is_success:
            statuses.append((node.name, status))
        elif _is_kept(node.name, plan) and len(feasible) < number_to_find:
            feasible.append(node)
        else:
            surplus.append(node)
    return Search(tuple(feasible), tuple(statuses), surplus=tuple(surplus))


def _is_kept(node: str, plan: SearchPlan | None) -> bool:
    return plan is None or plan.kept is None or node in plan.kept
