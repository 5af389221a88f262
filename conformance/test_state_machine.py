# SPDX-License-Identifier: Apache-2.0
"""A state machine: any input, at any moment."""

from __future__ import annotations

from conformance.strategies.machine import Anything
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms

LASTING = ("R-INV-05", "R-INV-06", "R-INV-07", "R-INV-08", "R-INV-09")
"""What holds whatever happens."""


@conforms(
    area="anything",
    rules=rules_of("QUEUE", "FLIGHT", "ASSUME", "ROLLBACK", "PERMIT", *LASTING),
    machine=Anything,
    examples=32,
    needs=("scripted", "hold"),
)
def test_anything_follows_anything(check: Check, history: History) -> None:
    check(history)
