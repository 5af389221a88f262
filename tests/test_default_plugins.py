# SPDX-License-Identifier: Apache-2.0
"""The plugins, their weights and their points are those of kube-scheduler, which wrote them down itself
(traces/recorder/v1.34/plugins_test.go)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from world import configuration

from refsched.config.read import read_config
from refsched.config.resolve import resolve
from refsched.releases.v1_34 import V1_34

TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "traces/recorder/v1.34/testdata/plugins.json").read_text("utf-8")
)
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
