# SPDX-License-Identifier: Apache-2.0
"""Which rules a configuration's reading and merging applies, and where they decide nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from applied import applied

from refsched.config.gated_fields import without_disabled_fields, without_match_label_keys
from refsched.config.resolve import extenders_in_order, resolve
from refsched.errors import InputError
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import KIND, read_args, read_config
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release

PLAIN = {"apiVersion": DEFAULT.api_versions[0], "kind": KIND}
FIT = "NodeResourcesFit"
ALL = [{"name": "*"}]


def used(config: dict[str, Any], release: Release = DEFAULT) -> None:
    read = read_config({**PLAIN, **config}, release)
    resolve(read, release)
    extenders_in_order(read)


def profile(**plugins: Any) -> dict[str, Any]:
    return {"profiles": [{"schedulerName": "x", "plugins": plugins}]}


def with_args(plugin: str, **args: Any) -> dict[str, Any]:
    return {"profiles": [{"schedulerName": "x", "pluginConfig": [{"name": plugin, "args": args}]}]}


def queue_sort(*names: str) -> dict[str, Any]:
    return {"queueSort": {"disabled": ALL, "enabled": [{"name": name} for name in names]}}


def managing(*names: str, ignored: bool = False, **more: Any) -> dict[str, Any]:
    resources = [{"name": name, "ignoredByScheduler": ignored} for name in names]
    return {"extenders": [{"urlPrefix": "http://e", "managedResources": resources, **more}]}


TLS = {"insecure": True, "caFile": "ca.pem"}
SPREAD = {"maxSkew": 0, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
MALFORMED = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Near"}]}]
    }
}
RATIO = {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": []}}


@pytest.mark.parametrize(
    ("rule", "config"),
    [
        ("R-CONFIG-01", {"nope": 1}),
        ("R-CONFIG-03", with_args(FIT, nope=1)),
        ("R-CONFIG-04", {"parallelism": 0}),
        ("R-CONFIG-04", {"podInitialBackoffSeconds": 0}),
        ("R-CONFIG-04", {"percentageOfNodesToScore": 101}),
        ("R-CONFIG-05", {"profiles": [{"schedulerName": "x"}, {"schedulerName": "x"}]}),
        ("R-CONFIG-05", {"profiles": [{"schedulerName": ""}]}),
        ("R-CONFIG-06", {"profiles": [{"pluginConfig": [{"name": "x"}, {"name": "x"}]}]}),
        ("R-CONFIG-06", with_args("InterPodAffinity", hardPodAffinityWeight=101)),
        (
            "R-CONFIG-07",
            {
                "profiles": [
                    {"schedulerName": "x"},
                    {"schedulerName": "y", "plugins": queue_sort("ScriptedA")},
                ]
            },
        ),
        ("R-CONFIG-08", managing("cpu")),
        ("R-CONFIG-08", managing(prioritizeVerb="prioritize")),
        ("R-CONFIG-09", managing(tlsConfig=TLS)),
        ("R-CONFIG-20", profile(**queue_sort())),
        ("R-CONFIG-22", profile(filter={"enabled": [{"name": "Nope"}]})),
        ("R-CONFIG-25", profile(filter={"enabled": [{"name": "ImageLocality"}]})),
        ("R-ARGS-02", with_args(FIT, scoringStrategy={})),
        ("R-ARGS-10", with_args("DefaultPreemption", minCandidateNodesAbsolute=-1)),
        (
            "R-ARGS-13",
            with_args("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}]),
        ),
        ("R-ARGS-14", with_args(FIT, ignoredResources=["a b"])),
        ("R-ARGS-15", with_args(FIT, scoringStrategy=RATIO)),
        ("R-ARGS-16", with_args("PodTopologySpread", defaultingType="List", defaultConstraints=[SPREAD])),
        ("R-ARGS-17", with_args("NodeAffinity", addedAffinity=MALFORMED)),
    ],
)
def test_the_rule_that_refuses_a_configuration_is_applied(rule: str, config: dict[str, Any]) -> None:
    def refuse() -> None:
        with pytest.raises(InputError):
            used(config)

    assert rule in applied(refuse)
    assert rule not in applied(lambda: used({}))


def test_until_v1_36_a_shape_without_its_feature_gate_is_refused() -> None:
    def refuse() -> None:
        with pytest.raises(InputError):
            used(with_args("VolumeBinding", shape=[]), RELEASES["1.34"])

    assert "R-ARGS-12" in applied(refuse)


def test_a_rule_that_completes_arguments_is_applied_where_something_is_completed() -> None:
    calls: dict[str, Callable[[], object]] = {
        "R-ARGS-01": lambda: read_args(FIT, None),
        "R-ARGS-03": lambda: read_args("PodTopologySpread", {"defaultingType": ""}),
        "R-ARGS-04": lambda: read_args("DynamicResources", {"bindingTimeout": "1s"}),
        "R-ARGS-05": lambda: read_args("DynamicResources", {"filterTimeout": "1s"}),
    }
    for rule, call in calls.items():
        assert applied(call) == [rule]
    assert (
        applied(lambda: read_args("DynamicResources", {"filterTimeout": "1s", "bindingTimeout": "1s"})) == []
    )
    both = [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]
    assert applied(lambda: read_args("NodeResourcesBalancedAllocation", {"resources": both})) == []


@pytest.mark.parametrize(
    ("rule", "config"),
    [
        ("R-CONFIG-02", {}),
        ("R-CONFIG-03", with_args("Mine", nope=1)),
        (
            "R-CONFIG-11",
            profile(multiPoint={"enabled": [{"name": "ImageLocality", "weight": 7}]}),
        ),
        (
            "R-CONFIG-12",
            profile(
                multiPoint={
                    "enabled": [{"name": "ImageLocality"}],
                    "disabled": [{"name": "ImageLocality"}],
                }
            ),
        ),
        ("R-CONFIG-21", {"profiles": [{"percentageOfNodesToScore": 7}]}),
        ("R-CONFIG-23", {}),
        ("R-CONFIG-24", profile(score={"enabled": [{"name": "ImageLocality", "weight": 7}]})),
        ("R-CONFIG-26", {}),
        ("R-CONFIG-27", managing("a/b", ignored=True)),
        ("R-CONFIG-28", managing()),
    ],
)
def test_a_rule_is_applied_where_it_decides_what_a_configuration_means(
    rule: str, config: dict[str, Any]
) -> None:
    assert rule in applied(lambda: used(config))


def test_what_says_nothing_applies_no_rule_about_what_is_said() -> None:
    silent = applied(lambda: used({"profiles": [{"schedulerName": "x"}]}))
    assert silent == ["R-CONFIG-23", "R-CONFIG-26", "R-ARGS-04", "R-ARGS-05", "R-ARGS-01", "R-ARGS-18"]


def test_the_rules_of_feature_gates_are_applied_where_one_is_refused() -> None:
    def refused(gate: str) -> Callable[[], None]:
        def call() -> None:
            with pytest.raises(InputError):
                with_feature_gates({gate: not getattr(DEFAULT.gates.get(gate), "default", True)})

        return call

    assert applied(refused("Nope")) == ["R-FEATURE-01"]
    assert applied(refused("SidecarContainers")) == ["R-FEATURE-01"]
    assert applied(refused("DRADeviceTaints")) == ["R-FEATURE-02"]
    assert applied(lambda: with_feature_gates({"SchedulerPopFromBackoffQ": True})) == []


def test_a_field_whose_gate_is_off_is_dropped_by_a_rule_where_the_pod_has_it() -> None:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}

    def dropped(**more: Any) -> list[str]:
        pod = read_as(Pod, {"spec": {"topologySpreadConstraints": [{**constraint, **more}]}})
        return applied(lambda: without_disabled_fields(pod, (without_match_label_keys,)))

    assert dropped(matchLabelKeys=["app"]) == ["R-FEATURE-04"]
    assert dropped() == []
