# SPDX-License-Identifier: Apache-2.0
"""Of the rules that were applied, the rarest one that can be behind a difference is suspected first."""

from __future__ import annotations

import pytest

from refsched.suite.catalogue.rules import all_rules, level_of, rules_of_hint
from refsched.suite.catalogue.said import OBSERVED, PROMISED
from refsched.suite.catalogue.suspicion import Circumstances, rarity, suspects

ALWAYS = ("R-QUEUE-01", "R-FRAMEWORK-13", "R-FIT-02")


@pytest.mark.parametrize(
    ("member", "plugin", "symptom", "rare", "first"),
    [
        ("filter.n1", "NodeResourcesFit", "R-FIT-02", "R-REQUEST-04", "R-REQUEST-04"),
        ("filter.n1", "NodeResourcesFit", "R-FIT-02", "R-PODAFF-10", "R-FIT-02"),
        ("filter.n1", "NodeResourcesFit", "R-FIT-02", "R-FIT-06", "R-FIT-02"),
        ("filter.n1", "TaintToleration", "R-TAINT-01", "R-TAINT-02", "R-TAINT-01"),
        ("scores.n1.NodeResourcesFit", "NodeResourcesFit", "R-FIT-06", "R-FIT-07", "R-FIT-07"),
        ("nodes.n1.milliCPU", "", "R-FIT-01", "R-REQUEST-03", "R-REQUEST-03"),
        ("victims", "", "R-PREEMPT-08", "R-PREEMPT-07", "R-PREEMPT-07"),
        ("claimConfig.default/c", "", "R-DRA-60", "R-DRA-61", "R-DRA-61"),
    ],
)
def test_the_rarest_rule_that_can_be_behind_it_comes_first(
    member: str, plugin: str, symptom: str, rare: str, first: str
) -> None:
    applied = (*ALWAYS, symptom, rare)
    found = suspects(symptom, Circumstances(member, [plugin] if plugin else [], applied, applied))
    assert found[0] == first


def test_where_nothing_else_was_applied_the_place_is_the_rule() -> None:
    assert suspects("R-FIT-03", Circumstances("filter.n1", ["NodeResourcesFit"], (), ())) == ("R-FIT-03",)


def test_a_pod_in_the_wrong_queue_came_there_by_its_own_steps() -> None:
    applied = ("R-QUEUE-24", "R-QUEUE-07")
    seen = Circumstances("queues.active", [], applied, applied, moved=["R-QUEUE-07"])
    assert "R-QUEUE-24" not in suspects("R-QUEUE-07", seen)


def test_a_difference_about_nominated_pods_is_no_mistake_of_the_plugin_that_rejects() -> None:
    applied = ("R-FIT-04", "R-NOM-04")
    seen = Circumstances("filter.n1", ["NodeResourcesFit"], applied, applied, is_nominated=True)
    assert suspects("R-NOM-01", seen) == ("R-NOM-04", "R-NOM-01")


def test_the_first_rule_is_promised_where_the_symptom_is() -> None:
    applied = ("R-CACHE-03", "R-SEARCH-04", "R-FRAMEWORK-14")
    observed = suspects("R-SEARCH-02", Circumstances("evaluated", [], applied, applied))
    assert level_of(observed[0]) == OBSERVED
    promised = suspects("R-SEARCH-04", Circumstances("node", [], applied, applied))
    assert level_of(promised[0]) == PROMISED
    assert {level_of(rule) for rule in observed} == {PROMISED, OBSERVED}


def test_what_few_histories_apply_is_rare() -> None:
    assert rarity("R-PODAFF-07") > rarity("R-FIT-02") > rarity("R-QUEUE-01") >= 0
    assert rarity("R-NOT-KNOWN-01") == max(rarity(rule) for rule in (*all_rules(), "R-NOT-KNOWN-01"))


def test_a_row_of_events_is_decided_by_the_rules_of_its_hint() -> None:
    assert rules_of_hint("R-CURE-NodePorts-Pod-Delete") == ("R-PORTS-04",)
    assert rules_of_hint("R-CURE-NodePorts-Node-Add") == ()
    assert rules_of_hint("R-NOT-KNOWN-01") == ()
