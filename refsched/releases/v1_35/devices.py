# SPDX-License-Identifier: Apache-2.0
"""The allocator of devices before 1.36.

Changed by: kubernetes #136641 (pools and slices have an order).
After the upgrade: Which devices are allocated follows from the names of drivers, pools and slices; before it was
left to chance (R-DRA-26).
What to do: a driver that prefers some of its devices gives their pools and slices names that sort first.

Observed: in which order devices are tried is not part of the API.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go, pools_incubating.go.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import factorial, prod
from typing import TypeVar

from attrs import define, evolve, frozen

from refsched.devices.pools import Pools
from refsched.objects.node import Node
from refsched.releases.v1_36 import devices as later
from refsched.rules import applies


@frozen
class PoolOrders(Sequence[Pools]):
    """PoolOrders are the orders of ``pools``, and of the slices of each, by number. In the first, slices are
    sorted by name. Of more than 20 pools or slices there are more orders than a sequence can have; those beyond
    that are left out."""

    pools: Pools

    def __len__(self) -> int:
        orders = prod(
            factorial(len(shuffled)) for shuffled in (self.pools, *(pool.slices for pool in self.pools))
        )
        return min(orders, sys.maxsize)

    def __getitem__(self, index: int) -> Pools:  # type: ignore[override]
        """Returns the pools in the order of this number."""
        applies("R-DRA-24")
        number, in_order = _permuted(self.pools, range(len(self))[index])
        pools = []
        for pool in in_order:
            number, slices = _permuted(pool.slices, number)
            pools.append(evolve(pool, slices=tuple(slices)))
        return tuple(pools)


_T = TypeVar("_T")


def _permuted(items: Sequence[_T], number: int) -> tuple[int, list[_T]]:
    """Returns the order of these items that the number stands for, and what is left of the number to choose
    other orders by."""
    left, chosen = list(items), []
    while left:
        number, position = divmod(number, len(left))
        chosen.append(left.pop(position))
    return number, chosen


@define
class Search(later.Search):
    def next_start(self, position: int) -> int:
        """R-DRA-121 (instead of R-DRA-57): All devices are tried for each device of a request, so that a search
        may take longer."""
        applies("R-DRA-121")
        return 0


@frozen
class Allocator(later.Allocator):
    search = Search

    def pool_orders(self, node: Node) -> Sequence[Pools]:
        """R-DRA-24 (instead of R-DRA-26, R-DRA-124): Pools, and the slices of a pool, are tried in any order:
        kube-scheduler iterates over maps."""
        return PoolOrders(self.pools_of(node))
