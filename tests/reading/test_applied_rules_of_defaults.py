# SPDX-License-Identifier: Apache-2.0
"""Which defaults of the API server are applied, and where an object says everything itself."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.objects.meta import ApiObject
from refsched.reading.defaults import defaulted
from refsched.reading.objects import read_object
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release
from tests.applied import Json, applied, container

WHOLE = {"priority": 0, "preemptionPolicy": "PreemptLowerPriority"}
GPU = {"example.com/gpu": "1"}
HUGE = {"hugepages-2Mi": "2Mi"}
SELECTING: Json = {"matchLabels": {"app": "a"}}


def shown(kind: str, metadata: Json | None = None, version: str = "v1", **fields: Any) -> Json:
    named = {"name": "x", "uid": "u", **(metadata or {})}
    return {"apiVersion": version, "kind": kind, "metadata": named, **fields}


def pod(metadata: Json | None = None, **spec: Any) -> Json:
    named = {"namespace": "default", **(metadata or {})}
    return shown("Pod", named, spec={"containers": container(), **WHOLE, **spec})


def node(**status: Any) -> Json:
    return shown("Node", status=status)


def using(**resources: Any) -> list[Json]:
    return container(resources=resources)


def port(**fields: Any) -> list[Json]:
    return container(ports=[{"containerPort": 80, **fields}])


def near(**term: Any) -> Json:
    terms = [{"topologyKey": "zone", "labelSelector": SELECTING, **term}]
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def spread(**constraint: Any) -> list[Json]:
    return [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **constraint}]


@pytest.mark.parametrize(
    ("created", "rules"),
    [
        (pod(), []),
        (pod({"namespace": ""}), ["R-DEFAULTS-01"]),
        (pod({"uid": ""}), ["R-DEFAULTS-01"]),
        (node(), []),
        (shown("Node", {"namespace": "default"}), ["R-DEFAULTS-01"]),
        (node(capacity={"cpu": "1"}, allocatable={"cpu": "1"}), []),
        (node(capacity={"cpu": "1"}), ["R-DEFAULTS-02"]),
        (node(allocatable={"cpu": "1"}), []),
        (pod(containers=using(requests={"cpu": "1"})), []),
        (pod(containers=using(requests={"cpu": "1"}, limits={"cpu": "2"})), []),
        (pod(containers=using(limits={"cpu": "2"})), ["R-DEFAULTS-03"]),
        (pod(initContainers=using(limits=GPU)), ["R-DEFAULTS-03"]),
        (pod(containers=port(protocol="UDP")), []),
        (pod(containers=port(protocol="")), ["R-DEFAULTS-04"]),
        (pod(containers=port(protocol="TCP"), hostNetwork=True), ["R-DEFAULTS-04"]),
        (pod(containers=port(protocol="TCP", hostPort=80), hostNetwork=True), []),
        (node(capacity={"cpu": "100u"}, allocatable={"cpu": "1m"}), ["R-DEFAULTS-07"]),
        (pod(overhead={"cpu": "1500u"}), ["R-DEFAULTS-07"]),
        (pod(overhead={"cpu": "15m"}), []),
        (pod(priority=None), ["R-DEFAULTS-08"]),
        (pod(preemptionPolicy=None), ["R-DEFAULTS-08"]),
    ],
)
def test_identity_nodes_containers_and_priority(created: Json, rules: list[str]) -> None:
    read = read_object(created)
    assert applied(lambda: defaulted(read)) == rules


ONE_CPU = using(requests={"cpu": "1"})


@pytest.mark.parametrize(
    ("created", "rules"),
    [
        (pod(containers=ONE_CPU, resources={}), []),
        (pod(containers=ONE_CPU, resources={"requests": {"cpu": "2"}}), []),
        (pod(containers=ONE_CPU, resources={"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}), []),
        (pod(containers=ONE_CPU, resources={"limits": {"memory": "2Gi"}}), ["R-DEFAULTS-10"]),
        (pod(resources={"limits": {"cpu": "2"}}), ["R-DEFAULTS-10"]),
        (
            pod(containers=using(requests=HUGE, limits=HUGE), resources={"requests": {"cpu": "1"}}),
            ["R-DEFAULTS-05", "R-DEFAULTS-10"],
        ),
        (pod(containers=using(requests=HUGE, limits=HUGE), resources={"requests": HUGE}), []),
    ],
)
def test_pod_level_resources(created: Json, rules: list[str]) -> None:
    read = read_object(created)
    assert rules_of_defaults(read, DEFAULT) == rules
    before = ["R-DEFAULTS-06" if rule == "R-DEFAULTS-10" else rule for rule in rules]
    assert rules_of_defaults(read, RELEASES["1.36"]) == before


def test_pod_level_requests_alone_are_completed_since_1_37() -> None:
    read = read_object(pod(containers=ONE_CPU, resources={"requests": {"memory": "2Gi"}}))
    assert rules_of_defaults(read, DEFAULT) == ["R-DEFAULTS-10"]
    assert rules_of_defaults(read, RELEASES["1.36"]) == []


def rules_of_defaults(read: ApiObject, release: Release) -> list[str]:
    found = applied(lambda: defaulted(read, release=release))
    return [rule for rule in found if rule.startswith("R-DEFAULTS-")]


LABELLED = {"labels": {"app": "a", "team": "t"}}


@pytest.mark.parametrize(
    ("created", "rules"),
    [
        (pod(LABELLED, affinity=near()), []),
        (pod(LABELLED, affinity=near(matchLabelKeys=["team"])), ["R-DEFAULTS-09"]),
        (pod(LABELLED, affinity=near(mismatchLabelKeys=["team"])), ["R-DEFAULTS-09"]),
        (pod(LABELLED, affinity=near(matchLabelKeys=["owner"])), []),
        (pod(LABELLED, affinity=near(matchLabelKeys=["team"], labelSelector=None)), []),
        (
            pod(LABELLED, topologySpreadConstraints=spread(labelSelector={}, matchLabelKeys=["team"])),
            ["R-DEFAULTS-09"],
        ),
        (pod(LABELLED, topologySpreadConstraints=spread(matchLabelKeys=["team"])), []),
    ],
)
def test_label_keys(created: Json, rules: list[str]) -> None:
    read = read_object(created)
    assert applied(lambda: defaulted(read)) == rules


def test_an_update_folds_no_label_keys_and_takes_its_priority_from_what_was_there() -> None:
    before = defaulted(read_object(pod(LABELLED, priority=7)))
    update = pod(LABELLED, priority=None, affinity=near(matchLabelKeys=["team"]))
    read = read_object(update)
    assert applied(lambda: defaulted(read, before)) == []
