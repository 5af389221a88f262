# SPDX-License-Identifier: Apache-2.0
"""Storage, as plain JSON: classes, claims, volumes, CSI drivers, and the volumes that pods use."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import HOSTNAME, ZONE, owned_by_pod, pod, with_metadata
from refsched.suite.histories.history import Create, Update, deleting

Json = dict[str, Any]

OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"


OLD_REGION = "failure-domain.beta.kubernetes.io/region"


GKE_ZONE = "topology.gke.io/zone"


SELECTED_NODE = "volume.kubernetes.io/selected-node"


BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
"""The class that this annotation names goes before the one that the spec names."""


BIND_COMPLETED = "pv.kubernetes.io/bind-completed"


MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"


DRIVER = "csi.example"


TRACKING = "csi.tracking"
"""The driver that publishes its capacity in CSIStorageCapacity objects."""


GCE = "pd.csi.storage.gke.io"


STORAGE = "storage.k8s.io/v1"


def storage_object(api_version: str, kind: str, name: str, namespace: str = "", **members: Any) -> Json:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **members}


def csi_node(name: str, limit: Json | None, plugins: str = "") -> Json:
    """Returns a CSINode; ``plugins`` are the in-tree plugins that are migrated to CSI drivers."""
    allocatable = {} if limit is None else {"allocatable": limit}
    drivers = [{"name": driver, "nodeID": name, **allocatable} for driver in (DRIVER, GCE)]
    made = storage_object(STORAGE, "CSINode", name, spec={"drivers": drivers})
    return with_metadata(made, annotations={MIGRATED_PLUGINS: plugins})


HERE: Json = {"key": HOSTNAME, "operator": "In", "values": ["n1"]}


IN_ZONE_A: Json = {"key": ZONE, "operator": "In", "values": ["a"]}


EPHEMERAL: Json = {
    "name": "e",
    "ephemeral": {
        "volumeClaimTemplate": {
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        }
    },
}


def using(*claims: str) -> list[Json]:
    return [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": name}} for i, name in enumerate(claims)]


def inline(**source: Json) -> list[Json]:
    return [{"name": "i", **source}]


def put(cluster: HistoryBuilder, value: Json) -> None:
    is_there, deletion = False, deleting(value)
    for step in cluster.steps:
        if isinstance(step, Create) and deleting(step.object) == deletion:
            is_there = True
        elif step == deletion:
            is_there = False
    cluster.steps.append(Update(value) if is_there else Create(value))


def storage_class(name: str, provisioner: str = "kubernetes.io/no-provisioner") -> Json:
    return storage_object(
        STORAGE,
        "StorageClass",
        name,
        provisioner=provisioner,
        volumeBindingMode="WaitForFirstConsumer",
    )


def claim_of_immediate_class() -> tuple[Json, Json]:
    """Returns a class whose claims ``DRIVER`` provisions at once, and the claim c1 of it."""
    at_once = storage_object(STORAGE, "StorageClass", "at-once", provisioner=DRIVER)
    return at_once, a_claim(spec={"storageClassName": at_once["metadata"]["name"]})


def with_some(value: Json, **members: Any) -> Json:
    """Returns the object with ``metadata``, ``spec`` and ``status`` such as these, and what it had besides."""
    return {**value, **{name: {**value.get(name, {}), **each} for name, each in members.items()}}


def a_claim(name: str = "c1", namespace: str = "default", **members: Json) -> Json:
    """Returns a claim of one gibibyte, for one node, of the class ``hand``."""
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "hand",
    }
    made = storage_object(
        "v1", "PersistentVolumeClaim", name, namespace, spec=spec, status={"phase": "Pending"}
    )
    return with_some(with_metadata(made, uid=f"uid-{namespace}-{name}"), **members)


def a_volume(name: str = "v1", **members: Json) -> Json:
    """Returns a volume such as ``a_claim`` asks for."""
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "hand",
        "csi": {"driver": "csi.example", "volumeHandle": name},
    }
    return with_some(
        storage_object("v1", "PersistentVolume", name, spec=spec, status={"phase": "Available"}), **members
    )


def taken_volume(name: str) -> Json:
    """Returns a volume that is another claim's: no provisioner can call its volume so."""
    return a_volume(name, **claim_reference("default", "another", "uid-another"))


def of_a_gce_disk(volume: Json, disk: str = "d") -> Json:
    """Returns the volume, made by the in-tree plugin of GCE instead of a CSI driver."""
    others = {name: each for name, each in volume["spec"].items() if name != "csi"}
    return {**volume, "spec": {**others, "gcePersistentDisk": {"pdName": disk}}}


def reaching(*expressions: Json) -> Json:
    return {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}}}


def claim_reference(namespace: str, name: str, uid: str) -> Json:
    reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name}
    return {"spec": {"claimRef": {**reference, "uid": uid} if uid else reference}}


EPHEMERAL_USER: Json = pod("", uid="uid-of-p1", volumes=[EPHEMERAL])
"""The first pod of a history, p1, with an ephemeral volume."""


def ephemeral_pair(*, is_owned: bool = True) -> tuple[Json, Json]:
    """Returns the claim of ``EPHEMERAL_USER`` and its volume, bound to each other; unless ``is_owned``, the claim
    has its name only."""
    claim, volume = bound_pair("p1-e", "v1")
    owned = with_metadata(claim, ownerReferences=[owned_by_pod("p1", "uid-of-p1")])
    return owned if is_owned else claim, volume


def bound_pair(claim: str, volume: str) -> tuple[Json, Json]:
    """Returns the claim and the volume, bound to each other."""
    bound: Json = {"status": {"phase": "Bound"}}
    made = a_claim(
        claim, metadata={"annotations": {BIND_COMPLETED: "yes"}}, spec={"volumeName": volume}, **bound
    )
    return made, with_some(
        a_volume(volume, **claim_reference("default", claim, made["metadata"]["uid"])), **bound
    )
