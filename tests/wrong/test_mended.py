# SPDX-License-Identifier: Apache-2.0
"""A scheduler that carries the fix of a known defect passes the suite; one that does neither fails."""

from __future__ import annotations

import shlex
import sys

import pytest

from conformance.wrong.kinds import TIMEOUT
from conformance.wrong.profile import suite_tests
from conformance.wrong.trying import End, TrialSummary, attack, one_by_one
from refsched.mistakes.wrong import WrongScheduler
from refsched.suite.adapters.connecting import connect

ODDITIES = "refsched.oddities.known_defects"
LIMIT = 600.0
REQUESTS = "refsched.devices.requests"
SEARCH = "refsched.devices.search"


def bent(module: str, before: str, after: str) -> TrialSummary:
    """The suite's properties of claims for devices against the specification with one edit."""
    wrong = WrongScheduler("bent", "", module, before, after)
    serves = (
        "from refsched.mistakes.wrong import WrongScheduler;from refsched.mistakes.serving import serve_wrong;"
        f"serve_wrong({wrong!r})"
    )
    with connect(f"exec:{shlex.quote(sys.executable)} -c {shlex.quote(serves)}", timeout=TIMEOUT) as adapter:
        tests = (test for test in suite_tests() if test.area in ("allocations", "shared_devices"))
        return attack(adapter, one_by_one(tests), LIMIT)


def test_who_carries_the_fixes_passes() -> None:
    before = "for each in oddities if each.plugin == plugin.name"
    came = bent(ODDITIES, before, f'{before} and each.plugin != "DynamicResources"')

    assert came.end is End.SURVIVED
    assert came.problem == ""


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        (REQUESTS, "if pool.is_broken:", "if pool.invalid_reason:"),
        (SEARCH, "alternative, place.device + 1)", "alternative, place.device + 2)"),
    ],
    ids=["takes-all-of-what-is-incomplete", "skips-every-second-one"],
)
def test_who_does_neither_fails(module: str, before: str, after: str) -> None:
    came = bent(module, before, after)

    assert came.end is End.KILLED
    assert came.rule.startswith("R-DRA-")
