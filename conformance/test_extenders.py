# SPDX-License-Identifier: Apache-2.0
"""Extenders: what they are asked, and what their answers come to."""

from __future__ import annotations

from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms


@conforms(area="extenders", rules=rules_of("EXTENDER"), needs=("extenders",), examples=80)
def test_extenders(check: Check, history: History) -> None:
    check(history)
