# SPDX-License-Identifier: Apache-2.0
"""Showing: in what an implementation reports a rule can show.

A rule shows where breaking it would change something that is compared. A rule of a plugin's Score shows in
scores, one of its hints in queues, one of its Filter on nodes; a rule that plugins share shows if one of
them is there.
"""

from __future__ import annotations

import re
from functools import cache

from refsched.suite.catalogue.rules import EVENT_ROWS, StatedRule, all_rules

_METHODS: tuple[tuple[str, str], ...] = (
    (r"(pre_score|score|normalize_score)\b", "score"),
    (r"(after_\w+|pre_enqueue|EVENTS)\b", "queue"),
)
"""Where a rule stands with a method of a plugin: the capability that shows what this method decides."""


@cache
def shown_with(rule: str) -> tuple[str, ...]:
    """Returns the capabilities of which one must be claimed, so that the rule can show. Empty: it shows in any
    case."""
    stated = all_rules().get(rule)
    if stated is None:
        return ()
    said = stated.said.shows_in
    return _by_place(stated) if said is None else said


@cache
def shown_only_with(rule: str) -> tuple[str, ...]:
    """Returns the capabilities of which one must be claimed besides, so that anything brings the rule about.
    Empty: a cluster and a default configuration do. For example, a rule of a plugin's Score needs ``score``
    besides the capability to have the plugin."""
    stated = all_rules().get(rule)
    return () if stated is None else stated.said.needs or _by_place(stated)


def _by_place(rule: StatedRule) -> tuple[str, ...]:
    if not rule.is_of_a_plugin:
        return ()
    if rule.module.endswith("_scoring"):
        return ("score",)
    last = rule.place.rpartition(".")[2]
    return next(((shown,) for pattern, shown in _METHODS if re.match(pattern, last)), ())


@cache
def brought_about_by(rule: str) -> tuple[str, ...]:
    """Returns the inputs of which one must be taken (``create``, ``update``, ``delete``), so that anything brings
    the rule about. Empty: whatever inputs there are."""
    stated = all_rules().get(rule)
    if stated is None or stated.area != EVENT_ROWS:
        return stated.said.brought_about_by if stated is not None else ()
    actions = rule.rpartition("-")[2].split("+")
    inputs = {"Add": "create", "Delete": "delete", "*": ""}
    found = tuple(dict.fromkeys(inputs.get(action, "update") for action in actions))
    return () if "" in found else found
