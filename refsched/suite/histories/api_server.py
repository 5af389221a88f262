# SPDX-License-Identifier: Apache-2.0
"""FakeApiServer: the driver's own API server, volume controller and provisioner.

An implementation that claims ``api`` has its own. For the others this one does what follows from their writes:
victims are deleted, a volume that was given a claim is bound to it, and a claim for which a node was selected
gets a volume.
Source: docs/protocol.md, "Who plays the API server?"; names and shapes as traces/recorder has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from attrs import evolve

from refsched.reading.objects import Key, key_named, key_of
from refsched.records import (
    Attempt,
    Bind,
    Create,
    Delete,
    Input,
    Permit,
    Record,
    Reference,
    Release,
    Update,
    Write,
)
from refsched.suite.scripts import PoppedScripts, script_of

Json = dict[str, Any]

SELECTED_NODE = "volume.kubernetes.io/selected-node"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
LEFT_ALONE = "refsched.dev/volume-controller"
"""A volume or claim with this annotation is left alone by the volume controller and the provisioner: what becomes
of it, the history says."""


class FakeApiServer:
    """The FakeApiServer has the objects that exist, as JSON, and the pods that wait on Permit or are held."""

    def __init__(self) -> None:
        self._objects: dict[Key, Json] = {}
        self._waiting: set[str] = set()
        self._held: list[str] = []
        self._bound: dict[str, str] = {}
        self._nominated: dict[str, str] = {}
        self._allowed: set[tuple[str, str]] = set()
        self._popped = PoppedScripts(self._annotations)

    @property
    def holds_any(self) -> bool:
        """Returns whether the scheduling cycle of any pod is held."""
        return bool(self._held)

    def has_begun_to_hold(self, pod: str) -> None:
        """Notes that a scripted plugin holds this pod (``namespace/name``) from now on."""
        self._held.append(pod)
        self._popped.begin(pod)

    def accepts(self, step: Input) -> bool:
        """Returns whether the step fits what has happened: an object to create does not exist, and a pod to
        permit waits."""
        match step:
            case Create(value):
                return key_of(value) not in self._objects
            case Update(value):
                return key_of(value) in self._objects and self._is_the_same(value) and not self._moves(value)
            case Delete(named):
                return key_named(named.kind, named.namespace, named.name) in self._objects
            case Permit(pod, _, plugin):
                waits_for = self._waits_for(pod) if pod in self._waiting else []
                return plugin in waits_for if plugin else bool(waits_for)
            case Release(pod):
                return pod in self._held
            case _:
                return True

    def _is_the_same(self, value: Json) -> bool:
        """Returns whether the update is of the object that is there, and not of another one of its name."""
        uids = {each["metadata"].get("uid") for each in (self._objects[key_of(value)], value)}
        return len(uids - {None}) < 2

    def _moves(self, value: Json) -> bool:
        """Returns whether the update moves a pod from the node that it has to another one, which no API server
        allows."""
        if value["kind"] != "Pod":
            return False
        home = self._home(key_of(value))
        return bool(home) and (value.get("spec") or {}).get("nodeName", home) != home

    def _home(self, key: Key) -> str:
        """Returns the node to which the scheduler has bound the pod, or that it was given otherwise."""
        bound = self._bound.get("/".join(key[1:]))
        given: str = (self._objects[key].get("spec") or {}).get("nodeName") or ""
        return bound or given

    def completed(self, step: Input) -> Input:
        """Returns the update of a pod with its node, and with its nomination by the scheduler, unless the step
        says otherwise: a history does not know what was decided."""
        if not isinstance(step, Update) or step.object["kind"] != "Pod":
            return step
        key = key_of(step.object)
        pod = "/".join(key[1:])
        known: Json = {}
        if home := self._home(key):
            known["spec"] = {"nodeName": home}
        if self._nominated.get(pod) and "status" not in step.object:
            known["status"] = {"nominatedNodeName": self._nominated[pod]}
        return Update(_merged(known, step.object)) if known else step

    def _waits_for(self, pod: str) -> list[str]:
        """Returns the plugins for which the pod's script answers Wait, and that have not allowed the pod since."""
        return [
            plugin
            for plugin, points in script_of(self._annotations(pod)).items()
            if points.get("permit", "").startswith("Wait") and (pod, plugin) not in self._allowed
        ]

    def _annotations(self, pod: str) -> Mapping[str, str]:
        shown = self._objects.get(("Pod", *_split(pod)), {})
        annotations: Mapping[str, str] = shown.get("metadata", {}).get("annotations", {})
        return annotations

    def _refuses_binding(self, pod: str) -> bool:
        """Returns whether a binding of this pod is refused: it has a node, or is being deleted."""
        shown = self._objects.get(("Pod", *_split(pod)), {})
        return pod in self._bound or shown.get("metadata", {}).get("deletionTimestamp") is not None

    def take(self, record: Record) -> list[Input]:
        """Returns what the API server and its controllers do because of this record, in their order."""
        match record:
            case Create(value) | Update(value):
                self._objects[key_of(value)] = value
            case Delete(named):
                key = key_named(named.kind, named.namespace, named.name)
                self._objects.pop(key, None)
                if key[0] == "Pod":
                    self._forget("/".join(key[1:]))
            case Write("delete", value) if value["kind"] == "Pod":
                return self._deleted(key_of(value))
            case Write("delete", value):  # The scheduler has carried that out itself.
                self._objects.pop(key_of(value), None)
            case Write(_, value):
                return self._written(value)
            case Attempt():
                return self._attempted(record)
            case Bind(pod, node):
                self._waiting.discard(pod)
                if self._popped.took_the_binding(record, refused=self._refuses_binding(pod)):
                    self._bound[pod] = node
            case Release(pod):
                self._held.remove(pod)
            case Permit(pod, "allow", plugin):
                self._allowed.update((pod, each) for each in ([plugin] if plugin else self._waits_for(pod)))
            case Permit(pod):
                self._waiting.discard(pod)
        return []

    def _forget(self, pod: str) -> None:
        self._popped.forget(pod)
        self._bound.pop(pod, None)
        self._nominated.pop(pod, None)

    def _deleted(self, key: Key) -> list[Input]:
        return [Delete(Reference(key[0], key[2], namespace=key[1]))] if key in self._objects else []

    # --- Preemption -------------------------------------------------------------------------------

    def _attempted(self, attempt: Attempt) -> list[Input]:
        """Returns the deletions of the victims. The scheduler itself rejects a victim that waits on Permit, and
        it stays."""
        self._popped.attempt(attempt)
        if attempt.waiting:
            self._waiting.add(attempt.pod)
            self._allowed = {(pod, plugin) for pod, plugin in self._allowed if pod != attempt.pod}
        if attempt.nominated_node is not None:
            self._nominated[attempt.pod] = attempt.nominated_node
        victims = [pod for pod in attempt.victims or () if pod not in self._waiting]
        return [deletion for pod in victims for deletion in self._deleted(("Pod", *_split(pod)))]

    # --- Volumes ----------------------------------------------------------------------------------

    def _written(self, value: Json) -> list[Input]:
        key = key_of(value)
        written = _merged(self._objects.get(key, {}), value)
        self._objects[key] = written
        if LEFT_ALONE in written["metadata"].get("annotations", {}):
            return []
        if key[0] == "PersistentVolume":
            return list(self._bind(written))
        if key[0] == "PersistentVolumeClaim":
            return list(self._provision(written))
        return []

    def _bind(self, volume: Json) -> Iterator[Input]:
        """Binds the volume to the claim that the scheduler wrote into it."""
        claimed = volume["spec"].get("claimRef")
        if not claimed:
            return
        key = key_named("PersistentVolumeClaim", claimed.get("namespace"), claimed["name"])
        claim = self._objects.get(key)
        if claim is None or claim["spec"].get("volumeName"):
            return
        if claimed.get("uid") not in (None, claim["metadata"].get("uid", claimed.get("uid"))):
            return
        yield Update(_merged(volume, {"status": {"phase": "Bound"}}))
        yield Update(_bound(claim, volume["metadata"]["name"]))

    def _provision(self, claim: Json) -> Iterator[Input]:
        """Creates the volume of a claim for which a node was selected."""
        metadata, spec = claim["metadata"], claim["spec"]
        storage_class = self._objects.get(("StorageClass", "", spec.get("storageClassName", "")))
        if (
            SELECTED_NODE not in metadata.get("annotations", {})
            or spec.get("volumeName")
            or not storage_class
        ):
            return
        namespace = metadata.get("namespace", "default")
        name = metadata["name"] if namespace == "default" else f"{namespace}-{metadata['name']}"
        if ("PersistentVolume", "", f"pvc-{name}") in self._objects:
            return
        reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace}
        reference |= {"name": metadata["name"]} | ({"uid": metadata["uid"]} if "uid" in metadata else {})
        volume = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pvc-{name}", "uid": f"uid-pvc-{name}"},
            "spec": {
                "capacity": {"storage": spec["resources"]["requests"]["storage"]},
                "accessModes": spec.get("accessModes", []),
                "csi": {"driver": storage_class["provisioner"], "volumeHandle": f"h-{name}"},
                "claimRef": reference,
                "storageClassName": storage_class["metadata"]["name"],
            },
            "status": {"phase": "Bound"},
        }
        yield Create(volume)
        yield Update(_bound(claim, f"pvc-{name}"))


def _bound(claim: Json, volume: str) -> Json:
    done = {
        "metadata": {"annotations": {BIND_COMPLETED: "yes"}},
        "spec": {"volumeName": volume},
        "status": {"phase": "Bound"},
    }
    return _merged(claim, done)


def located(named: Reference) -> Reference:
    """Returns the reference with the namespace of the object, which is ``default`` if none is given."""
    _, namespace, _ = key_named(named.kind, named.namespace, named.name)
    return evolve(named, namespace=namespace)


# --- Objects --------------------------------------------------------------------------------------


def _split(pod: str) -> tuple[str, str]:
    namespace, _, name = pod.partition("/")
    return namespace, name


def _merged(base: Json, over: Json) -> Json:
    """Returns ``base`` with the members of ``over``; members that a scheduler left out of what it wrote stay."""
    merged = deepcopy(base)
    for name, member in over.items():
        old = merged.get(name)
        merged[name] = _merged(old, member) if isinstance(old, dict) and isinstance(member, dict) else member
    return merged
