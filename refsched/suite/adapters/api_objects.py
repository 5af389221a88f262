# SPDX-License-Identifier: Apache-2.0
"""The objects of a history at a real API server, which a history does not know: it refuses what is not valid, and
takes a status in a request of its own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from refsched.objects.kinds import KINDS
from refsched.objects.resources import HUGE_PAGES_PREFIX
from refsched.processes.kubernetes_api.client import ApiError, Client
from refsched.reading.objects import Key, key_of

Json = dict[str, Any]

DROPPED = "Dropped"
"""The reason for which a field that the API server does not keep is refused here."""

AT_ONCE: Json = {"gracePeriodSeconds": 0}
AT_A_TIME = 4
"""This many objects are deleted at a time: while the API server works on one, the next is sent."""
KEEPING_FINALIZER = "refsched.dev/kept"
"""This finalizer keeps an object that is being deleted."""

NO_IMAGE = "refsched.dev/no-image"
"""A container must have an image. No node has this one."""

_MADE_BY_THE_SERVER = (
    "creationTimestamp",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
)
_WITH_STATUS = frozenset({"Node", "PersistentVolume", "PersistentVolumeClaim", "Pod", "PodDisruptionBudget"})
_COMPLETED = frozenset({"Pod", "ReplicaSet", "ReplicationController", "Service", "StatefulSet"})
_OF_THE_SERVER = frozenset({"DeviceTaintRule", "PriorityClass", "Service"})
"""The API server has some of these itself, or does not serve them."""


class ApiObjects:
    """The ApiObjects are what was created since the last ``clear``. An ApiError says what the API server refuses,
    or drops of an object, since a feature gate is off."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._keys: dict[Key, None] = {}
        self._terminating: set[Key] = set()

    def check(self, object: Json) -> None:
        """Raises ApiError if the API server would not create the object."""
        whole = completed(object)
        _raise_if_dropped(whole, self._client.create(whole, dryRun="All"))

    def create(self, object: Json) -> Json:
        """Creates an object with its status, and returns it as it is stored. Raises ApiError."""
        whole = completed(object)
        created = self._client.create(whole)
        self._keys[key_of(whole)] = None
        _raise_if_dropped(whole, created)
        return created if _has_the_status(created, whole) else self._with_status(created, whole)

    def update(self, object: Json) -> Json:
        """Replaces an object and its status, and returns it as it is stored. Raises ApiError."""
        whole = completed(object)
        if key_of(whole) in self._terminating and not object["metadata"].get("deletionTimestamp"):
            raise ApiError(409, "Conflict", "what is being deleted stays so")
        stored = self._client.get(*key_of(whole))
        if whole["kind"] != "Pod":
            whole["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"]
        elif node := stored["spec"].get("nodeName"):
            whole["spec"].setdefault("nodeName", node)
        replaced = self._client.replace(whole)
        _raise_if_dropped(whole, replaced)
        return self._with_status(replaced, whole)

    def _with_status(self, stored: Json, whole: Json) -> Json:
        """Gives an object the status that it is to have. A pod without one has no nomination."""
        status = whole.get("status")
        if not status and (stored.get("status") or {}).get("nominatedNodeName"):
            status = {name: value for name, value in stored["status"].items() if name != "nominatedNodeName"}
        if whole["kind"] not in _WITH_STATUS or not status:
            return stored
        return self._client.replace_status(*key_of(whole), status)

    def delete(self, key: Key) -> None:
        """Deletes an object at once. One that does not exist is not asked for again."""
        self._keys.pop(key, None)
        self._terminating.discard(key)
        with _may_be_missing():
            deleted = self._client.delete(*key, AT_ONCE)
            if (deleted.get("metadata") or {}).get("finalizers"):
                self._client.patch(*key, {"metadata": {"finalizers": None}})
            if key[0] == "Namespace":
                self._client.replace({**deleted, "spec": {"finalizers": []}}, "finalize")

    def terminate(self, key: Key) -> None:
        """Begins to delete an object. A pod stays for as long as its containers take to end."""
        self._terminating.add(key)
        self._client.delete(*key)

    def clear(self) -> None:
        """Deletes what was created, pods first; and of each some at a time."""
        pods = [key for key in self._keys if key[0] == "Pod"]
        others = [key for key in self._keys if key[0] != "Pod"]
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            for keys in (pods, others):
                list(pool.map(self.delete, keys))

    def find_all(self) -> None:
        """Takes whatever exists for created, so that ``clear`` deletes it."""
        for kind in KINDS:
            if kind.name in _OF_THE_SERVER:
                continue
            with _may_be_missing():
                for found in self._client.list_of(kind).get("items") or ():
                    self._keys[key_of({**found, "kind": kind.name})] = None


def completed(object: Json) -> Json:
    """Returns the object without what an API server decides; a pod gets what its containers must have."""
    whole = deepcopy(object)
    if whole["metadata"].get("deletionTimestamp") and whole["kind"] != "Pod":
        whole["metadata"]["finalizers"] = [KEEPING_FINALIZER]
    for field in _MADE_BY_THE_SERVER:
        whole["metadata"].pop(field, None)
    spec = whole.setdefault("spec", {}) if whole["kind"] in _COMPLETED else {}
    match whole["kind"]:
        case "Pod":
            for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
                _complete(container)
        case "Service":
            spec.setdefault("ports", [{"port": 1}])
        case "ReplicationController":
            spec.setdefault("template", _template_of(spec.get("selector") or {}))
        case "ReplicaSet" | "StatefulSet":
            spec.setdefault("template", _template_of(_labels_for(spec.get("selector") or {})))
    return whole


def _template_of(labels: Json) -> Json:
    """Returns the template of pods with these labels."""
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": NO_IMAGE}]}}


def _labels_for(selector: Json) -> Json:
    """Returns labels that the selector selects."""
    wanted = [each for each in selector.get("matchExpressions") or () if each["operator"] in ("In", "Exists")]
    chosen = {each["key"]: (each.get("values") or [""])[0] for each in wanted}
    return {**chosen, **(selector.get("matchLabels") or {})}


def _complete(container: Json) -> None:
    """Adds an image, the port that is the host's, and the limits of resources that cannot be overcommitted: none
    of them says anything that a scheduler reads."""
    if not container.get("image"):
        container["image"] = NO_IMAGE
    for port in container.get("ports") or ():
        port.setdefault("containerPort", port.get("hostPort", 1))
    resources = container.get("resources") or {}
    requests = resources.get("requests") or {}
    not_overcommitted = {
        name: requests[name] for name in requests if "/" in name or name.startswith(HUGE_PAGES_PREFIX)
    }
    if not_overcommitted:
        resources["limits"] = {**not_overcommitted, **(resources.get("limits") or {})}


def _has_the_status(created: Json, whole: Json) -> bool:
    """Returns whether the API server has taken the status with the object, as it does of a node."""
    status = created.get("status") or {}
    return all(status.get(name) == value for name, value in (whole.get("status") or {}).items())


def _raise_if_dropped(asked: Json, stored: Json) -> None:
    dropped = next(_dropped(asked.get("spec"), stored.get("spec"), f"{asked['kind']}.spec"), "")
    if dropped:
        raise ApiError(422, DROPPED, f"it drops {dropped}")


def _dropped(asked: object, stored: object, path: str) -> Iterator[str]:
    """Yields the fields that are not there any more. One that is empty may not be shown."""
    if isinstance(asked, dict) and isinstance(stored, dict):
        for name, value in asked.items():
            if value and name not in stored:
                yield f"{path}.{name}"
            yield from _dropped(value, stored.get(name), f"{path}.{name}")
    elif isinstance(asked, list) and isinstance(stored, list):
        for value, kept in zip(asked, stored, strict=False):
            yield from _dropped(value, kept, f"{path}[]")


@contextmanager
def _may_be_missing() -> Iterator[None]:
    """Takes it that the API server has no such object."""
    try:
        yield
    except ApiError as refused:
        if not refused.is_missing:
            raise
