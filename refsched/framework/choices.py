# SPDX-License-Identifier: Apache-2.0
"""Choices: where kube-scheduler may do one of several things, the specification asks.

Random when it runs free, first-come when a test wants no surprise; a checker follows what was recorded
(refsched/replay), a search over a small world enumerates. See docs/protocol.md, Nondeterminism.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, overload

from attrs import frozen

from refsched.framework.known_defects import AS_RELEASED, Mended

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@frozen
class Lazily(Sequence[T_co]):
    """So many options, each made when it is asked for."""

    number: int
    make: Callable[[int], T_co]

    def __len__(self) -> int:
        return self.number

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Sequence[T_co]:
        if isinstance(index, slice):
            return [self.make(number) for number in range(self.number)[index]]
        return self.make(range(self.number)[index])


@frozen
class SearchPlan:
    """What a search that may have stopped early is known to have done: the nodes it evaluated, and, where that
    is known, the feasible ones that it kept.

    ``interrupted`` are the nodes whose Filter says that it gave up because the search was stopped, and
    ``stopped_by`` what it says that the search was stopped by. ``reported`` is the error that ended the cycle.
    ``left`` are the nodes that extenders left of those kept; None where there are none to ask.
    """

    evaluated: frozenset[str]
    kept: frozenset[str] | None = None
    interrupted: frozenset[str] = frozenset()
    stopped_by: str = ""
    reported: str = ""
    left: frozenset[str] | None = None


class Choices(Protocol):
    def choose(self, question: str, options: Sequence[T]) -> T:
        """One of ``options``, of which there is at least one. ``question`` says what is asked, in one word:
        ``pod`` (equals of QueueSort), ``node`` (among the highest totals), ``candidate`` (of preemption),
        ``volumes`` (the order in which they are looked at), ``verdict`` (of Filter on a node, where it is open),
        ``trial`` (the same, while preemption tries what helps), ``allocation`` (of devices on the chosen node),
        ``claim`` (to be deallocated), ``error`` (which of several is told)."""
        ...

    def may_be_mended(self) -> Mended:
        """The known defects of v1.34.2 that this scheduler may or may not have. Any other one it has."""
        ...

    def plan_search(self, number_of_nodes: int, enough: int) -> SearchPlan | None:
        """What a search for ``enough`` feasible nodes among more did; None to search one node at a time."""
        ...


class FirstChoice:
    """Always the first option."""

    def may_be_mended(self) -> Mended:
        return AS_RELEASED

    def plan_search(self, number_of_nodes: int, enough: int) -> SearchPlan | None:
        return None

    def choose(self, question: str, options: Sequence[T]) -> T:
        return options[0]


class SeededChoices:
    """Random, and the same again for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def may_be_mended(self) -> Mended:
        return AS_RELEASED

    def plan_search(self, number_of_nodes: int, enough: int) -> SearchPlan | None:
        return None

    def choose(self, question: str, options: Sequence[T]) -> T:
        return self._random.choice(options)
