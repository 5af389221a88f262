# SPDX-License-Identifier: Apache-2.0
"""Dependence: which rules cannot be blamed where another one is broken.

Areas stand on areas, along the road of a pod. What an invariant finds is wrong by any specification, so that the
invariants come first; a plugin that filters depends on nothing but its configuration; the search, preemption and
what comes after a decision depend on every filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from refsched.records import ERROR
from refsched.suite.histories.findings import Finding
from refsched.suite.session.bench import Rule

_READING = ("DEFAULTS", "GATES", "ARGS", "CONFIG")
_NODE_FILTERS = ("NODENAME", "CORDON", "TAINT", "NODEAFF", "PORTS", "FIT", "PODAFF", "SPREAD", "EXTENDER")
_VOLUME_FILTERS = ("VOLRESTR", "VOLLIMIT", "VOLZONE", "VOLBIND", "DRA")
_FILTERS = (*_NODE_FILTERS, *_VOLUME_FILTERS)
_SCORES = ("BALANCED", "IMAGE")

#   area          stands on
_AREAS: Mapping[str, tuple[str, ...]] = {
    "ANSWER": (),
    "INV": (),
    **dict.fromkeys(_READING, ()),
    **dict.fromkeys(_FILTERS, _READING),
    **dict.fromkeys(_SCORES, _READING),
    "SORT": _READING,
    "NOM": _FILTERS,
    "SEARCH": (*_FILTERS, *_SCORES, "NOM"),
    "WORDS": ("SEARCH",),
    "ASSUME": ("SEARCH",),
    "RESERVE": ("ASSUME",),
    "PERMIT": ("RESERVE",),
    "BIND": ("PERMIT",),
    "ROLLBACK": ("ASSUME", "RESERVE", "PERMIT", "BIND"),
    "POSTFILTER": ("SEARCH",),
    "PREEMPT": ("POSTFILTER", "NOM"),
    "CHANGE": (),
    "EVENT": ("CHANGE",),
    "HINT": ("EVENT",),
    "CURE": ("HINT",),
    "BACKOFF": _READING,
    "QUEUE": ("SORT", "SEARCH", "BACKOFF", "HINT"),
    "FLIGHT": ("QUEUE", "EVENT"),
    "FAIL": ("QUEUE",),
}


@cache
def standing_on(area: str) -> tuple[str, ...]:
    """The areas that this one depends on, directly or not."""
    below: dict[str, None] = {}
    for nearer in _AREAS.get(area, ()):
        below |= dict.fromkeys((*standing_on(nearer), nearer))
    return tuple(below)


def in_order_of_dependence(rules: Iterable[Rule]) -> list[Rule]:
    """Areas that are not listed come last, and every area's own rules as they stood."""
    place = {area: number for number, area in enumerate(_AREAS)}
    return sorted(rules, key=lambda rule: place.get(rule.area, len(place)))


# --- What one record shows ------------------------------------------------------------------------

_MEMBERS_IN_ORDER = ("pod", "preFilter", "filter", "scores")
_LAST = "message"


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
