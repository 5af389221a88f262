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
        chosen:

        * ``pod``: of those that QueueSort finds equal.
        * ``hint``: the candidate with the highest total that is tried first.
        * ``node``: of those with the highest total.
        * ``error``: the next one that is reported.
        * ``volumes``: the order in which they are considered.
        * ``capacity``: a node's score by one of the CSIStorageCapacities with enough for a claim.
        * ``service``: the count of one of many Services (v1.19).
        * ``allocation``: of devices on the chosen node.
        * ``name``: that of an object which the scheduler creates. There is one option, the name that is made here,
          so that a Choices which follows another scheduler can answer with that scheduler's.
        * ``candidate``: of preemption.
        * ``victim``: the next of equally important pods.
        * ``budgets``: what follows on one node from the order of budgets.
        * ``claim``: the one to deallocate.
        * ``activation``: whether a preemptor is activated in flight, or once it waits in the queue again.
        * ``eviction``: whether the second of two victims of one name exists when it is evicted (before 1.35).
        * ``deletion``: when a pod that preempts itself is deleted (before 1.35)."""
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
