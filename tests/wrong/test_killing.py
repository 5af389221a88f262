# SPDX-License-Identifier: Apache-2.0
"""Wrong schedulers are killed, and the command says which. By the command of a user: tests/test_readme.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from conformance.chosen import chosen_histories
from conformance.machines import Each
from conformance.wrong import configured, evidence, kinds, running, trying
from conformance.wrong.__main__ import main
from conformance.wrong.configured import CONFIGURED, Configured, Reconfigured, all_configured
from conformance.wrong.kinds import (
    TryOptions,
    WrongResult,
    connect_wrong,
    parts_of,
    try_configured,
    try_planted,
)
from conformance.wrong.naming import shown
from conformance.wrong.profile import SuiteTest, histories_of, suite_tests
from conformance.wrong.running import read_rows
from conformance.wrong.trying import (
    CHUNK,
    MORE_AFTER_AN_ERROR,
    End,
    TrialSummary,
    applicable_tests,
    attack,
    in_turn,
    nearest_first,
    one_by_one,
)
from refsched.mistakes.wrong import all_wrong
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import read_config
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.adapters.process import Process
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.findings import Finding
from refsched.suite.histories.history import DEFAULT_CONFIG, History
from refsched.suite.histories.judge import ANSWERS
from refsched.suite.histories.judgement import Judgement

Json = dict[str, Any]


# --- By the killer --------------------------------------------------------------------------------

LIMIT = 600.0
"""The seconds within which each is killed, many times over."""


def test_the_tests_that_lie_near_kill_it_by_the_rule_that_it_breaks() -> None:
    name = "skew-must-be-less"
    killed = try_planted(name, TryOptions(LIMIT)).suite

    assert killed.end is End.KILLED
    test = next(test for test in suite_tests() if test.name == killed.test)
    assert shown(name, test, killed.examples).rule in all_wrong()[name].breaks


def test_what_is_planted_in_v1_19_decides_by_it_and_is_killed_by_its_rule() -> None:
    name = "pod-slots-do-not-count"
    with connect_wrong(name) as adapter:
        assert adapter.hello.kubernetes == "1.19"
        tests = applicable_tests(adapter)
        near = [test for test in tests if test.area == "resources" and not test.recorded]
        came = attack(adapter, one_by_one(near), LIMIT)

    assert not [test for test in tests if test.area == "devices"]
    assert {test.kubernetes for test in tests if test.recorded} == {"1.19"}
    assert (came.end, came.rule) == (End.KILLED, "R-FIT-51")


# --- As a part of a scheduler ---------------------------------------------------------------------


def test_who_breaks_rules_of_scores_alone_can_be_no_predicates() -> None:
    assert "overcommits" in parts_of("predicates")
    assert "rounds-the-share-up" not in parts_of("predicates")
    assert "rounds-the-share-up" in parts_of("scoring")
    assert "a-failed-binding-is-no-event" not in parts_of("filter"), "its events show in queues alone"
    assert "a-failed-binding-is-no-event" in parts_of("full")
    assert not [name for profile in PROFILES for name in parts_of(profile) if all_wrong()[name].kubernetes]


def test_whoever_is_judged_as_a_part_is_judged_by_the_tests_for_it() -> None:
    with connect_wrong("overcommits", "predicates") as adapter:
        areas = {test.area for test in applicable_tests(adapter) if not test.recorded}

        assert adapter.hello.capabilities == {"filter"}
    assert "resources" in areas
    assert not areas & {"devices", "volumes", "queue"}


def test_only_histories_that_came_to_their_end_count(monkeypatch: pytest.MonkeyPatch) -> None:
    transcripts = iter(
        (
            Judgement(History(()), ended="needs more"),
            Judgement(History(()), findings=[Finding("R-PORTS-03", "node", "n1", "n2")]),
        )
    )

    def try_history(adapter: object, history: History, *, with_specification: bool) -> Judgement:
        return next(transcripts)

    monkeypatch.setattr(trying, "try_history", try_history)
    with connect_wrong("overcommits") as adapter:
        came = attack(adapter, [(TEST, History(()))] * 2, LIMIT)

    assert (came.end, came.examples, came.tried) == (End.KILLED, 1, 2)


# --- What counts ----------------------------------------------------------------------------------

TEST = SuiteTest("test_of_one_history", "ports", 1)
OTHER = SuiteTest("test_of_another", "taints", 1)


def finding(rule: str) -> Callable[..., Judgement]:
    def try_history(adapter: object, history: History, *, with_specification: bool) -> Judgement:
        return Judgement(history, findings=[Finding(rule, "node", "n1", "n2")])

    return try_history


def attacked(monkeypatch: pytest.MonkeyPatch, rule: str, limit: float = LIMIT) -> TrialSummary:
    monkeypatch.setattr(trying, "try_history", finding(rule))
    with connect_wrong("overcommits") as adapter:
        return attack(adapter, [(TEST, History(()))] * 40, limit)


def test_what_is_found_is_a_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    came = attacked(monkeypatch, "R-PORTS-03")

    assert (came.end, came.test, came.rule) == (End.KILLED, TEST.name, "R-PORTS-03")
    assert (came.examples, came.tried, came.problem) == (1, 1, "")


def test_an_answer_that_is_an_error_is_no_kill_and_some_more_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    came = attacked(monkeypatch, ANSWERS)

    assert (came.end, came.rule, came.problem) == (End.ERROR, "", "n2")
    assert came.tried == MORE_AFTER_AN_ERROR + 1


def test_no_more_is_tried_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert attacked(monkeypatch, ANSWERS, limit=0.0).tried == 1


def test_without_a_history_nothing_is_reached() -> None:
    with connect_wrong("overcommits") as adapter:
        assert attack(adapter, (), LIMIT).end is End.UNREACHED


def test_a_mistake_of_the_suite_is_no_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    def try_history(*_: object, **__: object) -> Judgement:
        raise KeyError("nodes")

    monkeypatch.setattr(trying, "try_history", try_history)
    with connect_wrong("overcommits") as adapter:
        came = attack(adapter, [(TEST, History(()))], LIMIT)
    assert (came.end, came.problem) == (End.ERROR, "the suite: KeyError: 'nodes'")


def test_tests_take_turns_until_none_has_a_history_left() -> None:
    histories = [History(())] * (CHUNK + 2)
    turns = [test.name for test, _ in in_turn([(TEST, histories), (OTHER, histories[:1])])]
    assert turns == [TEST.name] * CHUNK + [OTHER.name] + [TEST.name] * 2


def test_the_nearest_tests_come_first_and_recordings_last() -> None:
    recorded = SuiteTest("test_recordings", "taints", 1, recorded=True)
    tests = nearest_first((TEST, recorded, OTHER), ("taints",))
    assert [test.name for test in tests] == [OTHER.name, recorded.name, TEST.name]


def test_what_the_killer_draws_is_what_the_test_draws() -> None:
    test = next(test for test in suite_tests() if test.area == "ports" and test.draws)

    assert test.name == "conformance.test_plugins::test_host_ports"
    chosen = chosen_histories(test.name)
    assert len(histories_of(test)) == test.examples + len(chosen)
    assert histories_of(test)[test.examples :] == [*chosen]


def test_a_case_is_tried_as_one_history() -> None:
    tests = [test for test in suite_tests() if test.name.endswith("[overcommitted_cpu]")]

    assert [test.area for test in tests] == ["resources"]
    assert tests[0].case is not None
    assert list(histories_of(tests[0])) == [tests[0].case.history]


# --- The command ----------------------------------------------------------------------------------

ALIVE = TrialSummary(End.SURVIVED, tried=7, seconds=1.0, problem="no answer")
DEAD = TrialSummary(End.KILLED, "R-PORTS-03", "filter.n1", "m::test_ports", 3, 3, 0.5)


def came_to(came: TrialSummary) -> kinds.Kind:
    return kinds.WrongKind(
        lambda: list(all_wrong()), lambda name, asked: WrongResult(name, "", "", came), LIMIT
    )


@contextmanager
def alone(workers: int, scheduler: str | None) -> Iterator[Each]:
    yield map


def test_a_name_that_is_not_there_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", "planted", "no-such-thing"]) == 2
    assert main(["no-such-thing"]) == 2
    assert capsys.readouterr().err.count("there is no wrong scheduler 'no-such-thing'") == 2


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(all_wrong())


@pytest.mark.parametrize(("came", "code"), [(DEAD, 0), (ALIVE, 1)])
def test_the_command_reports_who_survives_and_goes_on_with_those_that_were_not_tried(
    came: TrialSummary, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "machines", alone)
    monkeypatch.setitem(kinds.KINDS, "planted", came_to(came))
    rows = tmp_path / "rows.jsonl"
    options = ["--scheduler", "tcp://there:8786", "--rows", str(rows)]

    assert main(["try", "planted", "overcommits", *options]) == code
    assert read_rows(rows) == {"overcommits": WrongResult("overcommits", "", "", came)}
    assert main(["try", "planted", "overcommits", "compares-text", *options]) == code
    assert len(rows.read_text("utf-8").splitlines()) == 2
    assert main(["try", "planted", *options, "--skip", "2", "--sample", "3"]) == code
    assert list(read_rows(rows))[2:] == list(all_wrong())[2:5]


@pytest.mark.filterwarnings("default")  # what Dask and Tornado do while a cluster ends is theirs
def test_workers_of_another_scheduler_try_wrong_schedulers_too(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        where = ["--scheduler", cluster.scheduler_address, "--rows", str(rows)]
        assert main(["try", "planted", "one-port-for-all-protocols", *where]) == 0
    assert [result.suite.end for result in read_rows(rows).values()] == [End.KILLED]


# --- Wrong by configuration -----------------------------------------------------------------------


def body(**profile: object) -> Json:
    config = {**DEFAULT_CONFIG, "profiles": [{"schedulerName": "default-scheduler", **profile}]}
    return {"config": config if profile else dict(DEFAULT_CONFIG)}


@pytest.mark.parametrize("each", CONFIGURED, ids=lambda each: each.name)
def test_what_is_configured_wrong_is_a_configuration_and_another_one(each: Configured) -> None:
    asked = body()
    each.change(asked)
    read_config(asked["config"], with_feature_gates(asked.get("featureGates")))
    assert asked != body()


def test_what_the_history_says_stays() -> None:
    args = [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 7}}]
    score = {"score": {"enabled": [{"name": "ImageLocality", "weight": 9}]}}
    asked = body(pluginConfig=args, plugins=score)
    for name in ("hard-affinity-weighs-more", "images-weigh-more"):
        all_configured()[name].change(asked)
    assert asked == body(pluginConfig=args, plugins=score)


def test_only_a_reset_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Json] = []
    monkeypatch.setattr(Process, "ask", lambda self, request: sent.append(request))
    wrong = Reconfigured(["kube-scheduler"], all_configured()["packs"].change)
    asked = {"reset": body()}
    for request in ({"schedule": {}}, asked):
        wrong.ask(request)
    assert sent[0] == {"schedule": {}}
    assert "MostAllocated" in str(sent[1])
    assert asked == {"reset": body()}


def test_without_a_scheduler_to_configure_the_reason_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise AdapterUnavailable("kube-scheduler", "there is no Go toolchain")

    monkeypatch.setattr(configured, "kube_scheduler", missing)
    came = try_configured("packs", TryOptions(LIMIT)).suite
    assert (came.end, came.problem) == (End.UNREACHED, "there is no Go toolchain")


def test_each_configuration_was_tried_and_killed() -> None:
    rows = evidence.read().configured
    assert list(rows) == list(all_configured())
    assert [name for name, row in rows.items() if not row.rule] == []
