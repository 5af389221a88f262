# SPDX-License-Identifier: Apache-2.0
"""Counters: what the devices of a pool share, so that not all of them can be allocated at the same time.

Promised: counters that devices share are documented with the ResourceSlice API, KEP-4815.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go,
checkAvailableCounters, deallocateCountersForDevice."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable

from attrs import define, field

from refsched.devices.ids import PoolID
from refsched.devices.in_use import InUse
from refsched.devices.pools import OfferedDevice, Pool
from refsched.objects.dra import Device
from refsched.rules import applies

_Left = dict[tuple[str, str], int]


@define
class Counters:
    """Counters have what is left of the counters of each pool, in billionths, by CounterSet and counter."""

    pools: Iterable[Pool]
    in_use: InUse
    _left: dict[PoolID, _Left] = field(factory=dict)

    def take(self, offered: OfferedDevice) -> bool:
        """R-DRA-36: A device is not allocated if devices of its pool that are allocated, on whichever node, or
        about to be, leave less of a counter than it consumes."""
        left = self.left_in(offered.pool)
        consumed = _consumed_by(offered.device)
        for name, amount in consumed.items():
            left[name] -= amount
        if any(amount < 0 for amount in left.values()):
            applies("R-DRA-36")
            self.give_back(offered)
            return False
        return True

    def give_back(self, offered: OfferedDevice) -> None:
        left = self.left_in(offered.pool)
        for name, amount in _consumed_by(offered.device).items():
            left[name] += amount

    def left_in(self, pool: PoolID) -> _Left:
        if pool not in self._left:
            self._left[pool] = self._available(next(each for each in self.pools if each.id == pool))
        return self._left[pool]

    def _available(self, pool: Pool) -> _Left:
        left = {
            (counter_set, name): counter.value.nano
            for counter_set, counters in pool.counter_sets.items()
            for name, counter in counters.items()
        }
        for offered in pool.all_devices:
            if self.in_use.is_allocated(offered.id):
                for name, amount in _consumed_by(offered.device).items():
                    left[name] -= amount
        return left


def _consumed_by(device: Device) -> Tally[tuple[str, str]]:
    consumed: Tally[tuple[str, str]] = Tally()
    for each in device.consumes_counters:
        for name, counter in each.counters.items():
            consumed[each.counter_set, name] += counter.value.nano
    return consumed
