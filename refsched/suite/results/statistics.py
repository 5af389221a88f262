# SPDX-License-Identifier: Apache-2.0
"""Statistics: how much a run has tried, and what was in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attrs import frozen

from refsched.suite.results.outcome import Outcome


@frozen
class Statistics:
    """The Statistics of a run count its ``tests``, the histories that were tried in them (``examples``), the
    outcomes that were checked (``choices``), and those that were the only one allowed (``single``).

    ``ended`` says why histories were not run to their end, and how many; ``late`` are the tests that the time of
    the budget did not suffice for, with how many histories were tried; ``without`` are fields that the
    implementation does not take, and from how many histories each was left out; ``ending`` is how many tests each
    broken rule ended."""

    tests: int
    examples: int
    choices: int
    single: int
    ended: tuple[tuple[str, int], ...] = ()
    late: tuple[tuple[str, int], ...] = ()
    without: tuple[tuple[str, int], ...] = ()
    ending: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Statistics:
        """Adds up what the tests of a run have tried."""
        ended = sum((Counter(outcome.ended) for outcome in outcomes), Counter[str]())
        without = sum((Counter(outcome.without) for outcome in outcomes), Counter[str]())
        return cls(
            tests=sum(outcome.is_claimed and not outcome.is_untried for outcome in outcomes),
            examples=sum(outcome.examples for outcome in outcomes),
            choices=sum(outcome.choices for outcome in outcomes),
            single=sum(outcome.single for outcome in outcomes),
            ended=_most_frequent_first(ended),
            late=tuple((outcome.test, outcome.examples) for outcome in outcomes if outcome.is_late),
            without=tuple(sorted(without.items())),
            ending=_most_frequent_first(Counter(outcome.target for outcome in outcomes if outcome.target)),
        )

    @property
    def everywhere(self) -> tuple[tuple[str, int], ...]:
        """Returns the broken rules that ended more than a third of the tests, each with how many: what is behind
        them was not looked at."""
        return tuple((rule, tests) for rule, tests in self.ending if tests > max(1, self.tests / 3))


@frozen
class Unseen:
    """An Unseen says that the suite ``killed`` some of ``tried`` mistakes that nobody had looked at, written by
    hand before any was tried, on the day ``measured``."""

    measured: str
    tried: int
    killed: int


@frozen
class Power:
    """A Power says that ``killed`` of the ``planted`` wrong schedulers are killed; those that no test kills are
    among the planted. ``profile`` is the part of a scheduler as which they were tried, if they were not tried as
    whole ones. ``beyond`` are capabilities that the implementation claims and this part does not have: no wrong
    scheduler was tried that breaks only these. ``unseen`` is what is known of other mistakes, in whole
    schedulers."""

    killed: int
    planted: int
    profile: str = ""
    beyond: tuple[str, ...] = ()
    unseen: Unseen | None = None


def _most_frequent_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda counted: (-counted[1], counted[0])))
