# SPDX-License-Identifier: Apache-2.0
"""Sizes: claims that want as many devices as one may hold, or one more, of a pool that is large enough, or not.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import History
from conformance.strategies.device_objects import (
    DRIVER,
    Asked,
    all_there_are,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.strategies.objects import node
from conformance.strategies.scenes import Scene

_ALL = all_there_are()
_ALL_OF_FEW = all_there_are(f"device.attributes['{DRIVER}'].is_one_of_few")
"""There are two of them."""

Claim = Sequence[Asked]

_CASES: tuple[tuple[int, tuple[Claim, ...]], ...] = (
    (33, ([[exactly(32)]],)),
    (33, ([[exactly(33)]],)),
    (32, ([[exactly(33)]],)),
    (32, ([[_ALL]],)),
    (33, ([[_ALL]],)),
    (33, ([[exactly(16)], [exactly(16)]],)),
    (33, ([[exactly(16)], [exactly(17)]],)),
    (33, ([[exactly(30)], [_ALL_OF_FEW]],)),
    (33, ([[exactly(31)], [_ALL_OF_FEW]],)),
    (33, ([[exactly(31)], [_ALL_OF_FEW, exactly(1)]],)),
    (33, ([[exactly(30)], [_ALL_OF_FEW, exactly(1)]],)),
    (32, ([[_ALL, exactly(1)]],)),
    (33, ([[_ALL, exactly(1)]],)),
    (33, ([[exactly(33), exactly(2)]],)),
    (33, ([[exactly(17), exactly(16)], [exactly(16)]],)),
    (33, ([[exactly(16)], [exactly(17), exactly(16)]],)),
    (33, ([[exactly(17), exactly(16)], [exactly(17), exactly(16)]],)),
    (33, ([[exactly(33), _ALL]],)),
    (33, ([[_ALL, exactly(33), _ALL_OF_FEW]],)),
    (33, ([[exactly(1)]], [[_ALL, exactly(33), _ALL_OF_FEW]])),
    (33, ([[exactly(31)]], [[exactly(2)]])),
    (33, ([[exactly(1)]], [[exactly(33)]])),
    (65, ([[exactly(32)]], [[exactly(32)]])),
)
"""How many devices there are, and the claims of a pod. None of them leads to a search through all orders of many
devices."""


def _history(size: int, claims: Sequence[Claim]) -> History:
    devices = [
        {"name": f"d{number}", "attributes": {"is_one_of_few": {"bool": number >= size - 2}}}
        for number in range(size)
    ]
    scene = Scene()
    scene.add(device_class("any"), resource_slice("s1", devices))
    scene.add_node(node(""))
    for number, wanted in enumerate(claims):
        requests = [request(f"r{place}", asked) for place, asked in enumerate(wanted)]
        scene.add(resource_claim(f"c{number}", {"requests": requests}))
    scene.add_pod(claim_user(*(f"c{number}" for number in range(len(claims)))))
    scene.schedule()
    return scene.history()


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_CASES).map(lambda case: _history(*case))
