# SPDX-License-Identifier: Apache-2.0
"""Reading configurations: what is there by default, and what is refused, by its path."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.config.types import Extender
from refsched.errors import InputError
from refsched.reading.configuration.converter import parse_duration
from refsched.reading.configuration.read import KIND, default_config, read_config
from refsched.releases import DEFAULT

[API_VERSION] = DEFAULT.api_versions

TYPE = {"apiVersion": API_VERSION, "kind": KIND}


def refusal(fields: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        read_config(TYPE | fields)
    return str(caught.value)


def profile(**fields: Any) -> dict[str, Any]:
    return {"profiles": [fields]}


def extender(**fields: Any) -> dict[str, Any]:
    return {"extenders": [fields]}


def test_what_is_left_out_has_the_defaults_of_the_version() -> None:
    config = default_config()
    assert [p.scheduler_name for p in config.profiles] == ["default-scheduler"]
    assert (config.parallelism, config.percentage_of_nodes_to_score) == (16, 0)
    assert (config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds) == (1, 10)
    assert config.leader_election.leader_elect


@pytest.mark.parametrize(
    ("document", "advice"),
    [
        (
            {"apiVersion": "v1", "kind": "ConfigMap", "data": {"other": "", "config.yaml": f"kind: {KIND}"}},
            "this is a ConfigMap: give the KubeSchedulerConfiguration in its data (config.yaml) as a file of its"
            " own",
        ),
        (
            {"apiVersion": "v1", "kind": "ConfigMap", "data": {"other": ""}},
            "this is a ConfigMap: give the KubeSchedulerConfiguration in its data as a file of its own",
        ),
        (
            {"apiVersion": "v1", "kind": "Policy"},
            "a Policy is not read here, and not by kube-scheduler since v1.23: write a KubeSchedulerConfiguration"
            " whose profiles enable the plugins that do what its predicates and priorities did",
        ),
        (
            {"apiVersion": "kubescheduler.config.k8s.io/v1beta3", "kind": KIND},
            "v1.37.2 reads no other version (v1 is there since v1.25): change the apiVersion, and what is then"
            " refused as no field",
        ),
    ],
)
def test_what_is_no_configuration_that_is_read_says_what_to_do(document: dict[str, Any], advice: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(document)
    expected = f"apiVersion: expected {API_VERSION}, found {document['apiVersion']!r}"
    assert str(caught.value) == f"{expected}; {advice}"


@pytest.mark.parametrize("profiles", [None, [], [None], [{}], [{"schedulerName": None}]])
def test_one_profile_may_go_without_a_name(profiles: object) -> None:
    assert read_config(TYPE | {"profiles": profiles}) == default_config()


def test_an_extender_is_read_with_all_its_fields() -> None:
    tls = {"insecure": False, "serverName": "s", "certFile": "c", "keyFile": "k", "caData": "AAAA"}
    fields = {
        "urlPrefix": "http://e",
        "filterVerb": "filter",
        "prioritizeVerb": "prioritize",
        "weight": 5,
        "preemptVerb": "preempt",
        "bindVerb": "bind",
        "enableHTTPS": True,
        "tlsConfig": tls,
        "httpTimeout": "1m2.5s",
        "nodeCacheCapable": True,
        "managedResources": [{"name": "example.com/gpu", "ignoredByScheduler": True}],
        "ignorable": True,
    }
    found = read_config(TYPE | {"extenders": [fields, {}]}).extenders
    assert (found[0].enable_https, found[0].http_timeout, found[0].weight) == (True, 62.5, 5)
    assert found[0].tls_config is not None
    assert found[0].tls_config.ca_data == "AAAA"
    assert found[0].managed_resources[0].ignored_by_scheduler
    assert found[1] == Extender()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("-0", 0.0),
        ("1h2m3.5s", 3723.5),
        ("+.5s", 0.5),
        ("1.s", 1.0),
        ("-3ms", -0.003),
        ("2µs", 2e-6),
    ],
)
def test_durations_are_those_of_go(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "s", "1d", "-.s", "1 s", "1h ", "9999999h", "³s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "expected an object, found []"),
        ({}, f"apiVersion: expected {API_VERSION}, found None"),
        (TYPE | {"kind": "Pod"}, f"kind: expected {KIND}, found 'Pod'"),
        (TYPE | {"apiVersion": "v1"}, f"apiVersion: expected {API_VERSION}, found 'v1'"),
    ],
)
def test_the_type_of_the_configuration_must_be_there(value: object, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(value)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"metadata": {}}, "metadata: is not a field here"),
        ({"Parallelism": 3}, "Parallelism: is not a field here; did you mean parallelism?"),
        ({"parallelism": 2.0}, "parallelism: expected an integer, found 2.0"),
        ({"parallelism": 2**31}, "parallelism: 2147483648 does not fit into 32 bits"),
        ({"parallelism": 0}, "parallelism: 0 is not positive"),
        ({"enableProfiling": 1}, "enableProfiling: expected true or false, found 1"),
        ({"percentageOfNodesToScore": 101}, "percentageOfNodesToScore: 101 is not in [0, 100]"),
        ({"podInitialBackoffSeconds": 0}, "podInitialBackoffSeconds: 0 is not positive"),
        ({"podInitialBackoffSeconds": 11}, "podMaxBackoffSeconds: is less than podInitialBackoffSeconds"),
        ({"clientConnection": {"qps": "1"}}, "clientConnection.qps: expected a number, found '1'"),
        (
            {"leaderElection": {"resourceLok": "x"}},
            "leaderElection.resourceLok: is not a field here; did you mean resourceLock?",
        ),
        (
            {"leaderElection": {"leaseDuration": 10}},
            "leaderElection.leaseDuration: expected a duration, like 30s, found 10",
        ),
    ],
)
def test_a_wrong_setting_is_refused(fields: dict[str, Any], problem: str) -> None:
    assert refusal(fields) == problem


def test_leader_election_is_not_validated_and_numbers_need_no_fraction() -> None:
    election = {"leaseDuration": "-1s", "resourceLock": "endpoints"}
    config = read_config(TYPE | {"leaderElection": election, "clientConnection": {"qps": 2}})
    assert config.client_connection.qps == 2.0


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"profiles": {}}, "profiles: expected a list, found {}"),
        ({"profiles": [3]}, "profiles[0]: expected an object, found 3"),
        ({"profiles": [{}, {"schedulerName": "b"}]}, "profiles[0].schedulerName: is required and missing"),
        (profile(schedulerName=""), "profiles[0].schedulerName: is required and missing"),
        (
            {"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]},
            "profiles[1].schedulerName: is that of profiles[0]",
        ),
        (
            profile(percentageOfNodesToScore=-1),
            "profiles[0].percentageOfNodesToScore: -1 is not in [0, 100]",
        ),
        (
            profile(plugins={"Score": {}}),
            "profiles[0].plugins.Score: is not a field here; did you mean score?",
        ),
        (
            profile(plugins={"score": {"enabled": [{"name": "a", "weight": "3"}]}}),
            "profiles[0].plugins.score.enabled[0].weight: expected an integer, found '3'",
        ),
        (
            profile(plugins={"filter": {"enabled": [{"name": "a"}, {"name": "CinderLimits"}]}}),
            "profiles[0].plugins.filter.enabled[1]: was removed",
        ),
        (
            profile(pluginConfig=[{"name": "EBSLimits"}]),
            "profiles[0].pluginConfig[0].name: 'EBSLimits' was removed",
        ),
        (
            profile(pluginConfig=[{"name": "X"}, {"name": "X"}]),
            "profiles[0].pluginConfig[1].name: 'X' is there already",
        ),
        (
            profile(pluginConfig=[{"name": "NodeResourcesFitArgs"}]),
            "profiles[0].pluginConfig[0].args: are not those of this plugin",
        ),
    ],
)
def test_a_wrong_profile_is_refused(fields: dict[str, Any], problem: str) -> None:
    assert refusal(fields) == problem


SORTS = {"queueSort": {"enabled": [{"name": "PrioritySort"}]}}


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (
            {"plugins": {"queueSort": {"enabled": [{"name": "A"}, {"name": "B"}]}}},
            {},
            "profiles[0].plugins.queueSort.enabled: only one plugin may be enabled",
        ),
        ({"plugins": SORTS}, {}, "profiles[1].plugins.queueSort: is not that of profiles[0]"),
        (
            {},
            {"plugins": {"queueSort": {"disabled": [{"name": "X"}]}}},
            "profiles[1].plugins.queueSort: is not that of profiles[0]",
        ),
        (
            {"plugins": SORTS},
            {"plugins": SORTS, "pluginConfig": [{"name": "PrioritySort", "args": {"a": 1}}]},
            "profiles[1].pluginConfig[0].args: are not those of profiles[0]",
        ),
    ],
)
def test_profiles_say_the_same_about_queue_sort(
    first: dict[str, Any], second: dict[str, Any], problem: str
) -> None:
    profiles = [{"schedulerName": "a", **first}, {"schedulerName": "b", **second}]
    assert refusal({"profiles": profiles}) == problem


def test_profiles_may_enable_the_same_queue_sort() -> None:
    config = [{"name": "PrioritySort", "args": {"a": 1}}]
    same = {"plugins": SORTS, "pluginConfig": config}
    read_config(TYPE | {"profiles": [{"schedulerName": "a", **same}, {"schedulerName": "b", **same}]})


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (extender(prioritizeVerb="p"), "extenders[0].weight: 0 is not positive"),
        (extender(httpTimeout="5"), "extenders[0].httpTimeout: '5' is not a duration, like 30s"),
        (extender(tlsConfig={"caData": "!"}), "extenders[0].tlsConfig.caData: expected base64, found '!'"),
        (extender(tlsConfig={"caData": 3}), "extenders[0].tlsConfig.caData: expected base64, found 3"),
        (
            extender(tlsConfig={"insecure": True, "caFile": "ca"}),
            "extenders[0].tlsConfig.insecure: stands beside a certificate authority",
        ),
        (
            extender(managedResources=[{"name": "cpu"}]),
            "extenders[0].managedResources[0].name: 'cpu' is not an extended resource",
        ),
        (
            extender(managedResources=[{"name": "a.b/c/d"}]),
            "extenders[0].managedResources[0].name: 'a.b/c/d' is not an extended resource",
        ),
        (
            extender(managedResources=[{"name": "a.b/c"}, {"name": "a.b/c"}]),
            "extenders[0].managedResources[1].name: 'a.b/c' is managed already",
        ),
        ({"extenders": [{"bindVerb": "a"}, {"bindVerb": "b"}]}, "extenders: only one may bind"),
    ],
)
def test_a_wrong_extender_is_refused(fields: dict[str, Any], problem: str) -> None:
    assert refusal(fields) == problem
