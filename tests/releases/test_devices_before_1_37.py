# SPDX-License-Identifier: Apache-2.0
"""How devices were allocated before 1.37: what each folder of a release says."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import (
    DRIVER,
    allocations,
    allocator,
    claim,
    device,
    device_class,
    devices,
    every,
    first_of,
    node,
    one,
    piece,
)

from refsched.devices.errors import AllocationError

THREE = piece("s1", device("d0", numa=0), device("d1", numa=1), device("d2", numa=0))
NUMA = f"device.attributes['{DRIVER}'].numa"


def many(number: int) -> dict[str, Any]:
    return piece("s1", *(device(f"d{i}", last=i > number - 3) for i in range(number)))


# --- 1.36 -----------------------------------------------------------------------------------------


def test_of_the_devices_of_one_request_the_last_counts_for_distinct_attribute() -> None:
    asked = claim("c", one(count=3), constraints=[{"distinctAttribute": f"{DRIVER}/numa"}])

    assert devices(allocator(THREE, release="1.36"), asked) == [["r=s1/d0", "r=s1/d1", "r=s1/d2"]]
    assert devices(allocator(THREE), asked) is None


def counted(driver: str, **counters: str) -> dict[str, Any]:
    """A pool ``p`` of a driver: a slice with counters, and one with a device that consumes all of them."""
    amounts = {name: {"value": value} for name, value in counters.items()}
    sets = piece(
        f"{driver}-c", pool="p", resourceSliceCount=2, sharedCounters=[{"name": "s", "counters": amounts}]
    )
    consumed = [{"counterSet": "s", "counters": amounts}]
    of = piece(f"{driver}-d", device("d", consumesCounters=consumed), pool="p", resourceSliceCount=2)
    for each in (sets, of):
        each["spec"]["driver"] = driver
    return {"sets": sets, "devices": of}


def test_counters_belong_to_the_name_of_a_pool() -> None:
    one_driver, other = counted("a.example.com", x="1"), counted("b.example.com", x="2")
    slices = [*one_driver.values(), *other.values()]

    asked = claim("c", one(count=2))

    assert devices(allocator(*slices, release="1.36"), asked) is None
    assert devices(allocator(*slices), asked) == [["r=p/d", "r=p/d"]]


def test_every_node_reaches_the_pool_of_a_slice_with_counter_sets() -> None:
    slices = list(counted("a.example.com", x="1").values())
    slices[0]["spec"]["pool"]["resourceSliceCount"] = 3
    asked = claim("c", every())

    with pytest.raises(AllocationError, match=r"resource pool .* is currently being updated"):
        devices(allocator(*slices, piece("s1", device("d")), release="1.36"), asked, on=node("n9"))
    assert devices(allocator(*slices, piece("s1", device("d"), node="n9")), asked, on=node("n9")) == [
        ["r=s1/d"]
    ]


def test_configuration_stands_once_for_each_request_that_it_names() -> None:
    config = [{"requests": ["a", "b"], "opaque": {"driver": DRIVER, "parameters": {}}}]
    asked = claim("c", one("a"), one("b"), config=config)

    for release, requests in (("1.36", [("a", "b"), ("a", "b")]), ("1.37", [()])):
        [result] = allocations(allocator(THREE, release=release), asked) or ()
        assert [each.requests for each in result.devices.config] == requests


def test_the_errors_of_a_selector_and_of_too_many_devices_say_less() -> None:
    broken = device_class("gpu", "device.attributes['x'].y == 1")
    with pytest.raises(AllocationError, match=r"^class gpu: selector #0: CEL runtime error: no such key: y$"):
        devices(allocator(THREE, classes=[broken], release="1.36"), claim("c", one()))
    with pytest.raises(
        AllocationError, match="c: number of requested devices 33 exceeds the claim limit of 32"
    ):
        devices(allocator(many(40), release="1.36"), claim("c", one(count=33)))


SHARED = device("d", {"slots": "2"}, allowMultipleAllocations=True)
FULL = {
    "request": "r",
    "driver": DRIVER,
    "pool": "s1",
    "device": "d",
    "shareID": "a",
    "consumedCapacity": {"slots": "2"},
}


def test_all_devices_are_those_that_have_capacity_left() -> None:
    holder = claim("holder", one(), status={"allocation": {"devices": {"results": [FULL]}}})
    pieces = piece("s1", SHARED, {**SHARED, "name": "e"})
    asked = claim("c", every(capacity={"requests": {"slots": "1"}}))

    assert devices(allocator(pieces, claims=[holder], release="1.36"), asked) == [["r=s1/e"]]
    assert devices(allocator(pieces, claims=[holder]), asked) is None


@pytest.mark.parametrize(
    "asked", [one(capacity={"requests": {"slots": "-1"}}), every(capacity={"requests": {"slots": "-1"}})]
)
def test_a_negative_amount_of_a_request_is_consumed_as_it_is(asked: dict[str, Any]) -> None:
    pieces = piece("s1", SHARED)

    assert devices(allocator(pieces, release="1.36"), claim("c", asked)) == [["r=s1/d"]]
    with pytest.raises(AllocationError, match=r'device .*d: capacity "slots": capacity value is negative'):
        devices(allocator(pieces), claim("c", asked))


@pytest.mark.parametrize(
    ("amount", "step", "found"),
    [(str(2**63 - 1), "4", [["r=s1/d"]]), ("9223372036854775k", "9E", None)],
    ids=["the step divides it", "the step does not divide it"],
)
def test_an_amount_that_is_rounded_up_beyond_64_bits_is_negative(
    amount: str, step: str, found: list[list[str]] | None
) -> None:
    policy = {"validRange": {"min": "2", "step": step}, "default": "2"}
    pieces = piece("s1", {**SHARED, "capacity": {"slots": {"value": "100", "requestPolicy": policy}}})
    asked = claim("c", one(capacity={"requests": {"slots": amount}}))

    assert devices(allocator(pieces, release="1.36"), asked) == found
    with pytest.raises(AllocationError, match=f"rounding request {amount} up to the next step"):
        devices(allocator(pieces), asked)


def test_a_share_without_capacity_consumes_the_counters_of_its_device_again() -> None:
    parts = counted(DRIVER, x="1")
    parts["devices"]["spec"]["devices"][0]["allowMultipleAllocations"] = True
    share = {"request": "r", "driver": DRIVER, "pool": "p", "device": "d", "shareID": "a"}
    holder = claim("holder", one(), status={"allocation": {"devices": {"results": [share]}}})

    assert devices(allocator(*parts.values(), claims=[holder], release="1.36"), claim("c", one())) is None
    assert devices(allocator(*parts.values(), claims=[holder]), claim("c", one())) == [["r=p/d"]]


# --- 1.35 -----------------------------------------------------------------------------------------


def test_the_second_of_all_devices_is_looked_for_under_the_first_alternative() -> None:
    asked = first_of("r", one("three", count=3), every("all"))
    two = piece("s1", device("d0"), device("d1"))

    assert devices(allocator(two, release="1.35"), claim("c", asked)) is None
    assert devices(allocator(two), claim("c", asked)) == [["r/all=s1/d0", "r/all=s1/d1"]]


def test_what_the_first_alternative_for_all_matched_counts_for_the_second() -> None:
    asked = first_of("r", every("none", f"{NUMA} == 2"), every("zero", f"{NUMA} == 0"))

    assert devices(allocator(THREE, release="1.35"), claim("c", asked)) is None


LAST_TWO = f"device.attributes['{DRIVER}'].?last.orValue(false)"
THIRTY_OR_THE_LAST = first_of("b", one("many", count=30), every("two", LAST_TWO))


def test_an_alternative_for_all_that_is_counted_as_the_first_one_may_need_too_many_devices() -> None:
    with pytest.raises(AllocationError, match="allocation max size exceeded"):
        devices(allocator(many(40), release="1.35"), claim("c", one("a", count=5), THIRTY_OR_THE_LAST))


def test_what_is_too_much_for_a_later_claim_only_rules_out_this_way() -> None:
    later = claim("d", one("a", count=5), THIRTY_OR_THE_LAST)

    assert devices(allocator(many(40), release="1.35"), claim("c"), later) is None


def test_more_pools_may_have_more_orders_than_a_sequence_has_items() -> None:
    slices = [piece(f"s{number}", device("d0")) for number in range(25)]

    assert devices(allocator(*slices, release="1.35"), claim("c", one())) == [["r=s0/d0"]]


# --- 1.34 -----------------------------------------------------------------------------------------


def test_an_invalid_pool_on_the_way_is_an_error() -> None:
    twice = piece("s1", device("d0"), device("d0"))

    with pytest.raises(AllocationError, match="pool s1 is invalid: duplicate device name d0"):
        devices(allocator(twice, release="1.34"), claim("c", one()))
    assert devices(allocator(release="1.34"), claim("c", one())) is None


def test_devices_are_taken_from_a_pool_that_is_incomplete() -> None:
    some = piece("s1", device("d0"), resourceSliceCount=2)

    assert devices(allocator(some, release="1.34"), claim("c", one())) == [["r=s1/d0"]]
    assert devices(allocator(some, release="1.35"), claim("c", one())) is None
