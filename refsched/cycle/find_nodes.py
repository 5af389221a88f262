# SPDX-License-Identifier: Apache-2.0
"""Find nodes: on which nodes a pod passes Filter, and how many feasible nodes end the search.

Observed: which nodes are looked at, and in which order, is an optimization.
Shows in: score.
Source: pkg/scheduler/schedule_one.go, findNodesThatPassFilters, numFeasibleNodesToFind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TypeVar

from attrs import field, frozen

from refsched.framework.cycle_state import CycleState
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Code, Status
from refsched.rules import applies

T = TypeVar("T")
MIN_FEASIBLE_NODES_TO_FIND = 100
MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND = 5

NominatedPods = Callable[[str], Sequence[PodInfo]]
"""A NominatedPods returns the pods that are nominated to the node with this name."""


def num_feasible_nodes_to_find(percentage: int, number_of_nodes: int) -> int:
    """R-SEARCH-01 (decides feasible): A search among 100 nodes or more ends when a percentage of them is feasible,
    but at least 100; a percentage of 0 stands for 50 less one for each 125 nodes, and at least 5.

    The number is not monotonic in the number of nodes (3000 nodes: 780, 6000 nodes: 300).
    """
    if number_of_nodes < MIN_FEASIBLE_NODES_TO_FIND:
        return number_of_nodes
    applies("R-SEARCH-01")
    if percentage == 0:
        percentage = max(50 - number_of_nodes // 125, MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND)
    return max(number_of_nodes * percentage // 100, MIN_FEASIBLE_NODES_TO_FIND)


@frozen
class NodeFilter:
    """A NodeFilter runs Filter for one pod on one node after the other."""

    framework: Framework
    snapshot: Snapshot
    nominated_pods: NominatedPods
    pod: PodInfo
    state: CycleState

    def run(self, node: NodeInfo) -> Status:
        """Returns the status of Filter on this node, with the pods nominated to it counted."""
        nominated = self.nominated_pods(node.name)
        return self.framework.run_filter_plugins_with_nominated_pods(
            self.state, self.pod, node, nominated, self.snapshot
        )


@frozen
class Search:
    """A Search has the feasible nodes, and says why the others were rejected, in the order of the search.

    ``surplus`` are feasible nodes beyond the number to find. ``errors`` are nodes whose filters failed.
    """

    feasible: tuple[NodeInfo, ...] = ()
    rejected: Mapping[str, Status] = field(factory=dict)
    surplus: tuple[NodeInfo, ...] = ()
    errors: Mapping[str, Status] = field(factory=dict)


SearchNodes = Callable[[Sequence[NodeInfo], int, int, NodeFilter], Search]
"""A SearchNodes searches the nodes, from a start index on, for a number of feasible ones."""


def round_from(nodes: Sequence[T], start: int) -> Iterator[T]:
    """Yields the nodes from the start index on, round the list. The index may be larger than their number, since
    nodes may have been deleted, or PreFilter may have excluded some."""
    first = start % max(1, len(nodes))
    return chain(islice(nodes, first, None), islice(nodes, first))


def find_nodes(nodes: Sequence[NodeInfo], start: int, number_to_find: int, filters: NodeFilter) -> Search:
    """R-SEARCH-02 (decides evaluated): Nodes are filtered from the start index on, round the list, until one node
    more than the number to find is feasible; that node is not kept.
    R-SEARCH-06: An error of Filter on any node ends the search and fails the scheduling cycle.

    Source: findNodesThatPassFilters, checkNode, where the node beyond the number cancels the search.
    """
    feasible: list[NodeInfo] = []
    rejected: dict[str, Status] = {}
    for node in round_from(nodes, start):
        status = filters.run(node)
        if status.code is Code.ERROR:
            return Search(tuple(feasible), rejected, errors={node.name: status})
        if not status.is_success:
            rejected[node.name] = status
        elif len(feasible) < number_to_find:
            feasible.append(node)
        else:
            applies("R-SEARCH-02")
            return Search(tuple(feasible), rejected, surplus=(node,))
    return Search(tuple(feasible), rejected)
