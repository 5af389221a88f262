# SPDX-License-Identifier: Apache-2.0
"""Mending: which oddities of its release a scheduler does not have, as far as its behavior shows.

A checker follows a scheduler with all known defects of its release until the two disagree. Then the recorded
history is checked again from its beginning, without some of these defects. A scheduler is correct if it agrees
from its first decision to its last with one and the same set of defects. Where a rule leaves an order open that
the release always takes, it can be checked without that order, too.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeVar

from attrs import define, field, frozen

from refsched.checking.checker import Checker
from refsched.errors import InputError
from refsched.objects.dra import ResourceClaim
from refsched.oddities.fixed_orders import FIXED_ORDERS
from refsched.oddities.known_defect import FixedOrder, Oddity
from refsched.oddities.known_defects import KNOWN_DEFECTS

T = TypeVar("T")

Mended = frozenset[Oddity]
"""A Mended has the oddities that a scheduler does not have."""


@frozen
class FirstWrong:
    """A FirstWrong is the number of a question, and what was found wrong when it was asked."""

    question: int
    found: object


AS_RELEASED: Mended = frozenset()
_ALL: Mended = frozenset(KNOWN_DEFECTS)
_ORDERS: Mended = frozenset(FIXED_ORDERS)


def mends_that_explain(
    first_wrong: Callable[[Mended], object],
    wrong: object,
    now: Mended = AS_RELEASED,
    *,
    singly: bool = True,
) -> Mended | None:
    """Returns the known defects without which there is no disagreement, or None if there is no such set.
    ``first_wrong`` returns the first disagreement without these defects, or None; ``wrong`` is the disagreement
    without those in ``now``.

    Known defects do not explain a disagreement that is the same without all of them and, if ``singly``, without
    any one of them. One defect may hide what another one does. Those of a plugin stay as they are in ``now`` if
    the disagreement is the same with all of them, without all of them and, if ``singly``, with any one changed."""
    if now != _ALL:
        without_all = first_wrong(_ALL)
        if without_all is None:
            return _ALL
        if now == AS_RELEASED and without_all == wrong and not singly:
            return None

    def matters(of_plugin: Mended) -> bool:
        tried = [now | of_plugin, now - of_plugin, *(now ^ {defect} for defect in of_plugin if singly)]
        return any(first_wrong(mended) != wrong for mended in tried if mended != now)

    plugins = [of_plugin for of_plugin in _by_plugin() if matters(of_plugin)]
    matter = [defect for defect in KNOWN_DEFECTS if any(defect in of_plugin for of_plugin in plugins)]
    others = now.difference(matter)
    for number in range(len(matter) + 1):
        for some in (others.union(chosen) for chosen in combinations(matter, number)):
            if some not in (now, _ALL) and first_wrong(some) is None:
                return some
    return None


def _by_plugin() -> list[Mended]:
    """Returns the known defects of each plugin."""
    names = dict.fromkeys(defect.plugin for defect in KNOWN_DEFECTS)
    return [frozenset(defect for defect in KNOWN_DEFECTS if defect.plugin == name) for name in names]


@define(eq=False)
class Mending:
    """A Mending follows a scheduler, and finds out which oddities it does not have. ``checker_without`` makes the
    checker of a scheduler without these oddities. ``checker`` is the one that is asked now, and ``mended`` are the
    oddities that its scheduler does not have."""

    checker_without: Callable[[Mended], Checker]
    checker: Checker = field(init=False)
    mended: Mended = AS_RELEASED
    _asked: list[Callable[[Checker], Any]] = field(factory=list, init=False)
    _tried: dict[Mended, tuple[Checker, FirstWrong | None]] = field(factory=dict, init=False)

    @checker.default
    def _first(self) -> Checker:
        return self.checker_without(AS_RELEASED)

    def ask(self, question: Callable[[Checker], T]) -> T:
        """Asks the checker. Every question is kept, so that another checker can be asked the same ones."""
        self._asked.append(question)
        self._tried.clear()
        return question(self.checker)

    def explains(self, found: object) -> bool:
        """Returns whether leaving out some known defects explains what the last question found. If it does, the
        scheduler is without these defects from now on. Only defects in the allocation of devices can hide each
        other."""
        orders = self.mended & _ORDERS
        return self._is_explained(self._wrong(found), orders)

    def agrees(self, *, in_order: bool = False) -> bool:
        """Returns whether another checker, which is made now and asked the same questions, finds nothing wrong,
        and in the attempt that was compared last compares no fewer nodes. If ``in_order``, it leaves no order
        open."""
        checker, wrong = self._asked_all_over(self.mended - _ORDERS if in_order else self.mended)
        if wrong is not None or (checker.specified is None and self.checker.specified is not None):
            return False
        return checker.compared_nodes >= self.checker.compared_nodes

    @property
    def asked(self) -> int:
        """Returns how many questions were asked."""
        return len(self._asked)

    def orders_left_open(self, found: object) -> tuple[FixedOrder, ...]:
        """Returns the orders of the release without which there is no disagreement, since a rule leaves them
        open. The scheduler is free in them from now on. A checker that has to guess which order was taken, and
        therefore cannot follow any further, disagrees with nothing."""
        wrong = self._wrong(found)
        mended = self.mended | _ORDERS
        if mended == self.mended or (left := self._first_wrong(mended)) == wrong:
            return ()
        matter = tuple(each for each in FIXED_ORDERS if self._first_wrong(self.mended | {each}) != wrong)
        if left is None or left == self._wrong([]):
            self._go_on_without(mended)
        elif not self._is_explained(left, _ORDERS):
            return ()
        return matter or FIXED_ORDERS

    def _wrong(self, found: object) -> FirstWrong:
        return FirstWrong(len(self._asked) - 1, found)

    def _is_explained(self, wrong: FirstWrong, orders: Mended) -> bool:
        """Returns whether leaving out some known defects explains what is ``wrong`` without them, if these
        orders are left open. Nothing explains it after something else was wrong before."""
        again = self._asked_all_over(self.mended)[1]
        if again is not None and again.question < wrong.question:
            return False
        mended = mends_that_explain(
            lambda mended: self._first_wrong(mended | orders),
            wrong,
            self.mended - _ORDERS,
            singly=bool(self.checker.scheduler.state.objects.list(ResourceClaim)),
        )
        if mended is not None:
            self._go_on_without(mended | orders)
        return mended is not None

    def _go_on_without(self, mended: Mended) -> None:
        self.mended, self.checker = mended, self._tried[mended][0]
        self._tried.clear()

    def _first_wrong(self, mended: Mended) -> FirstWrong | None:
        if mended not in self._tried:
            self._tried[mended] = self._asked_all_over(mended)
        return self._tried[mended][1]

    def _asked_all_over(self, mended: Mended) -> tuple[Checker, FirstWrong | None]:
        """Returns another checker, and the first disagreement that it finds. A checker that cannot follow to the
        end proves nothing."""
        checker = self.checker_without(mended)
        for number, question in enumerate(self._asked):
            try:
                found = question(checker)
            except InputError as problem:
                return checker, FirstWrong(number, str(problem))
            if (isinstance(found, list) and found) or checker.has_diverged:
                return checker, FirstWrong(number, found)
        return checker, None
