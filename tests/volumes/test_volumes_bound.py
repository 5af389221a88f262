# SPDX-License-Identifier: Apache-2.0
"""Binding: what is assumed, written, and waited for between a pod's node and its binding."""

from __future__ import annotations

from typing import Any

import pytest
from volume_objects import (
    SELECTED_NODE,
    Json,
    by_hand,
    claim,
    csi_node,
    read,
    storage_class,
    store,
    using,
    volume,
)
from world import World, configuration, profile

from refsched.objects.storage import PersistentVolumeClaim
from refsched.records import Bind, Delete, Reference
from refsched.releases.v1_34.plugins.volume_binding import EarlierWords
from refsched.volumes.binding import assume
from refsched.volumes.errors import VolumeError
from refsched.volumes.volumes_on_node import Match, PodVolumes

DISK: Json = {"gcePersistentDisk": {"pdName": "d"}}


def world_of(*objects: Json, timeout: int = 600) -> World:
    """A node n1, a class whose volumes are made by hand and one with a provisioner, and these objects."""
    args = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "VolumeBindingArgs",
        "bindTimeoutSeconds": timeout,
    }
    patient = profile() | {"pluginConfig": [{"name": "VolumeBinding", "args": args}]}
    world = World(configuration(patient))
    world.node("n1", labels={"kubernetes.io/hostname": "n1"})
    for value in (by_hand(), storage_class("made"), *objects):
        world.create(value)
    return world


def bound(world: World, pod: str = "p") -> Bind | None:
    """How the pod's last binding cycle ended, if it has."""
    return next((bind for bind in reversed(world.binds) if bind.pod == f"default/{pod}"), None)


def is_bound(world: World) -> bool:
    bind = bound(world)
    return bind is not None and bind.result == "bound"


def why(world: World, pod: str = "p") -> str:
    """What kept the pod from being bound."""
    bind = bound(world, pod)
    assert bind is not None
    assert bind.result == "error"
    prefix = 'running PreBind plugin "VolumeBinding": '
    assert bind.message is not None
    assert bind.message.startswith(prefix)
    return bind.message.removeprefix(prefix)


def delete(world: World, kind: str, name: str, namespace: str = "") -> None:
    world.apply(Delete(Reference(kind, name, namespace=namespace)))


def written(world: World) -> list[Any]:
    """What was written, as it reads."""
    return [read(record.object) for record in world.writes]


# --- Volumes that are to be made ------------------------------------------------------------------


def test_a_claim_is_sent_to_the_node_and_the_pod_waits_for_the_provisioner() -> None:
    world = world_of(claim("c", "made"))

    world.schedule("p", volumes=using("c"))

    [found] = written(world)
    assert found.metadata.annotations == {SELECTED_NODE: "n1"}
    sent = {"annotations": {SELECTED_NODE: "n1"}}
    world.update(claim("c", "made", **sent, volumeName="v"))
    assert bound(world) is None, "its volume has not been seen"
    world.create(volume("v", "made", claimed_by="c"))
    assert bound(world) is None, "its claim is not bound"
    world.update(claim("c", "made", **sent, bound_to="v"))
    assert is_bound(world)


# --- What can go wrong before ---------------------------------------------------------------------

CONFLICT = (
    'Operation cannot be fulfilled on {} "{}": the object has been modified; '
    "please apply your changes to the latest version and try again"
)


def waiting(*objects: Json, uses: tuple[str, ...] = ("c",), **rest: Any) -> World:
    """A pod that has its node, and waits on Permit."""
    world = world_of(*objects, **rest)
    world.schedule("p", volumes=using(*uses), script={"ScriptedA": {"permit": "Wait"}})
    return world


def test_a_volume_that_was_changed_meanwhile_is_in_conflict() -> None:
    world = waiting(claim("c"), volume("v"))

    world.update(volume("v", labels={"new": "yes"}))
    world.permit("p", "allow")

    assert why(world) == CONFLICT.format("persistentvolumes", "v")
    assert world.writes == []


def test_a_deleted_volume_is_not_found() -> None:
    world = waiting(claim("c"), volume("v"))

    delete(world, "PersistentVolume", "v")
    world.permit("p", "allow")

    assert why(world) == 'persistentvolumes "v" not found'


def test_what_was_written_before_a_conflict_stays() -> None:
    world = waiting(claim("c"), claim("d", "made"), volume("v"), uses=("c", "d"))

    world.update(claim("d", "made", annotations={"new": "yes"}))
    world.permit("p", "allow")

    assert why(world) == CONFLICT.format("persistentvolumeclaims", "d")
    assert [found.metadata.name for found in written(world)] == ["v"]


def test_a_claim_that_a_pod_names_twice_is_in_conflict_with_itself() -> None:
    world = world_of(claim("c", "made"))

    world.schedule("p", volumes=using("c", "c"))

    assert why(world) == CONFLICT.format("persistentvolumeclaims", "c")
    assert len(world.writes) == 1


def test_what_changed_since_it_was_found_cannot_be_assumed() -> None:
    wanted, offered = read(claim("c")), read(volume("v"))
    found = PodVolumes((Match(offered, wanted),), (wanted,))
    objects = store()

    with pytest.raises(VolumeError, match=r'persistentvolumes "v" not found'):
        assume(found, "n1", objects)
    objects.put(offered)
    with pytest.raises(VolumeError, match=r'persistentvolumeclaims "default/c" not found'):
        assume(found, "n1", objects)
    objects.put(read(claim("c")))
    with pytest.raises(VolumeError, match=r'"default/c" is out of sync'):
        assume(found, "n1", objects)
    assert objects.latest(PersistentVolumeClaim, "c", "default") == wanted


# --- What can go wrong while waiting --------------------------------------------------------------


def binding_static(**rest: Any) -> World:
    world = world_of(claim("c"), volume("v", **DISK), **rest)
    world.schedule("p", volumes=using("c"))
    return world


def binding_dynamic(**rest: Any) -> World:
    world = world_of(claim("c", "made"), **rest)
    world.schedule("p", volumes=using("c"))
    return world


@pytest.mark.parametrize("begun", [binding_static, binding_dynamic])
def test_the_node_or_the_pod_may_go(begun: Any) -> None:
    first, second = begun(), begun()

    delete(first, "Node", "n1")
    assert why(first) == 'binding volumes: failed to get node "n1": node "n1" not found'
    second.delete_pod("p")
    assert why(second) == 'binding volumes: pod does not exist any more: pod "p" not found'


def test_the_volume_or_its_claim_may_go() -> None:
    first, second = binding_static(), binding_static()

    delete(first, "PersistentVolume", "v")
    assert why(first) == 'binding volumes: failed to check binding: persistentvolumes "v" not found'
    delete(second, "PersistentVolumeClaim", "c", "default")
    said = 'binding volumes: failed to check binding: persistentvolumeclaims "default/c" not found'
    assert why(second) == said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (volume("v"), 'ClaimRef got reset for pv "v"'),
        (volume("v", claimed_by="c", uid=""), 'ClaimRef got reset for pv "v"'),
        (
            volume("v", claimed_by="c", on="n2"),
            'pv "v" node affinity doesn\'t match node "n1": no matching NodeSelectorTerms',
        ),
    ],
)
def test_the_volume_must_go_on_naming_its_claim_and_reaching_the_node(changed: Json, said: str) -> None:
    world = binding_static()

    world.update(changed)

    assert why(world) == f"binding volumes: {said}"


def test_the_drivers_topology_counts_also_while_waiting() -> None:
    world = binding_static()
    world.create(csi_node("n1", "kubernetes.io/gce-pd", "kubernetes.io/azure-disk"))

    world.update(volume("v", claimed_by="c", azureDisk={"diskURI": "d"}))

    said = "failed to translate pv to csi: could not translate pv: kind(Shared) is not supported in csi migration"
    assert why(world) == f"binding volumes: {said}"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (claim("c", "made"), 'selectedNode annotation reset for PVC "c"'),
        (claim("c", "made", annotations={"other": "x"}), 'provisioning failed for PVC "c"'),
        (claim("c", "made", annotations={SELECTED_NODE: "n2"}), 'provisioning failed for PVC "c"'),
        (
            claim("c", "made", annotations={SELECTED_NODE: "n1"}, bound_to="there"),
            'pv "there" node affinity doesn\'t match node "n1": no matching NodeSelectorTerms',
        ),
        (
            claim("c", "made", annotations={SELECTED_NODE: "n1"}, bound_to="odd"),
            "could not translate pv: kind(Shared) is not supported in csi migration",
        ),
    ],
)
def test_a_provisioner_that_fails_says_so_in_the_claim(changed: Json, said: str) -> None:
    world = binding_dynamic()
    world.create(volume("there", on="n2"))
    world.create(volume("odd", azureDisk={"diskURI": "d"}))
    world.create(csi_node("n1", "kubernetes.io/azure-disk"))

    world.update(changed)

    assert why(world) == f"binding volumes: {said}"


def test_a_claim_that_is_to_be_provisioned_may_go() -> None:
    world = binding_dynamic()

    delete(world, "PersistentVolumeClaim", "c", "default")

    said = 'failed to check provisioning pvc: persistentvolumeclaims "default/c" not found'
    assert why(world) == f"binding volumes: {said}"


def test_before_1_35_what_is_missing_or_changed_is_named_by_its_type() -> None:
    words = EarlierWords()
    assert words.not_found("PersistentVolume", "v") == 'could not find v1.PersistentVolume "v"'
    assert words.out_of_sync("PersistentVolumeClaim", "default/c") == (
        'v1.PersistentVolumeClaim "default/c" is out of sync'
    )
