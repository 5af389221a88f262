# SPDX-License-Identifier: Apache-2.0
"""Choices: where kube-scheduler allows more than one outcome, the specification lists them and asks for one.

The specification knows nothing else about who makes the choice. See docs/protocol.md, When two schedulers agree.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Choices(Protocol):
    def choose(self, question: str, options: Sequence[T]) -> T:
        """Returns one of ``options``, of which there is at least one. ``question`` is one word for what is to be
        chosen: ``pod`` (of those that QueueSort finds equal), ``node`` (of those with the highest total),
        ``hint`` (the candidate with the highest total that is tried first),
        ``candidate`` (of preemption), ``volumes`` (the order in which they are considered), ``allocation`` (of
        devices on the chosen node), ``claim`` (the one to deallocate), ``victim`` (the next of equally important
        pods), ``budgets`` (what follows on one node from the order of budgets), ``service`` (the count of one of
        many Services), ``capacity`` (a node's score by one of the CSIStorageCapacities with enough for a claim),
        ``deletion`` (when a pod that preempts itself is deleted) or ``error`` (the next one that is reported)."""
        ...


class FirstChoice:
    """FirstChoice always chooses the first option."""

    def choose(self, question: str, options: Sequence[T]) -> T:
        return options[0]


class SeededChoices:
    """SeededChoices chooses at random, and makes the same choices again for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, question: str, options: Sequence[T]) -> T:
        return self._random.choice(options)
