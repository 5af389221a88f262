# SPDX-License-Identifier: Apache-2.0
"""Where a difference shows and which rules were applied says which one is suspected first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from refsched.checking.agreement import Disagreement
from refsched.records import NodeStatus
from refsched.suite.catalogue.applied_rules import AppliedRules
from refsched.suite.catalogue.attribution import Attribution

ALWAYS = ("R-QUEUE-01", "R-FRAMEWORK-13", "R-FIT-02")
CPU = NodeStatus("Unschedulable", "NodeResourcesFit", ("Insufficient cpu",))
WORDED = NodeStatus("Unschedulable", "NodeResourcesFit", ("no cpu",))
TAINT = NodeStatus("UnschedulableAndUnresolvable", "TaintToleration", ())
OK = NodeStatus("Success")
FAILED = NodeStatus("Error", "NodeResourcesFit", ('running "NodeResourcesFit" filter plugin: no',))


def reach_of(*applied: str) -> AppliedRules:
    reach = AppliedRules()
    reach.applied = reach.ever = dict.fromkeys((*ALWAYS, *applied))
    return reach


@pytest.mark.parametrize(
    ("found", "applied", "shows_at", "first"),
    [
        (Disagreement("filter.n1", CPU, OK), ["R-REQUEST-04"], "R-FIT-02", "R-REQUEST-04"),
        (Disagreement("filter.n1", CPU, OK), ["R-PODAFF-10"], "R-FIT-02", "R-FIT-02"),
        (Disagreement("filter.n1", TAINT, OK), ["R-TAINT-01"], "R-TAINT-01", "R-TAINT-01"),
        (Disagreement("filter.n1", CPU, WORDED), ["R-WORDS-02"], "R-WORDS-02", "R-WORDS-02"),
        (Disagreement("filter.n1", FAILED, OK), ["R-FIT-04"], "R-FIT-04", "R-FIT-04"),
        (Disagreement("scores.n1.NodeResourcesFit", 1, 2), ["R-FIT-06", "R-FIT-07"], "R-FIT-07", "R-FIT-07"),
        (Disagreement("nodes.n1.milliCPU", 1, 2), ["R-ASSUME-01"], "R-ASSUME-01", "R-ASSUME-01"),
        (Disagreement("victims", ["default/a"], []), ["R-PREEMPT-11"], "R-PREEMPT-11", "R-PREEMPT-11"),
        (Disagreement("calls", ["P.reserve"], []), ["R-RESERVE-01"], "R-RESERVE-01", "R-RESERVE-01"),
        (Disagreement("claimConfig.default/c", 1, 2), ["R-DRA-50"], "R-DRA-50", "R-DRA-50"),
        (Disagreement("claimConditions.default/c", 1, 2), ["R-DRA-50", "R-DRA-64"], "R-DRA-64", "R-DRA-64"),
        (Disagreement("unknown", 1, 2), ["R-FAIL-01"], "R-FAIL-01", "R-FAIL-01"),
    ],
)
def test_the_place_of_a_difference_and_what_was_applied_say_which_rule_is_suspected(
    found: Disagreement, applied: Sequence[str], shows_at: str, first: str
) -> None:
    attribution = Attribution(reach_of(*applied))
    assert attribution.rule_of(found) == shows_at
    assert attribution.suspects(found, shows_at)[0] == first


NEAR = ("R-WORDS-01", "R-TAINT-01", "R-PREEMPT-04", "R-PREEMPT-05")
HEAD = "0/2 nodes are available: "
BEHIND = ". preemption: 0/2 nodes are available: 2 "


@pytest.mark.parametrize(
    ("expected", "got", "suspected"),
    [
        (f"{HEAD}2 Insufficient cpu.", "there is no room", ("R-WORDS-01", "R-FIT-02")),
        (f"{HEAD}2 Insufficient cpu.", f"{HEAD}2 of cpu.", ("R-WORDS-01", "R-FIT-02")),
        (
            f"{HEAD}2 Insufficient cpu.",
            f"{HEAD}1 Insufficient cpu, 1 node(s) had untolerated taint(s).",
            ("R-WORDS-01", "R-FIT-02", "R-TAINT-01"),
        ),
        (
            f"{HEAD}2 Insufficient cpu{BEHIND}No preemption victims found for incoming pod.",
            f"{HEAD}2 Insufficient cpu{BEHIND}pods are too important.",
            ("R-WORDS-01", "R-PREEMPT-04"),
        ),
        (
            f"{HEAD}2 Insufficient cpu{BEHIND}No preemption victims found for incoming pod.",
            f"{HEAD}2 Insufficient cpu{BEHIND}Preemption is not helpful for scheduling.",
            ("R-PREEMPT-05",),
        ),
    ],
)
def test_of_words_no_rule_is_suspected_that_neither_words_nor_rejects(
    expected: str, got: str, suspected: Sequence[str]
) -> None:
    attribution = Attribution(reach_of(*NEAR, "R-NOM-04"))
    found = Disagreement("message", expected, got)
    symptom = attribution.rule_of(found)
    named = attribution.suspects(found, symptom)
    assert named[: len(suspected)] == tuple(suspected)
    assert symptom == suspected[0]
    assert ("R-NOM-04" in named) == (symptom != "R-WORDS-01")
