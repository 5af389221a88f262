# SPDX-License-Identifier: Apache-2.0
"""Claims in turn: claims that are given devices one after the other, and what may become of them afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import device_class, resource_claim
from conformance.vocabulary.objects import ZONE, node
from refsched.suite.histories.history import Update, deleting

Json = dict[str, Any]


def asking(count: int = 1, **more: Any) -> Json:
    if not count:
        return {"deviceClassName": "any", "allocationMode": "All", **more}
    return {"deviceClassName": "any", "allocationMode": "ExactCount", "count": count, **more}


def exactly(count: int = 1, **more: Any) -> Json:
    return {"exactly": asking(count, **more)}


def requests(*asked: Json, **devices: Any) -> Json:
    return {"requests": [{"name": f"r{number}", **each} for number, each in enumerate(asked)], **devices}


def begin(nodes: int, *slices: Json) -> HistoryBuilder:
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), *slices)
    for number in range(nodes):
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}, {ZONE: "ab"[number % 2]}))
    return cluster


def _freed(cluster: HistoryBuilder, claim: int, devices: Json, *, is_deleted: bool) -> None:
    """Takes its devices from the claim, or deletes it; those that wait are tried again."""
    value = resource_claim(f"c{claim}", devices)
    cluster.steps.append(deleting(value) if is_deleted else Update({**value, "status": {}}))
    cluster.wait()
    cluster.schedule()


def afterwards(draw: DrawFn, cluster: HistoryBuilder, claims: Sequence[Json]) -> None:
    for index in draw(st.lists(st.integers(0, len(claims) - 1), max_size=2, unique=True)):
        _freed(cluster, index, claims[index], is_deleted=draw(st.booleans()))
