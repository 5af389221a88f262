# SPDX-License-Identifier: Apache-2.0
"""The scheduling cycle: from Pop to the end of Permit, and back where something refuses."""

from __future__ import annotations

import pytest
from world import World

from refsched.records import Attempt, Bind

# --- Mid-cycle ------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", ["reserve", "permit"])
def test_while_a_cycle_is_held_no_other_begins(world: World, point: str) -> None:
    world.node("n1")
    assert world.pop("p", script={"ScriptedA": {point: "Hold"}}) == []
    assert world.held == f"p: ScriptedA.{point}"
    assert world.held == ""

    attempt, bind = world.release("p")

    assert isinstance(attempt, Attempt)
    assert attempt.node == "n1"
    assert isinstance(bind, Bind)
    assert bind.result == "bound"
