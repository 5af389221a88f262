# SPDX-License-Identifier: Apache-2.0
"""Preemption: which pods may preempt, on which node, and which pods are evicted."""

from __future__ import annotations

from refsched.suite import Check, conforms
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History


@conforms(
    area="preemption", rules=rules_of("PREEMPT", "POSTFILTER", "EVICT"), needs=("preemption",), examples=220
)
def test_preemption(check: Check, history: History) -> None:
    check(history)
