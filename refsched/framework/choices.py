# SPDX-License-Identifier: Apache-2.0
"""Choices: where kube-scheduler may do one of several things, the specification asks.

Random when it runs free, first-come when a test wants no surprise; a checker follows what was recorded
(refsched/replay), a search over a small world enumerates. See PROTOCOL.md, Nondeterminism.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Choices(Protocol):
    def choose(self, question: str, options: Sequence[T]) -> T:
        """One of ``options``, of which there is at least one. ``question`` says what is asked, in one word:
        ``pod`` (equals of QueueSort), ``node`` (among the highest totals), ``candidate`` (of preemption)."""
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
