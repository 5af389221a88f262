# SPDX-License-Identifier: Apache-2.0
"""A scheduler over the API that places each pod on the first node that has the labels it selects, or one that does
what no scheduler should: ``tiny_scheduler.py KUBECONFIG [MODE]``, with a mode of does-nothing, binds-to-nothing,
crashes, floods, deletes, fails-to-bind, preempts, preempts-and-rests, gives-up or keeps-its-nomination: the last
two preempt, and then find no node."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from refsched.processes.kubernetes_api.client import ApiError, Client, kind_named
from refsched.processes.kubernetes_api.watching import DELETED, LISTED, Watching

Json = dict[str, Any]

client = Client(sys.argv[1])
does = sys.argv[2] if len(sys.argv) > 2 else ""
pods: dict[str, Json] = {}


def write_condition(pod: Json, message: str, reason: str = "Unschedulable", **status: str) -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": reason, "message": message}
    patch = {"status": {"conditions": [condition], **status}}
    client.patch("Pod", pod["metadata"]["namespace"], pod["metadata"]["name"], patch, "status")


def bind(pod: Json, node: str) -> None:
    metadata = pod["metadata"]
    path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding"
    with suppress(ApiError):  # the pod may have been deleted
        client.request("POST", path, {"metadata": {"name": metadata["name"]}, "target": {"name": node}})


def fits(pod: Json, node: Json) -> bool:
    labels = node["metadata"].get("labels") or {}
    return (pod["spec"].get("nodeSelector") or {}).items() <= labels.items()


def schedule(pod: Json) -> None:
    is_probe = pod["metadata"]["name"] == "refsched-probe"
    if does == "does-nothing" or (does == "crashes" and not is_probe):
        sys.exit("out of order") if does == "crashes" else None
        return
    if does == "binds-to-nothing" and not is_probe:
        bind(pod, "nowhere")
        return
    if does == "deletes" and not is_probe:
        client.delete("Pod", "default", pod["metadata"]["name"])
        return
    if does == "fails-to-bind" and not is_probe:
        write_condition(pod, 'running Bind plugin "B": no', "SchedulerError")
        return
    if does == "floods" and not is_probe:
        for count in range(500):
            client.patch(
                "Pod", "default", pod["metadata"]["name"], {"metadata": {"labels": {"n": str(count)}}}
            )
    nodes = {node["metadata"]["name"]: node for node in client.list_of(kind_named("Node"))["items"]}
    feasible = [name for name, node in sorted(nodes.items()) if fits(pod, node)]
    taken = [each for each in pods.values() if each["spec"].get("nodeName")]
    preempts = does in ("preempts", "preempts-and-rests", "gives-up", "keeps-its-nomination")
    if does == "preempts-and-rests" and (pod.get("status") or {}).get("nominatedNodeName"):
        return
    if preempts and feasible and taken:
        for victim in taken:
            if "deletionTimestamp" not in victim["metadata"]:
                client.delete("Pod", "default", victim["metadata"]["name"])
        write_condition(pod, "no room", nominatedNodeName=feasible[0])
    elif feasible:
        bind(pod, feasible[0])
    else:
        message = f"0/{len(nodes)} nodes are available: no match."
        write_condition(pod, message, **({"nominatedNodeName": ""} if does == "gives-up" else {}))


watching = Watching(client, [kind_named("Pod")])
while True:
    event = watching.next(60)
    if event is None or event.type == LISTED:
        continue
    name = event.object["metadata"]["name"]
    if event.type == DELETED:
        pods.pop(name, None)
    else:
        pods[name] = event.object
    waiting = [pod for pod in pods.values() if not pod["spec"].get("nodeName")]
    for pod in waiting:
        is_new = event.type == "ADDED" and pod["metadata"]["name"] == name
        if is_new or (event.type == DELETED and name != "refsched-probe"):
            schedule(pod)
