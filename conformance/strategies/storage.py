# SPDX-License-Identifier: Apache-2.0
"""Storage: classes, claims, volumes, drivers and what they have, for the areas that are about volumes.

Objects are known by number: claim ``c2``, if it is bound, is bound to volume ``v2``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import Change
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    REGION,
    START_TIMES,
    ZONE,
    cpu,
    node,
    owned_by_pod,
    pod,
    with_metadata,
)
from conformance.vocabulary.storage import (
    BETA_CLASS,
    BIND_COMPLETED,
    DRIVER,
    GKE_ZONE,
    OLD_REGION,
    OLD_ZONE,
    SELECTED_NODE,
    STORAGE,
    TRACKING,
    csi_node,
    put,
    storage_object,
    taken_volume,
)
from refsched.records import Reference
from refsched.suite.histories.history import Create, Delete, History, Step

Json = dict[str, Any]


# --- Classes, drivers and what they have ----------------------------------------------------------


def _class(name: str, provisioner: str, mode: str = "WaitForFirstConsumer", **more: Any) -> Json:
    return storage_object(
        STORAGE, "StorageClass", name, provisioner=provisioner, volumeBindingMode=mode, **more
    )


def _allowed(**values: Sequence[str]) -> Json:
    keys = {"zone": ZONE, "host": HOSTNAME, "disk": "disk"}
    return {
        "matchLabelExpressions": [{"key": keys[name], "values": list(each)} for name, each in values.items()]
    }


CLASSES: tuple[Json, ...] = (
    _class("hand", "kubernetes.io/no-provisioner"),
    _class("made", DRIVER),
    _class("tracked", TRACKING),
    _class("disk", "kubernetes.io/gce-pd"),
    _class("once", DRIVER, "Immediate"),
)
_TERMS: tuple[list[Json], ...] = (
    [_allowed(zone=["a"])],
    [_allowed(zone=["a", "b"], disk=["ssd"]), _allowed(host=["n1"])],
    [{}],
)
NEAR = st.sampled_from([_class("near", DRIVER, allowedTopologies=terms) for terms in _TERMS])
"""A class whose volumes can be had on some nodes only."""
LATE = st.sampled_from(["WaitForFirstConsumer", "Immediate"]).map(lambda mode: _class("absent", DRIVER, mode))
"""A class that is missing at first."""

_OVERRULING = (("made", "once"), ("once", "made"), ("hand", "absent"))
"""The class of an annotation, before the one of the spec."""
_CLASS_NAMES = (*["hand", "made"] * 4, *["tracked"] * 3, "near", "disk", "once", "absent", *_OVERRULING)

TRACKS_CAPACITY = st.sampled_from([True, True, False]).map(
    lambda tracks: storage_object(STORAGE, "CSIDriver", TRACKING, spec={"storageCapacity": tracks})
)
CAPACITIES = combinations(
    lambda name, amounts, reach: storage_object(
        STORAGE, "CSIStorageCapacity", name, "default", storageClassName="tracked", **amounts, **reach
    ),
    ("k1", "k2"),
    (
        {"capacity": "1Gi"},
        {"capacity": "2Gi"},
        {"capacity": "2Gi", "maximumVolumeSize": "1Gi"},
        {"capacity": "1Mi", "maximumVolumeSize": "2Gi"},
        {},
    ),
    ({"nodeTopology": {}}, {"nodeTopology": {"matchLabels": {ZONE: "a"}}}, {}),
)


def csi_nodes(*limits: Json | None) -> SearchStrategy[Json]:
    """Draws CSINodes; ``limits`` are what each of two drivers has as ``allocatable`` on the node."""
    return combinations(csi_node, ("n1", "n2"), limits, _MIGRATED)


_MIGRATED = ("", "kubernetes.io/gce-pd", "kubernetes.io/gce-pd,kubernetes.io/azure-disk")


ATTACHMENTS = combinations(
    lambda number, on, driver: storage_object(
        STORAGE,
        "VolumeAttachment",
        f"a{number}",
        spec={"attacher": driver, "nodeName": on, "source": {"persistentVolumeName": f"v{number}"}},
    ),
    (1, 2),
    ("n1", "n1", "n2"),
    (DRIVER, DRIVER, TRACKING),
)

# --- Claims ---------------------------------------------------------------------------------------


def claim(number: int, drawn: Json) -> Json:
    """Returns the claim of this number, as it was drawn."""
    metadata: Json = {"name": f"c{number}", "namespace": "default", "uid": f"uid-c{number}"}
    spec: Json = {"accessModes": drawn["modes"]}
    spec["resources"] = {"requests": {"storage": drawn["size"]}}
    annotations = _name_class(spec, drawn["class"])
    if drawn["disk"]:
        spec["selector"] = {"matchLabels": {"disk": drawn["disk"]}}
    if drawn["mode"]:
        spec["volumeMode"] = drawn["mode"]
    phase = "Pending"
    match drawn["state"]:
        case "bound":
            annotations[BIND_COMPLETED], phase = "yes", "Bound"
        case "made":
            annotations |= {BIND_COMPLETED: "yes", SELECTED_NODE: "n1"}
            phase = "Bound"
        case "lost":
            phase = "Lost"
        case "leaving":
            metadata["deletionTimestamp"] = AN_AGE_AGO
        case "sent":
            annotations[SELECTED_NODE] = "n1"
    if drawn["state"] in ("bound", "made", "lost", "promised"):
        spec["volumeName"] = f"v{number}"
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": phase},
    }


def _name_class(spec: Json, named: str | tuple[str, str]) -> Json:
    """Puts the name of the class into the spec of a claim or volume, and returns the annotations that name one."""
    annotated, specified = ("", named) if isinstance(named, str) else named
    if specified:
        spec["storageClassName"] = specified
    return {BETA_CLASS: annotated} if annotated else {}


def drawn_claims(*states: str) -> SearchStrategy[Json]:
    drawn = combinations(
        lambda state, of_class, size, modes, disk: {
            "state": state,
            "class": of_class,
            "size": size,
            "modes": modes,
            "disk": disk,
        },
        states,
        _CLASS_NAMES,
        ("1Gi", "1Gi", "2Gi", "1073741825"),
        (["ReadWriteOnce"], ["ReadWriteOnce"], ["ReadOnlyMany"], ["ReadWriteOncePod"]),
        ("", "", "", "", "ssd"),
    )
    return st.builds(lambda each, mode: {**each, "mode": mode}, drawn, st.sampled_from([*[""] * 5, "Block"]))


def _ephemeral_claim(of_pod: str, owner: str) -> Json:
    """Returns the claim of the pod's volume ``e``."""
    drawn: Json = dict.fromkeys(("state", "disk", "mode"), "")
    drawn |= {"class": "made", "size": "1Gi", "modes": ["ReadWriteOnce"]}
    references = [owned_by_pod(of_pod, f"uid-{owner}")]
    return with_metadata(
        claim(9, drawn), name=f"{of_pod}-e", uid=f"uid-{of_pod}-e", ownerReferences=references
    )


EPHEMERAL_CLAIMS = st.sampled_from(
    [_ephemeral_claim(*names) for names in (("p1", "p1"), ("p2", "p2"), ("p3", "p3"), ("p2", "p1"))]
)

# --- Volumes --------------------------------------------------------------------------------------

VOLUME_LABELS: tuple[Json, ...] = (
    {},
    {"disk": "ssd"},
    {ZONE: "a"},
    {ZONE: "a__b"},
    {OLD_ZONE: "b"},
    {OLD_ZONE: "a"},
    {ZONE: "a", REGION: "r"},
    {OLD_REGION: "r"},
)
SOURCES: tuple[Json, ...] = (
    {"csi": {"driver": DRIVER, "volumeHandle": "h1"}},
    {"csi": {"driver": DRIVER, "volumeHandle": "h2"}},
    {"gcePersistentDisk": {"pdName": "d1"}},
    {"csi": {"driver": TRACKING, "volumeHandle": "h1"}},
    {"azureDisk": {"diskName": "d1", "diskURI": "d1"}},
)


_VOLUME_MODES = (
    ["ReadWriteOnce"],
    ["ReadWriteOnce", "ReadOnlyMany"],
    ["ReadWriteOncePod"],
    ["ReadOnlyMany"],
    ["ReadWriteMany"],
)


_OTHER_TERMS: tuple[tuple[Json, ...], ...] = (
    (),
    (),
    ({},),
    ({"matchExpressions": [{"key": "disk", "operator": "In", "values": ["tape"]}]},),
)
"""Terms of a volume's node affinity before the one that is drawn: none of them matches a node."""
_BY_NAME: tuple[tuple[Json, ...], ...] = (
    (),
    (),
    (),
    ({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]},),
)
"""And after it: nodes that it reaches by their names."""


def drawn_volumes(
    labels: Sequence[Json], reaches: Sequence[list[Json]], sources: Sequence[Json], owners: Sequence[str]
) -> SearchStrategy[Json]:
    return st.fixed_dictionaries(
        {
            "class": st.sampled_from(
                ("hand", "hand", "hand", "made", "made", "tracked", "", *_OVERRULING[1:])
            ),
            "size": st.sampled_from(("2Gi", "1Gi", "1073741825")),
            "modes": st.sampled_from(_VOLUME_MODES),
            "reach": st.sampled_from(reaches),
            "terms": st.sampled_from(_OTHER_TERMS),
            "names": st.sampled_from(_BY_NAME),
            "source": st.sampled_from(sources),
            "labels": st.sampled_from(labels),
            "owner": st.sampled_from(owners),
            "phase": st.sampled_from((*["Available"] * 6, "Released", "Pending")),
            "more": st.sampled_from(({}, {}, {}, {}, {"volumeMode": "Block"}, {"leaves": True})),
        }
    )


def volume(number: int, drawn: Json) -> Json:
    """Returns the drawn volume of this number. Its ``owner`` says how the volume refers to the claim of its
    number."""
    spec: Json = {
        "capacity": {"storage": drawn["size"]},
        "accessModes": drawn["modes"],
        **drawn["source"],
    }
    annotations = _name_class(spec, drawn["class"])
    if drawn["reach"]:
        terms = [*drawn.get("terms", ()), {"matchExpressions": drawn["reach"]}, *drawn.get("names", ())]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    if drawn["owner"]:
        uid = {"its uid": {"uid": f"uid-c{number}"}, "an earlier one": {"uid": "uid-earlier"}}
        named = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": f"c{number}"}
        spec["claimRef"] = {"apiVersion": "v1", **named, **uid.get(drawn["owner"], {})}
    if "volumeMode" in drawn["more"]:
        spec["volumeMode"] = drawn["more"]["volumeMode"]
    made = storage_object("v1", "PersistentVolume", f"v{number}", spec=spec, status={"phase": drawn["phase"]})
    leaving = {"deletionTimestamp": AN_AGE_AGO} if "leaves" in drawn["more"] else {}
    labels = {"labels": drawn["labels"]} if drawn["labels"] else {}
    noted = {"annotations": annotations} if annotations else {}
    return with_metadata(made, **labels, **noted, **leaving)


TAKEN = st.sampled_from([taken_volume(f"pvc-c{number}") for number in (1, 2)])
"""The provisioner would call its volume so, and cannot: the claim's pod goes on waiting."""

# --- The cluster ----------------------------------------------------------------------------------


def cluster_storage(claims: list[Json], volumes: list[Json], *others: list[Json]) -> list[Json]:
    """Returns all classes, and what was drawn. What is bound, is so from both sides."""
    bound = {number for number, drawn in enumerate(claims, 1) if drawn["state"] == "bound"}
    owned = [
        {**drawn, "owner": "its uid", "phase": "Bound"} if number in bound else drawn
        for number, drawn in enumerate(volumes, 1)
    ]
    return [
        *CLASSES,
        *(claim(number, drawn) for number, drawn in enumerate(claims, 1)),
        *(volume(number, drawn) for number, drawn in enumerate(owned, 1)),
        *_once_each([value for listed in others for value in listed]),
    ]


def _once_each(values: list[Json]) -> list[Json]:
    return list({(value["kind"], value["metadata"]["name"]): value for value in values}.values())


def some(strategy: SearchStrategy[Json], most: int) -> SearchStrategy[list[Json]]:
    return st.lists(strategy, max_size=most)


NODES = combinations(
    lambda labels, most, cores: node("", {"cpu": cores, "memory": "8Gi", "pods": most}, labels),
    (
        {ZONE: "a"},
        {ZONE: "b", "disk": "ssd"},
        {},
        {ZONE: "a", REGION: "r", GKE_ZONE: "a"},
        {OLD_ZONE: "b", GKE_ZONE: "b"},
        *({OLD_ZONE: "", ZONE: zone} for zone in "ab"),
        {REGION: "r"},
        {OLD_REGION: "s"},
    ),
    ("9", "9", "2"),
    ("4", "1"),
)


def waiting_pods(*volumes: list[Json]) -> SearchStrategy[Json]:
    """Pods with one of these lists of volumes. All have one priority, and running pods have a lower one and a
    start time, so that the possible victims and their order are known."""
    return combinations(
        lambda used, asked: pod("", cpu(asked), priority=10, volumes=used), volumes, ("", "1")
    )


def running_pods(*volumes: list[Json]) -> SearchStrategy[Json]:
    """Draws running pods: some are in another namespace, where there are no claims, and some are leaving."""
    return combinations(
        lambda used, start, namespace, leaving: with_metadata(
            pod("", namespace=namespace, status={"phase": "Running", "startTime": start}, volumes=used),
            **leaving,
        ),
        volumes,
        START_TIMES,
        ("", "", "", "", "other"),
        ({}, {"deletionTimestamp": AN_AGE_AGO}),
    )


def with_uids(history: History) -> History:
    """A pod's uid is derived from its name, so that a claim can be owned by it; a pod that is created again has
    another uid."""
    times: Counter[str] = Counter()
    steps: list[Step] = []
    for step in history.steps:
        if isinstance(step, Create) and step.object["kind"] == "Pod":
            name = step.object["metadata"]["name"]
            uid = f"uid-{name}-{times[name]}" if times[name] else f"uid-{name}"
            step = Create(with_metadata(step.object, uid=uid))
            times[name] += 1
        steps.append(step)
    return evolve(history, steps=tuple(steps))


# --- Changes --------------------------------------------------------------------------------------


NUMBERS = st.integers(1, 3)


def puts(values: SearchStrategy[Json]) -> SearchStrategy[Change]:
    """Draws an object that is created, or becomes this one."""
    return values.map(lambda value: lambda cluster: put(cluster, value))


def removes(*named: Reference) -> SearchStrategy[Change]:
    """Draws which of these is deleted, if it is there."""
    return st.sampled_from(named).map(lambda name: lambda cluster: cluster.steps.append(Delete(name)))
