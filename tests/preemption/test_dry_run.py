# SPDX-License-Identifier: Apache-2.0
"""What a dry run of preemption reports when nodes answer with errors."""

from __future__ import annotations

from refsched.preemption.dry_run import aggregate


def test_errors_are_reported_once_each() -> None:
    assert aggregate(["a", "a"]) == "a"
    assert aggregate(["a", "b", "a"]) == "[a, b]"
