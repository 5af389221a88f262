# SPDX-License-Identifier: Apache-2.0
"""What is drawn depends on the seed alone, in every area."""

from __future__ import annotations

import pytest
from done_histories import drawn

from conformance.strategies import AREAS


@pytest.mark.parametrize("area", AREAS)
def test_one_seed_draws_the_same_histories_and_another_one_others(area: str) -> None:
    assert drawn(area, 1, 4) == (of_one := drawn(area, 1, 4))
    assert drawn(area, 2, 4) != of_one
