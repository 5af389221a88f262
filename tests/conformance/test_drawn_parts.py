# SPDX-License-Identifier: Apache-2.0
"""Parts of a scheduler are drawn from a seed, and the specification passes as one of them."""

from __future__ import annotations

import pytest

from conformance.campaigns.drawn_parts import main, part_of
from refsched.releases import RELEASES


def test_a_seed_draws_one_release_and_one_part() -> None:
    drawn = [part_of(seed) for seed in range(40)]
    assert drawn == [part_of(seed) for seed in range(40)]
    assert {release for release, _ in drawn} == set(RELEASES)
    assert len({part for _, part in drawn}) == len(drawn)


def test_the_specification_passes_as_a_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["3", "--examples=4", "-k=taint"]) == 0
    assert "1 parts pass" in capsys.readouterr().out
