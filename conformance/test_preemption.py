# SPDX-License-Identifier: Apache-2.0
"""Preemption: which pods may preempt, on which node, and which pods are evicted."""

from __future__ import annotations

from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms


@conforms(
    area="preemption", rules=rules_of("PREEMPT", "POSTFILTER", "EVICT"), needs=("preemption",), examples=220
)
def test_preemption(check: Check, history: History) -> None:
    check(history)
