# SPDX-License-Identifier: Apache-2.0
"""A budget is a fixed number of examples for each test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from conformance.wrong import evidence
from conformance.wrong.evidence import Row, worth, write_weights
from conformance.wrong.profile import suite_tests
from refsched.releases import DEFAULT
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.reports.report_terminal import power
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.statistics import Power
from refsched.suite.session import budget
from refsched.suite.session.budget import TABLE, Planned, Weight, plan, power_of, weight_of, weights

CHEAP = Planned("cheap", 100, Weight(0.01, kills=8))
DEAR = Planned("dear", 100, Weight(0.1, kills=8))
WHOLE = JudgedImplementation("whole", "1", DEFAULT.name, ())
ONCE = Planned("once", 1, Weight(0.5, kills=1), draws=False)


def test_what_kills_most_for_its_time_is_asked_most() -> None:
    assert plan([DEAR, CHEAP], 3.0) == {"cheap": 100, "dear": 20}


def test_nothing_is_asked_that_is_not_worth_its_start() -> None:
    assert plan([DEAR, CHEAP], 1.2) == {"cheap": 100}


def test_what_does_not_fit_is_left_out() -> None:
    assert plan([DEAR, CHEAP, ONCE], 0.3) == {"cheap": 30}


def test_something_is_asked_in_no_time_at_all() -> None:
    assert plan([DEAR, CHEAP], 0.01) == {"cheap": 10}


def test_it_stops_where_nothing_more_is_killed_as_long_as_others_kill() -> None:
    early = Planned("early", 100, Weight(0.1, 4, (2, 3, 3, 40)))
    late = Planned("late", 100, Weight(0.1, 3, (30, 30, 31)))
    assert plan([early, late], 4.1) == {"early": 10, "late": 31}
    assert plan([early, late], 7.1) == {"early": 40, "late": 31}


def test_a_longer_time_asks_more_of_all_that_is_drawn() -> None:
    assert plan([CHEAP, ONCE], 3.0) == {"cheap": 200, "once": 1}
    assert plan([], 3.0) == {}


def test_a_test_that_is_not_in_the_table_has_a_weight_too() -> None:
    assert weight_of("conformance.test_mine::test_of_mine[n1]") == Weight()


# --- Power ----------------------------------------------------------------------------------------


def test_whoever_was_killed_counts_for_the_test_that_killed_it() -> None:
    rows = [
        Row("R-FIT-02", "m::t", 7, 0.1),
        Row("R-FIT-02", "m::t", 3, 0.1),
        Row("R-FIT-02", "m::u[x]", 1, 0.1),
        Row("", "", 9, 1.0),
    ]
    known = {"conformance.m::t": {"seconds": 0.5}, "conformance.m::u": {"seconds": 2.0}}
    assert worth(rows, known) == {
        "conformance.m::t": {"seconds": 0.5, "kills": 2, "at": [3, 7]},
        "conformance.m::u": {"seconds": 2.0, "kills": 0, "at": []},
        "conformance.m::u[x]": {"seconds": 2.0, "kills": 1, "at": [1]},
    }


def test_the_weights_are_those_of_the_evidence(tmp_path: Path) -> None:
    again = tmp_path / "weights.json"
    again.write_text(TABLE.read_text("utf-8"), "utf-8")
    write_weights(evidence.read(), again)
    assert again.read_text("utf-8") == TABLE.read_text("utf-8")
    table = json.loads(again.read_text("utf-8"))
    assert 0 < sum(row["kills"] for row in table["tests"].values()) <= table["planted"]


def test_every_test_of_the_suite_has_a_row() -> None:
    assert {test.name.partition("[")[0] for test in suite_tests()} <= set(weights())


def test_ten_seconds_buy_more_than_half_of_the_power() -> None:
    tests = [
        Planned(test.name, test.examples if test.draws else 1, weight_of(test.name), draws=test.draws)
        for test in suite_tests()
    ]
    chosen = plan(tests, 10.0)
    came = power_of(chosen.items(), WHOLE)
    assert came is not None
    assert came.killed > came.planted / 2
    assert sum(weight_of(name).seconds * examples for name, examples in chosen.items()) <= 10.0 + 1e-6


def test_of_tests_that_are_not_in_the_table_nothing_is_known() -> None:
    assert power_of([("m::mine", 100)], WHOLE) is None


def test_of_another_release_nothing_is_known() -> None:
    done = [(name, 1000) for name in weights()]
    assert power_of(done, WHOLE) is not None
    assert power_of(done, evolve(WHOLE, kubernetes="1.19")) is None


# --- Of parts of schedulers -----------------------------------------------------------------------

ROWS = {
    "predicates": [
        {"breaks": ["R-FIT-01"], "test": "m::t", "at": 3},
        {"breaks": ["R-FIT-01", "R-TAINT-01"], "test": "m::t", "at": 9},
        {"breaks": ["R-TAINT-01"]},
    ],
    "scoring": [{"breaks": ["R-LEAST-01"], "test": "m::u", "at": 1}],
}
PREDICATES = JudgedImplementation("fits", "1", DEFAULT.name, ("filter",), lacks={"R-LEAST-01": "score"})


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "_table", lambda: {"parts": ROWS})


@pytest.mark.usefixtures("rows")
def test_a_part_kills_what_was_tried_as_its_profile() -> None:
    assert power_of([("m::t", 8)], PREDICATES) == Power(1, 3, "predicates")
    assert power_of([("m::t", 9)], PREDICATES) == Power(2, 3, "predicates")
    assert power_of([("m::t", 2)], PREDICATES) is None


@pytest.mark.usefixtures("rows")
def test_the_largest_profile_counts_that_is_claimed_whole() -> None:
    claimed = tuple(PROFILES["scoring"] | {"queue"})
    lacks = {"R-DRA-01": "devices"}
    assert power_of([("m::u", 1)], evolve(PREDICATES, capabilities=claimed, lacks=lacks)) == Power(
        1, 1, "scoring", ("queue",)
    )
    assert power_of([("m::u", 1)], evolve(PREDICATES, capabilities=("queue",))) is None


@pytest.mark.usefixtures("rows")
def test_what_is_claimed_beyond_the_profile_that_was_tried_is_named() -> None:
    """Who scores, and has no cache, volumes, devices or extenders, is no profile that was tried."""
    scores = evolve(PREDICATES, capabilities=("filter", "score", "config"), lacks={"R-DRA-01": "devices"})
    came = power_of([("m::t", 8)], scores)
    assert came == Power(1, 3, "predicates", ("score",))
    assert "(33.3 %, with seed 0); none was tried that is wrong in score" in power(came)


@pytest.mark.usefixtures("rows")
def test_who_breaks_rules_of_other_plugins_does_not_count() -> None:
    fits = evolve(PREDICATES, lacks={"R-TAINT-01": "TaintToleration"})
    assert power_of([("m::t", 100)], fits) == Power(1, 1, "predicates")
