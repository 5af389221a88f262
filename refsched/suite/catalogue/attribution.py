# SPDX-License-Identifier: Apache-2.0
"""Attribution: from where a record and the specification differ to the rules that may be broken.

A difference *shows at* some rules: at the rule of a reason that only one of the two gives, at the rules of the
plugin whose verdict or score differs, at the steps by which a pod came to its queue, and at the rules that say
of themselves that they decide this member of a record (rule_metadata.py). What shows at a rule may come from
another one, such as a verdict about cpu from how requests add up. So every rule that was applied in the history is
suspected: first those of the plugin, then all others, and of each the rarest first (rarity.py). Words are
different: where only a message differs, no rule is suspected but those that word it and those of the reasons that
it counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

from refsched.checking.agreement import Disagreement
from refsched.records import NodeStatus, PreFilter
from refsched.suite.catalogue.applied_rules import AppliedRules, QueueMove
from refsched.suite.catalogue.rarity import rarity
from refsched.suite.catalogue.reasons import rule_of_reason
from refsched.suite.catalogue.rules import (
    EVENT_ROWS,
    TRANSITIONS_OF,
    all_rules,
    level_of,
    plugins_of,
    rules_of_hint,
)
from refsched.suite.catalogue.showing import shown_with

MOST = 3
"""This many rules are named."""

_OF_PLUGINS = ("preFilter", "filter", "scores")
"""These members of an attempt are decided by plugins."""

_OF_PREEMPTION = " preemption: "
"""These words stand in a message before what preemption has to say."""

_COUNTED = re.compile(r"(?:: |, )(\d+) (.+?)(?=, \d+ |\. |\.$|$)")
"""This is how a message counts the nodes that gave a reason."""


class Attribution:
    """An Attribution finds the rules behind a difference in one history, by what the specification has applied
    there."""

    def __init__(self, rules: AppliedRules) -> None:
        self._rules = rules

    def rule_of(self, found: Disagreement) -> str:
        """Returns the id of the rule at which a disagreement shows."""
        return next(self._shows_at(found))

    def suspects(self, found: Disagreement, symptom: str) -> tuple[str, ...]:
        """Returns the rules that may be broken, the most suspected first. ``symptom`` is the rule at which the
        disagreement shows. The first one has its level: which rule is named does not decide whether a scheduler
        conforms."""
        shows_at = (symptom, *self._shows_at(found))
        here = [rule for rule in shows_at if rule == symptom or rule in self._rules.ever]
        plugins = _plugins(found)
        areas = set() if plugins else {_area(rule) for rule in (*shows_at, *_deciding(found.member))}
        applied = sorted(self._rules.ever, key=_rarest_first)
        near = [
            rule
            for rule in applied
            if any(plugin in plugins_of(rule) for plugin in plugins)
            or (_area(rule) in areas and rule not in _rows())
        ]
        if not _shows_where_it_is(found):
            here = sorted({*here, *near}, key=_rarest_first)
        ranked = (*here, *near) if _is_worded_otherwise(found) else (*here, *near, *applied)
        first = next((rule for rule in ranked if level_of(rule) == level_of(symptom)), symptom)
        return tuple(dict.fromkeys((first, *ranked)))

    def _shows_at(self, found: Disagreement) -> Iterator[str]:
        """Yields the rules at which a disagreement shows, the nearest first."""
        member, *_ = found.member.split(".")
        here: list[str] = []
        counted: list[str] = []
        if member in _OF_PLUGINS:
            here += _of_reasons(found.expected, found.got)
            if _differ_in_words(found.expected, found.got) and "" in here:
                here = [*_deciding("reasons")]
            for plugin in _plugins(found):
                here += self._applied_of(_of_plugin(plugin, scores=member == "scores"))
            if not here or None in (found.expected, found.got):
                member = "evaluated"
        elif member in ("queues", "pod", "attempt"):
            for pod in _differing(found.expected, found.got):
                if pod in self._rules.moves and (member == "queues" or not isinstance(found.expected, list)):
                    here += self._of_a_move(self._rules.moves[pod])
        elif member.startswith("claim") and not _deciding(member):
            member = "claims"
        elif member == "calls":
            member = f"calls.{_first_point(found.expected, found.got)}"
        elif member == "message":
            counted = _of_counted_reasons(found)
            if not _is_worded_otherwise(found):
                member = f"{member}.preemption"
        yield from filter(None, here)
        yield from self._applied_of(_deciding(member))
        yield from filter(None, counted)
        if not here and not _deciding(member):
            yield from self._applied_of(_deciding("result"))

    def _of_a_move(self, move: QueueMove) -> Iterator[str]:
        """Yields the rules of a step in the queue: those of the hint that was asked, the step, and the one before
        it."""
        if move.asked:
            yield from self._applied_of((*rules_of_hint(move.asked), move.asked))
        yield move.rule
        yield move.before

    def _applied_of(self, rules: Collection[str]) -> list[str]:
        """Returns those of the rules that were applied since the last comparison, or else in the history, the
        rarest first; all of them where none was."""
        for applied in (self._rules.applied, self._rules.ever):
            found = [rule for rule in rules if rule in applied]
            if found:
                return sorted(found, key=rarity, reverse=True)
        return list(rules)


@cache
def _rows() -> frozenset[str]:
    """Returns the rules of the steps in the queue. One by which the pod has not moved is not near."""
    return frozenset(row.rule for table in TRANSITIONS_OF.values() for row in table)


def _area(rule: str) -> str:
    return rule.split("-")[1]


def _rarest_first(rule: str) -> tuple[bool, float, str]:
    """Sorts rules by how rare they are, and rows of tables of events, each of which is rare, behind all others."""
    return _area(rule) == EVENT_ROWS, -rarity(rule), rule


def _plugins(found: Disagreement) -> list[str]:
    """Returns the plugins that the record or the specification name at the place of the difference."""
    plugins = {
        value.plugin for value in (found.expected, found.got) if isinstance(value, NodeStatus | PreFilter)
    }
    member, *rest = found.member.split(".")
    if member == "scores" and len(rest) > 1:
        plugins.add(rest[-1])
    return sorted(plugins - {""})


def _shows_where_it_is(found: Disagreement) -> bool:
    """Returns whether a difference shows at the rule that is broken: one in how a plugin rejects, in words, in
    where a pod waits, in the annotations that are written, in what a rule says of a claim's devices, or in whether
    there is anything at all."""
    member, *_ = found.member.split(".")
    return (
        member in ("message", "queues", "annotations")
        or (member.startswith("claim") and bool(_deciding(member)))
        or None in (found.expected, found.got)
        or _reject_alike(found.expected, found.got)
    )


def _of_reasons(expected: object, got: object) -> list[str]:
    """Returns the rules of the reasons that only one of the two gives, or of those that both give; empty for a
    reason that nobody declares."""
    one, other = Counter(_reasons(expected)), Counter(_reasons(got))
    return [rule_of_reason(reason) for reason in (*(one - other), *(other - one)) or one]


def _reasons(value: Any) -> Sequence[str]:
    return value.reasons if isinstance(value, NodeStatus | PreFilter) else ()


def _differ_in_words(expected: Any, got: Any) -> bool:
    """Returns whether both give the same verdict of the same plugin, with as many reasons."""
    return (
        _reject_alike(expected, got)
        and expected.code == got.code
        and len(expected.reasons) == len(got.reasons)
    )


def _reject_alike(expected: Any, got: Any) -> bool:
    """Returns whether the same plugin rejects according to both, so that only how it does so differs."""
    return (
        isinstance(expected, NodeStatus | PreFilter)
        and isinstance(got, NodeStatus | PreFilter)
        and expected.plugin == got.plugin != ""
    )


def _is_worded_otherwise(found: Disagreement) -> bool:
    """Returns whether two messages differ, and not only in which reasons they count for preemption."""
    if found.member != "message":
        return False
    one, other = (str(message).partition(_OF_PREEMPTION) for message in (found.expected, found.got))
    differ_in_preemption = bool(one[1] and other[1]) and one[0] == other[0]
    return not (differ_in_preemption and all(_of_counted_reasons(found)))


def _of_counted_reasons(found: Disagreement) -> list[str]:
    """Returns the rules of the reasons that are counted otherwise in one of two messages, or ``""`` for a reason
    that nobody declares."""
    one, other = (set(_COUNTED.findall(str(message))) for message in (found.expected, found.got))
    reasons = dict.fromkeys(reason for _, reason in sorted(one ^ other))
    return list(dict.fromkeys(map(rule_of_reason, reasons)))


def _first_point(expected: object, got: object) -> str:
    """Returns the extension point of the first call that differs."""
    for one, other in zip_longest(_names(expected), _names(got), fillvalue=""):
        if one != other:
            return (one or other).partition(".")[2]
    return ""


def _names(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list | tuple) else [str(value)] if value else []


def _differing(one: object, other: object) -> list[str]:
    """Returns the pods that are in one of the two lists only."""
    left, right = _names(one), _names(other)
    return [pod for pod in (*left, *right) if (pod in left) != (pod in right)]


@cache
def _deciding(member: str) -> tuple[str, ...]:
    """Returns the rules that decide this member of a record, or else the member that it is a part of. Those of
    PreFilter are any plugin's, since a record need not say which plugin it is."""
    found = tuple(
        rule.id
        for rule in all_rules().values()
        if member in rule.said.decides or (member == "preFilter" and rule.place.endswith(".pre_filter"))
    )
    whole = member.rpartition(".")[0]
    return found if found or not whole else _deciding(whole)


@cache
def _of_plugin(plugin: str, *, scores: bool) -> tuple[str, ...]:
    """Returns the rules by which a plugin scores, or else by which it filters."""
    own = [rule for rule in all_rules() if plugin in plugins_of(rule)]
    return tuple(rule for rule in own if shown_with(rule) == (("score",) if scores else ()))
