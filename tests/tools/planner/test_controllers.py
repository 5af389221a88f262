# SPDX-License-Identifier: Apache-2.0
"""Controllers: what is answered to a write, and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from plan_world import Json, objects_of, pod, scheduler, thing

from refsched.machine.scheduler import Scheduler
from refsched.objects.policy import PodDisruptionBudget
from refsched.objects.storage import PersistentVolume, PersistentVolumeClaim
from refsched.records import Write
from refsched.tools.planner.cluster import show
from refsched.tools.planner.controllers import Answer, Evicted, VolumeBound, answer


def _answered(write: Json, *values: Json, verb: str = "update") -> tuple[Scheduler, Answer | None]:
    shown = scheduler()
    show(shown, objects_of(*values))
    return shown, answer(shown, Write(verb, write))


def _named(kind: str, name: str) -> Json:
    return thing(kind, name, meta={} if kind == "PersistentVolume" else {"namespace": "default"})


def _claim(uid: str = "u", **spec: Any) -> Json:
    return thing("PersistentVolumeClaim", "c", meta={"uid": uid}, spec=spec)


def _volume(**spec: Any) -> Json:
    return thing("PersistentVolume", "v", spec=spec)


CLAIM_REF = {"claimRef": {"namespace": "default", "name": "c", "uid": "u"}}
SELECTED = {"annotations": {"volume.kubernetes.io/selected-node": "n"}}
CLASS = thing("StorageClass", "fast", "storage.k8s.io/v1", provisioner="p")


def test_a_victim_is_deleted_at_once_and_only_once() -> None:
    shown, evicted = _answered(_named("Pod", "a"), pod("a", on="n"), verb="delete")
    assert evicted == Evicted("default/a", "n")
    assert answer(shown, Write("delete", _named("Pod", "a"))) is None


@pytest.mark.parametrize(
    ("selector", "status", "left"),
    [
        ({"matchLabels": {"app": "db"}}, {}, 1),
        ({}, {}, 1),
        ({"matchLabels": {"app": "db"}}, {"disruptionsAllowed": 0}, 0),
        ({"matchLabels": {"app": "web"}}, {}, 2),
        ({}, {"disruptedPods": {"a": "2026-03-01T10:00:00Z"}}, 2),
    ],
)
def test_a_victim_is_counted_off_the_budgets_that_speak_of_it(
    selector: Json, status: Json, left: int
) -> None:
    budget = thing(
        "PodDisruptionBudget",
        "b",
        "policy/v1",
        spec={"selector": selector},
        status={"disruptionsAllowed": 2, **status},
    )
    victim = pod("a", on="n", meta={"labels": {"app": "db"}})
    shown, _ = _answered(_named("Pod", "a"), victim, budget, verb="delete")
    after = shown.state.api.get(PodDisruptionBudget, "b", "default")
    assert after is not None
    assert after.status.disruptions_allowed == left


def test_a_victim_that_was_not_ready_is_not_counted_off() -> None:
    budget = thing(
        "PodDisruptionBudget", "b", "policy/v1", spec={"selector": {}}, status={"disruptionsAllowed": 2}
    )
    unready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}
    shown, _ = _answered(_named("Pod", "a"), pod("a", on="n", status=unready), budget, verb="delete")
    after = shown.state.api.get(PodDisruptionBudget, "b", "default")
    assert after is not None
    assert after.status.disruptions_allowed == 2


def test_a_volume_that_names_a_claim_is_named_by_it() -> None:
    shown, bound = _answered(_named("PersistentVolume", "v"), _claim(), _volume(**CLAIM_REF))
    assert bound == VolumeBound("default/c", "v")
    claim = shown.state.api.get(PersistentVolumeClaim, "c", "default")
    volume = shown.state.api.get(PersistentVolume, "v")
    assert claim is not None
    assert volume is not None
    assert (claim.spec.volume_name, claim.status.phase, claim.is_fully_bound) == ("v", "Bound", True)
    assert volume.status.phase == "Bound"


@pytest.mark.parametrize(
    "values",
    [
        [],
        [_volume()],
        [_volume(**CLAIM_REF)],
        [_volume(**CLAIM_REF), _claim(uid="other")],
        [_volume(**CLAIM_REF), _claim(volumeName="w")],
    ],
)
def test_a_volume_without_a_claim_that_waits_for_it_is_left_alone(values: list[Json]) -> None:
    assert _answered(_named("PersistentVolume", "v"), *values)[1] is None


def test_a_volume_is_made_as_the_claim_asks() -> None:
    spec = {
        "storageClassName": "fast",
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "3Gi"}},
    }
    claim = thing("PersistentVolumeClaim", "c", meta={"uid": "u", **SELECTED}, spec=spec)
    shown, bound = _answered(_named("PersistentVolumeClaim", "c"), CLASS, claim)
    assert bound == VolumeBound("default/c", "pvc-u", provisioned=True)
    volume = shown.state.api.get(PersistentVolume, "pvc-u")
    assert volume is not None
    assert (volume.capacity.value, volume.spec.access_modes, volume.class_name) == (
        3 << 30,
        ("ReadWriteMany",),
        "fast",
    )
    assert volume.spec.csi is not None
    assert volume.spec.csi.driver == "p"


@pytest.mark.parametrize(
    "values",
    [
        [],
        [CLASS, _claim(storageClassName="fast")],
        [CLASS, thing("PersistentVolumeClaim", "c", meta=SELECTED, spec={"volumeName": "v"})],
        [thing("PersistentVolumeClaim", "c", meta=SELECTED, spec={"storageClassName": "fast"})],
    ],
)
def test_a_claim_that_nobody_can_serve_goes_on_waiting(values: list[Json]) -> None:
    assert _answered(_named("PersistentVolumeClaim", "c"), *values)[1] is None


def test_what_asks_nobody_for_anything_is_not_answered() -> None:
    assert _answered(thing("ResourceClaim", "c", "resource.k8s.io/v1"))[1] is None
