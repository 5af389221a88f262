# SPDX-License-Identifier: Apache-2.0
"""Held choices: two clusters that differ in something are given the same choices, so that luck does not count.

Which of the equals is taken, and where a search for nodes starts, depends on the seed and on names alone, and not
on how many choices were made before, or on which options there are besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import TypeVar

from attrs import define

from refsched.cycle.find_nodes import NodeFilter, Search, SearchNodes
from refsched.framework.node_info import NodeInfo

T = TypeVar("T")
_SPAN = 1 << 64


@define(eq=False)
class HeldChoices:
    """HeldChoices take the option that ranks first for the seed: one that is chosen among many is chosen among
    fewer, too."""

    seed: int

    def choose(self, question: str, options: Sequence[T]) -> T:
        if len(options) == 1:
            return options[0]
        return max(options, key=lambda option: _rank(self.seed, f"{question} {_name(option)}"))


@define(eq=False)
class HeldSearch:
    """A HeldSearch searches as ``plain`` does, from a node on that depends on the seed and the pod's name."""

    plain: SearchNodes
    seed: int

    def __call__(
        self, nodes: Sequence[NodeInfo], start: int, number_to_find: int, filters: NodeFilter
    ) -> Search:
        """Searches from another place than kube-scheduler, which starts where its search before ended."""
        if len(nodes) > 1:
            pod = _rank(self.seed, f"pod {filters.pod.pod.key}")
            start = min(range(len(nodes)), key=lambda at: (_rank(self.seed, nodes[at].name) - pod) % _SPAN)
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
