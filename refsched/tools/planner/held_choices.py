# SPDX-License-Identifier: Apache-2.0
"""Held choices: two clusters that differ in something are given the same choices, so that luck does not count.

Which of the equals is taken, and where a search for nodes starts, depends on the seed and on names alone, and not
on how many choices were made before, or on which options there are besides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from operator import attrgetter
from typing import TypeVar

from attrs import Factory, define

from refsched.cycle.find_nodes import NodeFilter, Search, SearchNodes
from refsched.framework.node_info import NodeInfo

T = TypeVar("T")


class _Ranks(dict[str, int]):
    """The _Ranks are the ranks of options by their names, for one question under one seed."""

    def __init__(self, seed: int, question: str) -> None:
        self._said = seed, question

    def __missing__(self, name: str) -> int:
        seed, question = self._said
        rank = self[name] = _rank(seed, f"{question} {name}")
        return rank


@define(eq=False)
class HeldChoices:
    """HeldChoices take the option that ranks first for the seed: one that is chosen among many is chosen among
    fewer, too."""

    seed: int
    _ranks: dict[str, _Ranks] = Factory(dict)

    def choose(self, question: str, options: Sequence[T]) -> T:
        if len(options) == 1:
            return options[0]
        names = [repr(option) if isinstance(option, str) else _name(option) for option in options]
        ranks = self._ranks.setdefault(question, _Ranks(self.seed, question))
        highest = max(names, key=ranks.__getitem__)
        return options[names.index(highest)]


@define(eq=False)
class HeldSearch:
    """A HeldSearch searches as ``plain`` does, from a node on that depends on the seed and the pod's name. Nodes
    are in a ring by their rank, and the search starts at the first one after the pod's."""

    plain: SearchNodes
    seed: int
    _names: tuple[str, ...] = ()
    _ring: list[tuple[int, int]] = Factory(list)

    def __call__(
        self, nodes: Sequence[NodeInfo], start: int, number_to_find: int, filters: NodeFilter
    ) -> Search:
        """Searches from another place than kube-scheduler, which starts where its search before ended."""
        if nodes:
            names = tuple(map(attrgetter("name"), nodes))
            if names != self._names:
                self._names = names
                self._ring = sorted((_rank(self.seed, name), at) for at, name in enumerate(names))
            pod = _rank(self.seed, f"pod {filters.pod.pod.key}")
            _, start = self._ring[bisect_left(self._ring, (pod, 0)) % len(self._ring)]
        return self.plain(nodes, start, number_to_find, filters)


@cache
def _rank(seed: int, name: str) -> int:
    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=8).digest())


def _name(option: object) -> str:
    for attribute in ("key", "node"):
        named = getattr(option, attribute, None)
        if isinstance(named, str):
            return named
    pod = getattr(option, "pod", None)
    return repr(option) if pod is None else f"{pod.key}"
