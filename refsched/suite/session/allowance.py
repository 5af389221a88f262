# SPDX-License-Identifier: Apache-2.0
"""Allowance: the time that a run spends on making failing histories small, and the work on naming rules.

How many histories are run is never a matter of the clock (budget.py), nor is which rule is named. How small a
failing one becomes is: a slow implementation with many mistakes would else keep a run of one minute busy for an
hour.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from attrs import define

from refsched.suite.breaking.explaining import WORK, FailureExplanation

LEAST = 1.0
"""Even the last of many failures gets this many seconds, but for those over the API."""

WITHOUT_BUDGET = 120.0
"""A run without ``--budget`` has this many seconds."""

WITH_BUDGET = 30.0
PART_OF_BUDGET = 0.5
"""A short budget has the seconds of WITH_BUDGET, and a longer one this share, or over the API as many again."""

OF_THE_REST = 0.5
"""One test may take this share of the seconds that are left, so that some are left for later ones."""

RECORDS_PER_SECOND = WORK / 6
"""This many records are compared to name rules for each second that is allowed, as many as a processor compares in
it. The number is what counts, and not the second: which rules are named does not depend on the clock."""


@define
class Allowance:
    """An Allowance says how many seconds are ``left``, and how many ``records`` may be compared, in one process.
    In a run without a budget these are enough for a hundred failures of a scheduler with one mistake. ``by_clock``
    is for a run over the API, where time is real: naming rules takes of the seconds, too, and without any left
    nothing is done about a failure."""

    left: float = WITHOUT_BUDGET
    records: float = WITHOUT_BUDGET * RECORDS_PER_SECOND
    by_clock: bool = False

    @classmethod
    def of(cls, budget: float | None, *, by_clock: bool = False) -> Allowance:
        """Returns what a run with this budget, in seconds, is allowed."""
        part = 1.0 if by_clock else PART_OF_BUDGET
        seconds = WITHOUT_BUDGET if budget is None else max(WITH_BUDGET, budget * part)
        return cls(seconds, seconds * RECORDS_PER_SECOND, by_clock)

    @property
    def share(self) -> float:
        """Returns the seconds that one thing may take which is done about the failure of one test."""
        return max(0.0 if self.by_clock else LEAST, self.left * OF_THE_REST)

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Takes the seconds that pass meanwhile from those that are left."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.spend(time.monotonic() - began)

    def explaining(self, explain: Callable[[], FailureExplanation]) -> FailureExplanation:
        """Returns the explanation, or none once the work that is allowed is done."""
        if self.records <= 0 or not self.share:
            return FailureExplanation()
        with self.spending() if self.by_clock else nullcontext():
            found = explain()
        self.records -= found.records
        return found

    def spend(self, seconds: float) -> None:
        self.left = max(0.0, self.left - seconds)
