# SPDX-License-Identifier: Apache-2.0
"""Plugins that a configuration leaves out of PreFilter or PreScore, and not of what follows."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import claim, device, device_class, one, piece
from world import World, configuration, profile, unresolvable, unschedulable

Json = dict[str, Any]


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


DISK: list[Json] = [{"name": "d", "gcePersistentDisk": {"pdName": "d"}}]


def test_disks_are_looked_at_before_what_pre_filter_would_have_found() -> None:
    world = without("preFilter", "VolumeRestrictions")
    world.pod("u1", on="n1", volumes=DISK)
    world.pod("u2", on="n2", volumes=DISK)
    attempt = world.schedule("p", volumes=DISK)
    taken = unschedulable("VolumeRestrictions", "node(s) had no available disk")
    assert attempt.result == "unschedulable"
    assert attempt.filter == {"n1": taken, "n2": taken}


def test_where_no_disk_is_taken_what_pre_filter_would_have_found_is_missing() -> None:
    world = without("preFilter", "VolumeRestrictions")
    world.pod("u1", on="n1", volumes=DISK)
    attempt = world.schedule("p", volumes=DISK)
    said = 'cannot read "PreFilterVolumeRestrictions" from cycleState'
    assert (attempt.result, attempt.message) == (
        "error",
        f'running "VolumeRestrictions" filter plugin: {said}',
    )


def test_names_that_exclude_each_other_are_no_reason_of_their_own_at_filter() -> None:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in ("n1", "n2")]
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": fields}]}
        }
    }
    refused = unresolvable("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
    attempt = without("preFilter", "NodeAffinity").schedule("p", affinity=affinity)
    assert attempt.filter == {"n1": refused, "n2": refused}


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
    off = {point: {"disabled": [{"name": plugin}]} for point in ("filter", "preScore", "score")}
    world = without("preFilter", plugin, **off)
    attempt = world.schedule("p")
    assert (attempt.result, attempt.message) == ("error", f'running Reserve plugin "{plugin}": not found')
    assert world.on("n1") == []


def test_without_pre_filter_post_filter_of_dynamic_resources_is_an_error() -> None:
    attempt = without("preFilter", "DynamicResources").schedule("p", cpu="5")
    assert attempt.result == "unschedulable"
    assert (attempt.message or "").endswith("2 Insufficient cpu. not found")


def test_without_filter_there_are_no_devices_to_reserve() -> None:
    world = without("filter", "DynamicResources")
    world.create(device_class())
    world.create(piece("s1", device("d0")))
    world.create(claim("c", one()))
    attempt = world.schedule("p", resourceClaims=[{"name": "g", "resourceClaimName": "c"}])
    assert (attempt.result, attempt.message) == (
        "error",
        'running Reserve plugin "DynamicResources": claim allocation not found for node',
    )


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
