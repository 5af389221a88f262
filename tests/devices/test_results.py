# SPDX-License-Identifier: Apache-2.0
"""What is written into a claim: where its devices can be used, and how they are configured."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import (
    Json,
    allocations,
    allocator,
    claim,
    device,
    node,
    one,
    piece,
)

from refsched.devices.errors import AllocationError


def expression(key: str, *values: str) -> Json:
    return {"key": key, "operator": "In", "values": list(values)}


def term(*expressions: Json, fields: tuple[Json, ...] = ()) -> Json:
    return {"nodeSelectorTerms": [{"matchExpressions": list(expressions), "matchFields": list(fields)}]}


def where(*slices: Json, count: int = 1) -> Any:
    [result] = (
        allocations(allocator(*slices), claim("c", one(count=count)), on=node("n1", zone="a", rack="r")) or ()
    )
    return result.node_selector


def test_a_slice_with_more_than_one_term_is_an_error() -> None:
    found = {"nodeSelectorTerms": [term(expression("zone", "a"))["nodeSelectorTerms"][0]] * 2}
    text = "create NodeSelector for claim c: unsupported ResourceSlice.NodeSelector with 2 terms"
    with pytest.raises(AllocationError, match=text):
        where(piece("a", device("d0"), node="", nodeSelector=found))
