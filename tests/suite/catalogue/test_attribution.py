# SPDX-License-Identifier: Apache-2.0
"""Where a difference shows and which rules were applied says which one is suspected first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from refsched.checking.agreement import Disagreement
from refsched.records import NodeStatus
from refsched.suite.catalogue.attribution import Attribution
from refsched.suite.catalogue.reach import Reach

ALWAYS = ("R-QUEUE-01", "R-FRAMEWORK-13", "R-FIT-02")
CPU = NodeStatus("Unschedulable", "NodeResourcesFit", ("Insufficient cpu",))
WORDED = NodeStatus("Unschedulable", "NodeResourcesFit", ("no cpu",))
TAINT = NodeStatus("UnschedulableAndUnresolvable", "TaintToleration", ())
OK = NodeStatus("Success")
FAILED = NodeStatus("Error", "NodeResourcesFit", ('running "NodeResourcesFit" filter plugin: no',))


def reach_of(*applied: str) -> Reach:
    reach = Reach()
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
        (Disagreement("unknown", 1, 2), ["R-FAIL-01"], "R-FAIL-01", "R-FAIL-01"),
    ],
)
def test_the_place_of_a_difference_and_what_was_applied_say_which_rule_is_suspected(
    found: Disagreement, applied: Sequence[str], shows_at: str, first: str
) -> None:
    attribution = Attribution(reach_of(*applied))
    assert attribution.rule_of(found) == shows_at
    assert attribution.suspects(found, shows_at)[0] == first
