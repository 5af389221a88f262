# SPDX-License-Identifier: Apache-2.0
"""Configurations: which are refused."""

from __future__ import annotations

from conformance.strategies.configurations import ONCE
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms

REFUSING = rules_of("CONFIG", "ARGS")


@conforms(area="configurations", rules=REFUSING, needs=("validation",), examples=len(ONCE))
def test_configurations(check: Check, history: History) -> None:
    check(history)


@conforms(area="configurations_together", rules=REFUSING, needs=("validation",), examples=100)
def test_configurations_together(check: Check, history: History) -> None:
    check(history)
