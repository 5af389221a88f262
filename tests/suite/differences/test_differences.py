# SPDX-License-Identifier: Apache-2.0
"""Differences between releases: the clusters that show them, and the fingerprint of a scheduler."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from conformance.campaigns.differing_clusters import Pair
from conformance.vocabulary.objects import node, pod
from refsched.errors import InputError
from refsched.releases import RELEASES
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import REFERENCE, connect
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.differences import fingerprint
from refsched.suite.differences.clusters import ReleaseDifference, differences, write
from refsched.suite.differences.differing_members import DifferingMember, differing_members
from refsched.suite.differences.judging import broken_rule
from refsched.suite.histories.history import History, Schedule, creating
from refsched.suite.histories.scenario import steps_as_json
from refsched.tools.cli.main import cli
from refsched.tools.site.differences_page import is_there

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
    with connect(f"{REFERENCE}:{request.param}") as connected:
        yield connected


# --- Clusters -------------------------------------------------------------------------------------


def test_each_cluster_names_a_rule_of_each_release_that_holds_in_it() -> None:
    for difference in differences():
        for release, rule in difference.rules.items():
            assert release in all_rules()[rule].releases, rule


def test_no_cluster_is_there_twice() -> None:
    found = [(each.history.config, steps_as_json(each.history), each.differs) for each in differences()]
    assert all(found.count(each) == 1 for each in found)


def test_clusters_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "clusters.json"
    write(differences(), file)
    assert differences(file) == differences()


@pytest.mark.no_cover
def test_each_cluster_shows_its_member() -> None:
    pair = Pair("1.19", "1.34")
    for difference in differences():
        runs = pair.runs(difference.history)
        assert runs is not None
        of_it = [member for member in differing_members() if member.differs == difference.differs]
        assert dict(difference.rules) in [pair.shown(member, runs) for member in of_it], difference.rules


def test_a_member_has_either_a_cluster_or_the_reason_why_there_is_none() -> None:
    for member in differing_members():
        assert is_there(member) != bool(member.never), member.rules


# --- The fingerprint ------------------------------------------------------------------------------


def test_of_a_history_that_all_releases_decide_alike_no_rule_is_broken(adapter: Adapter) -> None:
    history = History((*creating(node("n1"), pod("p1")), Schedule()))
    assert [broken_rule(adapter, history, release) for release in RELEASES.values()] == [""] * len(RELEASES)


# --- The search -----------------------------------------------------------------------------------


OF_CPU = DifferingMember({"1.19": ["R-FIT-51"], "1.34": ["R-ASSUME-01"]}, "attempt.filter.*.code")


def test_a_difference_is_made_smaller_while_the_same_rules_show() -> None:
    pair = Pair("1.19", "1.34")
    runs = pair.runs(OVERCOMMITTED)
    assert runs is not None
    rules = pair.shown(OF_CPU, runs)
    assert rules == {"1.19": "R-FIT-51", "1.34": "R-ASSUME-01"}
    smaller = pair.smaller(OF_CPU, ReleaseDifference(rules, OVERCOMMITTED))
    assert smaller.rules == rules
    assert len(repr(smaller.history.steps)) < len(repr(OVERCOMMITTED.steps))
    assert "app" not in repr(smaller.history.steps)


def test_where_the_releases_decide_alike_nothing_shows() -> None:
    pair = Pair("1.19", "1.34")
    alike = History((*creating(node("n1"), pod("p1")), Schedule()))
    runs = pair.runs(alike)
    assert runs is not None
    assert not pair.is_distinct(alike)
    assert pair.shown(evolve(OF_CPU, rules={"1.19": ["R-FIT-52"], "1.34": ["R-ASSUME-01"]}), runs) is None


# --- The lines ------------------------------------------------------------------------------------


def test_each_member_names_rules_of_both_releases() -> None:
    for member in differing_members():
        for release, rules in member.rules.items():
            assert rules
            assert all(release in all_rules()[rule].releases for rule in rules), rules


def test_a_member_is_shown_by_the_first_difference_only() -> None:
    later = [{"attempt.result": "a"}, {"attempt.node": "n", "attempt.message": "m"}]
    member, other = DifferingMember({}, "attempt.node"), {"attempt.node": "o", "attempt.message": "n"}
    assert member.member_shown(later, [{"attempt.result": "b"}, other]) == ("", -1)
    assert member.member_shown(later, [{"attempt.result": "a"}, other]) == ("attempt.node", 1)
    assert member.member_shown(later, [{"attempt.result": "a"}, {"queues.active": []}]) == ("", -1)
    assert member.member_shown(later, later) == ("", -1)


def test_scores_differ_only_where_both_releases_have_some() -> None:
    member = DifferingMember({}, "attempt.scores.*")
    with_scores = [{"attempt.pod": "p", "attempt.scores.n.A": 1}]
    others = [{"attempt.pod": "p", "attempt.scores.n.B": 1}]
    assert member.member_shown(with_scores, others) == ("attempt.scores.n.A", 0)
    assert member.member_shown(with_scores, [{"attempt.pod": "p"}]) == ("", -1)


def test_a_rule_that_makes_the_same_member_differ_must_not_be_applied() -> None:
    member = DifferingMember({"1.19": ["a"], "1.34": ["b"]}, "queues.*", without=["c"])
    assert member.named({"1.19": frozenset({"a"}), "1.34": frozenset({"b"})}) == {"1.19": "a", "1.34": "b"}
    assert member.named({"1.19": frozenset({"a", "c"}), "1.34": frozenset({"b"})}) is None
    assert member.named({"1.19": frozenset({"a"}), "1.34": frozenset()}) is None


# --- The command ----------------------------------------------------------------------------------


@pytest.mark.no_cover
@pytest.mark.parametrize("release", RELEASES)
def test_each_release_decides_clusters_like_itself_alone(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = differences()[::3]
    monkeypatch.setattr(fingerprint, "differences", lambda: some)
    done = CliRunner().invoke(cli, ["fingerprint", "--impl", f"{REFERENCE}:{release}", "--json"])
    rules: list[Any] = json.loads(done.output)["rules"]
    assert len(rules) == len(some)
    assert [other for other in RELEASES if all(other in each["like"] for each in rules)] == [release]


def test_the_command_says_like_which_release_each_rule_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    first = differences()[:5]
    monkeypatch.setattr(fingerprint, "differences", lambda: first)
    done = CliRunner().invoke(cli, ["fingerprint", "--impl", f"{REFERENCE}:1.19"])
    assert done.exit_code == 0, done.output
    *lines, summary = done.output.splitlines()
    assert len(lines) == len(first)
    assert all(line.startswith("like 1.19 ") for line in lines)
    assert "5 like 1.19, 0 like 1.34, 0 like 1.35, 0 like 1.36, 0 like 1.37, 0 like none" in summary


def test_a_scheduler_that_is_not_there_is_no_verdict() -> None:
    done = CliRunner().invoke(cli, ["fingerprint", "--impl", "exec:/nonexistent"])
    assert isinstance(done.exception, InputError)
