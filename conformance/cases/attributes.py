# SPDX-License-Identifier: Apache-2.0
"""Cases of attributes of devices: which values two devices have in common, for either kind of constraint."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import DRIVER, claimed, device_class, exactly, request, resource_slice
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_VALUES: tuple[Json, ...] = (
    {"int": 1},
    {"int": 2},
    {"string": "1"},
    {"string": "1.0.0"},
    {"version": "1.0.0"},
    {"bool": True},
    {"string": "true"},
)


def _two_of_each(constraint: Json) -> History:
    """Of each two values there is a slice with a device of each, and a claim for both under the constraint."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"))
    cluster.add_node(node("", {"cpu": "99", "pods": "99"}))
    claims: list[Json] = []
    for number, values in enumerate(combinations_with_replacement(_VALUES, 2)):
        devices = [
            {"name": f"d{place}", "attributes": {"of": {"int": number}, "value": value}}
            for place, value in enumerate(values)
        ]
        cluster.add(resource_slice(f"s{number}", devices))
        of_slice = {"cel": {"expression": f"device.attributes['{DRIVER}'].of == {number}"}}
        asked = {**exactly(2), "selectors": [of_slice]}
        claims.append({"requests": [request("r0", [asked])], "constraints": [constraint]})
    claimed(cluster, claims)
    return cluster.history()


CASES: tuple[Case, ...] = tuple(
    Case(
        f"{name}_of_two_values_of_any_type",
        f"Two devices {says} an attribute if the types and the values are the same.",
        _two_of_each({member: f"{DRIVER}/value"}),
        (rule,),
    )
    for member, name, says, rule in (
        ("matchAttribute", "match", "agree on", "R-DRA-30"),
        ("distinctAttribute", "distinction", "are not distinct in", "R-DRA-31"),
    )
)
