# SPDX-License-Identifier: Apache-2.0
"""A panic that is a known defect of the release ends the history, and breaks no rule."""

from __future__ import annotations

from typing import Any

import pytest
from device_world import claim as resource_claim
from device_world import device, device_class, piece
from volume_objects import capacity, claim, csi_driver, storage_class, using
from world import configuration, node_object, pod_object, profile

from refsched.objects.dra import EXTENDED_RESOURCE_CLAIM
from refsched.objects.storage import BETA_STORAGE_CLASS
from refsched.oddities.dynamic_resources import SILENT_OWNER
from refsched.oddities.fixed_orders import ORDER_OF_CLAIMS, ORDER_OF_VICTIMS
from refsched.oddities.known_defect import KnownDefect
from refsched.oddities.node_ports import PORT_OF_TWO_PODS
from refsched.oddities.volume_binding import PANICS_AT_SCORE
from refsched.records import Create
from refsched.releases import release_of
from refsched.releases.v1_19.oddities import PANICS
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.findings import KnownDefectMetError
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import Judge
from refsched.suite.histories.part import Part

V1_19 = Part(frozenset({"filter", "score", "queue", "preemption", "cache"}), kubernetes="1.19")
NIL_POINTER = "the scheduler panicked: runtime error: invalid memory address or nil pointer dereference"
DIVIDES = "the scheduler panicked: runtime error: integer divide by zero"


def config(**point: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1beta1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "plugins": {"score": point}}],
    }


def test_every_panic_names_a_rule_of_a_plugin_that_the_release_has() -> None:
    release = release_of("1.19")
    for panic in PANICS:
        assert panic.rule in all_rules()
        assert panic.plugin in release.plugins
    assert release.oddities == {*PANICS, PORT_OF_TWO_PODS, ORDER_OF_VICTIMS, ORDER_OF_CLAIMS}


@pytest.mark.parametrize("panic", sorted(PANICS_AT_SCORE, key=str))
def test_v1_37_alone_panics_when_volume_binding_scores(panic: KnownDefect) -> None:
    assert panic.rule in all_rules()
    releases = ("1.37", "1.36", "1.35", "1.34")
    assert [panic in release_of(each).oddities for each in releases] == [True, *[False] * 3]


def met_by_the_user_of(claimed: dict[str, Any], **size: str) -> str:
    """A pod uses this claim, which storage of this size may serve on each of two nodes."""
    judge = Judge(History(()), Part(V1_19.capabilities | {"volumes"}, kubernetes="1.37"))
    for value in (
        *(node_object("n1"), node_object("n2"), storage_class("made")),
        csi_driver("csi.example", tracks_capacity=True),
        capacity("room", "made", nodeTopology={}, **size),
        claimed,
        pod_object("equal"),
        pod_object("p", volumes=using("c")),
    ):
        judge.take(Create(value))
    return judge.panics_as_released(NIL_POINTER)


@pytest.mark.parametrize(
    ("size", "met"),
    [({"maximumVolumeSize": "9Gi"}, "storage-without-a-capacity"), ({"capacity": "9Gi"}, "")],
)
def test_storage_without_a_capacity_is_met_where_it_counts_for_the_score(
    size: dict[str, str], met: str
) -> None:
    assert met_by_the_user_of(claim("c", "made"), **size) == met


@pytest.mark.parametrize(("of_class", "met"), [("", "class-in-an-annotation"), ("made", "")])
def test_a_class_in_an_annotation_alone_is_met_where_it_counts_for_the_score(of_class: str, met: str) -> None:
    annotated = claim("c", of_class, annotations={BETA_STORAGE_CLASS: "made"})
    assert met_by_the_user_of(annotated, capacity="9Gi") == met


@pytest.mark.parametrize(("kubernetes", "met"), [("1.36", SILENT_OWNER.id), ("1.37", "")])
@pytest.mark.parametrize("name", ["p", "q"])
def test_v1_36_panics_at_an_owner_that_does_not_say_whether_it_controls(
    name: str, kubernetes: str, met: str
) -> None:
    judge = Judge(History(()), Part(V1_19.capabilities | {"devices"}, kubernetes=kubernetes))
    left = resource_claim("left")
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-of-another"}
    left["metadata"] |= {"annotations": {EXTENDED_RESOURCE_CLAIM: "true"}, "ownerReferences": [owner]}
    requests = {"requests": {"example.com/gpu": "1"}}
    pod = pod_object(name, containers=[{"name": "c", "image": "i", "resources": requests}])
    for value in (node_object("n1"), device_class(extendedResourceName="example.com/gpu"), left, pod):
        judge.take(Create(value))
    assert judge.panics_as_released(NIL_POINTER) == (met if name == "p" else "")


@pytest.mark.parametrize(
    "selector", ["true", "device.allowMultipleAllocations", "device.attributes[device.driver].big"]
)
@pytest.mark.parametrize(("served", "met"), [("gpu", "selectors-without-cel"), ("other", "")])
def test_devices_that_count_for_the_balance_of_a_node_are_met(served: str, met: str, selector: str) -> None:
    """Also if none counts: for the score, no device may be allocated more than once, and a selector may fail."""
    args = {"resources": [{"name": "example.com/gpu", "weight": 1}]}
    balanced = {**profile(), "pluginConfig": [{"name": "NodeResourcesBalancedAllocation", "args": args}]}
    part = Part(V1_19.capabilities | {"devices"}, kubernetes="1.37")
    judge = Judge(History((), config=configuration(balanced)), part)
    requests = {"requests": {"example.com/gpu": "1"}}
    for value in (
        *(node_object(name) for name in ("n1", "n2")),
        device_class("selecting", selector, extendedResourceName=f"example.com/{served}"),
        *(
            piece(f"s-{name}", device("d0", big=True, allowMultipleAllocations=True), device("d1"), node=name)
            for name in ("n1", "n2")
        ),
        pod_object("p", containers=[{"name": "c", "image": "i", "resources": requests}]),
    ):
        judge.take(Create(value))
    assert judge.panics_as_released(NIL_POINTER) == met


def judge_of(configuration: dict[str, Any]) -> Judge:
    judge = Judge(History((), config=configuration), V1_19)
    for name in ("n1", "n2"):
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        judge.take(Create({**node, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}}))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    judge.take(Create({**pod, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    return judge


def test_where_its_rule_would_be_applied_the_defect_is_met() -> None:
    judge = judge_of(config(enabled=[{"name": "NodeLabel", "weight": 1}]))
    assert judge.panics_as_released(DIVIDES) == "labels-without-a-preference"


@pytest.mark.parametrize(
    "message", [DIVIDES, "the scheduler panicked: runtime error: index out of range [0]"]
)
def test_where_its_rule_is_not_applied_it_is_a_panic_like_any_other(message: str) -> None:
    assert judge_of(config()).panics_as_released(message) == ""


def test_another_panic_there_is_no_known_defect() -> None:
    judge = judge_of(config(enabled=[{"name": "NodeLabel", "weight": 1}]))
    assert judge.panics_as_released("the scheduler panicked: out of memory") == ""
    [finding] = judge.error("schedule", "the scheduler panicked: out of memory")
    assert finding.rule == "R-ANSWER-01"


def test_a_known_defect_is_no_finding() -> None:
    judge = judge_of(config(enabled=[{"name": "NodeLabel", "weight": 1}]))
    with pytest.raises(KnownDefectMetError, match="labels-without-a-preference"):
        judge.error("schedule", DIVIDES)
