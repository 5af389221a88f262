# SPDX-License-Identifier: Apache-2.0
"""Checker: a search that stopped early is followed as far as it is told, and held to what is possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from recorded import Recorded, altered, check, the_attempt
from world import FEASIBLE, configuration, profile

from refsched.checking.agreement import Disagreement
from refsched.records import Attempt, Bind


def many(config: dict[str, Any] | None = None, refusing: Callable[[int], bool] = bool) -> Recorded:
    """Half of 200 nodes are enough; one pod, and ``refusing`` says on which nodes it does not fit."""
    world = Recorded(config)
    for i in range(200):
        world.node(f"n{i:03d}", cpu="500m" if refusing(i) else "4")
    world.schedule("p", cpu="1")
    return world


def nobody(_: int) -> bool:
    return False


def every_third(i: int) -> bool:
    return i % 3 == 0


@pytest.mark.parametrize("refusing", [nobody, every_third])
@pytest.mark.parametrize(
    "without",
    [(), ("filter",), ("scores",), ("totals",), ("scores", "totals"), ("filter", "scores", "totals")],
)
def test_a_search_that_stopped_early_is_followed_as_far_as_it_is_reported(
    refusing: Callable[[int], bool], without: Sequence[str]
) -> None:
    world = many(refusing=refusing)
    assert check(altered(world.records, Attempt, **dict.fromkeys(without))) == []


def test_a_worker_goes_on_only_until_its_own_node_too_many() -> None:
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    assert (attempt.feasible, len(attempt.filter or {})) == (100, 101)
    reported = {**(attempt.filter or {}), "n101": FEASIBLE}
    [found] = check(altered(world.records, Attempt, filter=reported))
    assert found == Disagreement(
        "filter.n101", "not to be evaluated after n100, with which its worker ended the search", FEASIBLE
    )


def test_one_worker_of_sixteen_may_have_begun_the_next_chunk() -> None:
    """Chunks are of 13 nodes: the ninth begins with n104. Its worker found its first node one too many."""
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    reported = {**(attempt.filter or {}), "n104": FEASIBLE}
    assert check(altered(world.records, Attempt, filter=reported)) == []


def test_more_nodes_than_are_enough_cannot_have_been_kept() -> None:
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    scores, totals = dict(attempt.scores or {}), dict(attempt.totals or {})
    scores["n100"], totals["n100"] = scores["n000"], totals["n000"]
    session = altered(world.records, Attempt, scores=scores, totals=totals, evaluated=101, feasible=101)
    assert {"feasible", "evaluated"} <= {one.member for one in check(session)}


def test_nor_fewer() -> None:
    world = many(refusing=nobody)
    attempt = the_attempt(world)
    scores, totals = dict(attempt.scores or {}), dict(attempt.totals or {})
    del scores["n050"], totals["n050"]
    session = altered(world.records, Attempt, scores=scores, totals=totals, evaluated=99, feasible=99)
    assert Disagreement("feasible", 100, 99) in check(session)


def test_a_node_cannot_have_been_passed_over() -> None:
    world = many(refusing=every_third)
    reported = dict(the_attempt(world).filter or {})
    del reported["n003"]
    [found, *_] = check(altered(world.records, Attempt, filter=reported))
    assert found.member == "filter.n003"
    assert "by the same worker" in str(found.expected)


def test_the_next_search_begins_where_this_one_ended() -> None:
    world = many(refusing=nobody)
    second = world.schedule("q", cpu="1")
    assert set(second.filter or {}) == {f"n{i:03d}" for i in (*range(100, 200), 0)}
    assert check(world.records) == []
    elsewhere = {f"n{i:03d}": FEASIBLE for i in range(50, 151)}
    assert check(altered(world.records, Attempt, filter=elsewhere, scores=None, totals=None)) != []


def test_without_scoring_the_one_that_was_taken_is_the_one_that_was_kept() -> None:
    nothing: dict[str, Any] = {"disabled": [{"name": "*"}]}
    config = configuration(profile(score=nothing, preScore=nothing))
    world = many(config, refusing=nobody)
    attempt = the_attempt(world)
    assert (attempt.node, attempt.feasible, sorted(attempt.filter or {})) == ("n000", 1, ["n000", "n001"])
    assert check(world.records, config) == []
    other = altered(altered(world.records, Attempt, node="n001"), Bind, node="n001")
    [found, *_] = check(other, config)
    assert found.member == "filter.n001"


def test_where_filter_and_scores_are_not_reported_the_node_must_still_fit() -> None:
    world = many(refusing=every_third)
    blank = {"filter": None, "scores": None, "totals": None}
    taken = altered(altered(world.records, Attempt, node="n199", **blank), Bind, node="n199")
    assert check(taken) == []
    small_one = altered(altered(world.records, Attempt, node="n198", **blank), Bind, node="n198")
    assert check(small_one)[0].member == "node"


def test_an_attempt_that_found_nothing_has_looked_at_every_node() -> None:
    world = many(refusing=lambda i: True)
    assert len(the_attempt(world).filter or {}) == 200
    assert check(world.records) == []
    assert check(altered(world.records, Attempt, filter=None)) == []
    reported = dict(the_attempt(world).filter or {})
    del reported["n199"]
    assert {one.member for one in check(altered(world.records, Attempt, filter=reported))} == {"filter.n199"}


def test_where_nothing_is_filtered_no_search_is_looked_into() -> None:
    nothing: dict[str, Any] = {"disabled": [{"name": "*"}]}
    config = configuration(profile(filter=nothing))
    world = many(config, refusing=nobody)
    assert (the_attempt(world).evaluated, the_attempt(world).feasible) == (100, 100)
    assert check(world.records, config) == []
