# SPDX-License-Identifier: Apache-2.0
"""Rules that are applied, and who hears of it."""

from __future__ import annotations

import pickle

from refsched.framework.status import unschedulable
from refsched.rules import Reason, applies, listening

TAKEN = Reason("port {} is taken", "R-PORTS-03")


def test_a_listener_hears_each_rule_that_is_applied_while_it_listens() -> None:
    heard: list[str] = []
    applies("R-FIT-01")
    with listening(heard.append):
        applies("R-FIT-02")
        applies("R-FIT-02")
    applies("R-FIT-03")
    assert heard == ["R-FIT-02", "R-FIT-02"]


def test_a_status_with_a_reason_applies_its_rule() -> None:
    heard: list[str] = []
    with listening(heard.append):
        status = unschedulable(TAKEN.of(80), "words without a rule")
    assert status.reasons == ("port 80 is taken", "words without a rule")
    assert heard == ["R-PORTS-03"]


def test_a_reason_is_its_text_and_keeps_its_rule_on_its_way_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(TAKEN))
    assert (sent, sent.rule) == ("port {} is taken", "R-PORTS-03")
