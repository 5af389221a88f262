# SPDX-License-Identifier: Apache-2.0
"""Which candidates may be taken, and which of them a search that ends early may never see."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.preemption.candidate import Candidate
from refsched.preemption.dry_run import aggregate, number_of_candidates
from refsched.preemption.pick import first_found, possible_picks, rank

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def victim(priority: int = 0, started: int | None = None) -> PodInfo:
    status = {} if started is None else {"startTime": (NOW - timedelta(seconds=started)).isoformat()}
    return PodInfo(read_as(Pod, {"spec": {"priority": priority}, "status": status}))


def candidate(node: str, *victims: PodInfo, violations: int = 0) -> Candidate:
    return Candidate(node, victims or (victim(),), violations)


def nodes(candidates: Sequence[Candidate]) -> str:
    return " ".join(c.node for c in candidates)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (candidate("n", victim(9)), candidate("n", victim(0), violations=1)),
        (candidate("n", victim(1), victim(1)), candidate("n", victim(2))),
        (candidate("n", victim(2), victim(0)), candidate("n", victim(2), victim(1))),
        (candidate("n", victim(-5)), candidate("n", victim(-5), victim(-9))),
        (candidate("n", victim(0, 1)), candidate("n", victim(0, 2))),
        (candidate("n", victim()), candidate("n", victim(0, 1))),
    ],
)
def test_five_things_count_one_after_the_other(better: Candidate, worse: Candidate) -> None:
    assert rank(better, NOW) < rank(worse, NOW)


def test_the_number_of_victims_counts_where_the_sums_are_equal() -> None:
    one = candidate("n", victim(2**31 - 1), victim(-(2**31) + 1))
    two = candidate("n", victim(2**31 - 1), victim(-(2**31)), victim(-(2**31) + 1))
    assert rank(one, NOW)[2] == rank(two, NOW)[2]
    assert rank(one, NOW) < rank(two, NOW)


def test_equals_may_all_be_taken_and_so_may_all_whose_victim_has_not_started() -> None:
    equals = [candidate("a"), candidate("b"), candidate("c", victim(1))]
    assert nodes(possible_picks(equals, 3, NOW)) == "a b"


@pytest.mark.parametrize("wanted", range(1, 8))
def test_possible_picks_are_those_of_all_orders_in_which_nodes_may_be_walked(wanted: int) -> None:
    good = [candidate(f"good{n}", victim(n)) for n in (0, 1, 1)]
    bad = [candidate(f"bad{n}", victim(n), violations=1) for n in range(3)]
    for candidates in (good + bad, good, bad, good[:1] + bad, good + bad[:1]):
        picked = set()
        for walked in itertools.permutations(candidates):
            found = first_found(walked, wanted)
            best = min(rank(c, NOW) for c in found)
            picked |= {c.node for c in found if rank(c, NOW) == best}
        possible = possible_picks(candidates, wanted, NOW)
        assert {c.node for c in possible} == picked


def test_so_many_candidates_end_the_search() -> None:
    assert number_of_candidates(50, 10, 100) == 50
    assert number_of_candidates(500, 10, 100) == 100
    assert number_of_candidates(1509, 10, 100) == 150
    assert number_of_candidates(5, 10, 0) == 0


def test_errors_are_reported_once_each() -> None:
    assert aggregate(["a", "a"]) == "a"
    assert aggregate(["a", "b", "a"]) == "[a, b]"
