# SPDX-License-Identifier: Apache-2.0
"""Objects, as plain JSON: what is not said is left out, so that a small history reads as one.

Names, labels and amounts come from small vocabularies that all areas share, so that what one object asks for
another one has about half the time, and sums of amounts meet their bounds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Json = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
HOSTNAME = "kubernetes.io/hostname"
SCRIPT = "refsched.dev/script"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

START_TIMES = tuple(f"2025-12-31T0{hour}:00:00Z" for hour in (1, 2, 3))
"""Since when pods run: before the history begins, so that one without such a time is younger by any clock."""
AN_AGE_AGO = "2025-12-31T23:00:00Z"

# --- Objects --------------------------------------------------------------------------------------


def node(
    name: str = "",
    allocatable: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    images: Sequence[Json] = (),
    **spec: Any,
) -> Json:
    """Without ``allocatable``, four cores, 8Gi and room for nine pods. ``spec`` by its JSON names."""
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "9"} if allocatable is None else dict(allocatable)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _said(name=name, labels=dict(labels or {})),
        **_said(spec=_said(**spec)),
        "status": _said(allocatable=amounts, images=list(images)),
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
    """A pod of one container that ``requests`` so much, or of ``containers``. ``spec`` by its JSON names."""
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
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": _said(containers=listed, **spec),
        **_said(status=status),
    }


def container(name: str, requests: Mapping[str, str] | None = None, **more: Any) -> Json:
    return _said(
        name=name, image=more.pop("image", "i"), resources=_said(requests=dict(requests or {})), **more
    )


def selecting(kind: str, name: str, selector: Json, api_version: str = "apps/v1") -> Json:
    """A Service, ReplicaSet or the like, that selects pods."""
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": _said(selector=selector),
    }


def owner(kind: str, version: str = "", controls: bool = True) -> Json:
    """A pod's reference to the workload that made it. All bear one name."""
    version = version or {"ReplicationController": "v1", "Job": "batch/v1"}.get(kind, "apps/v1")
    return {"apiVersion": version, "kind": kind, "name": "w", "uid": "w", "controller": controls}


def spread_by_default(constraints: Sequence[Json]) -> Json:
    """A configuration whose pods have these spread constraints where they have none of their own."""
    args = {"defaultingType": "List", "defaultConstraints": list(constraints)}
    return profile_config(default_profile(("PodTopologySpread", args)))


def distinct_constraints(constraints: Sequence[Json]) -> list[Json]:
    """A pod has one spread constraint for a topology key and an action."""
    return list({(each["topologyKey"], each["whenUnsatisfiable"]): each for each in constraints}.values())


def near(kind: str, when: str, selector: Json, key: str = HOSTNAME) -> Json:
    """``podAffinity`` or ``podAntiAffinity`` of one term, which is required or of weight 1."""
    term: Json = {"topologyKey": key, "labelSelector": selector}
    return {kind: {when: [{"weight": 1, "podAffinityTerm": term} if when == PREFERRED else term]}}


def spread(key: str, skew: int, when: str = "ScheduleAnyway", **more: Any) -> Json:
    """A constraint on the pods of the app ``a``."""
    selector = {"matchLabels": {"app": "a"}}
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector, **more}


def _said(**members: Any) -> Json:
    """Only what is there: no empty members, no zeros, nothing that is false."""
    return {name: value for name, value in members.items() if value}


# --- Variations on an object ----------------------------------------------------------------------


def named(value: Json, name: str) -> Json:
    return {**value, "metadata": {**value["metadata"], "name": name}}


def hosted(value: Json) -> Json:
    """The node with the label that names its host, as every kubelet sets it."""
    metadata = value["metadata"]
    labels = {HOSTNAME: metadata["name"], **metadata.get("labels", {})}
    return {**value, "metadata": {**metadata, "labels": labels}}


def with_spec(value: Json, **spec: Any) -> Json:
    return {**value, "spec": {**value.get("spec", {}), **spec}}


def with_status(value: Json, **status: Any) -> Json:
    return {**value, "status": {**value.get("status", {}), **status}}


def with_metadata(value: Json, **metadata: Any) -> Json:
    return {**value, "metadata": {**value["metadata"], **metadata}}


def profile_config(*profiles: Json, **more: Any) -> Json:
    """A KubeSchedulerConfiguration; without profiles, that of the default one."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        **more,
        **({"profiles": list(profiles)} if profiles else {}),
    }


def default_profile(*args: tuple[str, Json], **more: Any) -> Json:
    """The default scheduler's profile, with these arguments for these plugins."""
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

LABELS: SearchStrategy[Json] = st.sampled_from(
    [{}, {"app": "a"}, {"app": "b"}, {"app": "a", "tier": "x"}, {"tier": "x"}]
)
"""Labels of pods: about half of them match a selector drawn from ``SELECTORS``."""

_EXPRESSIONS: tuple[Json, ...] = (
    {"key": "app", "operator": "In", "values": ["a", "b"]},
    {"key": "app", "operator": "NotIn", "values": ["a"]},
    {"key": "tier", "operator": "Exists"},
    {"key": "tier", "operator": "DoesNotExist"},
)

SELECTORS: SearchStrategy[Json] = st.sampled_from(
    [
        {"matchLabels": {"app": "a"}},
        {"matchLabels": {"app": "b"}},
        {},
        *({"matchExpressions": [expression]} for expression in _EXPRESSIONS),
        {"matchLabels": {"app": "a"}, "matchExpressions": [_EXPRESSIONS[2]]},
    ]
)
"""Label selectors; the empty one selects every pod."""

ZONE_LABELS: SearchStrategy[Json] = st.sampled_from([{ZONE: "a"}, {ZONE: "b"}, {}])

CPU_AMOUNTS = ("", "500m", "1", "501m", "1001m", "2", "250m", "1m")
"""Amounts whose sums meet those of ``CPU_CAPACITIES`` and go beyond them by one; "" for none."""

CPU_CAPACITIES = ("2", "1", "1001m", "1500m")

CPU_REQUESTS: SearchStrategy[str] = st.sampled_from(CPU_AMOUNTS)


def cpu(amount: str) -> Json:
    """A request of so much; "" asks for nothing."""
    return {"cpu": amount} if amount else {}


def combinations(make: Callable[..., Json], *alternatives: Sequence[Any]) -> SearchStrategy[Json]:
    """What ``make`` makes of one of each of the alternatives, drawn as one choice; those that stand several times
    among them are drawn as much more often. The simplest are those with the most that stand first."""

    def complexity(chosen: Sequence[int]) -> tuple[int, Sequence[int]]:
        first = [each.index(each[index]) for each, index in zip(alternatives, chosen, strict=True)]
        return sum(index > 0 for index in first), first

    ordered = sorted(product(*(range(len(each)) for each in alternatives)), key=complexity)
    return st.sampled_from(ordered).map(
        lambda chosen: make(*(each[index] for each, index in zip(alternatives, chosen, strict=True)))
    )


def one_in(count: int, strategy: SearchStrategy[Any], otherwise: Any = None) -> SearchStrategy[Any]:
    """``otherwise`` all but once in ``count`` times; what shrinks becomes ``otherwise``."""
    return st.one_of(*[st.just(otherwise)] * (count - 1), strategy)


def switched(*gates: str) -> SearchStrategy[Mapping[str, bool]]:
    """Now and then one of these feature gates, which are on by default, is off."""
    return st.sampled_from([*[{}] * 7 * len(gates), *({gate: False} for gate in gates)])
