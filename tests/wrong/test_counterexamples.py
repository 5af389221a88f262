# SPDX-License-Identifier: Apache-2.0
"""What is shown of a wrong scheduler is as small as what a person would have written."""

from __future__ import annotations

import pytest

from conformance.strategies import AREAS
from conformance.wrong.naming import checking_of
from conformance.wrong.profile import suite_tests
from refsched.suite.histories.history import Create, History
from refsched.suite.session.check import Counterexample, RuleBrokenError
from refsched.suite.session.drawing import drawn

SMALL = {
    "lets-no-execute-pass": ("taints", "R-TAINT-01", 2, 3),
    "last-in-first-out": ("queue", "R-SORT-01", 2, 4),
    "ignores-budgets": ("preemption", "R-PREEMPT-07", 8, 9),
    "unreserves-nothing": ("faults", "R-ROLLBACK-02", 2, 3),
    "taints-weigh-one": ("config", "R-TAINT-03", 3, 4),
}
"""The area whose test is run, the rule that it must name before anything is explained, and how many objects and
steps there may be at most."""


def shown(name: str, area: str) -> Counterexample:
    """What the test of this area, as it is by default, shows of this wrong scheduler."""
    test = next(test for test in suite_tests() if test.area == area and test.draws)
    with checking_of(name) as checking:

        def check(history: History) -> None:
            checking(history)

        with pytest.raises(RuleBrokenError) as raised:
            drawn(check, AREAS[area](), examples=test.examples, seed="0", name=test.name)()
        with pytest.raises(RuleBrokenError):
            checking.settle(raised.value)
    return checking.counterexamples[checking.target or ""]


@pytest.mark.parametrize("name", SMALL)
def test_a_counterexample_is_small_and_names_the_rule(name: str) -> None:
    area, rule, objects, steps = SMALL[name]
    found = shown(name, area)
    history = found.judgement.history
    assert sum(isinstance(step, Create) for step in history.steps) <= objects
    assert len(history.steps) <= steps
    assert found.rule.startswith(rule)
