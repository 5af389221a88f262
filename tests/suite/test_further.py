# SPDX-License-Identifier: Apache-2.0
"""Further histories depend on the seed and the area alone, and are run as long as there is time."""

from __future__ import annotations

from attrs import evolve

from conformance.strategies import AREAS
from refsched.suite.findings import Comparison, Finding
from refsched.suite.histories.history import History
from refsched.suite.histories.judgement import Judgement
from refsched.suite.session.drawing import load_profile
from refsched.suite.session.further_histories import HISTORIES, came_in, further

CAME = Comparison(lambda: True, 1)
SHOWN = Judgement(History(()), comparison=CAME)
FOUND = Finding("R-A-01", "pod", "", "")


def test_the_same_are_drawn_for_one_seed_and_area() -> None:
    load_profile()
    drawn = further(AREAS["taints"](), "0", "taints")
    assert 0 < len(drawn) <= HISTORIES
    assert drawn == further(AREAS["taints"](), "0", "taints")
    assert drawn != further(AREAS["taints"](), "1", "taints")


def test_those_count_that_ran_to_their_end_or_showed_something() -> None:
    judgements = [
        SHOWN,
        evolve(SHOWN, ended="it needs more"),
        evolve(SHOWN, ended="it needs more", findings=(FOUND,)),
        evolve(SHOWN, comparison=None),
    ]
    answers = iter(judgements)
    assert list(came_in(lambda history: next(answers), [History(())] * 4, 60.0)) == [CAME, CAME]


def test_nothing_more_comes_after_a_fault_or_when_the_time_is_over() -> None:
    answers = iter([SHOWN])
    assert list(came_in(lambda history: next(answers), [History(())] * 3, 60.0)) == [CAME]
    assert list(came_in(lambda history: SHOWN, [History(())], -1.0)) == []
