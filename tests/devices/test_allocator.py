# SPDX-License-Identifier: Apache-2.0
"""The search: which devices are found for claims, and when there are none."""

from __future__ import annotations

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
    one,
    piece,
)

from refsched.devices.errors import AllocationError, RejectedOnNode

THREE = piece("s1", device("d0", numa=0), device("d1", numa=1), device("d2", numa=0))
SAME_NUMA = [{"matchAttribute": f"{DRIVER}/numa"}]


def many(number: int) -> dict[str, object]:
    return piece("s1", *(device(f"d{i}") for i in range(number)))


# --- Some devices ---------------------------------------------------------------------------------


def test_admin_access_takes_what_is_in_use_but_names_no_device_twice() -> None:
    made = allocator(THREE, in_use=["s1/d0"])
    admin = one(count=2, adminAccess=True)

    [first, second] = allocations(made, claim("a", admin), claim("b", admin)) or ()

    assert (
        [r.device for r in first.devices.results]
        == ["d0", "d1"]
        == [r.device for r in second.devices.results]
    )
    assert all(r.admin_access for r in first.devices.results)
    assert devices(made, claim("a", one(count=4, adminAccess=True))) is None
    assert devices(made, claim("a", every(adminAccess=True))) == [["r=s1/d0", "r=s1/d1", "r=s1/d2"]]


def test_no_device_is_taken_from_a_pool_that_is_incomplete_or_invalid() -> None:
    twice = piece("s1", device("d0"), device("d0"))
    some = piece("s2", device("d0"), resourceSliceCount=2)

    assert devices(allocator(twice, some, piece("s3", device("d0"))), claim("c", one())) == [["r=s3/d0"]]
    assert devices(allocator(some), claim("c", one())) is None
    with pytest.raises(RejectedOnNode, match=r"^invalid resource pools were encountered$"):
        devices(allocator(twice), claim("c", one()))


# --- All devices ----------------------------------------------------------------------------------


def test_all_devices_means_all_that_match_and_at_least_one() -> None:
    numa = f"device.attributes['{DRIVER}'].numa"

    assert devices(allocator(THREE), claim("c", every("r", f"{numa} == 0"))) == [["r=s1/d0", "r=s1/d2"]]
    assert devices(allocator(THREE), claim("c", every("r", f"{numa} == 2"))) is None


def test_all_devices_cannot_be_had_where_one_is_in_use() -> None:
    assert devices(allocator(THREE, in_use=["s1/d2"]), claim("c", every())) is None


@pytest.mark.parametrize(
    ("slices", "state"),
    [
        (piece("s1", device("d0"), resourceSliceCount=2), "being updated"),
        (piece("s1", device("d0"), device("d0")), "invalid"),
    ],
)
def test_all_devices_of_a_pool_that_is_not_whole_is_an_error(slices: dict[str, object], state: str) -> None:
    text = f"claim default/c, request r: asks for all devices, but resource pool {DRIVER}/s1 is currently {state}"
    with pytest.raises(AllocationError, match=text):
        devices(allocator(slices), claim("c", every()))


def test_a_constraint_that_a_device_breaks_which_must_be_taken_is_an_error() -> None:
    text = (
        f"claim default/c, request r: cannot add device {DRIVER}/s1/d1 because a claim constraint would not"
    )
    with pytest.raises(AllocationError, match=text):
        devices(allocator(THREE), claim("c", every(), constraints=SAME_NUMA))


# --- Alternatives ---------------------------------------------------------------------------------


def test_all_devices_of_an_alternative_are_those_that_it_matches_itself() -> None:
    numa = f"device.attributes['{DRIVER}'].numa"
    asked = first_of("r", every("none", f"{numa} == 2"), every("zero", f"{numa} == 0"))

    assert devices(allocator(THREE), claim("c", asked)) == [["r/zero=s1/d0", "r/zero=s1/d2"]]


# --- Too many devices -----------------------------------------------------------------------------


def test_a_claim_that_must_have_more_than_32_devices_is_an_error() -> None:
    text = "request b: adding 3 devices exceeds the claim limit of 32, with 30 already accounted for"
    with pytest.raises(AllocationError, match=text):
        devices(
            allocator(many(40)), claim("c", one("a", count=30), one("b", count=3), one("c", class_name=""))
        )


def test_an_alternative_with_too_many_devices_is_passed_over() -> None:
    asked = first_of("b", one("many", count=2), one("one"))
    [found] = devices(allocator(many(40)), claim("c", one("a", count=31), asked))

    assert found[-1] == "b/one=s1/d31"


# --- Constraints ----------------------------------------------------------------------------------


def test_an_attribute_is_found_by_its_full_name_or_by_the_drivers() -> None:
    slices = piece("s1", device("d0", **{"example.org/x": 1}), device("d1", x=1))

    def found(attribute: str) -> object:
        return devices(allocator(slices), claim("c", one(), constraints=[{"matchAttribute": attribute}]))

    assert found("example.org/x") == [["r=s1/d0"]]
    assert found(f"{DRIVER}/x") == [["r=s1/d1"]]
    assert found("other.org/x") is None
    assert found("y") is None


def test_a_constraint_of_no_known_kind_is_an_error() -> None:
    text = r"claim default/c, constraint #0: empty constraint \(unsupported constraint type\?\)"
    with pytest.raises(AllocationError, match=text):
        devices(allocator(THREE), claim("c", one(), constraints=[{"requests": ["r"]}]))


# --- What is wrong with a request -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (
            one(class_name=""),
            r"claim default/c, request r: missing device class name \(unsupported request type\?\)",
        ),
        (
            one(class_name="no"),
            'could not retrieve device class no: deviceclass.resource.k8s.io "no" not found',
        ),
        (one(allocationMode="Some"), "claim default/c, request r: unsupported count mode Some"),
        (
            one(selectors=[{}]),
            r"request r, selector #0: CEL expression empty \(unsupported selector type\?\)",
        ),
        (
            first_of("r", one("a", class_name="no")),
            "claim default/c, request a: could not retrieve device class no",
        ),
        (
            one("r", "device.attributes['x'].y == 1"),
            "claim default/c: selector #0 on device gpu.example.com/s1/d0: CEL runtime error: no such key: y",
        ),
        (one("r", "true", "1 +"), "claim default/c: selector #1: CEL compile error: "),
    ],
)
def test_a_request_that_cannot_be_understood_is_an_error(asked: dict[str, object], problem: str) -> None:
    with pytest.raises(AllocationError, match=problem):
        devices(allocator(THREE), claim("c", asked))


def test_a_selector_of_the_class_comes_first_and_one_that_does_not_hold_ends_it() -> None:
    broken = device_class("gpu", "device.attributes['x'].y == 1")
    picky = device_class("gpu", "device.driver == 'other'")

    with pytest.raises(
        AllocationError,
        match=r"class gpu: selector #0 on device .*/d0: CEL runtime error: no such key: y\. consider using CEL",
    ):
        devices(allocator(THREE, classes=[broken]), claim("c", one("r", "false")))
    assert devices(allocator(THREE, classes=[picky]), claim("c", one("r", "1 +"))) is None


def test_a_request_without_anything_in_it_lacks_a_class() -> None:
    empty = claim("c")
    empty["spec"]["devices"]["requests"] = [{"name": "r"}]
    with pytest.raises(AllocationError, match="missing device class name"):
        devices(allocator(THREE), empty)
