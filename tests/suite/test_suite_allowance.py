# SPDX-License-Identifier: Apache-2.0
"""How much time a run spends on its failures."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import engine
from toy_suite import Suite

from refsched.suite.breaking.explaining import FailureExplanation
from refsched.suite.session.allowance import LEAST, WITH_BUDGET, WITHOUT_BUDGET, Allowance
from refsched.suite.session.drawing import allow_shrinking


def test_half_of_a_budget_is_for_failures_and_no_test_takes_all_of_it() -> None:
    assert Allowance.of(None) == Allowance()
    assert Allowance().left == WITHOUT_BUDGET
    assert Allowance.of(10.0).left == WITH_BUDGET
    assert Allowance.of(10.0).records == Allowance().records * WITH_BUDGET / WITHOUT_BUDGET
    allowance = Allowance.of(120.0)
    assert (allowance.left, allowance.share) == (60.0, 30.0)
    allowance.spend(50.0)
    assert allowance.share == 5.0
    allowance.spend(20.0)
    assert (allowance.left, allowance.share) == (0.0, LEAST)


def test_over_the_api_nothing_is_done_about_a_failure_once_the_time_is_spent() -> None:
    allowance = Allowance.of(60.0, by_clock=True)
    assert allowance.explaining(lambda: FailureExplanation(("R-FIT-02",), records=9)).rules
    assert allowance.left < 60.0
    assert allowance.records == Allowance.of(120.0).records - 9
    allowance.spend(60.0)
    assert allowance.share == 0.0
    assert not allowance.explaining(lambda: FailureExplanation(("R-FIT-02",))).rules


def test_what_is_spent_is_measured() -> None:
    allowance = Allowance(10.0)
    with allowance.spending():
        time.sleep(0.05)
    assert 0.0 < 10.0 - allowance.left < 5.0


def test_hypothesis_ends_shrinking_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """This fails if Hypothesis no longer reads its bound where ``allow_shrinking`` sets it."""
    monkeypatch.setattr(engine, "MAX_SHRINKING_SECONDS", engine.MAX_SHRINKING_SECONDS)  # and it is set back

    assert tried_within(0.0) < tried_within(60.0)


def tried_within(seconds: float) -> int:
    tried = []

    @settings(database=None, derandomize=True, deadline=None, phases=(Phase.generate, Phase.shrink))
    @given(st.lists(st.integers(0, 1000), min_size=9))
    def is_small(numbers: list[int]) -> None:
        tried.append(numbers)
        assert sum(numbers) < 1000

    allow_shrinking(seconds)
    with pytest.raises(AssertionError):
        is_small()
    return len(tried)


def test_a_slow_scheduler_does_not_make_a_run_stand_still_where_it_fails(suite: Suite) -> None:
    """It breaks two rules, each by itself. How much of that is made small in the time is left open."""
    began = time.monotonic()
    result = suite("--budget=4s", impl="wrong-and-slow")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED  R-TOY-0*"])
    assert time.monotonic() - began < 90.0


def test_over_the_api_a_budget_ends_by_the_clock_and_what_was_not_tried_is_said(suite: Suite) -> None:
    """A history takes longer than the test has, and so much that nothing is left for the next one."""
    result = suite("--budget=2s", "--report=report.json", impl="api:slow")
    assert result.ret == 0
    said = "not tried: the time of the --budget did not suffice for 1 test and all histories of test_toys"
    result.stdout.fnmatch_lines([said, "conforms, as far as was checked: *"])
    result.assert_outcomes(passed=1)
    report = json.loads((suite.path / "report.json").read_text("utf-8"))
    assert report["late"]["test_toys::test_one_small_pod"] == 0 < report["late"]["test_toys::test_toys"]
    assert report["run"]["tests"] == 1


def test_a_budget_is_spent_on_what_is_claimed(suite: Suite) -> None:
    result = suite("--budget=100s", impl="modest")
    result.assert_outcomes(passed=1, deselected=2)
