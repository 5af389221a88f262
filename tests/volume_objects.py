# SPDX-License-Identifier: Apache-2.0
"""Volumes, claims and classes in a few words; as JSON, or read into a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refsched.objects.store import ObjectStore
from refsched.reading.defaults import defaulted
from refsched.reading.objects import read_object

Json = dict[str, Any]

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"


def storage_class(name: str, *, waits: bool = True, provisioner: str = "csi.example", **rest: Any) -> Json:
    mode = "WaitForFirstConsumer" if waits else "Immediate"
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
        **rest,
    }


def by_hand(name: str = "by-hand") -> Json:
    """A class whose volumes nobody makes."""
    return storage_class(name, provisioner="kubernetes.io/no-provisioner")


def claim(
    name: str,
    of_class: str = "by-hand",
    size: str = "1Gi",
    *,
    namespace: str = "default",
    modes: tuple[str, ...] = ("ReadWriteOnce",),
    bound_to: str = "",
    annotations: Mapping[str, str] | None = None,
    owner: str = "",
    phase: str = "Pending",
    **spec: Any,
) -> Json:
    """``owner`` is the uid of the pod for which it was made."""
    marked = dict(annotations or {})
    if bound_to:
        marked[BIND_COMPLETED] = "yes"
        spec["volumeName"] = bound_to
        phase = "Bound"
    metadata: Json = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "annotations": marked}
    if owner:
        metadata["ownerReferences"] = [
            {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": owner, "controller": True}
        ]
    requests = {"storage": size} if size else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": {
            "storageClassName": of_class,
            "accessModes": list(modes),
            "resources": {"requests": requests},
            **spec,
        },
        "status": {"phase": phase},
    }


def volume(
    name: str,
    of_class: str = "by-hand",
    size: str = "1Gi",
    *,
    modes: tuple[str, ...] = ("ReadWriteOnce",),
    on: str = "",
    claimed_by: str = "",
    uid: str | None = None,
    labels: Mapping[str, str] | None = None,
    phase: str = "Available",
    **spec: Any,
) -> Json:
    """``on`` is the node from which alone it can be reached, ``claimed_by`` a claim of the namespace
    ``default``, by name and ``uid``."""
    if on:
        term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [on]}]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    if claimed_by:
        owner = f"uid-{claimed_by}" if uid is None else uid
        named = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": claimed_by}
        spec["claimRef"] = {"apiVersion": "v1", **named, "uid": owner}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": dict(labels or {})},
        "spec": {
            "storageClassName": of_class,
            "accessModes": list(modes),
            "capacity": {"storage": size},
            **spec,
        },
        "status": {"phase": phase},
    }


def csi_driver(name: str, *, tracks_capacity: bool) -> Json:
    spec = {"storageCapacity": tracks_capacity}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": name}, "spec": spec}


def capacity(name: str, of_class: str, **rest: Any) -> Json:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIStorageCapacity",
        "metadata": {"name": name, "namespace": "default"},
        "storageClassName": of_class,
        **rest,
    }


def csi_node(name: str, *migrated: str) -> Json:
    metadata = {"name": name, "annotations": {MIGRATED_PLUGINS: ",".join(migrated)}}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": metadata}


def using(*claims: str) -> list[Json]:
    """The volumes of a pod that uses these claims."""
    return [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": name}} for i, name in enumerate(claims)]


def read(value: Json) -> Any:
    """As the API server would show it."""
    return defaulted(read_object(value), None, classes=(), serial=1)


def store(*objects: Json) -> ObjectStore:
    shown = ObjectStore()
    for value in objects:
        shown.put(read(value))
    return shown
