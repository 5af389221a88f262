# SPDX-License-Identifier: Apache-2.0
"""Which drawn histories are chosen for every run, and those that have been."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from conformance.campaigns import choosing
from conformance.campaigns.choosing import Candidate, Drawing, choose, draw, meeting
from conformance.chosen import FOLDER, chosen_histories, file_of, line_of, read_line, write_histories
from conformance.wrong.profile import SuiteTest, suite_tests
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import Advance, Create, History, Schedule

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {"containers": [{"name": "c"}]},
}


def candidate(name: str, *pairs: str, steps: int = 1) -> Candidate:
    return Candidate(name, name, steps, frozenset((pair[0], pair[1]) for pair in pairs))


def chosen_of(*drawings: Drawing, histories: int = 9) -> list[str]:
    return [each.test for each in choose(drawings, histories)]


def drawing(*candidates: Candidate, also: tuple[str, ...] = ()) -> Drawing:
    met = frozenset().union(*(each.pairs for each in candidates), ((pair[0], pair[1]) for pair in also))
    return Drawing(met, candidates)


def test_what_meets_with_every_seed_is_worth_nothing() -> None:
    assert chosen_of(drawing(candidate("a", "ab")), drawing(candidate("b", "ab"))) == []


def test_what_fewer_seeds_have_is_worth_more() -> None:
    seeds = drawing(candidate("once", "ab")), drawing(candidate("twice", "cd")), drawing(also=("cd",))
    assert chosen_of(*seeds) == ["once", "twice"]


def test_a_pair_that_has_met_is_worth_nothing_more() -> None:
    seeds = drawing(candidate("two", "ab", "cd"), candidate("same", "cd"), candidate("new", "ef")), drawing()
    assert chosen_of(*seeds) == ["two", "new"]


def test_a_history_is_worth_the_less_the_longer_it_is() -> None:
    seeds = drawing(candidate("long", "ab", "cd", steps=3), candidate("short", "ab")), drawing()
    assert chosen_of(*seeds) == ["short", "long"]
    assert chosen_of(*seeds, histories=1) == ["short"]


def test_rules_meet_in_a_step_and_not_in_a_history() -> None:
    with connect("refsched.reference") as adapter:
        pairs = meeting(adapter, History((Create(POD), Schedule())))
    assert {("R-DEFAULTS-01", "R-QUEUE-01"), ("R-FAIL-01", "R-QUEUE-49"), ("R-FAIL-01", "R-FAIL-01")} <= pairs
    assert ("R-FAIL-01", "R-QUEUE-01") not in pairs


def test_a_seed_draws_what_the_suite_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [test for test in suite_tests() if test.draws and test.area == "images"]
    monkeypatch.setattr("conformance.campaigns.choosing.applicable_tests", lambda adapter: few)
    came = draw("1.37", 5)
    assert {each.test for each in came.candidates} == {few[0].name}
    assert all(each.pairs <= came.met for each in came.candidates)


def test_a_history_is_the_same_after_it_was_written(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History((Create(POD), Advance(1.5)), {"kind": "K"}, {"Gate": False})
    assert read_line(line_of(history)) == history
    monkeypatch.setattr("conformance.chosen.FOLDER", tmp_path)
    write_histories("conformance.test_x::test_y", [history])
    written = file_of("conformance.test_x::test_y").read_bytes()
    write_histories("conformance.test_x::test_y", [history])
    assert file_of("conformance.test_x::test_y").read_bytes() == written
    assert chosen_histories("conformance.test_x::test_y") == (history,)


def drawing_tests() -> list[SuiteTest]:
    return [test for test in suite_tests() if test.draws]


def test_every_file_is_that_of_a_property() -> None:
    of_properties = {file_of(test.name) for test in drawing_tests()}
    assert of_properties >= set(FOLDER.glob("*.jsonl.gz")) != set()


def test_no_history_was_chosen_twice() -> None:
    lines = [line_of(history) for test in drawing_tests() for history in chosen_histories(test.name)]
    assert len(lines) == len(set(lines))


def test_where_nothing_is_chosen_what_was_chosen_before_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "draw", lambda kubernetes, seed: drawing(candidate("a", "ab")))
    monkeypatch.setattr(choosing, "write", lambda chosen: pytest.fail("it would be removed"))
    done = CliRunner().invoke(choosing.main, ["--seeds", "7", "--workers", "1"])
    assert done.exit_code == 2
    assert "no two rules meet with some of these seeds" in done.output
