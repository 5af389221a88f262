# SPDX-License-Identifier: Apache-2.0
"""Arguments of plugins: defaults, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.config.resolve import resolve
from refsched.config.scalars import is_qualified_name
from refsched.errors import InputError
from refsched.objects.selectors import is_label_value
from refsched.plugins.default_preemption import DefaultPreemptionArgs
from refsched.plugins.dynamic_resources_args import DEFAULT_BINDING_TIMEOUT, DEFAULT_FILTER_TIMEOUT
from refsched.plugins.inter_pod_affinity import InterPodAffinityArgs
from refsched.plugins.node_affinity import NodeAffinityArgs
from refsched.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocationArgs
from refsched.plugins.node_resources_fit_args import (
    NodeResourcesFitArgs,
    RequestedToCapacityRatioParam,
    ScoringStrategy,
)
from refsched.plugins.pod_topology_spread_args import PodTopologySpreadArgs
from refsched.plugins.resource_scoring import ResourceSpec, UtilizationShapePoint
from refsched.plugins.volume_binding import DEFAULT_SHAPE
from refsched.plugins.volume_binding_without_scores import (
    VolumeBindingArgs as VolumeBindingArgsWithoutScores,
)
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import KIND, default_config, read_args, read_config
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release
from refsched.releases.v1_35.plugins.dynamic_resources_args import (
    DynamicResourcesArgs,
    DynamicResourcesArgsWithoutTimeout,
)
from refsched.releases.v1_35.plugins.node_resources_fit import (
    NodeResourcesFitArgs as NodeResourcesFitArgsOfV135,
)

[API_VERSION] = DEFAULT.api_versions

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
BEFORE_1_35 = RELEASES["1.34"]
NO_FILTER_TIMEOUT = with_feature_gates({"DRASchedulerFilterTimeout": False}, BEFORE_1_35)


def refusal(plugin: str, args: object, release: Release = DEFAULT) -> str:
    """What is said about these arguments, below ``args``."""
    profile = {"pluginConfig": [{"name": plugin, "args": args}]}
    with pytest.raises(InputError) as caught:
        resolve(
            read_config({"apiVersion": API_VERSION, "kind": KIND, "profiles": [profile]}, release), release
        )
    before, _, problem = str(caught.value).partition("profiles[0].pluginConfig[0].args")
    assert before == ""
    return problem.removeprefix(".").removeprefix(": ")


def test_a_resource_needs_no_name() -> None:
    """kube-scheduler checks the weights of resources only (validateResources)."""
    strategy = {"type": "LeastAllocated", "resources": [{"weight": 3}]}
    read = read_args("NodeResourcesFit", {"scoringStrategy": strategy})
    assert read.scoring_strategy.resources == (ResourceSpec("", 3),)


def test_what_is_left_out_has_its_default() -> None:
    both = (ResourceSpec("cpu", 1), ResourceSpec("memory", 1))
    assert {plugin: read_args(plugin, None, BEFORE_1_35) for plugin in BEFORE_1_35.args} == {
        "DefaultPreemption": DefaultPreemptionArgs(),
        "DynamicResources": DynamicResourcesArgs(DEFAULT_FILTER_TIMEOUT),
        "InterPodAffinity": InterPodAffinityArgs(),
        "NodeAffinity": NodeAffinityArgs(),
        "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs(both),
        "NodeResourcesFit": NodeResourcesFitArgsOfV135(
            scoring_strategy=ScoringStrategy("LeastAllocated", both)
        ),
        "PodTopologySpread": PodTopologySpreadArgs(),
        "VolumeBinding": VolumeBindingArgsWithoutScores(),
    }
    assert read_args("VolumeBinding", None).shape == DEFAULT_SHAPE


def test_a_resource_of_weight_0_has_weight_1() -> None:
    read = read_args("NodeResourcesBalancedAllocation", {"resources": [{"name": "cpu", "weight": 0}]})
    assert read == NodeResourcesBalancedAllocationArgs((ResourceSpec("cpu", 1),))


def test_an_empty_defaulting_type_is_system() -> None:
    assert read_args("PodTopologySpread", {"defaultingType": ""}) == PodTopologySpreadArgs()


def test_feature_gates_have_a_say_in_defaults() -> None:
    assert read_args("DynamicResources", {}, NO_FILTER_TIMEOUT) == DynamicResourcesArgsWithoutTimeout()


def test_a_binding_timeout_is_ten_minutes_and_no_shorter_than_a_second() -> None:
    kubernetes = RELEASES["1.37"]
    for release in (kubernetes, with_feature_gates({"DRASchedulerFilterTimeout": False}, kubernetes)):
        assert read_args("DynamicResources", {}, release).binding_timeout == DEFAULT_BINDING_TIMEOUT
        assert read_args("DynamicResources", {"bindingTimeout": "1s"}, release).binding_timeout == 1
        problem = refusal("DynamicResources", {"bindingTimeout": "900ms"}, release)
        assert problem == "bindingTimeout: is shorter than 1 second"


@pytest.mark.parametrize("version", ["1.34", "1.35"])
def test_a_binding_timeout_without_its_feature_gate_is_refused(version: str) -> None:
    kubernetes = RELEASES[version]
    for release in (kubernetes, with_feature_gates({"DRASchedulerFilterTimeout": False}, kubernetes)):
        assert read_args("DynamicResources", {}, release).binding_timeout is None
        problem = refusal("DynamicResources", {"bindingTimeout": "5s"}, release)
        assert problem == "bindingTimeout: feature gate DRADeviceBindingConditions is off"


def test_the_type_of_arguments_may_be_given() -> None:
    for kind in ("", "InterPodAffinityArgs"):
        read = read_args("InterPodAffinity", {"apiVersion": API_VERSION, "kind": kind})
        assert read == InterPodAffinityArgs()


SYSTEM_AND_LIST = {
    "defaultConstraints": [{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"}]
}


def spread(*constraints: dict[str, Any]) -> dict[str, Any]:
    default = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    return {"defaultingType": "List", "defaultConstraints": [default | c for c in constraints]}


@pytest.mark.parametrize(
    ("plugin", "args", "problem"),
    [
        ("VolumeBinding", [], "expected an object, found []"),
        ("VolumeBinding", {"kind": "X"}, "kind: expected VolumeBindingArgs, found 'X'"),
        ("VolumeBinding", {"x": 1}, "x: is not a field here"),
        ("VolumeBinding", {"bindTimeoutSeconds": -1}, "bindTimeoutSeconds: is negative"),
        ("InterPodAffinity", {"hardPodAffinityWeight": 101}, "hardPodAffinityWeight: 101 is not in [0, 100]"),
        (
            "DefaultPreemption",
            {"minCandidateNodesPercentage": 101},
            "minCandidateNodesPercentage: 101 is not in [0, 100]",
        ),
        (
            "DefaultPreemption",
            {"minCandidateNodesAbsolute": -1},
            "minCandidateNodesAbsolute: -1 is negative",
        ),
        (
            "DefaultPreemption",
            {"minCandidateNodesAbsolute": 0, "minCandidateNodesPercentage": 0},
            "minCandidateNodesPercentage: minCandidateNodesAbsolute is 0 as well",
        ),
        ("DynamicResources", {"filterTimeout": "-1s"}, "filterTimeout: is negative"),
        (
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "cpu"}, {"name": "cpu"}]},
            "resources[1].name: 'cpu' is there already",
        ),
        (
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "cpu", "weight": 2}]},
            "resources[0].weight: 2 is not 1",
        ),
        ("PodTopologySpread", {"defaultingType": "x"}, "defaultingType: 'x' is not one of List, System"),
        ("PodTopologySpread", SYSTEM_AND_LIST, "defaultingType: is System, and defaultConstraints are given"),
        (
            "PodTopologySpread",
            spread({}, {}),
            "defaultConstraints[1]: {zone, DoNotSchedule} is there already",
        ),
        ("PodTopologySpread", spread({"maxSkew": 0}), "defaultConstraints[0].maxSkew: 0 is not positive"),
        (
            "PodTopologySpread",
            spread({"topologyKey": ""}),
            "defaultConstraints[0].topologyKey: '' is not a qualified name",
        ),
        (
            "PodTopologySpread",
            spread({"whenUnsatisfiable": "x"}),
            "defaultConstraints[0].whenUnsatisfiable: 'x' is not one of DoNotSchedule, ScheduleAnyway",
        ),
        (
            "PodTopologySpread",
            spread({"labelSelector": {}}),
            "defaultConstraints[0].labelSelector: is not allowed: each pod's own is used",
        ),
    ],
)
def test_wrong_arguments_are_refused(plugin: str, args: object, problem: str) -> None:
    assert refusal(plugin, args) == problem


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({"ignoredResources": ["cpu", "a/b/c"]}, "ignoredResources[1]: 'a/b/c' is not a qualified name"),
        ({"ignoredResourceGroups": ["a/b"]}, "ignoredResourceGroups[0]: 'a/b' has a '/'"),
        ({"ignoredResourceGroups": ["-a"]}, "ignoredResourceGroups[0]: '-a' is not a qualified name"),
        ({"scoringStrategy": {}}, "scoringStrategy.type: '' is not one of LeastAllocated, MostAllocated, "),
        (
            {"scoringStrategy": {"type": "RequestedToCapacityRatio"}},
            "scoringStrategy.requestedToCapacityRatio: is required and missing",
        ),
        (
            {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 101}]}},
            "scoringStrategy.resources[0].weight: 101 is not in [1, 100]",
        ),
        (
            {"scoringStrategy": {"type": "MostAllocated", "requestedToCapacityRatio": {}}},
            "scoringStrategy.requestedToCapacityRatio: is only for type RequestedToCapacityRatio",
        ),
    ],
)
def test_wrong_arguments_of_node_resources_fit_are_refused(args: object, problem: str) -> None:
    assert refusal("NodeResourcesFit", args).startswith(problem)


def test_what_v1_34_refuses_otherwise() -> None:
    problem = refusal("VolumeBinding", {"shape": []}, BEFORE_1_35)
    assert problem == "shape: feature gate StorageCapacityScoring is off"
    strategy = {"type": "MostAllocated", "requestedToCapacityRatio": {}}
    problem = refusal("NodeResourcesFit", {"scoringStrategy": strategy}, BEFORE_1_35)
    assert problem == "scoringStrategy.requestedToCapacityRatio.shape: needs at least one point"


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ([(-1, 0)], "shape[0].utilization: -1 is not in [0, 100]"),
        ([(0, 11)], "shape[0].score: 11 is not in [0, 10]"),
        ([(5, 0), (5, 1)], "shape[1].utilization: 5 does not rise"),
    ],
)
def test_a_shape_rises_within_its_bounds(points: list[tuple[int, int]], problem: str) -> None:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    strategy = {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": shape}}
    refused = refusal("NodeResourcesFit", {"scoringStrategy": strategy})
    assert refused == f"scoringStrategy.requestedToCapacityRatio.{problem}"


def test_a_timeout_without_its_feature_gate_is_refused() -> None:
    problem = refusal("DynamicResources", {"filterTimeout": "1s"}, NO_FILTER_TIMEOUT)
    assert problem == "filterTimeout: feature gate DRASchedulerFilterTimeout is off"


@pytest.mark.parametrize(
    ("kind", "requirement", "problem"),
    [
        ("Expressions", ("a", "Foo", []), "operator: 'Foo' is not one of In, NotIn, Exists, "),
        ("Expressions", ("-", "Exists", []), "key: '-' is not a qualified name"),
        ("Expressions", ("a", "Exists", ["b"]), "values: Exists takes no values"),
        ("Expressions", ("a", "In", []), "values: In takes at least one value"),
        ("Expressions", ("a", "Gt", ["1", "2"]), "values: Gt takes exactly one value here"),
        ("Expressions", ("a", "Lt", ["x"]), "values[0]: 'x' is not an integer"),
        ("Expressions", ("a", "Lt", [str(2**63)]), f"values[0]: '{2**63}' is not an integer"),
        ("Expressions", ("a", "Gt", ["-3"]), "values[0]: '-3' is not a label value"),
        ("Expressions", ("a", "In", ["a b"]), "values[0]: 'a b' is not a label value"),
        ("Fields", ("metadata.name", "Exists", []), "operator: 'Exists' is not one of In, NotIn"),
        ("Fields", ("metadata.name", "In", ["a", "b"]), "values: In takes exactly one value here"),
    ],
)
def test_a_malformed_added_affinity_is_refused(
    kind: str, requirement: tuple[str, str, list[str]], problem: str
) -> None:
    term = {f"match{kind}": [dict(zip(("key", "operator", "values"), requirement, strict=True))]}
    required = {"addedAffinity": {REQUIRED: {"nodeSelectorTerms": [{}, term]}}}
    place = f"addedAffinity.{REQUIRED}.nodeSelectorTerms[1].match{kind}[0]."
    assert refusal("NodeAffinity", required).startswith(place + problem)
    preferred = {"addedAffinity": {PREFERRED: [{"weight": 1, "preference": term}]}}
    place = f"addedAffinity.{PREFERRED}[0].preference.match{kind}[0]."
    assert refusal("NodeAffinity", preferred).startswith(place + problem)


WELL_FORMED: dict[str, Any] = {
    "DefaultPreemption": {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 3},
    "DynamicResources": {"filterTimeout": "0s"},
    "InterPodAffinity": {"hardPodAffinityWeight": 100, "ignorePreferredTermsOfExistingPods": True},
    "NodeAffinity": {
        "addedAffinity": {
            REQUIRED: {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
                    {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]},
                ]
            },
            PREFERRED: [
                {"weight": 0, "preference": {"matchExpressions": [{"key": "a", "operator": "not looked at"}]}}
            ],
        }
    },
    "NodeResourcesBalancedAllocation": {"resources": [{"name": "cpu"}, {"name": "example.com/gpu"}]},
    "NodeResourcesFit": {
        "ignoredResources": ["example.com/gpu"],
        "ignoredResourceGroups": ["example.org"],
        "scoringStrategy": {
            "type": "RequestedToCapacityRatio",
            "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 10}]},
        },
    },
    "PodTopologySpread": spread({}, {"topologyKey": "host"}, {"whenUnsatisfiable": "ScheduleAnyway"}),
    "VolumeBinding": {"bindTimeoutSeconds": 0},
}


@pytest.mark.parametrize("plugin", list(WELL_FORMED))
def test_well_formed_arguments_are_taken(plugin: str) -> None:
    profile = {"pluginConfig": [{"name": plugin, "args": WELL_FORMED[plugin]}]}
    config = read_config({"apiVersion": API_VERSION, "kind": KIND, "profiles": [profile]})
    assert (
        resolve(config)[0].args[plugin] == read_args(plugin, WELL_FORMED[plugin]) != read_args(plugin, None)
    )


def test_arguments_that_say_nothing_are_taken() -> None:
    profile = {"pluginConfig": [{"name": plugin, "args": {}} for plugin in DEFAULT.args]}
    config = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [profile]}
    assert resolve(read_config(config)) == resolve(default_config())
    args = resolve(read_config(config, NO_FILTER_TIMEOUT), NO_FILTER_TIMEOUT)[0].args
    assert args["DynamicResources"] == DynamicResourcesArgsWithoutTimeout()


def test_a_well_formed_shape_is_taken() -> None:
    shape = [{}, {"utilization": 50, "score": 10}]
    strategy = {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": shape}}
    profile = {"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}]}
    config = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [profile]}
    args = resolve(read_config(config))[0].args["NodeResourcesFit"]
    assert isinstance(args, NodeResourcesFitArgs)
    points = (UtilizationShapePoint(0, 0), UtilizationShapePoint(50, 10))
    assert args.scoring_strategy.requested_to_capacity_ratio == RequestedToCapacityRatioParam(points)


def test_names_are_those_of_kubernetes() -> None:
    good = ["a", "A_b.c-d", "a.b/c", "x" * 63, "a" * 253 + "/b"]
    bad = ["", "-a", "a-", "a/", "/a", "A.b/c", "a..b/c", "a/b/c", "x" * 64, "a" * 254 + "/b", "a\n", "ä"]
    assert [name for name in good + bad if is_qualified_name(name)] == good
    assert [value for value in ["", "a", "x" * 64, "a/b", "-"] if is_label_value(value)] == ["", "a"]
