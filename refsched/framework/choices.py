# SPDX-License-Identifier: Apache-2.0
"""Choices: where more than one outcome is allowed, the specification enumerates them and asks for one.

That is all that it knows of whoever chooses. See docs/protocol.md, Nondeterminism.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Choices(Protocol):
    def choose(self, question: str, options: Sequence[T]) -> T:
        """One of ``options``, of which there is at least one. ``question`` says what is asked, in one word:
        ``pod`` (equals of QueueSort), ``node`` (among the highest totals), ``candidate`` (of preemption),
        ``volumes`` (the order in which they are considered), ``allocation`` (of devices on the chosen node),
        ``claim`` (to be deallocated), ``victim`` (the next
        of equally important pods), ``error`` (which one of many errors is reported)."""
        ...


class FirstChoice:
    """Always the first option."""

    def choose(self, question: str, options: Sequence[T]) -> T:
        return options[0]


class SeededChoices:
    """Random, and the same again for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, question: str, options: Sequence[T]) -> T:
        return self._random.choice(options)
