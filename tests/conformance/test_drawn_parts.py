# SPDX-License-Identifier: Apache-2.0
"""Parts of a scheduler are drawn from a seed, and the specification passes as one of them."""

from __future__ import annotations

import pytest

from conformance.campaigns import part_alone
from conformance.campaigns.drawn_parts import main, part_of
from refsched.releases import RELEASES


def test_a_seed_draws_one_release_and_one_part() -> None:
    drawn = [part_of(seed) for seed in range(40)]
    assert drawn == [part_of(seed) for seed in range(40)]
    assert {release for release, _ in drawn} == set(RELEASES)
    assert len({part for _, part in drawn}) == len(drawn)


def test_a_part_alone_has_what_its_plugins_need() -> None:
    drawn = [part_alone.part_of(seed) for seed in range(40)]
    assert drawn == [part_alone.part_of(seed) for seed in range(40)]
    assert all("volumes" in part.capabilities for part in drawn if "VolumeBinding" in part.plugins)


@pytest.mark.parametrize("options", [["3"], ["9", "--alone"]])
def test_the_specification_passes_as_a_part(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*options, "--examples=2", "-k=taint"]) == 0
    assert "1 parts pass" in capsys.readouterr().out


@pytest.mark.parametrize("seeds", ["nine", "9-7"])
def test_seeds_that_are_none_are_refused(seeds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([seeds]) == 2
    assert f"{seeds!r} is neither a seed" in capsys.readouterr().err
