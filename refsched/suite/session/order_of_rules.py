# SPDX-License-Identifier: Apache-2.0
"""Order of rules: which of the rules that were broken may only follow from another one.

Areas stand in an order, along the road of a pod. What an invariant finds is wrong by any specification, so that
the invariants come first; a plugin that filters depends on nothing but its configuration; the search, preemption
and what comes after a decision depend on every filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TypeVar

from refsched.records import ERROR
from refsched.suite.catalogue.rules import StatedRule, all_rules
from refsched.suite.findings import Finding
from refsched.suite.results.rule import Rule

AnyRule = TypeVar("AnyRule", Rule, StatedRule)

_READING = ("DEFAULTS", "REQUEST", "SELECTOR", "GATES", "ARGS", "CONFIG", "FEATURE")
_NODE_FILTERS = (
    *("NODENAME", "CORDON", "TAINT", "NODEAFF", "PORTS", "FIT", "PODAFF", "SPREAD", "EXTENDER"),
    *("DECLARED", "NODELABEL", "SVCAFF"),
)
_VOLUME_FILTERS = ("VOLRESTR", "VOLLIMIT", "CLOUDLIMIT", "VOLZONE", "VOLBIND", "BASIC", "DRA")
_SCORES = ("BALANCED", "LEAST", "MOST", "RATIO", "ALLOC", "AVOID", "SELSPREAD", "IMAGE")
_SEARCH = ("SORT", "NOM", "SEARCH", "WORDS", "FRAMEWORK", "BATCH", "CYCLE")
_BINDING = ("ASSUME", "CACHE", "RESERVE", "PERMIT", "BIND", "ROLLBACK")
_PREEMPTION = ("POSTFILTER", "PREEMPT", "EVICT")
_QUEUE = ("CHANGE", "EVENT", "HINT", "CURE", "BACKOFF", "QUEUE", "FLIGHT", "FAIL")

AREAS_IN_ORDER = (
    "ANSWER",
    "INV",
    *_READING,
    *_NODE_FILTERS,
    *_VOLUME_FILTERS,
    *_SCORES,
    *_SEARCH,
    *_BINDING,
    *_PREEMPTION,
    *_QUEUE,
)


def in_order_of_dependence(rules: Iterable[AnyRule]) -> list[AnyRule]:
    """Returns the rules by area. Those of another project come last; within an area the order stays."""
    place = {area: number for number, area in enumerate(AREAS_IN_ORDER)}
    return sorted(rules, key=lambda rule: place.get(rule.area, len(place)))


def place_in_catalogue(rule: str) -> int:
    """Returns the place of a rule in the order of dependence of the catalogue, which ends with what is no rule."""
    places = _places_in_catalogue()
    return places.get(rule, len(places))


@cache
def _places_in_catalogue() -> Mapping[str, int]:
    return {rule.id: place for place, rule in enumerate(in_order_of_dependence(all_rules().values()))}


# --- What one record shows ------------------------------------------------------------------------

_MEMBERS_IN_ORDER = ("pod", "preFilter", "filter", "scores")
_LAST = "message"
_SIDE_BY_SIDE = ("filter", "scores")
"""The status of one node, or the score by one plugin, does not follow from that of another."""


def by_cause(finding: Finding, place: int) -> tuple[int, int]:
    """Sorts findings by cause: which pod is tried comes before the nodes it fits on, and that before the
    scores, since an earlier difference causes later ones, whichever rules they belong to. An error comes before
    what is missing because of it. The message comes last. ``place`` is the place of the rule in the order of
    dependence."""
    member = finding.member.partition(".")[0]
    if member == "result" and str(finding.got).partition(":")[0] == ERROR:
        return len(_MEMBERS_IN_ORDER), -1
    if member == _LAST:
        return len(_MEMBERS_IN_ORDER) + 1, place
    return _MEMBERS_IN_ORDER.index(member) if member in _MEMBERS_IN_ORDER else len(_MEMBERS_IN_ORDER), place


def may_follow(finding: Finding, first: Finding) -> bool:
    """Returns whether the finding may only follow from ``first``, the first one of the same record in the order of
    causes."""
    point = finding.member.partition(".")[0]
    if point in _SIDE_BY_SIDE and point == first.member.partition(".")[0]:
        return finding.member == first.member and finding.kind != first.kind
    return finding is not first
