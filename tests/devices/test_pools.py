# SPDX-License-Identifier: Apache-2.0
"""Which pools a node reaches, and in which orders they may be tried."""

from __future__ import annotations

from device_world import allocator, claim, device, devices, node, one, piece


def test_before_1_36_pools_and_their_slices_may_be_tried_in_any_order() -> None:
    made = allocator(
        piece("a", device("d0"), pool="p", resourceSliceCount=2),
        piece("b", device("d1"), pool="p", resourceSliceCount=2),
        piece("c", device("d2"), pool="q"),
        release="1.35",
    )
    orders = made.pool_orders(node())

    found = {devices(made, claim("c", one()), pools=order)[0][0] for order in orders}

    assert len(orders) == 4
    assert found == {"r=p/d0", "r=p/d1", "r=q/d2"}
    assert [pool.name for pool in orders[0]] == ["p", "q"]
    assert orders[-1] == orders[3]
