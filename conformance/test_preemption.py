# SPDX-License-Identifier: Apache-2.0
"""Preemption: who may preempt, on which node, and whom."""

from __future__ import annotations

from conformance.catalogue.rules import rules_of
from conformance.history import History
from conformance.suite import Check, conforms


@conforms(area="preemption", rules=rules_of("PREEMPT", "POSTFILTER"), needs=("preemption",), examples=115)
def test_preemption(check: Check, history: History) -> None:
    check(history)
