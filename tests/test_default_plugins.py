# SPDX-License-Identifier: Apache-2.0
"""The plugins, their weights and their points are those of kube-scheduler, which wrote them down itself
(traces/recorder/kubernetes/plugins_test.go and traces/recorder/v1.19/recorder_test.go)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from world import configuration

from refsched.config.resolve import resolve
from refsched.reading.configuration.read import read_config
from refsched.releases.v1_19 import V1_19
from refsched.releases.v1_34 import V1_34


def _table(version: str) -> dict[str, Any]:
    path = Path(__file__).parent.parent / "traces/recorder" / version / "testdata/plugins.json"
    table: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return table


TABLE = _table("v1.34")
TABLE_OF_1_19 = _table("v1.19")
SCRIPTED = {"ScriptedA", "ScriptedB", "ScriptedBinder"}


def test_every_in_tree_plugin_is_specified_and_no_other() -> None:
    assert sorted(V1_34.plugins.keys() - SCRIPTED) == TABLE["registry"]


def test_the_default_plugins_and_their_weights_are_in_the_same_order() -> None:
    enabled = V1_34.default_plugins.multi_point.enabled
    assert [(plugin.name, int(plugin.weight or 0)) for plugin in enabled] == [
        (plugin["name"], plugin.get("weight", 0)) for plugin in TABLE["default"]
    ]


@pytest.mark.parametrize("point", TABLE["points"])
def test_a_profile_that_says_nothing_runs_the_same_plugins_in_the_same_order(point: str) -> None:
    [resolved] = resolve(read_config(configuration({"schedulerName": "default-scheduler"}), V1_34), V1_34)
    expected = TABLE["points"][point]
    assert [plugin.name for plugin in resolved.points[point]] == [plugin["name"] for plugin in expected]
    if point == "score":
        assert [plugin.weight for plugin in resolved.points[point]] == [
            plugin["weight"] for plugin in expected
        ]


def test_every_in_tree_plugin_of_1_19_is_specified_and_no_other() -> None:
    assert sorted(V1_19.plugins.keys() - SCRIPTED) == TABLE_OF_1_19["registry"]


def test_a_profile_of_1_19_that_says_nothing_runs_the_same_plugins_in_the_same_order() -> None:
    given = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"}
    [resolved] = resolve(read_config(given, V1_19), V1_19)
    specified = {
        point: [(plugin.name, plugin.weight if point == "score" else 0) for plugin in plugins]
        for point, plugins in resolved.points.items()
        if plugins
    }
    assert specified == {
        point: [(plugin["name"], plugin.get("weight", 0)) for plugin in plugins]
        for point, plugins in TABLE_OF_1_19["points"].items()
    }
