# SPDX-License-Identifier: Apache-2.0
"""Objects, as plain JSON: what is not said is left out, so that a small history reads as one.

Names, labels and amounts come from small vocabularies that all areas share, so that what one object asks for
another one has about half the time, and sums of amounts meet their bounds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from refsched.suite.scripts import SCRIPT

Json = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
HOSTNAME = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

START_TIMES = tuple(f"2025-12-31T0{hour}:00:00Z" for hour in (1, 2, 3))
"""Pods run since these times: before the history begins, so that one without such a time is younger by any
clock."""
AN_AGE_AGO = "2025-12-31T23:00:00Z"

# --- Objects --------------------------------------------------------------------------------------


ROOM: Json = {"cpu": "4", "memory": "8Gi", "pods": "9"}
"""What a node has to allocate where nothing else is said."""


def node(
    name: str = "",
    allocatable: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    images: Sequence[Json] = (),
    **spec: Any,
) -> Json:
    """Returns a node; without ``allocatable`` it has ``ROOM``. ``spec`` is given by its JSON names."""
    amounts = ROOM if allocatable is None else allocatable
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _said(name=name, labels=dict(labels or {})),
        **_said(spec=_said(**spec)),
        "status": _said(allocatable=dict(amounts), images=list(images)),
    }


def pod(
    name: str = "",
    requests: Mapping[str, str] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    namespace: str = "",
    uid: str = "",
    script: Mapping[str, Mapping[str, str]] | None = None,
    owner: Json | None = None,
    status: Json | None = None,
    containers: Sequence[Json] | None = None,
    **spec: Any,
) -> Json:
    """Returns a pod of one container with these ``requests``, or of ``containers``. ``spec`` is given by its JSON
    names."""
    annotations = {SCRIPT: json.dumps(script)} if script else {}
    metadata = _said(
        name=name,
        namespace=namespace,
        uid=uid,
        labels=dict(labels or {}),
        annotations=annotations,
        ownerReferences=[owner] if owner else [],
    )
    listed = [container("c", requests)] if containers is None else list(containers)
    own_users = {"hostUsers": False} if spec.get("hostUsers") is False else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**_said(containers=listed, **spec), **own_users},
        **_said(status=status),
    }


def container(name: str, requests: Mapping[str, str] | None = None, **more: Any) -> Json:
    return _said(
        name=name, image=more.pop("image", "i"), resources=_said(requests=dict(requests or {})), **more
    )


def limited(name: str, amounts: Mapping[str, str], **more: Any) -> Json:
    """Returns a container whose limits are its requests, as those of an extended resource must be."""
    return {**container(name, amounts, **more), "resources": {"requests": amounts, "limits": amounts}}


def selecting(kind: str, name: str, selector: Json, api_version: str = "apps/v1") -> Json:
    """Returns a Service, ReplicaSet or the like, that selects pods."""
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": _said(selector=selector),
    }


def owner(kind: str, version: str = "", controls: bool = True) -> Json:
    """Returns a pod's reference to the workload that made it. All bear one name."""
    version = version or {"ReplicationController": "v1", "Job": "batch/v1"}.get(kind, "apps/v1")
    return {"apiVersion": version, "kind": kind, "name": "w", "uid": "w", "controller": controls}


def owned_by_pod(name: str, uid: str, controls: bool = True) -> Json:
    """Returns the reference of an object to the pod that owns it."""
    return {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": controls}


def spread_by_default(constraints: Sequence[Json]) -> Json:
    """Returns a configuration whose pods have these spread constraints where they have none of their own."""
    args = {"defaultingType": "List", "defaultConstraints": list(constraints)}
    return profile_config(default_profile(("PodTopologySpread", args)))


def distinct_constraints(constraints: Sequence[Json]) -> list[Json]:
    """Returns those that a pod may have together: one for each topology key and action."""
    return list({(each["topologyKey"], each["whenUnsatisfiable"]): each for each in constraints}.values())


def near(kind: str, when: str, selector: Json, key: str = HOSTNAME) -> Json:
    """Returns ``podAffinity`` or ``podAntiAffinity`` of one term, which is required or of weight 1."""
    term: Json = {"topologyKey": key, "labelSelector": selector}
    return {kind: {when: [{"weight": 1, "podAffinityTerm": term} if when == PREFERRED else term]}}


def spread(key: str, skew: int, when: str = "ScheduleAnyway", **more: Any) -> Json:
    """Returns a constraint on the pods of the app ``a``."""
    selector = {"matchLabels": {"app": "a"}}
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector, **more}


def _said(**members: Any) -> Json:
    """Returns only what is there: no empty members, no zeros, nothing that is false."""
    return {name: value for name, value in members.items() if value}


# --- Variations on an object ----------------------------------------------------------------------


def named(value: Json, name: str) -> Json:
    return {**value, "metadata": {**value["metadata"], "name": name}}


def hosted(value: Json) -> Json:
    """Returns the node with the label that names its host, as every kubelet sets it."""
    metadata = value["metadata"]
    labels = {HOSTNAME: metadata["name"], **metadata.get("labels", {})}
    return {**value, "metadata": {**metadata, "labels": labels}}


def with_spec(value: Json, **spec: Any) -> Json:
    return {**value, "spec": {**value.get("spec", {}), **spec}}


def with_status(value: Json, **status: Any) -> Json:
    return {**value, "status": {**value.get("status", {}), **status}}


def with_metadata(value: Json, **metadata: Any) -> Json:
    return {**value, "metadata": {**value["metadata"], **metadata}}


WITHOUT_POP_FROM_BACKOFF = {"SchedulerPopFromBackoffQ": False}
"""Feature gates."""


def leaving(value: Json) -> Json:
    """Returns the object, whose deletion has begun, and which a finalizer holds."""
    return with_metadata(value, deletionTimestamp=AN_AGE_AGO, finalizers=["example.com/held"])


def profile_config(*profiles: Json, **more: Any) -> Json:
    """Returns a KubeSchedulerConfiguration; without profiles, that of the default one."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        **more,
        **({"profiles": list(profiles)} if profiles else {}),
    }


def default_profile(*args: tuple[str, Json], **more: Any) -> Json:
    """Returns the default scheduler's profile, with these arguments for these plugins."""
    configured = [
        {
            "name": name,
            "args": {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": f"{name}Args", **value},
        }
        for name, value in args
    ]
    return {
        "schedulerName": "default-scheduler",
        **more,
        **({"pluginConfig": configured} if configured else {}),
    }


# --- What is drawn everywhere ---------------------------------------------------------------------


def cpu(amount: str) -> Json:
    """Returns a request of this much cpu; "" asks for nothing."""
    return {"cpu": amount} if amount else {}


def resized(
    requests: Json, granted: Json, used: Json, problem: str, which: str = "first"
) -> Callable[[Json], Json]:
    """Returns what a container asks for now, and what the kubelet says of it: the first of them, the last, or
    the first or last that starts, if there is one. Of the others it says nothing but that they are there, unless
    ``which`` is "exchanged": then the last asks for what the first is granted, and is granted what the first
    asks for."""

    def resize(value: Json) -> Json:
        starts = which.startswith("starting") and value["spec"].get("initContainers")
        place = "initContainers" if starts else "containers"
        listed = list(value["spec"][place])
        index = len(listed) - 1 if which.endswith("last") else 0
        changed = listed[index]
        resources = {"requests": {**changed.get("resources", {}).get("requests", {}), **requests}}
        if "limits" in changed.get("resources", {}):
            resources["limits"] = changed["resources"]["limits"]
        listed[index] = {**changed, "resources": resources}
        statuses: list[Json] = [{"name": each["name"]} for each in listed]
        statuses[index] |= {"allocatedResources": granted, "resources": {"requests": used}}
        if which == "exchanged":
            listed[-1] = {**listed[-1], "resources": {"requests": granted}}
            statuses[-1] |= {"allocatedResources": requests, "resources": {"requests": used}}
        return with_status(
            with_spec(value, **{place: listed}),
            **{"initContainerStatuses" if starts else "containerStatuses": statuses},
            conditions=[
                {"type": "Initialized", "status": "True"},
                *([{"type": "PodResizePending", "status": "True", "reason": problem}] if problem else []),
            ],
        )

    return resize


def resized_as_a_whole(
    requests: Json | None, granted: Json, used: Json | None, problem: str
) -> Callable[[Json], Json]:
    """Returns what a pod asks for as a whole now, and what the kubelet says of it; None if nothing is said."""

    def resize(value: Json) -> Json:
        asking = value if requests is None else with_spec(value, resources={"requests": requests})
        return with_status(
            asking,
            **({"allocatedResources": granted} if granted else {}),
            **({} if used is None else {"resources": {"requests": used}}),
            conditions=[{"type": "PodResizePending", "status": "True", "reason": problem}] if problem else [],
        )

    return resize
