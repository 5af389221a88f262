# SPDX-License-Identifier: Apache-2.0
"""Attribution names a rule where the record does not say which plugin a difference is about."""

from __future__ import annotations

from refsched.checking.agreement import Disagreement
from refsched.suite.catalogue.attribution import EVALUATED, Attribution
from refsched.suite.catalogue.reach import Reach


def attribution_of(*applied: str) -> Attribution:
    reach = Reach()
    reach.applied = reach.ever = dict.fromkeys(applied)
    return Attribution(reach)


def test_a_difference_before_filter_names_the_rarest_rule_that_a_plugin_applied_there() -> None:
    found = Disagreement("preFilter.nodes", [], ["n1", "n2"])
    attribution = attribution_of("R-PORTS-01", "R-NODEAFF-02", "R-SPREAD-06")

    rule = attribution.rule_of(found)

    assert rule == "R-NODEAFF-02"
    assert attribution.suspects(found, rule)[0] == "R-NODEAFF-02"
    assert "R-PORTS-01" in attribution.suspects(found, rule)


def test_a_difference_before_filter_names_the_search_where_no_plugin_applied_a_rule() -> None:
    found = Disagreement("preFilter.nodes", [], ["n1"])

    assert attribution_of().rule_of(found) == EVALUATED
