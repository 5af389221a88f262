# SPDX-License-Identifier: Apache-2.0
"""What comes first of what was found in one record, and what may only follow from it."""

from __future__ import annotations

from typing import NoReturn

import pytest
from attrs import evolve

from refsched.records import ERROR, Attempt
from refsched.suite.breaking.explaining import FailureExplanation
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.findings import Comparison, Finding
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import _with_message
from refsched.suite.histories.judgement import Judgement
from refsched.suite.session.check import FEWEST_OTHERS, Checking, RuleBrokenError
from refsched.suite.session.order_of_rules import AREAS_IN_ORDER, by_cause, may_follow, place_in_catalogue
from refsched.suite.session.standard import StandardBench

CALLS = Finding("R-PERMIT-01", "calls", ("A.permit",), ())
RESULT = Finding("R-FAIL-01", "result", "scheduled", ERROR)
WAITS = Finding("R-FAIL-01", "result", "scheduled", "waiting")
SCORES = Finding("R-FIT-05", "scores.n1.NodeResourcesFit", 1, 2)


def _sorted(*findings: Finding) -> list[Finding]:
    return sorted(findings, key=lambda found: by_cause(found, 5 if found.member == "result" else 0))


def test_each_area_of_the_catalogue_has_a_place() -> None:
    areas = [rule.id.split("-")[1] for rule in all_rules().values()]
    assert {area for area in areas if area not in AREAS_IN_ORDER} == set()


def test_an_error_comes_before_what_is_missing_because_of_it() -> None:
    assert _sorted(CALLS, RESULT, SCORES) == [SCORES, RESULT, CALLS]
    assert _sorted(WAITS, CALLS) == [CALLS, WAITS]


def test_an_error_is_shown_with_its_message() -> None:
    record = Attempt("default/p", ERROR, message="it broke")
    shown = _with_message(RESULT, record)
    assert shown.got == "error: it broke"
    assert _sorted(CALLS, shown) == [shown, CALLS]
    assert _with_message(CALLS, record) == CALLS
    assert _with_message(RESULT, Attempt("default/p", ERROR)) == RESULT


# --- What is filed under another rule -------------------------------------------------------------

TAINT = Finding("R-TAINT-01", "filter.n1", "rejected", "Success")
WORDS = Finding("R-WORDS-02", "filter.n2", "these words", "other words")
NODE = Finding("R-SEARCH-04", "node", "n2", "n1")


def test_a_status_of_one_node_does_not_follow_from_that_of_another() -> None:
    assert may_follow(NODE, TAINT)
    assert may_follow(evolve(WORDS, member="filter.n1"), TAINT)
    assert not may_follow(WORDS, TAINT)
    assert not may_follow(TAINT, TAINT)
    assert not may_follow(evolve(TAINT, member="filter.n2"), TAINT)


def _filed(*histories: tuple[Finding, ...]) -> dict[str, str]:
    """Under which rule each is filed after these histories."""
    coming = iter(histories)
    order = [TAINT.rule, NODE.rule, WORDS.rule]
    checking = Checking(
        lambda history: Judgement(history, findings=next(coming)), never, order.index, lambda rule: False
    )
    for _ in histories:
        checking(History(()))
    return {kind: checking.broken_first(kind) for kind in checking.counterexamples}


def test_two_independent_mistakes_stand_by_themselves() -> None:
    assert _filed((TAINT, WORDS)) == {"R-TAINT-01": "", "R-WORDS-02": ""}
    assert _filed((TAINT, NODE), (NODE,)) == {"R-TAINT-01": "", "R-SEARCH-04": ""}
    assert _filed((NODE,), (TAINT, NODE)) == {"R-TAINT-01": "", "R-SEARCH-04": ""}


def test_one_mistake_that_shows_in_two_rules_is_filed_under_the_first() -> None:
    assert _filed((NODE, TAINT), (TAINT,), (TAINT, NODE)) == {"R-TAINT-01": "", "R-SEARCH-04": "R-TAINT-01"}


def test_what_does_not_vanish_with_the_cause_is_not_filed_under_it() -> None:
    """The test fails by the taint, and the node is seen wrong in the same record."""
    assert _explained(vanish=True) == {"R-TAINT-01": "", "R-SEARCH-04": "R-TAINT-01"}
    assert _explained(vanish=False) == {"R-TAINT-01": "", "R-SEARCH-04": ""}


def _explained(*, vanish: bool) -> dict[str, str]:
    came = Comparison(lambda: False, 1)
    checking = Checking(
        lambda history: Judgement(history, findings=(TAINT, NODE), comparison=came),
        never,
        [TAINT.rule, NODE.rule].index,
        lambda rule: rule == TAINT.rule,
        explain=lambda histories, suspected, may_be: FailureExplanation(
            (TAINT.rule,), (vanish,) * len(histories.besides)
        ),
        more=lambda smallest: [Comparison(lambda: True, 1) for _ in range(FEWEST_OTHERS)],
    )
    with pytest.raises(RuleBrokenError) as raised:
        checking(History(()))
    with pytest.raises(RuleBrokenError):
        checking.settle(raised.value)
    return {kind: checking.broken_first(kind) for kind in checking.counterexamples}


def never(beginning: History) -> NoReturn:
    raise AssertionError("no history is begun")


# --- The order of rules ---------------------------------------------------------------------------


def test_the_place_of_a_rule_is_that_in_a_report() -> None:
    rules = list(StandardBench().rules)
    assert sorted(rules, key=place_in_catalogue) == rules
    assert place_in_catalogue("R-NONE-01") == len(rules)
