# SPDX-License-Identifier: Apache-2.0
"""Pods with affinity, pods that run, and nodes for them, as InterPodAffinity sees them."""

from __future__ import annotations

from typing import Any

from refsched.framework.events import Hint
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.oddities.known_defects import AS_RELEASED, with_oddities
from refsched.plugins.inter_pod_affinity import Filtering, InterPodAffinity

PLUGIN: InterPodAffinity = with_oddities(InterPodAffinity(), AS_RELEASED)


def term(app: str, key: str = "zone", **more: Any) -> dict[str, Any]:
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}, **more}


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}


def preferred(weight: int, *terms: dict[str, Any]) -> dict[str, Any]:
    weighted = [{"weight": weight, "podAffinityTerm": t} for t in terms]
    return {"preferredDuringSchedulingIgnoredDuringExecution": weighted}


def pod(app: str = "", *, near: Any = None, apart: Any = None, namespace: str = "default") -> PodInfo:
    affinity = {"podAffinity": near, "podAntiAffinity": apart}
    metadata = {"name": app, "namespace": namespace, "uid": f"{app}-uid", "labels": {"app": app}}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": {"affinity": affinity}}))


def node(name: str, *pods: PodInfo, **labels: str) -> NodeInfo:
    info = NodeInfo(read_as(Node, {"metadata": {"name": name, "labels": labels}}))
    for running in pods:
        info = info.with_pod(running)
    return info


def selecting(**labels: str) -> dict[str, Any]:
    return {"matchLabels": labels}


def excluding(key: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": "DoesNotExist"}]}


def running(app: str, node_name: str = "n1", namespace: str = "default", *, apart: Any = None) -> Pod:
    metadata = {"name": "other", "namespace": namespace, "labels": {"app": app}}
    spec = {"nodeName": node_name, "affinity": {"podAntiAffinity": apart}}
    return read_as(Pod, {"metadata": metadata, "spec": spec})


def filtering(incoming: PodInfo, snapshot: Snapshot, plugin: InterPodAffinity = PLUGIN) -> Filtering:
    outcome = plugin.pre_filter(incoming, snapshot)
    assert isinstance(outcome, Continue)
    return outcome.state


def hint(resource: str) -> Hint:
    row = next(row for row in PLUGIN.EVENTS if row.resource == resource)
    assert row.hint is not None
    return row.hint
