# SPDX-License-Identifier: Apache-2.0
"""A budget is a fixed number of examples for each test."""

from __future__ import annotations

from conformance.suite.budget import Planned, Weight, plan, weight_of

CHEAP = Planned("cheap", 100, Weight(0.01, kills=8))
DEAR = Planned("dear", 100, Weight(0.1, kills=8))
ONCE = Planned("once", 1, Weight(0.5, kills=1), draws=False)


def test_what_kills_most_for_its_time_is_asked_most() -> None:
    assert plan([DEAR, CHEAP], 3.0) == {"cheap": 100, "dear": 20}


def test_each_test_gets_the_fewest_examples_that_are_worth_its_start_before_any_gets_more() -> None:
    assert plan([DEAR, CHEAP], 1.2) == {"cheap": 20, "dear": 10}


def test_what_does_not_fit_is_left_out() -> None:
    assert plan([DEAR, CHEAP, ONCE], 0.3) == {"cheap": 30}


def test_something_is_asked_in_no_time_at_all() -> None:
    assert plan([DEAR, CHEAP], 0.01) == {"cheap": 10}


def test_a_longer_time_asks_more_of_all_that_is_drawn() -> None:
    assert plan([CHEAP, ONCE], 3.0) == {"cheap": 200, "once": 1}
    assert plan([], 3.0) == {}


def test_a_test_that_is_not_in_the_table_has_a_weight_too() -> None:
    assert weight_of("conformance.test_mine::test_of_mine[n1]") == Weight()
