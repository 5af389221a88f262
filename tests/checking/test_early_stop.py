# SPDX-License-Identifier: Apache-2.0
"""What a search by several workers may have done: all that some order of their steps leads to, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from attrs import evolve, frozen

from refsched.checking.agreement import Disagreement
from refsched.checking.early_stop import SearchSpace, chunk_size, search_disagreements
from refsched.records import Attempt, NodeStatus, PreFilter

FEASIBLE, REFUSED = NodeStatus("Success"), NodeStatus("Unschedulable", "Picky", ("no",))


@frozen
class Small(SearchSpace):
    """A search that is small enough to walk through: kube-scheduler has no such number below 100 nodes."""

    wanted: int = 1

    @property
    def enough(self) -> int:
        return self.wanted


def reported(
    feasible: Sequence[str], refused: Sequence[str] = (), kept: Sequence[str] | None = None
) -> Attempt:
    statuses = dict.fromkeys(feasible, FEASIBLE) | dict.fromkeys(refused, REFUSED)
    totals = None if kept is None else dict.fromkeys(kept, 1)
    return Attempt(
        "default/p", "scheduled", feasible[0] if feasible else None, filter=statuses, totals=totals
    )


def found(space: SearchSpace, record: Attempt, specified: Attempt | None = None) -> list[Disagreement]:
    return list(search_disagreements(space, record, specified or record))


# --- Against a model of the workers ---------------------------------------------------------------

WANTS_A_CHUNK, ENDED = "wants a chunk", "ended"
Outcome = tuple[frozenset[int], frozenset[int]]
"""The nodes that were checked, and those that were kept."""


@frozen
class Moment:
    """Between two steps. A worker wants a chunk, has ended, or stands before a node of its chunk: ``next`` before
    it looks whether the search is cancelled, ``check`` after that, ``cancel`` with a node too many."""

    workers: tuple[tuple[str, int, int], ...]
    next_chunk: int = 0
    checked: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    is_cancelled: bool = False

    def with_worker(self, i: int, doing: str, node: int = 0, end: int = 0) -> Moment:
        return evolve(self, workers=(*self.workers[:i], (doing, node, end), *self.workers[i + 1 :]))


def step(now: Moment, i: int, nodes: int, size: int, feasible: frozenset[int], enough: int) -> Moment:
    """The one thing that worker ``i`` can do next."""
    doing, node, end = now.workers[i]
    if doing == WANTS_A_CHUNK:
        start = now.next_chunk * size
        if start >= nodes:
            return now.with_worker(i, ENDED)
        taken = evolve(now, next_chunk=now.next_chunk + 1)
        return taken.with_worker(i, "next", start, min(start + size, nodes))
    if doing == "next" and node == end:
        return now.with_worker(i, WANTS_A_CHUNK)
    if doing == "next":
        return now.with_worker(i, ENDED) if now.is_cancelled else now.with_worker(i, "check", node, end)
    if doing == "cancel":
        return evolve(now, is_cancelled=True).with_worker(i, "next", node + 1, end)
    checked = evolve(now, checked=now.checked | {node})
    if node not in feasible:
        return checked.with_worker(i, "next", node + 1, end)
    if len(now.kept) < enough:
        return evolve(checked, kept=now.kept | {node}).with_worker(i, "next", node + 1, end)
    return checked.with_worker(i, "cancel", node, end)


def outcomes(nodes: int, parallelism: int, feasible: frozenset[int], enough: int) -> set[Outcome]:
    """Where all orders of the workers' steps lead."""
    size = chunk_size(nodes, parallelism)
    workers = min(parallelism, -(-nodes // size))
    seen: set[Moment] = set()
    ahead = [Moment(((WANTS_A_CHUNK, 0, 0),) * workers)]
    ended: set[Outcome] = set()
    while ahead:
        now = ahead.pop()
        if now in seen:
            continue
        seen.add(now)
        busy = [i for i, worker in enumerate(now.workers) if worker[0] != ENDED]
        ahead.extend(step(now, i, nodes, size, feasible, enough) for i in busy)
        if not busy:
            ended.add((now.checked, now.kept))
    return ended


def subsets(of: Sequence[int]) -> Iterator[frozenset[int]]:
    for size in range(len(of) + 1):
        yield from map(frozenset, combinations(of, size))


@pytest.mark.parametrize(
    ("nodes", "parallelism", "enough"),
    [(3, 1, 1), (3, 2, 1), (3, 3, 1), (4, 2, 1), (4, 2, 2), (5, 2, 1), (5, 2, 2), (5, 3, 1), (6, 1, 2)],
)
def test_a_record_is_possible_exactly_where_some_order_of_steps_leads_to_it(
    nodes: int, parallelism: int, enough: int
) -> None:
    names = [f"n{i}" for i in range(nodes)]
    space = Small(names, parallelism, wanted=enough)
    for feasible in subsets(range(nodes)):
        reached = outcomes(nodes, parallelism, feasible, enough)
        without_kept = {checked for checked, _ in reached}
        for checked in subsets(range(nodes)):
            fits = [names[i] for i in sorted(checked & feasible)]
            refused = [names[i] for i in sorted(checked - feasible)]
            possible = {kept for was_checked, kept in reached if was_checked == checked}
            for kept in subsets(sorted(checked & feasible)):
                record = reported(fits, refused, [names[i] for i in sorted(kept)])
                if kept or not fits:
                    assert (not found(space, record)) == (kept in possible), (feasible, checked, kept)
            if enough > 1 or len(fits) <= 1:
                assert (not found(space, reported(fits, refused))) == (checked in without_kept), (
                    feasible,
                    checked,
                )


# --- What is said of a record that cannot be ------------------------------------------------------

NODES = [f"n{i:03d}" for i in range(200)]
SPACE = SearchSpace(NODES)
"""200 nodes, 100 are enough, 16 workers, 13 nodes to a chunk."""


@pytest.mark.parametrize(
    ("nodes", "parallelism", "size"),
    [(1, 16, 1), (100, 16, 7), (200, 16, 13), (1000, 16, 31), (5000, 16, 70), (200, 1, 14), (3, 64, 1)],
)
def test_how_many_nodes_a_worker_takes_at_once(nodes: int, parallelism: int, size: int) -> None:
    assert chunk_size(nodes, parallelism) == size


def test_one_node_after_the_other_is_a_possible_order() -> None:
    assert found(SPACE, reported(NODES[:101], kept=NODES[:100])) == []
    assert found(SPACE, reported(NODES[:101])) == []


def test_every_worker_may_find_one_node_too_many() -> None:
    ends = [NODES[i * 13 + 7] for i in range(15)]
    checked = [node for i in range(15) for node in NODES[i * 13 : i * 13 + 8]]
    kept = [node for node in checked if node not in ends]
    assert len(kept) == 105
    kept = kept[:100]
    assert [one.member for one in found(SPACE, reported(checked, kept=kept))] != []
    refused = [node for node in checked if node not in ends and node not in kept]
    feasible = [*kept, *ends]
    assert found(SPACE, reported(feasible, refused, kept)) == []
    assert found(SPACE, reported(feasible, refused)) == []


def test_a_node_may_not_be_left_out_for_no_reason() -> None:
    [disagreement] = found(SPACE, reported(NODES[:100], NODES[101:], NODES[:100]))
    assert disagreement == Disagreement(
        "filter.n100", "to be evaluated: no more than 100 nodes were feasible", None
    )


def test_a_worker_does_not_jump_over_a_node() -> None:
    [disagreement] = found(SPACE, reported([*NODES[:5], *NODES[6:102]], kept=[*NODES[:5], *NODES[6:101]]))
    assert disagreement == Disagreement(
        "filter.n005", "to be evaluated before n012, by the same worker", None
    )


def test_a_worker_that_found_a_node_too_many_checks_no_other() -> None:
    kept = [*NODES[:50], *NODES[51:101]]
    [disagreement] = found(SPACE, reported(NODES[:102], kept=kept))
    assert disagreement.member == "filter.n051"
    assert disagreement.expected == "not to be evaluated after n050, with which its worker ended the search"


def test_no_more_and_no_fewer_are_kept_than_are_enough() -> None:
    assert found(SPACE, reported(NODES[:101], kept=NODES[:99]))[0] == Disagreement("feasible", 100, 99)
    assert found(SPACE, reported(NODES[:101], kept=NODES[:101]))[0] == Disagreement("feasible", 100, 101)


def test_more_workers_cannot_have_ended_than_there_are() -> None:
    two = evolve(SPACE, parallelism=2)
    size = chunk_size(200, 2)
    later = NODES[size : size + 100]
    assert found(two, reported([NODES[0], *later], kept=[NODES[0], *later[:-1]])) == []
    later = NODES[2 * size : 2 * size + 100]
    [disagreement] = found(two, reported([NODES[0], *later], kept=[NODES[0], *later[:-1]]))
    assert disagreement == Disagreement("filter", "fewer than 2 workers to end before n126 is evaluated", 2)


def test_where_it_is_not_reported_which_were_kept_each_worker_still_ends_but_once() -> None:
    one = evolve(SPACE, parallelism=1)
    assert found(one, reported(NODES[:101])) == []
    [disagreement] = found(one, reported(NODES[:102]))
    assert disagreement == Disagreement("filter", "fewer than 1 workers to end before n098 is evaluated", 1)
    every_tenth = [node for i, node in enumerate(NODES) if i % 20 or i == 0]
    refused = [node for node in NODES if node not in every_tenth]
    assert "filter" in [one.member for one in found(SPACE, reported(every_tenth, refused))]


def test_nodes_that_prefilter_narrowed_to_come_in_any_order() -> None:
    specified = evolve(reported(NODES), pre_filter=PreFilter("Success", nodes=tuple(NODES[:150])))
    space = SearchSpace([*NODES[100:], *NODES[:100]])
    assert found(space, reported(NODES[20:121], kept=NODES[20:120]), specified) == []
    [disagreement] = found(space, reported(NODES[:120], kept=NODES[:100]), specified)
    assert disagreement == Disagreement("filter", "no more than 15 feasible nodes too many", 20)


def test_the_nominated_node_was_tried_before_the_search() -> None:
    space = evolve(SPACE, tried="n150")
    assert found(space, reported(NODES[:101], ["n150"], NODES[:100])) == []
    alone = reported(["n150"])
    assert found(space, alone) == []


def test_without_scoring_one_node_is_enough() -> None:
    space = evolve(SPACE, needs_one_only=True)
    assert found(space, reported(NODES[:2])) == []
    assert found(space, evolve(reported(NODES[:3]), node="n000"))[0].member == "filter.n002"


def test_nothing_is_asked_after_an_error_or_where_nothing_is_reported() -> None:
    record = reported(NODES[:3])
    assert record.filter is not None
    failed = evolve(record, filter={**record.filter, "n001": NodeStatus("Error", "Picky")})
    assert found(SPACE, failed, record) == []
    assert found(SPACE, record, failed) == []
    assert found(SPACE, evolve(record, filter=None), record) == []
    assert found(SPACE, record, evolve(record, filter=None)) == []
