# SPDX-License-Identifier: Apache-2.0
"""Few of many: where a history takes long to try, as over an API, many are drawn and few are tried.

Most mistakes show where rules meet. The specification runs each history first, which takes a small part of the
time, and a history is tried if more pairs of rules meet in it for the first time than in any of those that were
drawn just before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from itertools import combinations_with_replacement

from attrs import Factory, define

from refsched.suite.histories.history import History

OF = 8
"""About one history of this many is tried. To draw all of them, and to run the specification on them, takes less
than half as long as the one try."""

AS_MANY = 5
"""A history with a configuration of its own costs about as much as this many others (clock.py, TO_CONFIGURE)."""

Pair = tuple[str, str]


@define(eq=False)
class FewOfMany:
    """FewOfMany chooses among the histories of one test, in the order in which they are drawn. ``applied`` returns
    the rules that apply in a history and can show."""

    applied: Callable[[History], Collection[str]]
    _met: set[Pair] = Factory(set)
    """These pairs of rules have met in histories that were chosen."""
    _last: deque[float] = Factory(lambda: deque(maxlen=OF - 1))
    """In the histories before, so many pairs met for the first time, for what each would have cost."""

    def takes(self, history: History) -> bool:
        """Returns whether the history is tried."""
        new = set(combinations_with_replacement(sorted(self.applied(history)), 2)) - self._met
        worth = len(new) / (AS_MANY if history.configures else 1)
        is_taken = worth > max(self._last, default=-1)
        self._last.append(worth)
        if is_taken:
            self._met |= new
        return is_taken
