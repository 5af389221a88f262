# SPDX-License-Identifier: Apache-2.0
"""Explaining: which rule's breaking gives what was seen.

When a test has failed, the specification is broken in one place after another, and asked each time whether it
agrees with what the scheduler did: in the smallest history that shows the failure, in others that showed
something, and in those in which nothing was wrong. A breaking that agrees with all of them is most likely the
scheduler's own mistake, and the rule that stands at its place is named.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from attrs import frozen

from refsched.suite.breaking.breakings import Breaking, breakings_of, broken, forgetting
from refsched.suite.breaking.course import course_of
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.findings import Comparison

WORK = 10_000
"""So many records are compared at most with what a broken specification does, over all breakings."""

SECONDS = 0.5
"""Of a processor, for one history and one breaking."""

PATIENCE = 60.0
"""Seconds after which nothing is explained."""

ENOUGH = 0.6
"""The share of the histories that a breaking must agree with."""

OF_AREA = 0.02
"""How much a rule is suspected that is none of the suspected ones, and of the area of one."""

NEAR = 0.06
"""By how much less a breaking may agree that is named beside the best one."""


@frozen
class Explanation:
    """``share`` is the share of histories with which the specification agrees while one of ``rules`` is broken."""

    rules: tuple[str, ...] = ()
    share: float = 0.0


def explanation_of(
    shown: Comparison, others: Sequence[Comparison], suspected: Sequence[str], may_be: Callable[[str], bool]
) -> Explanation:
    """``shown`` is the smallest history that shows a failure. ``suspected`` are rules that may be broken, the most
    suspected first; no rule is named but one that ``may_be``."""
    areas = {rule.split("-")[1] for rule in suspected}
    value = {rule: OF_AREA for rule in all_rules() if rule.split("-")[1] in areas}
    value |= {rule: 1.0 / (1 + place) for place, rule in enumerate(suspected)}
    votes: dict[str, list[float]] = {}
    course = course_of(lambda: _agrees(shown))
    forget = forgetting()
    left, least = WORK, 0.0
    for breaking in breakings_of(course, lambda rule: value.get(rule, 0.0)):
        if left <= 0 or breaking.value < least:
            break
        left -= 10 + shown.records
        with broken(breaking, forget) as is_broken:
            if is_broken and _agrees(shown):
                agreeing = sum(_agrees(other) for other in others)
                left -= sum(other.records for other in others)
                _vote(votes, breaking, (1 + agreeing) / (1 + len(others)), may_be)
                least = breaking.value if agreeing == len(others) else least
    return _best(votes, value)


def _vote(
    votes: dict[str, list[float]], breaking: Breaking, share: float, may_be: Callable[[str], bool]
) -> None:
    for place, rule in enumerate(rule for rule in breaking.rules if may_be(rule)):
        votes.setdefault(rule, []).append(share - 0.01 * min(place, 5))


def _best(votes: Mapping[str, Sequence[float]], value: Mapping[str, float]) -> Explanation:
    """Of rules whose breakings agree with as much, the most suspected one comes first."""
    best = {rule: max(each) for rule, each in votes.items()}
    share = max(best.values(), default=0.0)
    near = [rule for rule in best if best[rule] > share - NEAR]
    ranked = sorted(near, key=lambda rule: (-best[rule], -value.get(rule, 0.0), rule))
    return Explanation(tuple(ranked), share)


def named(explanation: Explanation, suspected: Sequence[str]) -> tuple[str, ...]:
    """The rules to name, the first one first. The most suspected one stays where it is among those of the
    explanation, or where no breaking agrees with enough."""
    rules = explanation.rules
    if explanation.share < ENOUGH or suspected[0] in rules:
        rules = (suspected[0], *(rule for rule in rules if rule != suspected[0]))
    return tuple(dict.fromkeys((*rules[:2], *suspected)))


def _agrees(comparison: Comparison) -> bool:
    try:
        with _limited():
            return comparison.agrees()
    except Exception:
        return False


class _TooLongError(Exception):
    pass


@contextmanager
def _limited() -> Iterator[None]:
    """A broken specification may never come to an end."""

    def late(number: int, frame: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# --- In a process of its own ----------------------------------------------------------------------


def explained_apart(
    shown: Comparison,
    others: Sequence[Comparison],
    suspected: Sequence[str],
    may_be: Callable[[str], bool],
    patience: float = PATIENCE,
) -> Explanation:
    """The same, in a process that parts from this one: here nothing is ever broken. Nothing is explained where a
    process cannot part, or takes longer than ``patience``, in seconds."""
    if not hasattr(os, "fork"):
        return Explanation()
    answers, says = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not need
        pid = os.fork()
    if not pid:
        _answer(says, lambda: explanation_of(shown, others, suspected, may_be))
    os.close(says)
    try:
        said = json.loads(_read(answers, patience) or b"[[], 0]")
    finally:
        os.close(answers)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return Explanation(tuple(said[0]), said[1])


def _answer(says: int, explain: Callable[[], Explanation]) -> Any:
    """In the child, which does not come back."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        found = explain()
        os.write(says, json.dumps([found.rules, found.share]).encode())
    finally:
        os._exit(0)


def _read(answers: int, patience: float) -> bytes:
    """All that comes before the end, or before the patience is over."""
    deadline = time.monotonic() + patience
    said = b""
    while select.select([answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
        more = os.read(answers, 4096)
        if not more:
            return said
        said += more
    return b""
