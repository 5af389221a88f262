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
    are in a ring by their rank, and the search starts at the first one after the pod's. No node comes or goes as
    long as this searches."""

    plain: SearchNodes
    seed: int
    _ring_of_all: list[tuple[int, int]] = Factory(list)

    def __call__(
        self, nodes: Sequence[NodeInfo], start: int, number_to_find: int, filters: NodeFilter
    ) -> Search:
        """Searches from another place than kube-scheduler, which starts where its search before ended."""
        if nodes:
            ring = self._ring(nodes) if nodes is not filters.snapshot.nodes else self._ring_of_all
            if not ring:
                ring = self._ring_of_all = self._ring(nodes)
            pod = _rank(self.seed, f"pod {filters.pod.pod.key}")
            _, start = ring[bisect_left(ring, (pod, 0)) % len(ring)]
        return self.plain(nodes, start, number_to_find, filters)

    def _ring(self, nodes: Sequence[NodeInfo]) -> list[tuple[int, int]]:
        return sorted((_rank(self.seed, node.name), at) for at, node in enumerate(nodes))


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
