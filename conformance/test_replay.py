# SPDX-License-Identifier: Apache-2.0
"""One failure again, from the file that ``--replay`` names."""

from __future__ import annotations

from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import REPLAY, conforms


@conforms(area=REPLAY, rules=())
def test_the_history_of_a_file(check: Check, history: History) -> None:
    check(history)
