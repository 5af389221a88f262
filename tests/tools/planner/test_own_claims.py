# SPDX-License-Identifier: Apache-2.0
"""The claims that controllers make for pods which are created, and take away with those that leave."""

from __future__ import annotations

import pytest
from plan_world import Json, node, objects_of, planned, pod, scheduler, thing

from refsched.objects.pod import Pod
from refsched.remembering import remember
from refsched.tools.planner.cluster import show
from refsched.tools.planner.edits import Objects, delete_node, drain, scale
from refsched.tools.planner.fitting import Capacity, capacity
from refsched.tools.planner.own_claims import followed
from refsched.tools.planner.trials import Prepared, changed, prepare
from refsched.tools.planner.what_if import WhatIf, what_if

DRA = "resource.k8s.io/v1"
STORAGE = "storage.k8s.io/v1"
REQUEST = {"name": "r", "exactly": {"deviceClassName": "gpu"}}
DEVICES = {"devices": {"requests": [REQUEST]}}
CLAIMS = [{"name": "g", "resourceClaimTemplateName": "t"}]
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "web", "controller": True}
EPHEMERAL = [
    {
        "name": "s",
        "ephemeral": {
            "volumeClaimTemplate": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": "disk",
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            }
        },
    }
]


def gpus(on: str, count: int) -> Json:
    spec = {
        "driver": "d",
        "nodeName": on,
        "pool": {"name": on, "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"{number}"} for number in range(count)],
    }
    return thing("ResourceSlice", on, DRA, spec=spec)


KINDS = (
    thing("DeviceClass", "gpu", DRA, spec={}),
    thing("ResourceClaimTemplate", "t", DRA, spec={"spec": DEVICES}),
)


def running(name: str, on: str, device: str) -> tuple[Json, Json]:
    """A pod of the ReplicaSet web, and the claim that was made for it and has its device."""
    status = {"phase": "Running", "resourceClaimStatuses": [{"name": "g", "resourceClaimName": f"{name}-g"}]}
    metadata = {"uid": f"u-{name}", "ownerReferences": [OWNER]}
    runs = pod(name, on=on, meta=metadata, resourceClaims=CLAIMS) | {"status": status}
    result = {"request": "r", "driver": "d", "pool": on, "device": device}
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}
    allocation = {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [term]}}
    claim = thing("ResourceClaim", f"{name}-g", DRA, spec=DEVICES)
    pod_owns = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"u-{name}", "controller": True}
    claim["metadata"] |= {"namespace": "default", "ownerReferences": [pod_owns]}
    reserved = [{"resource": "pods", "name": name, "uid": f"u-{name}"}]
    return runs, claim | {"status": {"allocation": allocation, "reservedFor": reserved}}


def how_many(asked: Json, *values: Json) -> Capacity:
    empty = scheduler()
    objects = objects_of(*values, asked)
    show(empty, objects)
    return capacity(empty, next(each for each in objects if isinstance(each, Pod) and each.name == "p"), 100)


def compared(edit: object, *values: Json) -> WhatIf:
    objects = objects_of(*values)

    def after() -> Objects:
        return followed(objects, edit(objects))  # type: ignore[operator]

    def prepared() -> Prepared:
        return prepare(remember(scheduler()), objects)

    found = what_if(prepared, lambda before: changed(before, after()), 2)
    assert found == what_if(prepared, lambda before: prepare(remember(scheduler()), after()), 2)
    return found


def test_each_further_pod_has_a_claim_from_its_template() -> None:
    found = how_many(pod("p", resourceClaims=CLAIMS), node("n", cpu="9"), gpus("n", 2), *KINDS)
    assert (found.fit, found.stopped_by[0].reason) == (2, "cannot allocate all claims")
    without = how_many(pod("p", resourceClaims=CLAIMS), node("n", cpu="9"), gpus("n", 2), KINDS[0])
    assert (without.fit, without.stopped_by[0].plugin) == (0, "DynamicResources")


@pytest.mark.parametrize("mode", ["Immediate", "WaitForFirstConsumer"])
@pytest.mark.parametrize("named", [True, False])
def test_each_further_pod_has_the_claim_of_its_ephemeral_volume(mode: str, named: bool) -> None:
    disk = thing("StorageClass", "disk", STORAGE, provisioner="x", volumeBindingMode=mode)
    [volume] = EPHEMERAL
    template = volume["ephemeral"]["volumeClaimTemplate"]  # type: ignore[index]
    spec = dict(template["spec"])
    if not named:
        del spec["storageClassName"]
        disk["metadata"]["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    volumes = [{"name": "s", "ephemeral": {"volumeClaimTemplate": template | {"spec": spec}}}]
    found = how_many(pod("p", volumes=volumes), node("n", cpu="3"), disk)
    assert (found.fit, found.stopped_by[0].reason) == (3, "Insufficient cpu")


def test_volumes_that_were_made_by_hand_are_used_up() -> None:
    by_hand = "kubernetes.io/no-provisioner"
    disk = thing(
        "StorageClass", "disk", STORAGE, provisioner=by_hand, volumeBindingMode="WaitForFirstConsumer"
    )
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "disk"}
    free = {"phase": "Available"}
    volumes = [thing("PersistentVolume", name, spec=spec, status=free) for name in ("v1", "v2")]
    found = how_many(pod("p", volumes=EPHEMERAL), node("n", cpu="9"), disk, *volumes)
    assert found.fit == 2


def test_the_pods_of_a_drained_node_give_their_devices_back_and_get_others() -> None:
    values = (node("n1"), node("n2"), gpus("n1", 1), gpus("n2", 1), *KINDS, *running("w", "n1", "0"))
    for edit in (drain, delete_node):
        [moved] = compared(lambda objects, edit=edit: edit(objects, "n1"), *values).pods
        assert (moved.pod, moved.before, moved.after) == ("default/w", ("n1", "n1"), ("n2", "n2"))


def test_scaled_pods_have_claims_of_their_own() -> None:
    values = (node("n1"), gpus("n1", 2), *KINDS, *running("w", "n1", "0"))
    pods = compared(lambda objects: scale(objects, "ReplicaSet", "web", 3), *values).pods
    assert sorted(each.after[0] or "" for each in pods) == ["", "n1"]
    waiting = pod("p", resourceClaims=[{"name": "g", "resourceClaimName": "own"}])
    own = thing("ResourceClaim", "own", DRA, spec=DEVICES)
    values = (node("n1"), gpus("n1", 1), *KINDS, *running("w", "n1", "0"), own, waiting)
    [placed] = compared(lambda objects: scale(objects, "ReplicaSet", "web", 0), *values).pods
    assert (placed.before[0], placed.after[0]) == ("", "n1")


def test_a_shared_claim_that_nobody_uses_any_more_is_given_back() -> None:
    runs, claim = running("w", "n1", "0")
    runs["spec"]["resourceClaims"] = [{"name": "g", "resourceClaimName": "w-g"}]
    del claim["metadata"]["ownerReferences"], runs["status"]["resourceClaimStatuses"]
    values = (node("n1"), node("n2"), gpus("n1", 1), gpus("n2", 1), KINDS[0], runs)
    [moved] = compared(lambda objects: drain(objects, "n1"), *values, claim).pods
    assert moved.after == ("n2", "n2")
    claim["status"]["reservedFor"].append({"resource": "pods", "name": "x", "uid": "u-x"})
    [stays] = compared(lambda objects: drain(objects, "n1"), *values, claim).pods
    assert stays.after == ("", "")


def test_a_victim_gives_its_devices_back() -> None:
    high = pod("high", cpu="4", priority=9, resourceClaims=[{"name": "g", "resourceClaimName": "own"}])
    own = thing("ResourceClaim", "own", DRA, spec=DEVICES)
    own["metadata"]["namespace"] = "default"
    found = planned(node("n1", cpu="4"), gpus("n1", 2), *KINDS, *running("w", "n1", "0"), own, high)
    assert [each.pod for each in found.preempted] == ["default/w"]
    assert {each.pod: each.node for each in found.outcomes} == {"default/high": "n1"}
