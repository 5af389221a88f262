# SPDX-License-Identifier: Apache-2.0
"""What a feature gate that is off makes of objects, and of the plugins that would look at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from attrs import evolve
from world import configuration, node_object, pod_object

from refsched.checking.checker import Checker
from refsched.config.gated_fields import without_disabled_fields
from refsched.framework.events import ActionType
from refsched.objects.node import Node
from refsched.objects.pod import ContainerStatus, Pod
from refsched.objects.quantity import Quantity
from refsched.objects.reading import read_as
from refsched.objects.resources import has_pod_level_requests, pod_requests, requests_in_events
from refsched.objects.store import ObjectStore
from refsched.plugins.node_resources_fit import NodeResourcesFit
from refsched.queue.cluster_events import pod_update_events
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.defaults import defaulted
from refsched.records import Create
from refsched.reference import create
from refsched.releases import RELEASES

RESIZED = {"name": "c", "resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "2"}}
SPREAD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {},
    "matchLabelKeys": ["app"],
}


def pod(**status: Any) -> Pod:
    spec = {"resources": {"requests": {"cpu": "3"}}, "topologySpreadConstraints": [SPREAD]}
    return read_as(Pod, {"metadata": {"name": "p", "uid": "p"}, "spec": spec, "status": status})


def without(gate: str) -> Sequence[Callable[[Pod], Pod]]:
    """What the gate takes from objects where it can be off alone."""
    return with_feature_gates({gate: False}, RELEASES["1.34"]).disabled_fields


def test_with_the_gates_of_the_version_an_object_stays_as_it_is() -> None:
    read = pod(containerStatuses=[RESIZED])

    assert without_disabled_fields(read, ()) == read


def test_objects_other_than_pods_stay_as_they_are() -> None:
    assert without_disabled_fields(Node(), without("PodLevelResources")) == Node()


def test_each_gate_takes_its_own_fields() -> None:
    read = pod(containerStatuses=[RESIZED], initContainerStatuses=[RESIZED])

    levelled = without_disabled_fields(read, without("PodLevelResources"))
    assert isinstance(levelled, Pod)
    assert pod_requests(levelled) == {}
    assert not has_pod_level_requests(levelled)
    spread = without_disabled_fields(read, without("MatchLabelKeysInPodTopologySpread"))
    assert isinstance(spread, Pod)
    assert [c.match_label_keys for c in spread.spec.topology_spread_constraints] == [()]
    settled = without_disabled_fields(read, without("InPlacePodVerticalScaling"))
    assert isinstance(settled, Pod)
    assert settled.status.container_statuses == (ContainerStatus("c"),)
    assert settled.status.init_container_statuses == (ContainerStatus("c"),)
    assert settled.spec == read.spec


def test_a_pod_without_requests_of_its_own_has_none_to_disable() -> None:
    read = read_as(Pod, {"metadata": {"name": "p"}})

    assert without_disabled_fields(read, without("PodLevelResources")) == read


def test_events_compare_pod_level_requests_without_their_gate_too() -> None:
    disabled = without("PodLevelResources")
    much = without_disabled_fields(pod(), disabled)
    assert isinstance(much, Pod)
    assert much.spec.resources is not None
    less = evolve(much, spec=evolve(much.spec, resources=evolve(much.spec.resources, requests={})))

    assert requests_in_events(much) == {"cpu": Quantity.of(3)}
    assert ActionType.UPDATE_POD_SCALE_DOWN in [event.action for event in pod_update_events(much, less)]
    assert pod_update_events(much, much)[0].action == ActionType.UPDATE


def test_disabled_pod_level_requests_are_given_no_defaults() -> None:
    limited = {"resources": {"limits": {"cpu": "3"}}, "containers": [{"name": "c"}]}
    read = read_as(Pod, {"metadata": {"name": "p"}, "spec": limited})

    enabled = defaulted(read, None)
    disabled = defaulted(without_disabled_fields(read, without("PodLevelResources")), None)

    assert isinstance(enabled, Pod)
    assert isinstance(disabled, Pod)
    assert requests_in_events(enabled) == {"cpu": Quantity.of(3)}
    assert requests_in_events(disabled) == {}


def test_without_in_place_scaling_a_pod_that_asks_for_less_requeues_nobody() -> None:
    waiting = pod()

    assert NodeResourcesFit().after_pod_change(waiting, waiting, waiting, ObjectStore())
    assert not NodeResourcesFit(in_place_scaling=False).after_pod_change(
        waiting, waiting, waiting, ObjectStore()
    )


def whole_pod() -> dict[str, Any]:
    """It asks for more as a whole than any node has."""
    return pod_object("p", resources={"requests": {"cpu": "64"}})


@pytest.mark.parametrize(("on", "result"), [(True, "unschedulable"), (False, "scheduled")])
def test_the_reference_heeds_the_gates(on: bool, result: str) -> None:
    reference = create(configuration(), feature_gates={"PodLevelResources": on}, kubernetes="1.34")
    reference.create(node_object("n"))
    reference.create(whole_pod())

    [attempt, *_] = reference.schedule()["records"]

    assert attempt["attempt"]["result"] == result


def test_the_checker_heeds_the_gates() -> None:
    checker = Checker(configuration(), {"PodLevelResources": False}, release=RELEASES["1.34"])
    checker.take(Create(node_object("n")))
    checker.take(Create(whole_pod()))
    checker.scheduler.schedule()

    [attempt, *_] = checker.scheduler.take_records()

    assert getattr(attempt, "result", "") == "scheduled"
