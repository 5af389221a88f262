# SPDX-License-Identifier: Apache-2.0
"""Parts: which planted wrong schedulers an implementation of a part can be, and where it is kept what became of
them."""

from __future__ import annotations

from pathlib import Path
from random import Random

from refsched.mistakes.wrong import all_wrong
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.histories.part import Part

FOLDER = Path(__file__).parents[3] / "docs" / "evidence" / "parts"
SEED = 0


def that_can_be(profile: str) -> tuple[str, ...]:
    """Those of which every rule that they break can show in what such an implementation reports, in an order drawn
    with a fixed seed: the first so many are a random sample."""
    part = Part(PROFILES[profile])
    names = [
        wrong.name
        for wrong in all_wrong().values()
        if not (wrong.kubernetes or any(part.lacks(rule) for rule in wrong.breaks))
    ]
    Random(SEED).shuffle(names)
    return tuple(name for name in names if all_wrong()[name].shows_with in ("", *PROFILES[profile]))


def file_of(profile: str) -> Path:
    """What was measured, in the format of the kill matrix."""
    return FOLDER / f"{profile}.json"
