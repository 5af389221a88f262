# SPDX-License-Identifier: Apache-2.0
"""Extenders: what they are asked, and what their answers come to."""

from __future__ import annotations

from refsched.suite import Check, conforms
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History


@conforms(area="extenders", rules=rules_of("EXTENDER"), needs=("extenders",), examples=80)
def test_extenders(check: Check, history: History) -> None:
    check(history)
