# SPDX-License-Identifier: Apache-2.0
"""A configuration as another release reads it."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.config.resolve import resolve
from refsched.reading.configuration.read import read_config
from refsched.releases import RELEASES
from refsched.suite.histories.configuration import configured_for
from refsched.suite.histories.history import DEFAULT_CONFIG

OLD, NEW = RELEASES["1.19"], RELEASES["1.34"]
TYPE = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"}


def written(**fields: Any) -> dict[str, Any]:
    return configured_for({**DEFAULT_CONFIG, **fields}, OLD)


def plugins(**points: Any) -> Any:
    [profile] = written(profiles=[{"plugins": points}])["profiles"]
    return profile["plugins"]


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def test_a_configuration_of_the_release_itself_stays_as_it_is() -> None:
    given = {**DEFAULT_CONFIG, "parallelism": 3}
    assert configured_for(given, NEW) == given


def test_a_field_that_the_release_does_not_have_is_left_out() -> None:
    profiles = [{"schedulerName": "a", "percentageOfNodesToScore": 5}]
    assert written(parallelism=3, podMaxBackoffSeconds=4, profiles=profiles) == {
        **TYPE,
        "podMaxBackoffSeconds": 4,
        "profiles": [{"schedulerName": "a"}],
    }


def test_what_is_disabled_everywhere_is_disabled_at_each_point() -> None:
    found = plugins(multiPoint={"disabled": named("*")}, bind={"enabled": named("DefaultBinder")})
    assert found["filter"] == {"enabled": [], "disabled": named("*")}
    assert found["bind"] == {"enabled": named("DefaultBinder"), "disabled": named("*")}
    assert "queueSort" not in found


def test_a_plugin_that_is_enabled_everywhere_is_enabled_where_the_release_has_it() -> None:
    found = plugins(multiPoint={"enabled": named("NodeAffinity", "DynamicResources")})
    assert found == {
        "filter": {"enabled": named("NodeAffinity"), "disabled": named("NodeAffinity")},
        "score": {"enabled": named("NodeAffinity"), "disabled": named("NodeAffinity")},
    }


def test_a_point_has_its_own_say_before_what_is_said_of_every_point() -> None:
    found = plugins(
        multiPoint={"enabled": named("TaintToleration")},
        score={"enabled": [{"name": "TaintToleration", "weight": 7}]},
    )
    assert found["score"]["enabled"] == [{"name": "TaintToleration", "weight": 7}]


def test_arguments_are_those_that_the_release_knows() -> None:
    fit = {"ignoredResources": ["example.com/a"], "scoringStrategy": {"type": "MostAllocated"}}
    configs = [{"name": "NodeResourcesFit", "args": fit}, {"name": "DefaultPreemption", "args": {}}]
    [profile] = written(profiles=[{"pluginConfig": configs}])["profiles"]
    assert profile["pluginConfig"] == [
        {"name": "NodeResourcesFit", "args": {"ignoredResources": ["example.com/a"]}}
    ]


@pytest.mark.parametrize(
    "profile", [{}, {"plugins": {"multiPoint": {"enabled": named("PodTopologySpread")}}}]
)
def test_what_is_written_for_a_release_is_accepted_by_it(profile: dict[str, Any]) -> None:
    assert resolve(read_config(written(profiles=[profile]), OLD), OLD)
