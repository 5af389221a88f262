# SPDX-License-Identifier: Apache-2.0
"""Corners: what decides hardly ever, each in a history of its own."""

from __future__ import annotations

from refsched.suite import Check, conforms
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History


@conforms(
    area="corners",
    rules=rules_of("FIT", "PODAFF", "SPREAD", "BACKOFF", "HINT", "CURE"),
    examples=66,
)
def test_what_hardly_ever_decides(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="volume_corners",
    rules=rules_of("VOLBIND", "VOLLIMIT", "VOLZONE", "VOLRESTR", "DRA", "CURE"),
    needs=("volumes", "devices"),
    examples=44,
)
def test_what_hardly_ever_decides_of_volumes_and_devices(check: Check, history: History) -> None:
    check(history)


@conforms(area="config_corners", rules=rules_of("FRAMEWORK", "FIT", "R-PREEMPT-11", "EXTENDER"), examples=28)
def test_what_a_configuration_hardly_ever_decides(check: Check, history: History) -> None:
    check(history)
