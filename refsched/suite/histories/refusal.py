# SPDX-License-Identifier: Apache-2.0
"""Refusal: a configuration that the specification refuses, and the rules by which it does.

A history without steps asks for nothing but its configuration. An implementation that claims ``validation`` has to
refuse it where the specification does, in whatever words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from traceback import walk_tb

from attrs import define

from refsched.checking.checker import Checker
from refsched.errors import InputError
from refsched.releases import release_of
from refsched.rules import listening
from refsched.suite.catalogue.rules import rules_of, stated_at
from refsched.suite.findings import Finding
from refsched.suite.histories.history import History
from refsched.suite.histories.part import Part

CAPABILITY = "validation"
RESET = "reset"
"""The request that has the configuration; in a finding it stands for the member of a record."""


def refusal_of(history: History, part: Part) -> Refusal | None:
    """Returns None if the specification accepts the configuration, or if the implementation is not judged by what
    it refuses."""
    if history.steps or not part.reads_config or CAPABILITY not in part.capabilities:
        return None
    release = release_of(part.kubernetes)
    return Refusal.of(lambda: Checker(history.config, history.feature_gates, release=release))


@define
class Refusal:
    """A Refusal judges an implementation that was given a configuration which the specification refuses: ``reads``
    raises InputError then. ``rules`` are those that refuse it and are stated where the error passes, the nearest
    to the ``problem`` first; ``others`` were applied last, too. Like a Judge, it says what was ``decisive``, and
    which ``choices`` there were, once it is known whether the implementation ``has_accepted`` the configuration.
    """

    reads: Callable[[], object]
    problem: str
    rules: tuple[str, ...]
    others: tuple[str, ...]
    has_accepted: bool | None = None

    @classmethod
    def of(cls, reads: Callable[[], object]) -> Refusal | None:
        """Returns None if nothing is refused. Raises InputError if no rule refuses it: the specification does not
        follow it."""
        heard: dict[str, None] = {}
        try:
            with listening(heard.setdefault):
                reads()
        except InputError as refused:
            stated = tuple(dict.fromkeys(_rules_on_the_way_of(refused)))
            if not stated:
                raise
            rules = tuple(rule for rule in stated if rule in heard) or stated[:1]
            last = [*takewhile(_refusing().__contains__, reversed(heard))]
            others = tuple(rule for rule in reversed(last) if rule not in rules)
            return cls(reads, str(refused), rules, others)
        return None

    @property
    def decisive(self) -> Counter[str]:
        return Counter(self.rules if self.asked else ())

    @property
    def asked(self) -> int:
        return int(self.has_accepted is not None)

    choices = single = asked

    def agrees(self) -> bool:
        """Returns whether the specification, as its code is now, answers as the implementation did."""
        try:
            self.reads()
        except InputError:
            return not self.has_accepted
        return bool(self.has_accepted)

    def accept(self) -> Finding:
        """Notes that the implementation accepts what the rules refuse, and returns that as a finding."""
        self.has_accepted = True
        expected = f"an error: {self.problem}"
        rule, *also = suspected = (*self.rules, *self.others)
        return Finding(rule, RESET, expected, "an answer", also=tuple(also), suspected=suspected)


def _rules_on_the_way_of(raised: BaseException | None) -> Iterator[str]:
    """Yields the rules that are stated where the error passed, from the inside to the outside. It may have been
    raised instead of another one."""
    if raised is None:
        return
    yield from _rules_on_the_way_of(raised.__context__)
    for frame, _ in reversed(list(walk_tb(raised.__traceback__))):
        stated = stated_at(frame.f_globals.get("__name__", ""), frame.f_code.co_qualname)
        yield from (rule for rule in stated if rule in _refusing())


@cache
def _refusing() -> frozenset[str]:
    return frozenset(rules_of("ARGS", "CONFIG"))
