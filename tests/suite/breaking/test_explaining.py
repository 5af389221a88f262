# SPDX-License-Identifier: Apache-2.0
"""The rule is named whose breaking gives what was seen, and nothing stays broken."""

from __future__ import annotations

import ast
import os
import sys
from typing import Any

import pytest
from attrs import evolve
from world import node_object, pod_object

from conformance.wrong.kinds import connect_wrong
from refsched.framework.events import POD, ActionType
from refsched.plugins import node_unschedulable, taint_toleration
from refsched.plugins.node_ports import NodePorts
from refsched.plugins.pod_topology_spread import PodTopologySpread
from refsched.queue.hint_table import event_rule
from refsched.queue.transitions import TRANSITIONS, Occurrence, Place
from refsched.releases import DEFAULT
from refsched.suite.breaking import child_process, explaining
from refsched.suite.breaking.breakings import Breaking, _Change, breakings_of, broken, places_of
from refsched.suite.breaking.explaining import (
    FailureExplanation,
    Histories,
    explained_in_child,
    explanation_of,
)
from refsched.suite.breaking.line_coverage import Function, LineCoverage, coverage_of, rules_in
from refsched.suite.breaking.rows import rows_of_defaults, rows_of_events, rows_of_transitions
from refsched.suite.findings import Comparison
from refsched.suite.histories.history import Create, History, Schedule
from refsched.suite.histories.trial import try_history

pytestmark = pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
"""The limit of time may end a callback of the garbage collector, which Python reports and goes on."""

TAINTS = [{"key": key, "effect": "NoSchedule"} for key in ("a", "b")]
TOLERATES_ONE = [{"key": "a", "operator": "Exists"}]
SUSPECTED = ("R-TAINT-07", "R-TAINT-01", "R-FRAMEWORK-13")


def history(*taints: dict[str, Any]) -> History:
    steps = (
        Create(node_object("n1", taints=list(taints))),
        Create(pod_object("p1", tolerations=TOLERATES_ONE)),
        Schedule(),
    )
    return History(steps)


@pytest.fixture(scope="module")
def came() -> Histories:
    """What a scheduler did to which one tolerated taint is enough: wrong, and twice as it should."""
    with connect_wrong("one-tolerated-taint-is-enough") as adapter:
        done = [try_history(adapter, each) for each in (history(*TAINTS), history(), history(TAINTS[1]))]
    assert [bool(each.findings) for each in done] == [True, False, False]
    shown, *others = [each.comparison for each in done if each.comparison is not None]
    return Histories(shown, others)


@pytest.fixture(autouse=True)
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much as the most suspected rules need."""
    monkeypatch.setattr(explaining, "WORK", 4_000)


def any_rule(rule: str) -> bool:
    return True


def test_the_rule_is_named_whose_breaking_gives_what_was_seen(
    came: Histories,
) -> None:
    found = explanation_of(came, SUSPECTED, any_rule)
    assert found.rules[0] == "R-TAINT-01"


def test_another_failure_vanishes_with_the_mistake_if_that_is_its_cause(came: Histories) -> None:
    with connect_wrong("lets-no-execute-pass") as adapter:
        other = try_history(adapter, history({"key": "c", "effect": "NoExecute"}))
    assert other.findings
    assert other.comparison is not None
    besides = (came.smallest, other.comparison)
    found = explanation_of(evolve(came, besides=besides), SUSPECTED, any_rule)
    assert found.rules[0] == "R-TAINT-01"
    assert found.vanish == (True, False)


def test_a_rule_that_may_not_be_named_is_not(came: Histories) -> None:
    found = explanation_of(came, SUSPECTED, lambda rule: rule != "R-TAINT-01")
    assert "R-TAINT-01" not in found.rules


def test_in_a_process_of_its_own_the_same_is_found_and_here_nothing_is_changed(
    came: Histories,
) -> None:
    before = taint_toleration.is_repelled.__code__
    assert explained_in_child(came, SUSPECTED, any_rule) == explanation_of(came, SUSPECTED, any_rule)
    assert taint_toleration.is_repelled.__code__ is before
    assert not came.smallest.agrees()


def test_where_the_other_process_finds_nothing_out_nothing_is_explained(
    came: Histories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explaining._Question, "answer", lambda *arguments: 1 / 0)
    assert explained_in_child(came, SUSPECTED, any_rule).rules == ()
    monkeypatch.delattr(os, "fork")
    assert explained_in_child(came, SUSPECTED, any_rule).rules == ()


def test_who_takes_too_long_explains_nothing(came: Histories, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: object) -> FailureExplanation:
        while True:
            pass

    monkeypatch.setattr(explaining._Question, "answer", endless)
    assert explained_in_child(came, SUSPECTED, any_rule, 0.5).rules == ()
    monkeypatch.setattr(child_process, "DEADLINE", 0.0)
    assert explained_in_child(came, SUSPECTED, any_rule).rules == ()


def test_no_more_is_tried_than_there_is_work_for(came: Histories, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "WORK", 0)
    assert explanation_of(came, SUSPECTED, any_rule).rules == ()


def test_what_never_comes_to_an_end_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> bool:
        while True:
            pass

    monkeypatch.setattr(child_process, "SECONDS", 0.01)
    assert not child_process.agrees(Comparison(never, 1))


# --- Places and breakings -------------------------------------------------------------------------

CORDON = "refsched.plugins.node_unschedulable"
FILTER = Function(CORDON, "NodeUnschedulable.filter")


def test_the_rule_of_a_branch_is_nearer_than_the_others_of_the_function() -> None:
    code = node_unschedulable.NodeUnschedulable.filter.__code__
    marked = [line for *_, line in code.co_lines() if line]
    assert {rules_in(FILTER, line)[0] for line in marked} == {"R-CORDON-01", "R-CORDON-02"}
    assert rules_in(Function(CORDON, "_tolerates_cordon"), 1) == ()


def test_a_function_without_rules_has_those_of_its_callers(
    came: Histories,
) -> None:
    tracer = sys.gettrace()
    coverage = coverage_of(came.smallest.agrees)
    assert sys.gettrace() is tracer
    helper = Function("refsched.plugins.taint_toleration", "is_repelled")
    values = {"R-TAINT-01": 1.0}
    assert coverage.rules_at(helper, 1, lambda rule: values.get(rule, 0.0))[0] == "R-TAINT-01"
    assert LineCoverage().rules_at(helper, 1, values.__getitem__) == ()


def test_a_method_without_rules_that_the_framework_calls_has_those_of_what_it_calls() -> None:
    scoring = Function("refsched.plugins.resource_scoring", "least_allocated")
    score = Function("refsched.plugins.node_resources_fit", "NodeResourcesFit.score")
    run = Function("refsched.framework.runtime", "Framework.run_score_plugins")
    coverage = LineCoverage(callers={scoring: {(score, 1): None}, score: {(run, 1): None}})
    values = dict.fromkeys(rules_in(run, 1), 1.0)
    rules = coverage.rules_at(score, 1, lambda rule: values.get(rule, 0.0))
    assert rules[0] == "R-FIT-06"
    assert rules[1:] == rules_in(run, 1)


def test_breakings_come_from_the_most_suspected_places_and_a_function_is_mended_again(
    came: Histories,
) -> None:
    coverage = coverage_of(came.smallest.agrees)
    suspected = {"R-TAINT-01": 0, "R-SEARCH-01": 1}
    _, made = breakings_of(coverage, suspected)
    found = list(made)
    places = [min(suspected[rule] for rule in one.rules if rule in suspected) for one in found]
    assert places == sorted(places)
    assert set(places) == {0, 1}
    before = taint_toleration.is_repelled.__code__
    changes = (one for one in found if isinstance(one.breaks, _Change))
    one = next(one for one in changes if one.breaks.function.name == "is_repelled")
    with broken(one) as is_broken:
        assert is_broken
        assert taint_toleration.is_repelled.__code__ is not before
    assert taint_toleration.is_repelled.__code__ is before


def test_what_is_no_function_or_no_program_cannot_be_broken() -> None:
    places = {place.function: place for place in places_of(CORDON)}
    place = places["NodeUnschedulable.filter"]
    no_program = _Change(FILTER, place, ast.Constant(object()))
    no_function = _Change(Function(CORDON, "NodeUnschedulable"), place, place.node)
    for breaks in (no_program, no_function):
        with broken(Breaking((), breaks)) as is_broken:
            assert not is_broken


# --- Rows -----------------------------------------------------------------------------------------


def test_a_row_of_the_queue_leads_elsewhere_for_a_while() -> None:
    row = TRANSITIONS.row(Place.IN_FLIGHT, Occurrence.NO_HINT)
    seen = set()
    for rule, breaks in rows_of_transitions([row.rule]):
        assert rule == row.rule
        with broken(Breaking((rule,), breaks)) as is_broken:
            assert is_broken
            seen.add(TRANSITIONS.row(Place.IN_FLIGHT, Occurrence.NO_HINT).goes_to)
    assert seen == {Place.ACTIVE, Place.BACKOFF, Place.ERROR_BACKOFF, Place.NOWHERE}
    assert TRANSITIONS.row(Place.IN_FLIGHT, Occurrence.NO_HINT) is row


def test_a_row_of_events_is_left_out_asked_less_or_asked_more_for_a_while() -> None:
    before = NodePorts.EVENTS
    rule = event_rule("NodePorts", POD, ActionType.DELETE)
    seen = []
    for of_row, breaks in rows_of_events():
        if of_row == rule:
            with broken(Breaking((rule,), breaks)):
                seen.append([(row.action, row.hint) for row in NodePorts.EVENTS if row.resource == POD])
    hint = before[0].hint
    assert seen == [[], [(ActionType.ALL, hint)], [(ActionType.DELETE, None)]]
    assert NodePorts.EVENTS is before


def test_a_plugin_is_not_enabled_weighs_one_or_comes_earlier_for_a_while() -> None:
    before = DEFAULT.default_plugins
    names = [plugin.name for plugin in before.multi_point.enabled]
    left_out, earlier, weights = set(), 0, []
    for rule, breaks in rows_of_defaults():
        with broken(Breaking((rule,), breaks)):
            now = DEFAULT.default_plugins.multi_point.enabled
            if DEFAULT.default_plugins is before:
                continue
            assert rule == "R-CONFIG-10"
            left_out |= set(names) - {plugin.name for plugin in now}
            earlier += len(now) == len(names) and [plugin.name for plugin in now] != names
            weights += [
                one.weight for one, was in zip(now, before.multi_point.enabled, strict=False) if one != was
            ]
    assert left_out == set(names)
    assert earlier == len(names) - 1
    assert 1 in weights
    assert DEFAULT.default_plugins is before


def test_a_row_of_many_actions_is_there_for_all_but_one() -> None:
    row = next(row for row in PodTopologySpread.EVENTS if row.resource == POD)
    rule = event_rule("PodTopologySpread", POD, row.action)
    fewer = []
    for of_row, breaks in rows_of_events():
        if of_row == rule:
            with broken(Breaking((rule,), breaks)):
                fewer += [each.action for each in PodTopologySpread.EVENTS if each.resource == POD]
    assert set(fewer) >= {row.action & ~action for action in row.action}
