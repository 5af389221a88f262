# SPDX-License-Identifier: Apache-2.0
"""Schedulers that decide well and tell it badly: each is told what is wrong with that, once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bent_schedulers import BENT, bent, came_of
from forked_pytest import run_pytest

from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Observe, Schedule, creating
from refsched.suite.histories.trial import try_history

Json = dict[str, Any]
SCRIPTED = {"multiPoint": {"enabled": [{"name": "ScriptedA"}]}}
CONFIG: Json = {
    **DEFAULT_CONFIG,
    "profiles": [{"schedulerName": "default-scheduler", "plugins": SCRIPTED}],
}


def node(name: str) -> Json:
    allocatable = {"cpu": "2", "memory": "1Gi", "pods": "9"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": allocatable},
    }


def pod(name: str, cpu: str, priority: int = 0) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], "priority": priority}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


HISTORY = History(
    (
        *creating(node("n1"), node("n2"), pod("a", "2"), pod("b", "2")),
        Schedule(2),
        *creating(pod("c", "1", priority=9)),
        Schedule(),
        *creating(pod("d", "4")),
        Schedule(3),
        Observe(),
    ),
    CONFIG,
)
"""Both nodes are filled, somebody is preempted, and somebody is too big."""


# --- Well-formed answers --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["straight", "says-more", "says-null", "no-words", "claims-filter-alone"])
def test_nobody_is_blamed_for_more_or_less_than_must_be_reported(name: str) -> None:
    transcript = came_of(name, HISTORY)
    assert not transcript.findings
    assert not transcript.ended


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("no-filter", "filter"),
        ("no-scores", "scores"),
        ("no-node", "node"),
        ("no-calls", "calls"),
    ],
)
def test_who_claims_to_report_a_member_and_never_does_breaks_one_rule(name: str, member: str) -> None:
    assert [(found.rule, found.member) for found in came_of(name, HISTORY).findings] == [
        ("R-ANSWER-02", member)
    ]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("schedules-nobody", "R-SORT-01"),
        ("schedules-somebody-else", "R-INV-05"),
        ("another-node", "R-INV-02"),
        ("repeats", "R-INV-05"),
        ("binds-twice", "R-BIND-04"),
        ("looks-back", "R-INV-06"),
        ("no-victims", "R-PREEMPT-11"),
        ("no-nomination", "R-PREEMPT-11"),
        ("fails", "R-ANSWER-01"),
    ],
)
def test_what_is_reported_and_cannot_be_is_a_finding(name: str, rule: str) -> None:
    assert came_of(name, HISTORY).findings[0].rule == rule


# --- What decides nothing -------------------------------------------------------------------------


def areas(name: str) -> set[str]:
    return {rule.split("-")[1] for rule in came_of(name, HISTORY).decisive}


def test_what_cannot_be_seen_counts_as_checked_for_nobody() -> None:
    seen, of_a_filter = areas("straight"), areas("claims-filter-alone")
    assert {"QUEUE", "BACKOFF", "HINT", "PREEMPT", "SORT", "FIT"} <= seen
    assert of_a_filter.isdisjoint({"QUEUE", "BACKOFF", "HINT", "PREEMPT", "RESERVE", "SORT"})
    assert {"FIT", "ANSWER"} <= of_a_filter


def test_a_message_that_is_not_reported_checks_no_words() -> None:
    assert "R-WORDS-01" in came_of("straight", HISTORY).decisive
    assert "R-WORDS-01" not in came_of("no-words", HISTORY).decisive
    assert "R-WORDS-02" not in came_of("no-filter", HISTORY).decisive


def test_who_never_tries_a_pod_has_decided_nothing() -> None:
    transcript = came_of("does-not-schedule", HISTORY)
    assert transcript.ended == "schedule is unsupported: not today"
    assert not transcript.decisive


# --- Faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("claims-the-unheard-of", "capabilities[1]: expected one of"),
        ("contradicts-itself", "expected one member, found records and idle"),
        ("holds-out-of-the-blue", "held: nothing can hold a pod, unless hold is claimed"),
        ("counts-hugely", "attempt.evaluated: expected an integer of at most 64 bits"),
        ("scores-hugely", "NodeResourcesFit: expected an integer of at most 64 bits"),
        ("a-number-for-a-name", "attempt.node: expected a string, found 7"),
        ("a-null-for-a-name", "attempt.pod: is required and missing"),
        ("dies", "it has ended, with exit code 3"),
    ],
)
def test_an_answer_that_is_none_is_a_fault_of_the_adapter(name: str, problem: str) -> None:
    with pytest.raises(AdapterFault) as raised:
        came_of(name, HISTORY)
    assert problem in raised.value.problem


def test_after_a_fault_the_next_history_is_done() -> None:
    short = History((*HISTORY.steps[:3], Schedule()), CONFIG)
    with bent("dies") as adapter:
        with pytest.raises(AdapterFault, match="exit code 3"):
            try_history(adapter, HISTORY)
        assert not try_history(adapter, short).findings


# --- Runs -----------------------------------------------------------------------------------------

CONFTEST = """
pytest_plugins = ("refsched.suite.session.plugin",)

def pytest_conformance_bench(config):
    from bent_schedulers import BentBench
    from conformance.strategies import AREAS
    return BentBench(AREAS)
"""

TESTS = """
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.session.conforming import conforms

@conforms(area="taints", rules=rules_of("TAINT", "ANSWER"), examples=6)
def test_taints(check, history):
    check(history)

@conforms(area="taints", rules=rules_of("CORDON"), examples=6)
def test_cordons(check, history):
    check(history)

@conforms(area="queue", rules=rules_of("SORT"), needs=("queue",), examples=6)
def test_queue(check, history):
    check(history)
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> Any:
    pytester.makeconftest(CONFTEST)
    pytester.makeini(f"[pytest]\npythonpath = {Path(__file__).parents[2]}")  # where conformance/ is
    text = Path(__file__).with_name("bent_schedulers.py").read_text("utf-8")
    pytester.makepyfile(bent_schedulers=text, test_some=TESTS)

    def run(name: str) -> tuple[int, Json]:
        options = ("-p", "no:cacheprovider", f"--impl={name}", "--report=told.json")
        result = run_pytest(pytester.path, *options, is_measured=True)
        return int(result.ret), json.loads((pytester.path / "told.json").read_text("utf-8"))

    return run


def verdicts(report: Json) -> dict[str, str]:
    return {rule["id"]: rule["verdict"] for rule in report["rules"]}


def test_a_run_of_one_that_claims_a_filter_and_reports_none_fails(run: Any) -> None:
    code, report = run("no-filter")
    assert code == 1
    assert [rule for rule, verdict in verdicts(report).items() if verdict == "fail"] == ["R-ANSWER-02"]


def test_a_run_of_one_that_claims_a_filter_alone_judges_no_queue(run: Any) -> None:
    code, report = run("claims-filter-alone")
    assert code == 0
    assert verdicts(report)["R-SORT-01"] == "not claimed"
    assert verdicts(report)["R-TAINT-01"] == "pass"
    assert not any(rule.startswith(("R-QUEUE", "R-BACKOFF")) for rule in verdicts(report))


def test_a_run_of_one_that_contradicts_itself_cannot_judge_and_says_so_once(run: Any) -> None:
    code, report = run("contradicts-itself")
    assert code == 2
    [fault] = report["faults"]
    assert fault["whose"] == "adapter"
    assert len(fault["tests"]) == 3


def test_a_run_of_one_that_never_schedules_cannot_judge_and_says_why(run: Any) -> None:
    code, report = run("does-not-schedule")
    assert code == 2
    assert list(report["endedEarly"]) == ["schedule is unsupported: not today"]
    assert set(verdicts(report).values()) == {"not exercised"}


def test_every_bent_scheduler_is_tried() -> None:
    tried = Path(__file__).read_text("utf-8")
    assert [name for name in BENT if f'"{name}"' not in tried] == []
