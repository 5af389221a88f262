# SPDX-License-Identifier: Apache-2.0
"""Wrong schedulers are killed: some by the pytest command that a user types, some by the killer."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from forked_pytest import run_pytest

from conformance.campaigns.machines import Each
from conformance.wrong import configured
from conformance.wrong.configured import CONFIGURED, Configured, Reconfigured, all_configured
from conformance.wrong.running import kill, killing, sharing
from conformance.wrong.running.kill import main
from conformance.wrong.running.killing import (
    Attack,
    Fate,
    Kill,
    attack,
    connect_wrong,
    fate_of,
    fate_of_configured,
)
from conformance.wrong.running.matrix import page, read, write
from conformance.wrong.running.naming import shown
from conformance.wrong.running.parts import that_can_be
from conformance.wrong.running.profile import SuiteTest, histories_of, suite_tests
from refsched.mistakes.wrong import all_wrong, areas_near
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.adapters.process import Process
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.histories.driver import Transcript
from refsched.suite.histories.findings import Finding
from refsched.suite.histories.history import DEFAULT_CONFIG, History
from refsched.suite.histories.judge import ANSWERS
from refsched.tools.configuration.feature_gates import with_feature_gates
from refsched.tools.configuration.read import read_config

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]


# --- By the command -------------------------------------------------------------------------------


def test_the_suite_fails_a_wrong_scheduler_and_names_the_rule() -> None:
    served = f"exec:{shlex.quote(sys.executable)} -m conformance.wrong overcommits"
    # --budget also bounds how long the history is made smaller.
    options = ("-q", "-p", "no:cacheprovider", "--budget=30s", f"--impl={served}")
    ran = run_pytest(ROOT, "conformance/test_plugins.py::test_resources", *options)

    assert ran.ret == 1, ran.stdout.str() + ran.stderr.str()
    assert "FAILED  R-" in ran.stdout.str()
    assert "R-FIT-02" in ran.stdout.str(), "in full, or among those that fail too"


# --- By the killer --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["skew-must-be-less", "errors-owe-no-backoff"])
def test_the_tests_that_lie_near_kill_it_by_the_rule_that_it_breaks(name: str) -> None:
    killed = fate_of(name, areas_near(name), alone=False).suite.kill

    assert killed is not None
    test = next(test for test in suite_tests() if test.name == killed.test)
    assert shown(name, test, killed.examples).rule in all_wrong()[name].breaks


def test_what_is_planted_in_v1_19_decides_by_it_and_is_killed_by_its_rule() -> None:
    name = "pod-slots-do-not-count"
    with connect_wrong(name) as adapter:
        assert adapter.hello.kubernetes == "1.19"
        tests = killing.tests_for(adapter)
        came = attack(adapter, [test for test in tests if test.area == "resources" and not test.recorded])

    assert not [test for test in tests if test.area == "devices"]
    assert {test.kubernetes for test in tests if test.recorded} == {"1.19"}
    assert came.kill is not None
    assert came.kill.rule == "R-FIT-51"


# --- As a part of a scheduler ---------------------------------------------------------------------


def test_who_breaks_rules_of_scores_alone_can_be_no_predicates() -> None:
    assert "overcommits" in that_can_be("predicates")
    assert "rounds-the-share-up" not in that_can_be("predicates")
    assert "rounds-the-share-up" in that_can_be("scoring")
    assert "is-requeued-by-its-own-leaving" not in that_can_be("filter"), "its events show in queues alone"
    assert "is-requeued-by-its-own-leaving" in that_can_be("full")
    assert not [name for profile in PROFILES for name in that_can_be(profile) if all_wrong()[name].kubernetes]


def test_whoever_is_judged_as_a_part_is_judged_by_the_tests_for_it() -> None:
    with connect_wrong("overcommits", "predicates") as adapter:
        areas = {test.area for test in killing.tests_for(adapter) if not test.recorded}

        assert adapter.hello.capabilities == {"filter"}
    assert "resources" in areas
    assert not areas & {"devices", "volumes", "queue"}


def test_only_histories_that_came_to_their_end_count(monkeypatch: pytest.MonkeyPatch) -> None:
    transcripts = iter(
        (
            Transcript(History(()), ended="needs more"),
            Transcript(History(()), findings=[Finding("R-PORTS-03", "node", "n1", "n2")]),
        )
    )

    def try_history(adapter: object, history: History, *, with_specification: bool) -> Transcript:
        return next(transcripts)

    monkeypatch.setattr(killing, "try_history", try_history)
    monkeypatch.setattr(killing, "histories_of", lambda test: [History(())] * 2)
    with connect_wrong("overcommits") as adapter:
        came = attack(adapter, [TEST])

    assert came.kill is not None
    assert (came.kill.examples, came.examples) == (1, 2)


# --- What counts ----------------------------------------------------------------------------------

TEST = SuiteTest("test_of_one_history", "ports", 1)


def finding(rule: str) -> Callable[..., Transcript]:
    def try_history(adapter: object, history: History, *, with_specification: bool) -> Transcript:
        return Transcript(history, findings=[Finding(rule, "node", "n1", "n2")])

    return try_history


def attacked(monkeypatch: pytest.MonkeyPatch, rule: str, most: int | None = None) -> Attack:
    monkeypatch.setattr(killing, "try_history", finding(rule))
    monkeypatch.setattr(killing, "histories_of", lambda test: [History(())] * 2)
    with connect_wrong("overcommits") as adapter:
        return attack(adapter, [TEST, TEST], most)


def test_what_is_found_is_a_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    came = attacked(monkeypatch, "R-PORTS-03")

    assert came.kill is not None
    assert (came.kill.test, came.kill.rule, came.kill.examples) == (TEST.name, "R-PORTS-03", 1)
    assert came.faults == 0


def test_a_crash_is_no_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    came = attacked(monkeypatch, ANSWERS)

    assert came.kill is None
    assert came.faults == came.examples == 4
    assert came.first_fault == "n2"


def test_no_more_histories_are_tried_than_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert attacked(monkeypatch, ANSWERS, most=3).examples == 3


def test_what_the_killer_draws_is_what_the_test_draws() -> None:
    test = next(test for test in suite_tests() if test.area == "ports" and test.draws)

    assert test.name == "conformance.test_plugins::test_host_ports"
    assert len(histories_of(test)) == test.examples


def test_a_case_is_tried_as_one_history() -> None:
    tests = [test for test in suite_tests() if test.name.endswith("[overcommitted_cpu]")]

    assert [test.area for test in tests] == ["resources"]
    assert tests[0].case is not None
    assert list(histories_of(tests[0])) == [tests[0].case.history]


# --- The command of the killer --------------------------------------------------------------------

ALIVE = Attack(None, 7, 1.0, faults=1, first_fault="no answer")
DEAD = Attack(Kill("m::test_ports", "R-PORTS-03", "filter.n1", 3, 0.5), 3, 0.5)


def test_a_name_that_is_not_there_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-thing"]) == 2
    assert "'no-such-thing'" in capsys.readouterr().err


@pytest.mark.parametrize(("came", "code"), [(DEAD, 0), (ALIVE, 1)])
def test_the_command_keeps_the_rows_of_others_and_reports_who_survives(
    came: Attack, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kill, "fate_of", lambda name, nearest, **_: Fate(name, came, came, killing.NOT_TRIED))
    kept = tmp_path / "matrix.json"
    write([Fate("ignores-overhead", DEAD, DEAD, DEAD)], kept)
    written = tmp_path / "matrix.md"

    assert main(["overcommits", "--json", str(kept), "--page", str(written)]) == code
    assert list(read(kept)) == ["overcommits", "ignores-overhead"]
    assert written.read_text("utf-8") == page(read(kept))


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
    came = fate_of_configured("packs").suite
    assert (came.kill, came.examples, came.first_fault) == (None, 0, "there is no Go toolchain")


def test_each_configuration_was_tried_and_killed() -> None:
    kept = read(configured.FILE)
    assert list(kept) == list(all_configured())
    assert [name for name, fate in kept.items() if fate.suite.kill is None] == []


def test_survivors_stand_first_on_the_page() -> None:
    text = page({"overcommits": Fate("overcommits", ALIVE, ALIVE, ALIVE)})

    assert text.index("## Survivors") < text.index("`overcommits`") < text.index("## By area")
    assert "**survives**" in text


# --- On other machines ----------------------------------------------------------------------------


def test_with_the_address_of_a_scheduler_its_workers_try_the_wrong_schedulers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    @contextmanager
    def workers_of(workers: int, scheduler: str | None) -> Iterator[Each]:
        asked.append(scheduler)
        yield map

    killed = Attack(Kill("test", "R-FIT-02", "filter", 1, 0.5), 1, 0.5)
    monkeypatch.setattr(sharing, "machines", workers_of)
    monkeypatch.setattr(kill, "fate_of", lambda name, near, alone, **_: Fate(name, killed, killed, killed))
    assert main(["overcommits", "compares-text", "--scheduler", "tcp://there:8786"]) == 0
    assert asked == ["tcp://there:8786"]
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "overcommits",
        "compares-text",
    ]
