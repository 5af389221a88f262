# SPDX-License-Identifier: Apache-2.0
"""What is drawn depends on the seed alone, in every area, and what is given more often is drawn more often."""

from __future__ import annotations

from collections import Counter

import pytest
from done_histories import QUICKLY, drawn
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from conformance.strategies import AREAS
from conformance.strategies.drawn import any_of


@pytest.mark.parametrize("area", AREAS)
def test_one_seed_draws_the_same_histories_and_another_one_others(area: str) -> None:
    assert drawn(area, 1, 4) == (of_one := drawn(area, 1, 4))
    assert drawn(area, 2, 4) != of_one


def test_what_is_given_four_times_is_drawn_about_four_times_as_often() -> None:
    often = st.integers(0, 10**9).map(lambda number: ("often", number))
    seldom = st.integers(0, 10**9).map(lambda number: ("seldom", number))
    times: Counter[str] = Counter()

    @seed(1)
    @settings(QUICKLY, max_examples=500, phases=[Phase.generate])
    @given(any_of(*[often] * 4, seldom))
    def count(value: tuple[str, int]) -> None:
        times[value[0]] += 1

    count()
    assert 3 < times["often"] / times["seldom"] < 5
