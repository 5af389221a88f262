# SPDX-License-Identifier: Apache-2.0
"""Plugins and their order in v1.36 and before, and what v1.37 has instead."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.config.resolve import resolve
from refsched.errors import InputError
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import default_config, read_args, read_config
from refsched.releases import RELEASES
from refsched.releases.release import Release


def enabled(release: Release, point: str) -> list[str]:
    [profile] = resolve(default_config(release), release)
    return [plugin.name for plugin in profile.points[point]]


def test_node_unschedulable_came_before_node_name() -> None:
    assert enabled(RELEASES["1.37"], "filter")[:2] == ["NodeName", "NodeUnschedulable"]
    for name in ("1.34", "1.35", "1.36"):
        assert enabled(RELEASES[name], "filter")[:2] == ["NodeUnschedulable", "NodeName"]


@pytest.mark.parametrize("plugin", ["NodeName", "NodeUnschedulable", "TaintToleration"])
def test_plugins_that_have_a_pre_filter_now_had_none(plugin: str) -> None:
    given: dict[str, Any] = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"preFilter": {"enabled": [{"name": plugin}]}}}],
    }
    assert plugin in enabled(RELEASES["1.37"], "preFilter")
    assert plugin not in enabled(RELEASES["1.36"], "preFilter")
    with pytest.raises(InputError):
        resolve(read_config(given, RELEASES["1.36"]), RELEASES["1.36"])


def test_a_shape_of_volume_binding_is_refused() -> None:
    shape = [{"utilization": 0, "score": 0}]
    read_args("VolumeBinding", {"shape": shape}, RELEASES["1.37"]).validate()
    off = with_feature_gates({"StorageCapacityScoring": False}, RELEASES["1.37"])
    for release in (RELEASES["1.36"], off):
        with pytest.raises(InputError, match="feature gate StorageCapacityScoring is off"):
            read_args("VolumeBinding", {"shape": shape}, release).validate()
    with pytest.raises(InputError, match="does not rise"):
        read_args("VolumeBinding", {"shape": shape * 2}, RELEASES["1.37"]).validate()
