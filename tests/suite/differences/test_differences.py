# SPDX-License-Identifier: Apache-2.0
"""Differences between releases: the clusters that show them, and the fingerprint of a scheduler."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.vocabulary.objects import node, pod
from refsched.errors import InputError
from refsched.releases import RELEASES
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.differences.clusters import Difference, differences, write
from refsched.suite.differences.fingerprint import fingerprint
from refsched.suite.differences.judging import broken_rule
from refsched.suite.differences.page import differences_page
from refsched.suite.differences.search import Pair, steps_of
from refsched.suite.histories.history import History, Schedule, creating
from refsched.tools.cli.main import cli

ROOT = Path(__file__).parents[3]
OVERCOMMITTED = History(
    (
        *creating(
            node("n1", {"cpu": "1", "memory": "1Gi", "pods": "9"}, labels={"app": "a"}),
            {**pod("p1", {"cpu": "2"}), "spec": {**pod("p1", {"cpu": "2"})["spec"], "nodeName": "n1"}},
            pod("p2", {"memory": "1Mi"}, labels={"app": "a"}),
        ),
        Schedule(3),
    )
)
"""v1.19 rejects the node for its cpu, which p2 does not ask for."""


@pytest.fixture(params=RELEASES)
def adapter(request: pytest.FixtureRequest) -> Iterator[Adapter]:
    with connect(f"{REFERENCE}:{request.param}", in_process=True) as connected:
        yield connected


# --- Clusters -------------------------------------------------------------------------------------


def test_each_cluster_names_a_rule_of_each_release_that_holds_in_it() -> None:
    for difference in differences():
        for release, rule in difference.rules.items():
            assert release in all_rules()[rule].releases, rule


def test_no_cluster_is_there_twice() -> None:
    found = [steps_of(each) for each in differences()]
    assert len(set(found)) == len(found)


def test_clusters_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "clusters.json"
    write(differences(), file)
    assert differences(file) == differences()


def test_the_page_is_of_these_clusters() -> None:
    assert (ROOT / "docs" / "differences.md").read_text("utf-8") == differences_page()


# --- The fingerprint ------------------------------------------------------------------------------


def test_a_release_decides_every_cluster_as_itself_and_none_as_another(adapter: Adapter) -> None:
    release = adapter.hello.kubernetes
    assert {each.like for each in fingerprint(adapter)} == {(release,)}


def test_of_a_history_that_both_releases_decide_alike_no_rule_is_broken(adapter: Adapter) -> None:
    history = History((*creating(node("n1"), pod("p1")), Schedule()))
    assert [broken_rule(adapter, history, release) for release in RELEASES.values()] == ["", ""]


# --- The search -----------------------------------------------------------------------------------


def test_a_difference_is_made_smaller_while_the_same_rules_are_broken() -> None:
    pair = Pair("1.19", "1.34")
    rules = pair.rules_broken(OVERCOMMITTED)
    assert rules["1.19"].startswith("R-FIT-5")
    smaller = pair.smaller(Difference(rules, OVERCOMMITTED))
    assert smaller.rules == rules == pair.rules_broken(smaller.history)
    assert len(repr(smaller.history.steps)) < len(repr(OVERCOMMITTED.steps))
    assert Schedule() in smaller.history.steps
    assert "app" not in repr(smaller.history.steps)


def test_where_the_releases_decide_alike_no_rule_is_broken() -> None:
    assert Pair("1.19", "1.34").rules_broken(History((*creating(node("n1"), pod("p1")), Schedule()))) == {}


# --- The command ----------------------------------------------------------------------------------


def test_the_command_says_like_which_release_each_rule_is_decided() -> None:
    done = CliRunner().invoke(cli, ["fingerprint", "--impl", f"{REFERENCE}:1.19"])
    assert done.exit_code == 0, done.output
    *lines, summary = done.output.splitlines()
    assert len(lines) == len(differences())
    assert all(line.startswith("like 1.19 ") for line in lines)
    assert f"{len(lines)} like 1.19, 0 like 1.34, 0 like neither" in summary


def test_the_command_prints_one_json_object() -> None:
    done = CliRunner().invoke(cli, ["fingerprint", "--impl", REFERENCE, "--json"])
    found: dict[str, Any] = json.loads(done.output)
    assert {tuple(each["like"]) for each in found["rules"]} == {("1.34",)}


def test_a_scheduler_that_is_not_there_is_no_verdict() -> None:
    done = CliRunner().invoke(cli, ["fingerprint", "--impl", "exec:/nonexistent"])
    assert isinstance(done.exception, InputError)
