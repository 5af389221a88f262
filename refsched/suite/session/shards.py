# SPDX-License-Identifier: Apache-2.0
"""Shards: a run that is split over processes or machines that know nothing of each other.

``--shard 3/8`` runs the third of eight parts of the tests; which tests these are depends on the tests alone.
``run_data.py`` makes one report of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from refsched.errors import InputError
from refsched.suite.session.budget import Planned

MOST_PARTS = 10_000
"""A run has at most this many parts."""

_SHAPE = re.compile(r"([1-9][0-9]{0,4})/([1-9][0-9]{0,4})", re.ASCII)


@frozen
class Shard:
    """A Shard is the part ``number`` of ``of``, from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def takes(self, tests: Sequence[Planned]) -> set[str]:
        """Returns the names of the tests of this part: the most expensive are dealt out first, each to the part
        with the least work."""
        load = [0.0] * self.of
        mine: set[str] = set()
        for test in sorted(tests, key=lambda test: (-test.cost, test.name)):
            lightest = load.index(min(load))
            load[lightest] += test.cost
            if lightest == self.number - 1:
                mine.add(test.name)
        return mine


def read_shard(text: str) -> Shard:
    """Reads ``3/8``. Raises InputError if the text is no part."""
    found = _SHAPE.fullmatch(text)
    if found is None or not int(found[1]) <= int(found[2]) <= MOST_PARTS:
        raise InputError(f"expected a part such as 3/8, found {text!r:.60}", where="--shard")
    return Shard(int(found[1]), int(found[2]))
