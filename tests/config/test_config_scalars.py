# SPDX-License-Identifier: Apache-2.0
"""How a duration is written."""

from __future__ import annotations

import pytest

from refsched.config.scalars import go_duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (1e-9, "1ns"),
        (2.5e-6, "2.5µs"),
        (0.02, "20ms"),
        (0.0205, "20.5ms"),
        (1, "1s"),
        (1.5, "1.5s"),
        (60, "1m0s"),
        (90.25, "1m30.25s"),
        (900, "15m0s"),
    ],
)
def test_a_duration_reads_as_in_go(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text
