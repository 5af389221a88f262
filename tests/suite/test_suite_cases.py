# SPDX-License-Identifier: Apache-2.0
"""Cases are items of their own: selected by name, judged and reported as a history is, and never drawn."""

from __future__ import annotations

import pytest
from toy_suite import Suite, report_of

from refsched.suite.histories.history import History
from refsched.suite.session.budget import Planned, Weight, plan, weight_of
from refsched.suite.session.cases import Case
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms

CASES = """
from refsched.suite.session.cases import Case
from refsched.suite.session.conforming import conforms
from toy_bench import history_of

CASES = (
    Case("one_small_pod", "A pod of 1 cpu is scheduled.", history_of([1])),
    Case("one_large_pod", "A pod of 5 cpu fits nowhere.", history_of([1, 2, 5]), rules=("R-TOY-01",)),
    Case("two_pods", "A second pod is scheduled, too.", history_of([1, 2]), needs=("magic",)),
)

@conforms(area="toys", cases=CASES, rules=("R-TOY-01", "R-IDLE-01"), needs=("filter",))
def test_cases_of_toys(check, case):
    check(case.history)
"""


@pytest.fixture
def cases(suite: Suite) -> Suite:
    (suite.path / "test_toys.py").write_text(CASES, "utf-8")
    return suite


def case(name: str = "a_case", decides: str = "Something is decided.") -> Case:
    return Case(name, decides, History(()))


def test_each_case_is_an_item_that_bears_its_name(cases: Suite) -> None:
    collected = cases("--collect-only", "-q").outlines

    assert "test_toys.py::test_cases_of_toys[one_small_pod]" in collected
    assert "test_toys.py::test_cases_of_toys[one_large_pod]" in collected


def test_a_case_is_selected_by_its_name(cases: Suite) -> None:
    result = cases("-k", "one_small_pod")

    result.assert_outcomes(passed=1, deselected=2)
    assert "1 test · 1 history · seed 0 · rules: all" in report_of(result)


def test_a_case_may_need_more_than_its_test(cases: Suite) -> None:
    result = cases("-k", "two_pods or one_small_pod")

    assert "1 passed, 1 deselected, 1 not claimed" in result.outlines[-1]


def test_a_case_runs_once_however_many_examples_are_asked_for(cases: Suite) -> None:
    assert "1 test · 1 history · seed 0 · rules: all" in report_of(cases("-k", "small", "--examples=50"))
    assert "1 test · 1 history · seed 0 · rules: all" in report_of(cases("-k", "small", "--thorough"))


def test_a_budget_takes_a_case_once_or_not_at_all(cases: Suite) -> None:
    assert "1 test · 1 history · seed 0 · rules: all" in report_of(cases("-k", "small", "--budget=10s"))
    drawn = Planned("drawn", 100, Weight(0.01, kills=8))
    kills = Planned("kills", 1, Weight(0.01, 1, (1,)), draws=False)
    kills_nothing = Planned("kills nothing", 1, Weight(0.01, kills=0), draws=False)
    assert plan([drawn, kills, kills_nothing], 1.0) == {"kills": 1, "drawn": 99}


def test_a_case_whose_weight_was_not_measured_kills_nothing_that_is_known() -> None:
    assert weight_of("conformance.test_cases::test_cel_selector_cases[no_such_case]").kills == 0


def test_a_failure_names_the_case_and_leaves_out_the_steps_that_decide_nothing(cases: Suite) -> None:
    result = cases(impl="wrong")

    said = report_of(result)
    assert "  test:    test_toys::test_cases_of_toys[one_large_pod]" in said
    assert "  case:    A pod of 5 cpu fits nowhere." in said
    assert "  1  pod  p3  cpu 5" in said
    assert result.ret == 1


def test_a_baseline_lists_what_a_case_shows(cases: Suite) -> None:
    cases.add("known.txt", "R-TOY-01\nR-TOY-02\n")

    assert cases("--baseline=known.txt", impl="wrong").ret == 0


def test_a_failing_case_can_be_replayed(cases: Suite) -> None:
    cases.add("test_replay.py", REPLAYING)
    cases(impl="wrong")

    assert cases("--replay=.refsched/R-TOY-01.jsonl", impl="wrong").ret == 1


REPLAYING = """
from refsched.suite.session.conforming import conforms
from refsched.suite.session.conforming import REPLAY

@conforms(area=REPLAY, rules=())
def test_the_history_of_a_file(check, history):
    check(history)
"""


def test_two_cases_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two cases named 'a_case'"):

        @conforms(area="toys", cases=[case(), case()], rules=())
        def test(check: Check, case: Case) -> None: ...


def test_a_test_that_does_not_ask_for_its_case_is_refused() -> None:
    with pytest.raises(TypeError, match="has cases, and no parameter named 'case'"):

        @conforms(area="toys", cases=[case()], rules=())
        def test(check: Check) -> None: ...


def test_a_case_has_a_name_that_can_be_selected_and_a_whole_sentence() -> None:
    with pytest.raises(ValueError, match="expected a case's name"):
        case(name="A Case")
    with pytest.raises(ValueError, match="expected a sentence"):
        case(decides="what is decided")
