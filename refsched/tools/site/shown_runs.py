# SPDX-License-Identifier: Apache-2.0
"""Shown runs: the scores of an attempt, and where the pods of a trace are after each step, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from refsched.checking.trace import Entry, read_trace
from refsched.reading.shipped_files import data_folder
from refsched.records import BOUND, SCHEDULED, Advance, Attempt, Bind, Create, Delete, Queues, Record
from refsched.releases import DEFAULT
from refsched.tools.cluster import Cluster
from refsched.tools.planner.explanation import Explanation
from refsched.tools.site.markdown import table

SCORED = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: large, labels: {kubernetes.io/hostname: large, disk: hdd}}
  status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110"}}
- apiVersion: v1
  kind: Node
  metadata: {name: fast, labels: {kubernetes.io/hostname: fast, disk: ssd}}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
- apiVersion: v1
  kind: Node
  metadata: {name: ready, labels: {kubernetes.io/hostname: ready, disk: hdd}}
  status:
    allocatable: {cpu: "4", memory: 16Gi, pods: "110"}
    images: [{names: ["shop:1"], sizeBytes: 1200000000}]
- apiVersion: v1
  kind: Node
  metadata: {name: spot, labels: {kubernetes.io/hostname: spot, disk: ssd}}
  spec: {taints: [{key: spot, effect: PreferNoSchedule}]}
  status: {allocatable: {cpu: "8", memory: 16Gi, pods: "110"}}
- apiVersion: v1
  kind: Pod
  metadata: {name: shop-0, labels: {app: shop}}
  spec:
    nodeName: fast
    containers: [{name: app, image: "shop:1", resources: {requests: {cpu: "2", memory: 2Gi}}}]
- apiVersion: v1
  kind: Pod
  metadata: {name: shop-1, labels: {app: shop}}
  spec:
    containers: [{name: app, image: "shop:1", resources: {requests: {cpu: "1", memory: 2Gi}}}]
    affinity:
      nodeAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 1, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}
    topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: {matchLabels: {app: shop}}
"""
"""In this cluster the plugins disagree on where ``shop-1`` should run."""

TRACE = f"scenarios-{DEFAULT.tag}/rollout-with-preemption.jsonl.gz"
"""It is shown where the pods of this recording are."""

ACTIVE, BACKOFF, UNSCHEDULABLE, ASSUMED, ON_NODE = "active", "backoff", "unschedulable", "assumed", "bound"


def scores_table(explained: Explanation) -> str:
    """Returns a row for each plugin, with what it adds to the total of each feasible node, and a row of totals."""
    nodes = [node for node in explained.nodes if node.scores]
    names = (f"**{node.node}**" if node.verdict == "chosen" else node.node for node in nodes)
    added = [
        (plugin, str(weight), *(str(node.scores[plugin].weighted) for node in nodes))
        for plugin, weight in explained.weights.items()
    ]
    return table(("plugin", "weight", *names), [*added, ("total", "", *(str(node.total) for node in nodes))])


def scores_shown() -> str:
    return scores_table(Cluster(SCORED).explain("shop-1"))


def steps_table(entries: Sequence[Entry]) -> str:
    """Returns a row for each step of a trace in which a pod that is to be placed moves, with the place of each
    of these pods after it."""
    steps = list(_steps(entries))
    pods = list(dict.fromkeys(pod for _, places in steps for pod in places))
    rows: list[tuple[str, ...]] = []
    for happens, places in steps:
        row = tuple(places.get(pod, "") for pod in pods)
        if row != (rows[-1][1:] if rows else ("",) * len(pods)):
            rows.append((happens, *row))
    return table(("what happens", *map(_name, pods)), rows)


def steps_shown() -> str:
    return steps_table(list(read_trace(data_folder() / TRACE).entries))


def _steps(entries: Sequence[Entry]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields what happens, and the place of each pod after it."""
    places: dict[str, str] = {}
    happens = ""
    for entry in entries:
        said = _said(entry.record)
        if said:
            if happens:
                yield happens, dict(places)
            happens = said
        _follow(entry.record, places)
    if happens:
        yield happens, dict(places)


def _follow(record: Record, places: dict[str, str]) -> None:
    """Changes the places as the record says."""
    match record:
        case Create(value) if value["kind"] == "Pod" and not value["spec"].get("nodeName"):
            metadata = value["metadata"]
            places[f"{metadata.get('namespace', 'default')}/{metadata['name']}"] = ACTIVE
        case Delete(named) if named.kind == "Pod":
            places.pop(f"{named.namespace or 'default'}/{named.name}", None)
        case Attempt(pod, result) if pod in places:
            places[pod] = ASSUMED if result == SCHEDULED else UNSCHEDULABLE
        case Bind(pod, _, result) if pod in places and result == BOUND:
            places[pod] = ON_NODE
        case Queues() as queues:
            for place in (ACTIVE, BACKOFF, UNSCHEDULABLE):
                places.update({pod: place for pod in getattr(queues, place) if pod in places})


def _said(record: Record) -> str:
    """Returns what the record is about, or nothing where it only shows how things are."""
    match record:
        case Create(value):
            return f"{value['kind']} {value['metadata']['name']} is created"
        case Delete(named):
            return f"{named.kind} {named.name} is deleted"
        case Advance(seconds):
            return f"{seconds:g} s pass"
        case Attempt(pod, result, node):
            return f"{_name(pod)} is attempted: {node if result == SCHEDULED else result}"
        case Bind(pod, node, result):
            return f"the binding of {_name(pod)} to {node} ends: {result}"
    return ""


def _name(pod: str) -> str:
    return pod.rpartition("/")[2]
