# SPDX-License-Identifier: Apache-2.0
"""A scheduler that carries the fix of a known defect passes the suite; one that does neither fails."""

from __future__ import annotations

import shlex
import sys

import pytest

from conformance.wrong.planted.table import Wrong
from conformance.wrong.running.killing import TIMEOUT, Attack, attack
from conformance.wrong.running.profile import suite_tests
from refsched.framework.known_defects import KNOWN_DEFECTS, THROUGHOUT
from refsched.suite.adapters.connecting import connect

PLUGIN = "refsched.plugins.dynamic_resources"
REQUESTS = "refsched.devices.requests"
ALLOCATOR = "refsched.devices.allocator"


def bent(module: str, before: str, after: str) -> Attack:
    """The suite's test of devices against the specification with one edit."""
    wrong = Wrong("bent", "", module, before, after)
    serves = (
        "from conformance.wrong.planted.table import Wrong;from conformance.wrong.__main__ import serve_wrong;"
        f"serve_wrong({wrong!r})"
    )
    with connect(f"exec:{shlex.quote(sys.executable)} -c {shlex.quote(serves)}", timeout=TIMEOUT) as adapter:
        return attack(adapter, [test for test in suite_tests() if test.name.endswith("::test_devices")])


@pytest.mark.parametrize(
    "mended",
    [
        "KNOWN_DEFECTS",
        *(f"KNOWN_DEFECTS[{n}:{n + 1}]" for n, one in enumerate(KNOWN_DEFECTS) if one not in THROUGHOUT),
    ],
)
def test_who_carries_the_fix_passes(mended: str) -> None:
    came = bent(PLUGIN, "subsets = [AS_RELEASED]", f"subsets: list[Mended] = [frozenset({mended})]")

    assert came.kill is None
    assert came.faults == 0


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        (REQUESTS, "if pool.is_broken(self.mended):", "if pool.invalid_reason:"),
        (ALLOCATOR, "alternative, place.device + 1)", "alternative, place.device + 2)"),
    ],
    ids=["takes-all-of-what-is-incomplete", "skips-every-second-one"],
)
def test_who_does_neither_fails(module: str, before: str, after: str) -> None:
    came = bent(module, before, after)

    assert came.kill is not None
    assert came.kill.rule.startswith("R-DRA-")
