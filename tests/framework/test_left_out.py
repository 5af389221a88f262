# SPDX-License-Identifier: Apache-2.0
"""Plugins that a configuration leaves out of PreFilter or PreScore, and not of what follows."""

from __future__ import annotations

from typing import Any

from applied import applied
from world import World, configuration, profile, unresolvable


def without(point: str, *plugins: str, **more: Any) -> World:
    """Two nodes; at ``point`` these plugins are disabled."""
    left_out = {"disabled": [{"name": plugin} for plugin in plugins]}
    world = World(configuration(profile(**{point: left_out}, **more)))
    world.node("n1", labels={"kubernetes.io/hostname": "n1"})
    world.node("n2", labels={"kubernetes.io/hostname": "n2"})
    return world


# --- PreFilter ------------------------------------------------------------------------------------


def test_what_would_have_refused_the_pod_refuses_each_node() -> None:
    others = ("VolumeRestrictions", "VolumeBinding", "NodeVolumeLimits")
    world = without(
        "preFilter", "VolumeZone", *others, filter={"disabled": [{"name": other} for other in others]}
    )
    claims = [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]
    refused = unresolvable("VolumeZone", 'persistentvolumeclaim "missing" not found')
    assert world.schedule("p", volumes=claims).filter == {"n1": refused, "n2": refused}


# --- PreScore -------------------------------------------------------------------------------------


def test_only_a_plugin_that_has_a_pre_score_computes_it_late() -> None:
    assert "R-FRAMEWORK-11" not in applied(lambda: without("preScore").schedule("p"))
    assert "R-FRAMEWORK-11" in applied(lambda: without("preScore", "NodeResourcesFit").schedule("p"))
