# SPDX-License-Identifier: Apache-2.0
"""Find nodes: which nodes a pod fits on, and how many are looked at before the search ends.

Source: pkg/scheduler/schedule_one.go, findNodesThatFitPod, findNodesThatPassFilters,
numFeasibleNodesToFind (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

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

    ``failure`` is the first Error met, which ends the search.
    """

    feasible: tuple[NodeInfo, ...]
    statuses: tuple[tuple[str, Status], ...]
    failure: Status | None = None

    @property
    def processed(self) -> int:
        """By how many nodes the start index moves on, also where the search ended in an error."""
        return len(self.feasible) + len(self.statuses)


def search(
    nodes: Sequence[NodeInfo], start: int, number_to_find: int, check: Callable[[NodeInfo], Status]
) -> Search:
    """R-SEARCH-02: nodes are looked at from the start index on, round the list, until enough are feasible."""
    feasible: list[NodeInfo] = []
    statuses: list[tuple[str, Status]] = []
    for offset in range(len(nodes)):
        if len(feasible) >= number_to_find:
            break
        node = nodes[(start + offset) % len(nodes)]
        status = check(node)
        if status.code is Code.ERROR:
            return Search(tuple(feasible), tuple(statuses), status)
        if status.is_success:
            feasible.append(node)
        else:
            statuses.append((node.name, status))
    return Search(tuple(feasible), tuple(statuses))
