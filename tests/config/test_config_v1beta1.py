# SPDX-License-Identifier: Apache-2.0
"""KubeSchedulerConfiguration v1beta1, as v1.19 reads, merges and checks it."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.config.resolve import resolve
from refsched.errors import InputError
from refsched.machine.profiles import framework_of
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import default_config, read_config
from refsched.releases import release_of
from refsched.releases.release import Release

V1_19 = release_of("1.19")
TYPE = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"}


def profile(release: Release = V1_19, **fields: Any) -> Any:
    [resolved] = resolve(read_config({**TYPE, "profiles": [fields]}, release), release)
    return resolved


def with_args(plugin: str, **args: Any) -> Any:
    score = {"enabled": [{"name": plugin, "weight": 1}]}
    resolved = profile(
        plugins={"score": {"disabled": [{"name": "*"}], **score}},
        pluginConfig=[{"name": plugin, "args": args}],
    )
    return framework_of(resolved, release=V1_19).score_plugins[0]


def test_the_default_plugins_stand_in_the_order_of_the_algorithm_provider() -> None:
    [resolved] = resolve(default_config(V1_19), V1_19)
    assert [plugin.name for plugin in resolved.points["preScore"]] == [
        "InterPodAffinity",
        "PodTopologySpread",
        "TaintToleration",
        "SelectorSpread",
    ]
    weights = {plugin.name: plugin.weight for plugin in resolved.points["score"]}
    assert weights["NodePreferAvoidPods"] == 10000
    assert weights["PodTopologySpread"] == 2
    assert sum(weight == 1 for weight in weights.values()) == 7


def test_what_a_profile_enables_comes_after_the_default_plugins_that_it_keeps() -> None:
    score = {
        "disabled": [{"name": "NodeResourcesLeastAllocated"}],
        "enabled": [{"name": "NodeResourcesMostAllocated", "weight": 7}],
    }
    points = profile(plugins={"score": score}).points
    assert points["score"][-1].name == "NodeResourcesMostAllocated"
    assert points["score"][-1].weight == 7
    assert "NodeResourcesLeastAllocated" not in [plugin.name for plugin in points["score"]]


def test_a_default_plugin_that_is_enabled_again_must_be_disabled() -> None:
    with pytest.raises(InputError, match="ImageLocality is there already"):
        profile(plugins={"score": {"enabled": [{"name": "ImageLocality"}]}})


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"parallelism": 1}, "parallelism"),
        ({"profiles": [{"plugins": {"multiPoint": {}}}]}, "multiPoint"),
        ({"profiles": [{"percentageOfNodesToScore": 1}]}, "percentageOfNodesToScore"),
    ],
)
def test_what_later_versions_added_is_refused(fields: Any, field: str) -> None:
    with pytest.raises(InputError, match=field):
        read_config({**TYPE, **fields}, V1_19)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"healthzBindAddress": 1}, "healthzBindAddress: expected a string"),
        ({"profiles": "x"}, "profiles: expected a list"),
        ({"profiles": [[]]}, r"profiles\[0\]: expected an object"),
        ({"profiles": [{"plugins": []}]}, r"profiles\[0\].plugins: expected an object"),
    ],
)
def test_what_is_of_another_kind_is_refused(fields: Any, field: str) -> None:
    with pytest.raises(InputError, match=field):
        read_config({**TYPE, **fields}, V1_19)


def test_addresses_do_not_concern_scheduling() -> None:
    read = read_config({**TYPE, "healthzBindAddress": "0.0.0.0:10251", "metricsBindAddress": None}, V1_19)
    assert read == default_config(V1_19)


def test_the_current_version_is_refused() -> None:
    with pytest.raises(InputError, match="apiVersion"):
        read_config({**TYPE, "apiVersion": "kubescheduler.config.k8s.io/v1"}, V1_19)


def test_resources_have_a_default_and_keep_their_weights() -> None:
    least = with_args("NodeResourcesLeastAllocated")
    assert [(resource.name, resource.weight) for resource in least.resources] == [("cpu", 1), ("memory", 1)]
    most = with_args("NodeResourcesMostAllocated", resources=[{"name": "cpu", "weight": 3}])
    assert [(resource.name, resource.weight) for resource in most.resources] == [("cpu", 3)]


SHAPE = [{"utilization": 0, "score": 1}, {"utilization": 50, "score": 10}]


def test_plugins_that_only_v1_19_has_take_their_arguments() -> None:
    ratio = with_args("RequestedToCapacityRatio", shape=SHAPE)
    assert [point.score for point in ratio.shape] == [1, 10]
    label = with_args("NodeLabel", presentLabelsPreference=["a"], absentLabelsPreference=["b"])
    assert (label.present_labels_preference, label.absent_labels_preference) == (("a",), ("b",))
    service = with_args("ServiceAffinity", antiAffinityLabelsPreference=["zone"])
    assert service.anti_affinity_labels_preference == ("zone",)
    assert with_args("InterPodAffinity", hardPodAffinityWeight=5).hard_pod_affinity_weight == 5


@pytest.mark.parametrize(
    ("plugin", "args", "field"),
    [
        ("InterPodAffinity", {"hardPodAffinityWeight": 101}, "hardPodAffinityWeight"),
        ("NodeLabel", {"presentLabels": ["a"], "absentLabels": ["a"]}, "absentLabels"),
        ("NodeResourcesLeastAllocated", {"resources": [{"name": "cpu"}]}, "weight"),
        ("NodeResourcesMostAllocated", {"resources": [{"name": "cpu", "weight": 101}]}, "weight"),
        ("RequestedToCapacityRatio", {}, "shape"),
        ("RequestedToCapacityRatio", {"shape": [{"utilization": 101}]}, "utilization"),
        ("RequestedToCapacityRatio", {"shape": [{"score": 11}]}, "score"),
        ("RequestedToCapacityRatio", {"shape": [SHAPE[1], SHAPE[0]]}, "utilization"),
        ("RequestedToCapacityRatio", {"shape": SHAPE, "resources": [{"name": "cpu"}]}, "weight"),
    ],
)
def test_arguments_that_cannot_be_are_refused(plugin: str, args: Any, field: str) -> None:
    with pytest.raises(InputError, match=field):
        with_args(plugin, **args)


HARD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}


@pytest.mark.parametrize(
    ("plugin", "args", "field"),
    [
        ("NodeResourcesFit", {"ignoredResources": ["a b"]}, "ignoredResources"),
        ("NodeResourcesFit", {"ignoredResourceGroups": ["a/b"]}, "ignoredResourceGroups"),
        ("NodeResourcesFit", {"scoringStrategy": {}}, "scoringStrategy"),
        ("PodTopologySpread", {"defaultConstraints": [{**HARD, "maxSkew": 0}]}, "maxSkew"),
        ("PodTopologySpread", {"defaultConstraints": [{**HARD, "topologyKey": ""}]}, "topologyKey"),
        ("PodTopologySpread", {"defaultConstraints": [{**HARD, "whenUnsatisfiable": "x"}]}, "whenUnsat"),
        ("PodTopologySpread", {"defaultConstraints": [{**HARD, "labelSelector": {}}]}, "labelSelector"),
        ("PodTopologySpread", {"defaultConstraints": [HARD, HARD]}, "already"),
        ("VolumeBinding", {"bindTimeoutSeconds": 0}, "bindTimeoutSeconds"),
    ],
)
def test_arguments_of_default_plugins_are_checked_where_these_are_made(
    plugin: str, args: Any, field: str
) -> None:
    with pytest.raises(InputError, match=field):
        framework_of(profile(pluginConfig=[{"name": plugin, "args": args}]), release=V1_19)


def test_a_weight_of_no_positive_number_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="podInitialBackoffSeconds"):
        read_config({**TYPE, "podInitialBackoffSeconds": 0}, V1_19)


def test_default_constraints_may_take_the_place_of_selector_spread() -> None:
    changed = with_feature_gates({"DefaultPodTopologySpread": True}, V1_19)
    resolved = profile(changed)
    assert "SelectorSpread" not in [plugin.name for plugin in resolved.points["score"]]
    assert "SelectorSpread" not in [plugin.name for plugin in resolved.points["preScore"]]
    framework = framework_of(resolved, release=changed)
    [spread] = [plugin for plugin in framework.score_plugins if plugin.name == "PodTopologySpread"]
    assert [each.max_skew for each in spread.default_constraints] == [3, 5]  # type: ignore[attr-defined]


def test_resources_that_extenders_manage_are_ignored_by_filter() -> None:
    extender = {
        "urlPrefix": "http://x",
        "filterVerb": "filter",
        "managedResources": [{"name": "example.com/gpu", "ignoredByScheduler": True}],
    }
    config = read_config({**TYPE, "extenders": [extender]}, V1_19)
    [resolved] = resolve(config, V1_19)
    assert resolved.args["NodeResourcesFit"].ignored_resources == ("example.com/gpu",)
