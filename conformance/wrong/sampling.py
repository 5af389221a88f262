# SPDX-License-Identifier: Apache-2.0
"""The order in which mutants are sampled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from refsched.suite.session.further_histories import by_turns


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Item = TypeVar("Item", bound=_Named)


def drawn_evenly(items: Iterable[Item], parts: Iterable[str], part_of: Callable[[str], str]) -> list[Item]:
    """Returns all of them in an order that is drawn with a fixed seed, those of each part by turns, so that the
    first this many are an even sample. ``part_of`` returns the part to which a name belongs."""
    by_part: dict[str, list[Item]] = {part: [] for part in parts}
    for item in sorted(items, key=lambda one: hashlib.sha256(f"0 {one.name}".encode()).digest()):
        by_part[part_of(item.name)].append(item)
    return list(by_turns(*by_part.values()))
