# SPDX-License-Identifier: Apache-2.0
"""Allowance: the time that a run spends on its failures, to make histories small and to name rules.

How many histories are run is never a matter of the clock (budget.py). How small a failing one becomes is: a slow
implementation with many mistakes would else keep a run of one minute busy for an hour.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define

LEAST = 1.0
"""Seconds that the last of many failures gets, too."""

WITHOUT_BUDGET = 120.0
"""Seconds of a run without ``--budget``."""

WITH_BUDGET = 30.0
PART_OF_BUDGET = 0.5
"""Seconds of a short budget, and the share of a longer one."""

OF_THE_REST = 0.5
"""What one test may take of the seconds that are left, so that there are some for later ones."""


@define
class Allowance:
    """``left`` is in seconds, of one process."""

    left: float = WITHOUT_BUDGET

    @classmethod
    def of(cls, budget: float | None) -> Allowance:
        return cls() if budget is None else cls(max(WITH_BUDGET, budget * PART_OF_BUDGET))

    @property
    def share(self) -> float:
        """Seconds for one thing that is done about the failure of one test."""
        return max(LEAST, self.left * OF_THE_REST)

    @contextmanager
    def spending(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.spend(time.monotonic() - began)

    def spend(self, seconds: float) -> None:
        self.left = max(0.0, self.left - seconds)
