# SPDX-License-Identifier: Apache-2.0
"""Plugins that a configuration of v1.19 leaves out of PreFilter or PreScore, and not of what follows."""

from __future__ import annotations

from typing import Any

import pytest
from world import World

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"}
SPREADING = {
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}
    ]
}


def without(point: str, *plugins: str) -> World:
    """Two nodes; at ``point`` these plugins are disabled."""
    left_out: dict[str, Any] = {point: {"disabled": [{"name": plugin} for plugin in plugins]}}
    profile = {"schedulerName": "default-scheduler", "plugins": left_out}
    world = World({**CONFIG, "profiles": [profile]}, kubernetes="1.19")
    world.node("n1", labels={"kubernetes.io/hostname": "n1"})
    world.node("n2", labels={"kubernetes.io/hostname": "n2"})
    return world


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        ("NodePorts", 'error reading "PreFilterNodePorts" from cycleState: not found'),
        ("NodeResourcesFit", 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
        ("PodTopologySpread", 'error reading "PreFilterPodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
        ("VolumeBinding", "not found"),
    ],
)
def test_a_plugin_without_its_pre_filter_fails_at_filter(plugin: str, said: str) -> None:
    attempt = without("preFilter", plugin).schedule("p")
    assert attempt.result == "error"
    assert (attempt.message or "").endswith(said)
    assert f'"{plugin}" filter plugin' in (attempt.message or "")


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        ("InterPodAffinity", 'Error reading "PreScoreInterPodAffinity" from cycleState: not found'),
        ("PodTopologySpread", 'error reading "PreScorePodTopologySpread" from cycleState: not found'),
        ("SelectorSpread", 'Error reading "PreScoreSelectorSpread" from cycleState: not found'),
        ("TaintToleration", 'Error reading "PreScoreTaintToleration" from cycleState: not found'),
    ],
)
def test_a_plugin_without_its_pre_score_fails_at_score(plugin: str, said: str) -> None:
    attempt = without("preScore", plugin).schedule("p")
    assert attempt.result == "error"
    assert attempt.message == f'error while running score plugin for pod "p": {said}'


def test_selector_spread_needs_no_pre_score_for_a_pod_with_constraints_of_its_own() -> None:
    scores = without("preScore", "SelectorSpread").schedule("p", **SPREADING).scores
    assert scores is not None
    assert {by_plugin["SelectorSpread"] for by_plugin in scores.values()} == {0}


def test_the_first_plugin_that_fails_at_score_is_reported() -> None:
    term = {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["x"]}]}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": term}]}
    attempt = without("preScore", "TaintToleration").schedule("p", affinity={"nodeAffinity": preferred})
    assert "for 'Gt', 'Lt' operators" in (attempt.message or "")


@pytest.mark.parametrize(("labels", "result"), [([], "scheduled"), (["zone"], "error")])
def test_service_affinity_without_labels_needs_no_pre_filter(labels: list[str], result: str) -> None:
    profile = {
        "schedulerName": "default-scheduler",
        "plugins": {"filter": {"enabled": [{"name": "ServiceAffinity"}]}},
        "pluginConfig": [{"name": "ServiceAffinity", "args": {"affinityLabels": labels}}],
    }
    world = World({**CONFIG, "profiles": [profile]}, kubernetes="1.19")
    world.node("n1")
    assert world.schedule("p").result == result
