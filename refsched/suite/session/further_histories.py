# SPDX-License-Identifier: Apache-2.0
"""Further histories of an area, by which the explanations of a failure are distinguished.

The histories of a test that has failed are few, or much alike once they have been made small: more than one
mistake explains them equally well. These are others, and which they are depends on the seed and the area alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

from hypothesis.strategies import SearchStrategy

from refsched.suite.findings import Comparison
from refsched.suite.histories.history import History
from refsched.suite.histories.judgement import Judgement
from refsched.suite.session.drawing import collected

HISTORIES = 24

T = TypeVar("T")


def further(strategy: SearchStrategy[History], seed: str, area: str) -> Sequence[History]:
    """Returns histories of the area that no test runs, the same ones for each seed."""
    return collected(strategy, examples=HISTORIES, seed=seed, name=f"further histories of {area}")


def came_in(
    judge: Callable[[History], Judgement], histories: Iterable[History], seconds: float
) -> Iterator[Comparison]:
    """Yields the comparisons of the histories that ran to their end or showed something. It stops after
    this many seconds, or where one cannot be judged: nobody fails by it."""
    deadline = time.monotonic() + seconds
    for history in histories:
        if time.monotonic() > deadline:
            return
        try:
            judgement = judge(history)
        except Exception:
            return
        if judgement.comparison is not None and (judgement.findings or not judgement.ended):
            yield judgement.comparison


def by_turns(*kept: Iterable[T]) -> tuple[T, ...]:
    """Returns the first of each, then the second of each, and so on."""
    return tuple(one for turn in zip_longest(*kept) for one in turn if one is not None)
