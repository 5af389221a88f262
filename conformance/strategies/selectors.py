# SPDX-License-Identifier: Apache-2.0
"""Selectors: each expression there is, once. What holds is asked for in one request, what fails by a pod each.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.device_objects import (
    Json,
    claim_user,
    device_class,
    resource_claim,
    resource_slice,
)
from conformance.strategies.expressions import DEVICE, DO_NOT_COMPILE, DO_NOT_HOLD, FAIL, HOLD
from conformance.strategies.objects import node
from conformance.strategies.scenes import Scene
from refsched.suite.histories.history import History

_COUNT = 8
"""Of histories, over which the expressions are spread evenly."""


def _request(expressions: Sequence[str]) -> Json:
    """Administrators get the device whoever has it."""
    asked = {"deviceClassName": "any", "allocationMode": "ExactCount", "count": 1, "adminAccess": True}
    selectors = [{"cel": {"expression": each}} for each in expressions]
    return {"name": "r0", "exactly": {**asked, "selectors": selectors}}


def _share(number: int) -> History:
    """A pod and a claim for all that hold, and for each of the others."""
    others = [[each] for several in (FAIL, DO_NOT_COMPILE, DO_NOT_HOLD) for each in several[number::_COUNT]]
    scene = Scene()
    scene.add(device_class("any"), resource_slice("s1", [DEVICE]))
    scene.add_node(node(""))
    for place, expressions in enumerate([HOLD[number::_COUNT], *others]):
        scene.add(resource_claim(f"c{place}", {"requests": [_request(expressions)]}))
        scene.add_pod(claim_user(f"c{place}"))
    scene.schedule()
    return scene.history()


def histories() -> SearchStrategy[History]:
    return st.sampled_from(range(_COUNT)).map(_share)
