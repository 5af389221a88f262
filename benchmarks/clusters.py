# SPDX-License-Identifier: Apache-2.0
"""Clusters to measure with: ``python benchmarks/clusters.py NODES PENDING --shape zone-spread > cluster.json``.

Nodes stand in three zones. ``--running`` pods run on each of them, of twenty apps, and the pending pods are all
of one app and one shape; with ``--shape mixed`` they are of a hundred apps, each with a shape, a priority and
requests of its own, and one in ten fits on no node. ``--as-kubectl`` adds what ``kubectl get -o json`` prints
beside: managed fields, annotations, conditions, images, the mounts and tolerations that admission adds, in its
order and with its indentation; ``-o yaml`` prints YAML as it does. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
ZONES, APPS, PENDING_APPS = 3, 20, 100
MIXED = "mixed"
PLAIN, SPREAD, ZONE_SPREAD, APART, PREEMPTION = (
    "plain",
    "spread",
    "zone-spread",
    "anti-affinity",
    "preemption",
)


# --- Objects --------------------------------------------------------------------------------------


def node(number: int, cpu: str = "32") -> Json:
    labels = {HOST: f"n{number}", ZONE: f"z{number % ZONES}"}
    resources = {"cpu": cpu, "memory": "128Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{number}", "labels": labels},
        "status": {"allocatable": resources, "capacity": resources},
    }


def pod(name: str, app: str, spec: Json, cpu: str = "100m") -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "128Mi"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": app}},
        "spec": {"containers": [container], **spec},
    }


# --- Shapes of pods -------------------------------------------------------------------------------


def constraint(app: str, key: str, action: str) -> Json:
    selector = {"matchLabels": {"app": app}}
    return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": action, "labelSelector": selector}


def spread(app: str) -> Json:
    over = [constraint(app, ZONE, "DoNotSchedule"), constraint(app, HOST, "ScheduleAnyway")]
    return {"topologySpreadConstraints": over}


def zone_spread(app: str) -> Json:
    return {"topologySpreadConstraints": [constraint(app, ZONE, "DoNotSchedule")]}


def apart(app: str) -> Json:
    term = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": app}}}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


SHAPES = {
    PLAIN: lambda app: {},
    SPREAD: spread,
    ZONE_SPREAD: zone_spread,
    APART: apart,
    PREEMPTION: lambda app: {"priority": 1000},
}


def cluster(nodes: int, pending: int, shape: str, running: int = 0) -> Iterator[Json]:
    """The objects. Under preemption each node is full of its running pods (at least one), of which one must leave
    for a pending pod."""
    if shape == MIXED:
        yield from mixed(nodes, pending, running)
        return
    crowded = shape == PREEMPTION
    running = max(running, 1) if crowded else running
    for number in range(nodes):
        yield node(number, cpu=str(running) if crowded else "32")
    for number in range(nodes * running):
        where = {"nodeName": f"n{number % nodes}"}
        yield pod(f"r{number}", f"a{number % APPS}", where, "1" if crowded else "100m")
    for number in range(pending):
        yield pod(f"p{number}", "new", SHAPES[shape]("new"), "1" if crowded else "100m")


def mixed(nodes: int, pending: int, running: int) -> Iterator[Json]:
    """Nodes of two sizes, one in ten of them with a taint, and many apps. Every pod has a controller."""
    for number in range(nodes):
        made = node(number, cpu=("16", "32")[number % 2])
        if number % 10 == 9:
            made["spec"] = {"taints": [{"key": "dedicated", "value": "infra", "effect": "NoSchedule"}]}
        yield made
    for number in range(nodes * running):
        yield _owned(pod(f"r{number}", f"a{number % APPS}", {"nodeName": f"n{number % nodes}"}, "1"))
    shapes = [SHAPES[name] for name in (PLAIN, SPREAD, ZONE_SPREAD, APART)]
    for number in range(pending):
        kind = number % PENDING_APPS
        spec = shapes[kind % len(shapes)](f"new{kind}")
        cpu = "64" if kind % 10 == 0 else f"{100 + 50 * (kind % 7)}m"
        yield _owned(pod(f"p{number}", f"new{kind}", {**spec, "priority": kind % 3}, cpu))


def _owned(made: Json) -> Json:
    app = made["metadata"]["labels"]["app"]
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "uid": app, "controller": True}
    return {**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}}


# --- As kubectl prints them -----------------------------------------------------------------------


def as_kubectl(plain: Json, number: int) -> Json:
    """The object with what the API server, the kubelet and admission add to it: 4 to 6 KB as JSON."""
    is_pod = plain["kind"] == "Pod"
    metadata, time = plain["metadata"], f"2026-01-{number % 28 + 1:02}T00:00:{number % 60:02}Z"
    added: Json = {
        "creationTimestamp": time,
        "resourceVersion": str(1000 + number),
        "uid": f"00000000-0000-4000-{'8' if is_pod else '9'}000-{number:012}",
        "annotations": {"example.com/checksum": f"{number:064}", "example.com/config": "x" * 200},
        "managedFields": [_managed(manager, time, plain) for manager in ("kubectl", "kubelet")],
    }
    made = {**plain, "metadata": {**metadata, **added}}
    if is_pod:
        return {**made, **_pod_as_admitted(plain, time, number)}
    kinds = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    conditions = [_condition(kind, "True" if kind == "Ready" else "False", time) for kind in kinds]
    images = [
        {
            "names": [f"registry.example/image-{i}@sha256:{i:064}", f"registry.example/image-{i}:v1"],
            "sizeBytes": i,
        }
        for i in range(10)
    ]
    info = {"kubeletVersion": "v1.34.2", "operatingSystem": "linux", "architecture": "amd64"}
    return {
        **made,
        "status": {**plain["status"], "conditions": conditions, "images": images, "nodeInfo": info},
    }


def _pod_as_admitted(plain: Json, time: str, number: int) -> Json:
    volume = f"kube-api-access-{number:05}"
    token = {"name": volume, "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}
    mount = {"name": volume, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    taints = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
    tolerations = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300} for key in taints
    ]
    environment = [{"name": f"SETTING_{i}", "value": "value" * 4} for i in range(10)]
    container = {
        **plain["spec"]["containers"][0],
        "env": environment,
        "volumeMounts": [mount],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10},
        "terminationMessagePolicy": "File",
    }
    spec = {**plain["spec"], "containers": [container], "tolerations": tolerations, "volumes": [token]}
    if "nodeName" not in spec:
        return {"spec": spec, "status": {"phase": "Pending"}}
    kinds = ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = [_condition(kind, "True", time) for kind in kinds]
    return {"spec": spec, "status": {"phase": "Running", "startTime": time, "conditions": conditions}}


def _condition(kind: str, status: str, time: str) -> Json:
    return {"type": kind, "status": status, "lastTransitionTime": time, "message": "as it should be"}


def _managed(manager: str, time: str, plain: Json) -> Json:
    """Who owns which field: the same fields again, as keys."""
    fields = {f"f:{name}": _as_keys(value) for name, value in plain.items() if isinstance(value, dict)}
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def _as_keys(value: Any) -> Json:
    if isinstance(value, dict):
        return {f"f:{name}": _as_keys(member) for name, member in value.items()}
    if isinstance(value, list):
        return {f'k:{{"name":"{index}"}}': {".": {}, **_as_keys(item)} for index, item in enumerate(value)}
    return {}


# --- YAML as kubectl prints it --------------------------------------------------------------------

_BARE = re.compile(r"[A-Za-z/][A-Za-z0-9_./@-]*(:[A-Za-z0-9_./@-]+)*")
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))


def yaml_lines(value: Any, indent: str = "") -> Iterator[str]:
    """Keys by name, and lists in the column of their key."""
    if isinstance(value, dict):
        for name, member in sorted(value.items()):
            yield from _under(f"{indent}{_key(name)}:", member, indent)
    else:
        for entry in value:
            if entry and isinstance(entry, dict | list):
                first, *others = yaml_lines(entry, f"{indent}  ")
                yield f"{indent}- {first.lstrip()}"
                yield from others
            else:
                yield f"{indent}- {_scalar(entry)}"


def _under(head: str, member: Any, indent: str) -> Iterator[str]:
    if member and isinstance(member, dict | list):
        yield head
        yield from yaml_lines(member, f"{indent}  " if isinstance(member, dict) else indent)
    else:
        yield f"{head} {_scalar(member)}"


def _key(name: str) -> str:
    return f"'{name}'" if name.endswith('"') else name


def _scalar(value: Any) -> str:
    bare = isinstance(value, str) and _BARE.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if bare else json.dumps(value)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("nodes", type=int)
    parser.add_argument("pending", type=int)
    parser.add_argument("--shape", choices=(*SHAPES, MIXED), default=PLAIN)
    parser.add_argument("--running", type=int, default=0, help="pods that run on each node")
    parser.add_argument("--as-kubectl", action="store_true")
    parser.add_argument("-o", "--output", choices=("json", "yaml"), default="json")
    given = parser.parse_args()
    objects = list(cluster(given.nodes, given.pending, given.shape, given.running))
    if given.as_kubectl:
        objects = [as_kubectl(made, number) for number, made in enumerate(objects)]
    whole = {"apiVersion": "v1", "kind": "List", "items": objects}
    if given.output == "yaml":
        sys.stdout.writelines(f"{line}\n" for line in yaml_lines(whole))
    elif given.as_kubectl:
        json.dump(whole, sys.stdout, indent=4, sort_keys=True)
    else:
        json.dump(whole, sys.stdout)


if __name__ == "__main__":
    main()
