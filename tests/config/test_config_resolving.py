# SPDX-License-Identifier: Apache-2.0
"""Resolving profiles: which plugins are called at which point, in which order, with which weight."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.config.resolve import ResolvedProfile, extenders_in_order, resolve
from refsched.config.types import EXTENSION_POINTS
from refsched.errors import InputError
from refsched.plugins.dynamic_resources_args import DEFAULT_FILTER_TIMEOUT
from refsched.plugins.node_resources_fit_args import NodeResourcesFitArgs
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import KIND, read_config
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release

[API_VERSION] = DEFAULT.api_versions

NO_DEVICES = with_feature_gates({"DynamicResourceAllocation": False}, RELEASES["1.34"])


def resolved(release: Release = DEFAULT, **fields: Any) -> tuple[ResolvedProfile, ...]:
    return resolve(read_config({"apiVersion": API_VERSION, "kind": KIND, **fields}, release), release)


def one(release: Release = DEFAULT, **plugins: Any) -> ResolvedProfile:
    return resolved(release, profiles=[{"plugins": plugins}])[0]


def enabled(*names: str, disabled: str = "") -> dict[str, Any]:
    """``NodeAffinity:5`` has weight 5."""
    listed = [
        {"name": name.partition(":")[0], "weight": int(name.partition(":")[2] or "0")} for name in names
    ]
    return {"enabled": listed, "disabled": [{"name": name} for name in disabled.split()]}


def names(profile: ResolvedProfile, point: str) -> str:
    return " ".join(plugin.name for plugin in profile.points[point])


def weights(profile: ResolvedProfile) -> dict[str, int]:
    return {plugin.name: plugin.weight for plugin in profile.points["score"]}


def refusal(**plugins: Any) -> str:
    with pytest.raises(InputError) as caught:
        one(**plugins)
    return str(caught.value)


def test_the_default_profile_calls_the_default_plugins() -> None:
    profile = one()
    assert {point: names(profile, point) for point in EXTENSION_POINTS} == {
        "preEnqueue": "SchedulingGates DynamicResources DefaultPreemption",
        "queueSort": "PrioritySort",
        "preFilter": "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit"
        " VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity"
        " DynamicResources NodeDeclaredFeatures",
        "filter": "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit"
        " VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity"
        " DynamicResources NodeDeclaredFeatures",
        "postFilter": "DynamicResources DefaultPreemption",
        "preScore": "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread"
        " InterPodAffinity NodeResourcesBalancedAllocation",
        "score": "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread"
        " InterPodAffinity DynamicResources NodeResourcesBalancedAllocation ImageLocality",
        "reserve": "VolumeBinding DynamicResources",
        "permit": "",
        "preBind": "VolumeBinding DynamicResources",
        "bind": "DefaultBinder",
        "postBind": "",
    }
    assert weights(profile) == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "VolumeBinding": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }
    assert (profile.scheduler_name, profile.percentage_of_nodes_to_score) == ("default-scheduler", 0)
    assert profile.args.keys() == {
        "DefaultPreemption",
        "DynamicResources",
        "InterPodAffinity",
        "NodeAffinity",
        "NodeResourcesBalancedAllocation",
        "NodeResourcesFit",
        "PodTopologySpread",
        "VolumeBinding",
    }


def test_without_its_feature_gate_dynamic_resources_is_no_default_plugin() -> None:
    profile = one(NO_DEVICES)
    assert names(profile, "postFilter") == "DefaultPreemption"
    assert "DynamicResources" not in profile.args
    with pytest.raises(InputError, match="there is no plugin 'DynamicResources'"):
        one(NO_DEVICES, reserve=enabled("DynamicResources"))


# --- Default plugins laid over ----------------------------------------------------------------------


def test_a_default_plugin_that_is_enabled_again_keeps_its_place_and_takes_the_new_weight() -> None:
    profile = one(multiPoint=enabled("NodeResourcesFit:7", "TaintToleration", "ScriptedA"))
    assert names(profile, "preScore").startswith("TaintToleration NodeAffinity NodeResourcesFit")
    assert (weights(profile)["NodeResourcesFit"], weights(profile)["TaintToleration"]) == (7, 1)
    assert names(profile, "permit") == "ScriptedA"


def test_a_default_plugin_that_is_disabled_and_enabled_comes_last() -> None:
    profile = one(multiPoint=enabled("NodeAffinity", disabled="NodeAffinity NodeName"))
    assert names(profile, "filter").endswith("DynamicResources NodeDeclaredFeatures NodeAffinity")
    assert "NodeName" not in names(profile, "filter")


def test_with_all_disabled_only_what_is_enabled_is_called() -> None:
    profile = one(multiPoint=enabled("NodeName", "PrioritySort", "DefaultBinder", disabled="*"))
    assert (names(profile, "filter"), names(profile, "score"), profile.args) == ("NodeName", "", {})


# --- One point ------------------------------------------------------------------------------------


def test_a_plugin_may_be_disabled_at_one_point() -> None:
    profile = one(filter=enabled(disabled="NodeResourcesFit"), score=enabled(disabled="*"))
    assert "NodeResourcesFit" in names(profile, "preFilter")
    assert "NodeResourcesFit" not in names(profile, "filter")
    assert names(profile, "score") == ""


def test_what_a_point_enables_again_goes_first_with_its_own_weight() -> None:
    profile = one(score=enabled("ImageLocality:9", "TaintToleration"))
    assert names(profile, "score").startswith("ImageLocality TaintToleration NodeAffinity")
    assert (weights(profile)["ImageLocality"], weights(profile)["TaintToleration"]) == (9, 1)


def test_what_only_a_point_enables_goes_last() -> None:
    profile = one(bind=enabled("ScriptedBinder"), permit=enabled("ScriptedB"))
    assert names(profile, "bind") == "DefaultBinder ScriptedBinder"
    assert (names(profile, "permit"), names(profile, "reserve")) == (
        "ScriptedB",
        "VolumeBinding DynamicResources",
    )


def test_what_a_point_disables_and_enables_goes_last() -> None:
    profile = one(filter=enabled("NodeName", disabled="NodeName"))
    assert names(profile, "filter").endswith("DynamicResources NodeDeclaredFeatures NodeName")


def test_with_all_disabled_at_a_point_only_its_own_plugins_are_called() -> None:
    profile = one(bind=enabled("ScriptedBinder", "DefaultBinder", disabled="*"))
    assert names(profile, "bind") == "ScriptedBinder DefaultBinder"


def test_a_plugin_twice_at_multi_point_is_no_matter_where_its_points_enable_it_themselves() -> None:
    profile = one(multiPoint=enabled("ScriptedBinder", "ScriptedBinder"), bind=enabled("ScriptedBinder"))
    assert names(profile, "bind") == "ScriptedBinder DefaultBinder"


def test_a_negative_weight_is_taken_while_the_sum_before_the_next_one_is_not_negative() -> None:
    assert weights(one(multiPoint=enabled("NodeAffinity:-1")))["NodeAffinity"] == -1
    with pytest.raises(InputError, match="could overflow"):
        one(score=enabled("NodeAffinity:-3"))


@pytest.mark.parametrize(
    ("plugins", "problem"),
    [
        ({"queueSort": enabled(disabled="*")}, "queueSort: exactly one plugin is needed, not 0"),
        ({"bind": enabled(disabled="DefaultBinder")}, "bind: at least one plugin is needed"),
        ({"score": enabled("NodeName")}, "score.enabled[0]: NodeName does not extend score"),
        ({"score": enabled("NodeAffinity", "Nope")}, "score.enabled[1]: there is no plugin 'Nope'"),
        ({"multiPoint": enabled("NodeName", "Nope")}, "multiPoint.enabled[1]: there is no plugin 'Nope'"),
        (
            {"filter": enabled("NodeName", "NodeName")},
            "filter.enabled[1]: NodeName is there already",
        ),
        (
            {"multiPoint": enabled("NodeAffinity", "NodeName", "NodeAffinity")},
            "multiPoint.enabled[2]: NodeAffinity is there already",
        ),
    ],
)
def test_plugins_that_cannot_be_called_so_are_refused(plugins: dict[str, Any], problem: str) -> None:
    assert refusal(**plugins) == f"profiles[0].plugins.{problem}"


# --- Profiles, arguments, extenders ---------------------------------------------------------------


def test_a_profiles_percentage_goes_before_the_configurations() -> None:
    profiles = [{"schedulerName": "a", "percentageOfNodesToScore": 0}, {"schedulerName": "b"}]
    found = resolved(percentageOfNodesToScore=30, profiles=profiles)
    assert [profile.percentage_of_nodes_to_score for profile in found] == [0, 30]


def test_arguments_of_a_plugin_that_is_not_enabled_are_left_out() -> None:
    fit = {"name": "NodeResourcesFit", "args": {"scoringStrategy": {}}}
    profile = {"pluginConfig": [fit], "plugins": {"multiPoint": enabled(disabled="NodeResourcesFit")}}
    assert "NodeResourcesFit" not in resolved(profiles=[profile])[0].args


def test_arguments_are_those_of_the_profile() -> None:
    config = [
        {"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 9}},
        {"name": "Other", "args": 3},
    ]
    args = resolved(profiles=[{"pluginConfig": config}])[0].args
    assert args["InterPodAffinity"].hard_pod_affinity_weight == 9  # type: ignore[union-attr]
    assert args["DynamicResources"].filter_timeout == DEFAULT_FILTER_TIMEOUT  # type: ignore[union-attr]


MANAGES = [{"managedResources": [{"name": "a.b/c", "ignoredByScheduler": True}, {"name": "a.b/d"}]}]


def test_resources_that_extenders_have_ignored_replace_the_configured_ones() -> None:
    config = [{"name": "NodeResourcesFit", "args": {"ignoredResources": ["a.b/x"]}}]
    for profile in ({}, {"pluginConfig": config}):
        args = resolved(extenders=MANAGES, profiles=[profile])[0].args["NodeResourcesFit"]
        assert isinstance(args, NodeResourcesFitArgs)
        assert args.ignored_resources == ("a.b/c",)


def test_ignorable_extenders_are_called_last_and_none_without_a_timeout() -> None:
    extenders = [
        {"urlPrefix": "a", "ignorable": True},
        {"urlPrefix": "b", "httpTimeout": "1s"},
        {"urlPrefix": "c"},
    ]
    config = read_config({"apiVersion": API_VERSION, "kind": KIND, "extenders": extenders})
    found = [(extender.url_prefix, extender.http_timeout) for extender in extenders_in_order(config)]
    assert found == [("b", 1.0), ("c", 5.0), ("a", 5.0)]


def test_where_extenders_have_resources_ignored_every_profile_has_node_resources_fit() -> None:
    profile = {"plugins": {"multiPoint": enabled(disabled="NodeResourcesFit")}}
    with pytest.raises(InputError, match=r"^profiles\[0\].pluginConfig: has no NodeResourcesFit"):
        resolved(extenders=MANAGES, profiles=[profile])


def test_the_queue_sort_plugin_has_the_same_arguments_in_all_profiles() -> None:
    config = {"pluginConfig": [{"name": "PrioritySort", "args": {"a": 1}}]}
    same = [{"schedulerName": "a", **config}, {"schedulerName": "b", **config}]
    assert len(resolved(profiles=same)) == 2
    with pytest.raises(InputError, match=r"^profiles\[1\]: the args of PrioritySort are not those of"):
        resolved(profiles=[same[0], {"schedulerName": "b"}])
