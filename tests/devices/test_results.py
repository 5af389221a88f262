# SPDX-License-Identifier: Apache-2.0
"""What is written into a claim: where its devices can be used, and how they are configured."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import (
    DRIVER,
    Json,
    allocations,
    allocator,
    claim,
    device,
    device_class,
    first_of,
    node,
    one,
    piece,
)

from refsched.devices.errors import AllocationError
from refsched.objects.dra import DeviceAllocationConfiguration


def expression(key: str, *values: str) -> Json:
    return {"key": key, "operator": "In", "values": list(values)}


def term(*expressions: Json, fields: tuple[Json, ...] = ()) -> Json:
    return {"nodeSelectorTerms": [{"matchExpressions": list(expressions), "matchFields": list(fields)}]}


def where(*slices: Json, count: int = 1) -> Any:
    [result] = (
        allocations(allocator(*slices), claim("c", one(count=count)), on=node("n1", zone="a", rack="r")) or ()
    )
    return result.node_selector


def test_what_slices_require_is_required_together_and_once() -> None:
    by_name = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
    selector = where(
        piece("a", device("d0"), node="", nodeSelector=term(expression("zone", "a", "b"), fields=(by_name,))),
        piece(
            "b",
            device("d1"),
            node="",
            nodeSelector=term(expression("zone", "b", "a"), expression("rack", "r")),
        ),
        count=2,
    )

    [only] = selector.node_selector_terms
    assert [each.key for each in only.match_expressions] == ["zone", "rack"]
    assert [each.key for each in only.match_fields] == ["metadata.name"]


def test_a_slice_with_more_than_one_term_is_an_error() -> None:
    found = {"nodeSelectorTerms": [term(expression("zone", "a"))["nodeSelectorTerms"][0]] * 2}
    text = "create NodeSelector for claim c: unsupported ResourceSlice.NodeSelector with 2 terms"
    with pytest.raises(AllocationError, match=text):
        where(piece("a", device("d0"), node="", nodeSelector=found))


# --- Configuration --------------------------------------------------------------------------------


def opaque(value: str) -> Json:
    return {"opaque": {"driver": DRIVER, "parameters": {"is": value}}}


def configured(
    *requests: Json, classes: list[Json], **devices: Any
) -> list[tuple[str, tuple[str, ...], Any]]:
    slices = piece("s", device("d0"), device("d1"), device("d2"))
    [result] = allocations(allocator(slices, classes=classes), claim("c", *requests, **devices)) or ()

    def shown(config: DeviceAllocationConfiguration) -> tuple[str, tuple[str, ...], Any]:
        assert config.opaque is not None
        return config.source, config.requests, config.opaque.parameters["is"]

    return [shown(config) for config in result.devices.config]


def test_a_classs_configuration_stands_once_for_all_its_requests() -> None:
    classes = [
        device_class("gpu", config=[opaque("x"), opaque("y")]),
        device_class("nic", config=[opaque("z")]),
    ]
    alternatives = first_of("b", one("none", count=9), one("yes"))

    assert configured(one("a"), alternatives, one("c", class_name="nic"), classes=classes) == [
        ("FromClass", ("a", "b/yes"), "x"),
        ("FromClass", ("a", "b/yes"), "y"),
        ("FromClass", ("c",), "z"),
    ]


def test_the_claims_configuration_stands_for_the_requests_that_were_allocated() -> None:
    alternatives = first_of("b", one("none", count=9), one("yes"))
    config = [
        {"requests": requests, **opaque(name)}
        for name, requests in (
            ("all", []),
            ("both", ["a", "b"]),
            ("chosen", ["b/yes"]),
            ("not chosen", ["b/none"]),
        )
    ]

    assert configured(one("a"), alternatives, classes=[device_class()], config=config) == [
        ("FromClaim", (), "all"),
        ("FromClaim", (), "both"),
        ("FromClaim", ("b/yes",), "chosen"),
    ]
