# SPDX-License-Identifier: Apache-2.0
"""Profiles: which plugins a configuration makes, with which arguments, and in which order they are called."""

from __future__ import annotations

from typing import Any

import pytest
from world import World, configuration, node_object, pod_object, profile

from refsched.errors import InputError
from refsched.framework.choices import FirstChoice, SeededChoices
from refsched.framework.runtime import Framework
from refsched.machine.profiles import scheduler_of
from refsched.releases import DEFAULT
from refsched.tools.configuration.read import read_config


def framework(config: dict[str, Any] | None = None, name: str = "default-scheduler") -> Framework:
    machine = scheduler_of(read_config(config or configuration({"schedulerName": name})), FirstChoice())
    return machine.state.profiles[name]


def with_args(plugin: str, **args: Any) -> Any:
    """The plugin as it is made from these arguments."""
    kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": f"{plugin}Args"}
    entry = {"schedulerName": "default-scheduler", "pluginConfig": [{"name": plugin, "args": kind | args}]}
    return next(made for made in framework(configuration(entry)).plugins if made.name == plugin)


def test_each_plugin_bears_the_name_by_which_it_is_enabled() -> None:
    made = framework(configuration(profile()))
    assert {plugin.name for plugin in made.plugins} | {"PrioritySort"} == set(DEFAULT.plugins)


def test_a_plugin_is_made_once_and_stands_at_each_of_its_points() -> None:
    made = framework()
    at_filter = next(plugin for plugin in made.filter_plugins if plugin.name == "NodeAffinity")
    assert any(plugin is at_filter for plugin in made.score_plugins)


def test_filters_are_called_in_the_order_of_the_default_plugins() -> None:
    assert [plugin.name for plugin in framework().filter_plugins] == [
        "NodeName",
        "NodeUnschedulable",
        "TaintToleration",
        "NodeAffinity",
        "NodePorts",
        "NodeResourcesFit",
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
        "PodTopologySpread",
        "InterPodAffinity",
        "DynamicResources",
        "NodeDeclaredFeatures",
    ]


def test_a_plugin_that_is_disabled_is_not_called() -> None:
    made = framework(configuration(profile(filter={"disabled": [{"name": "NodePorts"}]})))
    assert "NodePorts" not in [plugin.name for plugin in made.filter_plugins]
    assert "NodePorts" in [plugin.name for plugin in made.pre_filter_plugins]


def test_weights_are_those_of_the_configuration() -> None:
    assert framework().score_weights["TaintToleration"] == 3
    heavier = {"disabled": [{"name": "ImageLocality"}], "enabled": [{"name": "ImageLocality", "weight": 50}]}
    assert framework(configuration(profile(score=heavier))).score_weights["ImageLocality"] == 50


@pytest.mark.parametrize(
    ("plugin", "args", "attribute", "value"),
    [
        ("DefaultPreemption", {"minCandidateNodesPercentage": 20}, "min_candidate_nodes_percentage", 20),
        ("DefaultPreemption", {"minCandidateNodesAbsolute": 7}, "min_candidate_nodes_absolute", 7),
        ("InterPodAffinity", {"hardPodAffinityWeight": 7}, "hard_pod_affinity_weight", 7),
        ("NodeResourcesFit", {"ignoredResources": ["example.com/a"]}, "ignored_resources", {"example.com/a"}),
        ("PodTopologySpread", {"defaultingType": "List"}, "is_system_default", False),
    ],
)
def test_arguments_reach_their_plugin(plugin: str, args: dict[str, Any], attribute: str, value: Any) -> None:
    made = with_args(plugin, **args)
    if attribute == "is_system_default":
        assert made != with_args(plugin)
        return
    assert getattr(made, attribute) == value


def test_an_added_affinity_holds_for_every_pod_of_the_profile() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
    added = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    args = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "NodeAffinityArgs",
        "addedAffinity": added,
    }
    entry = profile() | {"pluginConfig": [{"name": "NodeAffinity", "args": args}]}
    world = World(configuration(entry))
    world.create(node_object("n1", labels={"zone": "b"}))
    world.create(node_object("n2", labels={"zone": "a"}))
    assert world.schedule("p").node == "n2"


def test_a_ratio_has_a_shape_and_other_strategies_have_none() -> None:
    shape = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
    strategy = {
        "type": "RequestedToCapacityRatio",
        "requestedToCapacityRatio": {"shape": shape},
        "resources": [{"name": "cpu", "weight": 1}],
    }
    assert with_args("NodeResourcesFit", scoringStrategy=strategy) != with_args("NodeResourcesFit")


def test_balanced_allocation_looks_at_the_resources_that_it_is_given() -> None:
    made = with_args("NodeResourcesBalancedAllocation", resources=[{"name": "example.com/gpu", "weight": 1}])
    assert made != with_args("NodeResourcesBalancedAllocation")


def test_a_profile_may_look_at_fewer_nodes_than_another() -> None:
    few = profile("few") | {"percentageOfNodesToScore": 10}
    config = configuration(few, profile("all"), percentageOfNodesToScore=100)
    assert framework(config, "few").percentage_of_nodes_to_score == 10
    assert framework(config, "all").percentage_of_nodes_to_score == 100


def test_a_plugin_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="NoSuchPlugin"):
        framework(configuration(profile(score={"enabled": [{"name": "NoSuchPlugin"}]})))


def test_backoff_is_that_of_the_configuration() -> None:
    world = World(configuration(podInitialBackoffSeconds=5, podMaxBackoffSeconds=7))
    world.node("n1")
    world.pod("p", script={"ScriptedA": {"reserve": "Error"}})
    world.schedule("p")
    world.advance(5)
    assert world.where("p") == "backoff"
    world.advance(1)
    world.schedule("p")
    world.advance(7)
    assert world.where("p") == "backoff"
    world.advance(1)
    assert world.where("p") == "active"


def test_choices_are_the_first_or_drawn_from_a_seed() -> None:
    assert FirstChoice().choose("node", ["a", "b"]) == "a"
    drawn = [SeededChoices(7).choose("node", range(100)) for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_a_pod_of_a_profile_is_called_by_its_plugins_only() -> None:
    quiet = {"schedulerName": "quiet"}
    world = World(configuration(profile("loud"), quiet))
    world.node("n1")
    world.create(pod_object("p", schedulerName="quiet"))
    assert world.schedule("p", schedulerName="quiet").calls is None
    assert world.schedule("q", schedulerName="loud").calls is not None
