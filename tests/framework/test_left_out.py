# SPDX-License-Identifier: Apache-2.0
"""Plugins that a configuration leaves out of PreFilter or PreScore, and not of what follows."""

from __future__ import annotations

from typing import Any

import pytest
from world import World, configuration, profile, unresolvable


def without(point: str, *plugins: str, **more: Any) -> World:
    """Two nodes; at ``point`` these plugins are disabled."""
    left_out = {"disabled": [{"name": plugin} for plugin in plugins]}
    world = World(configuration(profile(**{point: left_out}, **more)))
    world.node("n1", labels={"kubernetes.io/hostname": "n1"})
    world.node("n2", labels={"kubernetes.io/hostname": "n2"})
    return world


# --- PreFilter ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        ("NodePorts", 'reading "PreFilterNodePorts" from cycleState: not found'),
        ("NodeResourcesFit", 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
        ("VolumeRestrictions", 'cannot read "PreFilterVolumeRestrictions" from cycleState'),
        ("VolumeBinding", "not found"),
        ("PodTopologySpread", 'reading "PreFilterPodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
        ("DynamicResources", "not found"),
    ],
)
def test_some_have_nothing_to_filter_by(plugin: str, said: str) -> None:
    attempt = without("preFilter", plugin).schedule("p", cpu="1")
    assert (attempt.result, attempt.message) == ("error", f'running "{plugin}" filter plugin: {said}')


@pytest.mark.parametrize("plugin", ["NodeAffinity", "NodeVolumeLimits", "VolumeZone"])
def test_others_find_out_for_themselves(plugin: str) -> None:
    assert without("preFilter", plugin).schedule("p", cpu="1").result == "scheduled"


def test_who_finds_out_for_itself_does_not_narrow_the_search() -> None:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}
    affinity = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    }
    attempt = without("preFilter", "NodeAffinity").schedule("p", affinity=affinity)
    assert attempt.pre_filter is None
    assert sorted(attempt.filter or {}) == ["n1", "n2"]
    assert attempt.node == "n2"


def test_what_would_have_refused_the_pod_refuses_each_node() -> None:
    others = ("VolumeRestrictions", "VolumeBinding", "NodeVolumeLimits")
    world = without(
        "preFilter", "VolumeZone", *others, filter={"disabled": [{"name": other} for other in others]}
    )
    claims = [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]
    refused = unresolvable("VolumeZone", 'persistentvolumeclaim "missing" not found')
    assert world.schedule("p", volumes=claims).filter == {"n1": refused, "n2": refused}


@pytest.mark.parametrize("plugin", ["VolumeBinding", "DynamicResources"])
def test_some_have_nothing_to_reserve_by(plugin: str) -> None:
    world = without("preFilter", plugin, filter={"disabled": [{"name": plugin}]})
    attempt = world.schedule("p")
    assert (attempt.result, attempt.message) == ("error", f'running Reserve plugin "{plugin}": not found')
    assert world.on("n1") == []


# --- PreScore -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        ("TaintToleration", 'failed to read "PreScoreTaintToleration" from cycleState: not found'),
        ("PodTopologySpread", 'error reading "PreScorePodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'),
    ],
)
def test_some_have_nothing_to_score_by(plugin: str, said: str) -> None:
    attempt = without("preScore", plugin).schedule("p")
    assert attempt.result == "error"
    assert attempt.message == f'running Score plugins: plugin "{plugin}" failed with: {said}'


@pytest.mark.parametrize("plugin", ["NodeResourcesFit", "NodeResourcesBalancedAllocation"])
def test_others_score_as_they_would_have(plugin: str) -> None:
    scores = without("preScore", plugin).schedule("p", cpu="1").scores
    assert scores is not None
    assert scores == without("preScore").schedule("p", cpu="1").scores


@pytest.mark.parametrize("plugin", ["NodeAffinity", "VolumeBinding"])
def test_a_plugin_without_an_opinion_is_recorded_all_the_same(plugin: str) -> None:
    scores = without("preScore", plugin).schedule("p", cpu="1").scores
    assert scores is not None
    assert {by_plugin[plugin] for by_plugin in scores.values()} == {0}
