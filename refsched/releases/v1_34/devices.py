# SPDX-License-Identifier: Apache-2.0
"""The allocator of devices before 1.35. DRAResourceClaimDeviceStatus, which is on, made it the experimental
one.

Changed by: kubernetes #134189 (no device is taken from a pool that is incomplete or invalid).
After the upgrade: Devices of a pool are allocated only once all slices of its newest generation are there
(R-DRA-27).
What to do: see before the upgrade that each pool has as many ResourceSlices as each of them says in
resourceSliceCount.

Observed: a scheduler may take another pool if the first one is invalid.
Shows in: devices.
Source: dynamic-resource-allocation/structured/internal/experimental/allocator_experimental.go, allocateOne."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from attrs import define, frozen

from refsched.devices.errors import AllocationError
from refsched.devices.pools import OfferedDevice, Pools
from refsched.releases.v1_35 import devices as later
from refsched.rules import ErrorReason

POOL_IS_INVALID = ErrorReason("pool {} is invalid: {}", "R-DRA-55")


@define
class Search(later.Search):
    def devices_from(self, start: int) -> Iterable[tuple[int, OfferedDevice]]:
        """R-DRA-55 (instead of R-DRA-27, R-DRA-67): Devices are tried pool by pool, also those of a pool that
        is incomplete, and an invalid pool that is reached is an error, even if a later pool has a device that
        fits."""
        return islice(enumerate(self._offered()), start, None)

    def _offered(self) -> Iterable[OfferedDevice]:
        for pool in self.pools:
            if pool.invalid_reason:
                raise AllocationError(POOL_IS_INVALID.of(pool.name, pool.invalid_reason))
            yield from pool.devices


@frozen
class Allocator(later.Allocator):
    search = Search

    def found_nothing(self, pools: Pools) -> None:
        """Does nothing: an invalid pool was an error when it was reached."""
