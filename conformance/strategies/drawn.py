# SPDX-License-Identifier: Apache-2.0
"""What is drawn in every area: labels, selectors and amounts from small vocabularies that all areas share, so that
what one object asks for another one has about half the time, and sums of amounts meet their bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.vocabulary.objects import ZONE

Json = dict[str, Any]
T = TypeVar("T")

LABELS: SearchStrategy[Json] = st.sampled_from(
    [{}, {"app": "a"}, {"app": "b"}, {"app": "a", "tier": "x"}, {"tier": "x"}]
)
"""Labels of pods: about half of them match a selector drawn from ``SELECTORS``."""


_EXPRESSIONS: tuple[Json, ...] = (
    {"key": "app", "operator": "In", "values": ["a", "b"]},
    {"key": "app", "operator": "NotIn", "values": ["a"]},
    {"key": "tier", "operator": "Exists"},
    {"key": "tier", "operator": "DoesNotExist"},
)


SELECTORS: SearchStrategy[Json] = st.sampled_from(
    [
        {"matchLabels": {"app": "a"}},
        {"matchLabels": {"app": "b"}},
        {},
        *({"matchExpressions": [expression]} for expression in _EXPRESSIONS),
        {"matchLabels": {"app": "a"}, "matchExpressions": [_EXPRESSIONS[2]]},
    ]
)
"""Label selectors; the empty one selects every pod."""


ZONE_LABELS: SearchStrategy[Json] = st.sampled_from([{ZONE: "a"}, {ZONE: "b"}, {}])


CPU_AMOUNTS = ("", "500m", "1", "501m", "1001m", "2", "250m", "1m")
"""Amounts whose sums meet those of ``CPU_CAPACITIES`` and go beyond them by one; "" for none."""


CPU_CAPACITIES = ("2", "1", "1001m", "1500m")


CPU_REQUESTS: SearchStrategy[str] = st.sampled_from(CPU_AMOUNTS)


def combinations(make: Callable[..., Json], *alternatives: Sequence[Any]) -> SearchStrategy[Json]:
    """Returns what ``make`` makes of one of each of the alternatives, drawn as one choice; those that stand more
    than once among them are drawn as much more often. The simplest are those with the most that stand first."""

    firsts = [[each.index(value) for value in each] for each in alternatives]
    complexity = [(len(first) - first.count(0), first) for first in product(*firsts)]
    chosen = list(product(*(range(len(each)) for each in alternatives)))
    ordered = [chosen[number] for number in sorted(range(len(chosen)), key=complexity.__getitem__)]
    return st.sampled_from(ordered).map(
        lambda chosen: make(*(each[index] for each, index in zip(alternatives, chosen, strict=True)))
    )


def any_of(*strategies: SearchStrategy[T]) -> SearchStrategy[T]:
    """Draws from any of the strategies, and twice as often from one that is given twice, which ``one_of`` of
    Hypothesis counts once. It compares objects, and a mapped strategy is another one."""

    def unchanged(value: T) -> T:  # Hypothesis does not map by a lambda that says the same
        return value

    return st.one_of(*(each.map(unchanged) for each in strategies))


def sometimes(strategy: SearchStrategy[Any], otherwise: Any = None) -> SearchStrategy[Any]:
    """Draws from ``strategy`` about every second time, and otherwise ``otherwise``, to which it shrinks."""
    return st.one_of(st.just(otherwise), strategy)


def repeating(strategy: SearchStrategy[Any], most: int) -> SearchStrategy[list[Any]]:
    """Draws a list of up to this many, of which the first often comes again: what is given twice counts twice, or
    it does not."""
    different = st.lists(strategy, min_size=1, max_size=most)
    return different.flatmap(lambda some: st.sampled_from([[], some, [*some, some[0]]]))


def switched(*gates: str) -> SearchStrategy[Mapping[str, bool]]:
    """Draws feature gates: now and then one of these, which are on by default, is off."""
    return st.sampled_from([*[{}] * 7 * len(gates), *({gate: False} for gate in gates)])
