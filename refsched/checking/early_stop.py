# SPDX-License-Identifier: Apache-2.0
"""Early stop: what a parallel search that did not evaluate every node may have done.

Workers take chunks of the nodes in order, and check the nodes of a chunk in order. The first feasible node
beyond the number to find cancels the search; a worker that notices this before its next node checks no more.
When a worker notices is open, so a record may show many outcomes. Every outcome keeps four conditions:

- if nodes were left out, more feasible nodes than the number to find were found, and exactly that number was
  kept;
- of each chunk the nodes up to some point were checked, and none after it;
- a feasible node beyond the number to find is the last node that its worker checked, since that worker cancels
  the search itself;
- a worker ends only once. Of the chunks before the last that was begun, fewer than there are workers were left
  before their end or ended with a feasible node beyond the number to find, because the worker that began the
  last chunk had ended in none of them.

The four conditions are also sufficient: for every record that keeps them, some order of steps leads to it.
Observed: which nodes a parallel search looks at is an optimization.
Shows in: score.
Source: pkg/scheduler/schedule_one.go, findNodesThatPassFilters;
pkg/scheduler/framework/parallelize/parallelism.go, chunkSizeFor; client-go util/workqueue/parallelizer.go,
ParallelizeUntil.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import isqrt

from attrs import evolve, frozen

from refsched.checking.agreement import Disagreement
from refsched.cycle.find_nodes import num_feasible_nodes_to_find, round_from
from refsched.machine.state import SchedulerState
from refsched.objects.pod import Pod
from refsched.records import Attempt, NodeStatus
from refsched.rules import applies


@frozen
class SearchSpace:
    """A SearchSpace has the nodes to search. ``nodes`` are in the order of the search, unless ``in_order`` is
    false: nodes that PreFilter selected are visited in the order of a Go map. ``tried`` is the node nominated to
    the pod, or hinted at, which is evaluated before the search; whether the search evaluated it again cannot be
    observed. ``shows_kept`` says whether the nodes that were kept are those of which scores are recorded."""

    nodes: Sequence[str]
    parallelism: int = 16
    percentage: int = 0
    needs_one_only: bool = False
    in_order: bool = True
    tried: str = ""
    shows_kept: bool = True

    @property
    def enough(self) -> int:
        """Returns how many feasible nodes the search is to find."""
        wanted = num_feasible_nodes_to_find(self.percentage, len(self.nodes))
        return min(wanted, 1) if self.needs_one_only else wanted

    @property
    def may_stop_early(self) -> bool:
        """Returns whether the search may end before every node is evaluated."""
        return self.enough < len(self.nodes)

    def narrowed(self, nodes: Collection[str]) -> SearchSpace:
        """Returns the space of a search among the ``nodes`` that PreFilter selected."""
        left = [node for node in self.nodes if node in nodes]
        return evolve(self, nodes=left, in_order=False)


def space_of(scheduler: SchedulerState, pod: Pod, parallelism: int) -> SearchSpace | None:
    """Returns what the cycle of ``pod`` would search if it began now, or None if no node is filtered."""
    framework = scheduler.profiles.get(pod.spec.scheduler_name)
    if framework is None or not framework.filter_plugins:
        return None
    snapshot, queue = scheduler.snapshot(), scheduler.queue
    decider = scheduler.decider(framework, snapshot, queue.nominated_pods_for_node)
    nodes = [info.name for info in snapshot.nodes]
    return SearchSpace(
        list(round_from(nodes, scheduler.next_start_node_index)),
        parallelism,
        framework.percentage_of_nodes_to_score,
        decider.needs_one_only,
        tried=pod.status.nominated_node_name,
    )


def chunk_size(number_of_nodes: int, parallelism: int) -> int:
    """Returns the number of nodes that a worker takes at once. Source: chunkSizeFor."""
    return max(1, min(isqrt(number_of_nodes), number_of_nodes // parallelism + 1))


def search_disagreements(space: SearchSpace, record: Attempt, specified: Attempt) -> Iterator[Disagreement]:
    """Yields the members of ``record`` that no search can have produced. After an error every outcome is
    possible."""
    recorded = record.filter
    if recorded is None or specified.filter is None or _failed(recorded) or _failed(specified.filter):
        return
    if specified.filter == {space.tried: NodeStatus("Success")}:
        return
    if specified.pre_filter is not None and specified.pre_filter.nodes is not None:
        space = space.narrowed(specified.pre_filter.nodes)
    kept = _kept(space, record)
    found = list(_Search(space, recorded, kept).disagreements())
    if found and space.tried in recorded:
        others = {name: status for name, status in recorded.items() if name != space.tried}
        found = list(_Search(space, others, kept).disagreements())
    yield from found


def _failed(statuses: Mapping[str, NodeStatus]) -> bool:
    return any(status.code == "Error" for status in statuses.values())


def _kept(space: SearchSpace, record: Attempt) -> frozenset[str] | None:
    """Returns the nodes that the search kept, or None if the record does not show them: a single feasible node
    is not scored."""
    scored = record.scores or record.totals
    if not space.shows_kept:
        return None
    if scored:
        return frozenset(scored)
    return frozenset({record.node}) if space.enough == 1 and record.node else None


@frozen
class _Chunk:
    """A _Chunk has the nodes that one worker takes at once, and those of them that were checked."""

    nodes: list[str]
    checked: list[str]

    @property
    def is_finished(self) -> bool:
        return len(self.checked) == len(self.nodes)


@frozen
class _Search:
    space: SearchSpace
    recorded: Mapping[str, NodeStatus]
    kept: frozenset[str] | None

    @cached_property
    def feasible(self) -> frozenset[str]:
        return frozenset(
            node
            for node in self.space.nodes
            if node in self.recorded and self.recorded[node].code == "Success"
        )

    @property
    def too_many(self) -> int:
        return len(self.feasible) - self.space.enough

    def chunks(self) -> list[_Chunk]:
        nodes = list(self.space.nodes)
        size = chunk_size(len(nodes), self.space.parallelism)
        parts = [nodes[start : start + size] for start in range(0, len(nodes), size)]
        return [_Chunk(part, [node for node in part if node in self.recorded]) for part in parts]

    def disagreements(self) -> Iterator[Disagreement]:
        yield from self._number_kept()
        if self.too_many <= 0:
            yield from self._left_out()
            return
        chunks = self.chunks()
        workers = min(self.space.parallelism, len(chunks))
        if self.space.in_order:
            yield from self._order(chunks)
            yield from self._ends(chunks, workers)
        elif self.too_many > workers:
            yield Disagreement("filter", f"no more than {workers} feasible nodes too many", self.too_many)

    def _left_out(self) -> Iterator[Disagreement]:
        """R-SEARCH-10: A search leaves out a node only after it has found more feasible nodes than it was to
        find."""
        applies("R-SEARCH-10")
        left_out = [node for node in self.space.nodes if node not in self.recorded]
        if left_out:
            expected = f"to be evaluated: no more than {self.space.enough} nodes were feasible"
            yield Disagreement(f"filter.{left_out[0]}", expected, None)

    def _number_kept(self) -> Iterator[Disagreement]:
        expected = min(len(self.feasible), self.space.enough)
        if self.kept is not None and len(self.kept) != expected:
            yield Disagreement("feasible", expected, len(self.kept))

    def _order(self, chunks: Sequence[_Chunk]) -> Iterator[Disagreement]:
        """R-SEARCH-11 (needs config): A worker of the parallel search filters the nodes of a chunk in their order,
        from the first one on.
        R-SEARCH-12 (needs config): A worker of the parallel search that finds a feasible node too many stops
        filtering."""
        applies("R-SEARCH-11")
        applies("R-SEARCH-12")
        for chunk in chunks:
            skipped = next((node for node in chunk.nodes if node not in self.recorded), "")
            if chunk.checked != chunk.nodes[: len(chunk.checked)]:
                expected = f"to be evaluated before {chunk.checked[-1]}, by the same worker"
                yield Disagreement(f"filter.{skipped}", expected, None)
            elif any(self._is_surplus(node) for node in chunk.checked[:-1]):
                first = next(node for node in chunk.checked if self._is_surplus(node))
                expected = f"not to be evaluated after {first}, with which its worker ended the search"
                yield Disagreement(f"filter.{chunk.checked[-1]}", expected, self.recorded[chunk.checked[-1]])

    def _is_surplus(self, node: str) -> bool:
        return self.kept is not None and node in self.feasible and node not in self.kept

    def _ends(self, chunks: Sequence[_Chunk], workers: int) -> Iterator[Disagreement]:
        """R-SEARCH-13 (needs config): When the parallel search is ended early, each worker stops once: at most one
        chunk of each is left unfinished, and one worker stops in the last chunk that was begun, or after it."""
        applies("R-SEARCH-13")
        last = max(i for i, chunk in enumerate(chunks) if chunk.checked)
        unfinished = {i for i in range(last) if not chunks[i].is_finished}
        may_end = {
            i for i, chunk in enumerate(chunks) if chunk.checked and chunk.checked[-1] in self.feasible
        }
        if self.kept is None:
            for_nothing = len(may_end & (unfinished | {last}))
            ends = len(unfinished) + max(0, self.too_many - for_nothing)
            if self.too_many > len(may_end):
                expected = f"no more than {len(may_end)} feasible nodes too many"
                yield Disagreement("filter", expected, self.too_many)
        else:
            surplus = {i for i in may_end if i < last and self._is_surplus(chunks[i].checked[-1])}
            ends = len(unfinished | surplus)
        if ends >= workers:
            expected = f"fewer than {workers} workers to end before {chunks[last].nodes[0]} is evaluated"
            yield Disagreement("filter", expected, ends)
