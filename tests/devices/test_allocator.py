# SPDX-License-Identifier: Apache-2.0
"""The search: which devices are found for claims, and when there are none."""

from __future__ import annotations

import pytest
from device_world import (
    allocator,
    claim,
    device,
    devices,
    first_of,
    one,
    piece,
)

from refsched.devices.errors import AllocationError

THREE = piece("s1", device("d0", numa=0), device("d1", numa=1), device("d2", numa=0))


# --- Constraints ----------------------------------------------------------------------------------


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


def test_a_request_without_anything_in_it_lacks_a_class() -> None:
    empty = claim("c")
    empty["spec"]["devices"]["requests"] = [{"name": "r"}]
    with pytest.raises(AllocationError, match="missing device class name"):
        devices(allocator(THREE), empty)
