# SPDX-License-Identifier: Apache-2.0
"""BudgetClock: a budget over the API, where a history takes as long as the scheduler and the machine need for it.

What is planned for a budget takes about its time on a machine that is idle. On another one, or with a slow
scheduler, it would take many times as long. So each test has its part of the time, after which no history of it
begins. What was not tried for this reason is reported.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from attrs import define, evolve

from refsched.suite.session.budget import Planned

FIXED_SECONDS = 0.1
"""Over the API every history takes about this many seconds. This and what follows was measured with kube-scheduler
on two cores that were idle."""

TIMES_AS_LONG = 5.0
"""Besides, a history takes over the API about this many times what the specification needs for it."""

TO_CONFIGURE = 2.0
"""A history with a configuration of its own takes about this many seconds more with kube-scheduler, and longer
with a program in Python: a scheduler is started for it, and another one for the next history."""


def over_the_api(test: Planned) -> Planned:
    """Returns the test with what one of its histories costs over the API."""
    seconds = FIXED_SECONDS + TIMES_AS_LONG * test.weight.seconds + TO_CONFIGURE * test.configures
    return evolve(test, weight=evolve(test.weight, seconds=seconds))


@define
class BudgetClock:
    """A BudgetClock starts when the first test asks. ``costs`` say what part of the ``seconds`` each test may
    take; what it does not use is left to those after it."""

    seconds: float
    costs: Mapping[str, float]
    _began: float = 0.0
    _dealt: float = 0.0

    def pause(self, seconds: float) -> None:
        """Leaves out this many seconds, which a failure has taken of the allowance. What it takes beyond that is
        taken from the budget."""
        self._began += seconds

    def end_of(self, test: str) -> float:
        """Returns until when this test, which is the next one, may begin histories, by ``time.monotonic``."""
        self._began = self._began or time.monotonic()
        self._dealt += self.costs[test]
        return self._began + self.seconds * self._dealt / sum(self.costs.values())
