# SPDX-License-Identifier: Apache-2.0
"""A part of a scheduler in Python: it filters nodes by their taints and by the host ports that are taken.

It reads a request on each line of stdin, and writes its answer as a line to stdout. Put your scheduler in the
place of `filter_node`, and the plugins that it has into `PLUGINS`. The functions below `filter_node` are what
these two do.
"""

import json
import sys

PLUGINS = ["TaintToleration", "NodePorts"]
EVERY_ADDRESS = "0.0.0.0"

nodes = {}
pods = {}


def answer(request):
    [(verb, body)] = request.items()
    if verb == "hello":
        return {
            "name": "starter",
            "version": "1",
            "kubernetes": "1.37",
            "capabilities": ["filter"],
            "plugins": PLUGINS,
        }
    if verb == "reset":
        nodes.clear()
        pods.clear()
        return {}
    if verb in ("create", "update"):
        objects_of(body["kind"])[key(body["metadata"])] = body
        return {"records": []}
    if verb == "delete":
        objects_of(body["kind"]).pop(key(body), None)
        return {"records": []}
    if verb == "schedule":
        return {"records": schedule(body["pod"])}
    return {"unsupported": f"{verb} is not implemented"}


def objects_of(kind):
    return {"Node": nodes, "Pod": pods}.get(kind, {})


def key(metadata):
    return f"{metadata['namespace']}/{metadata['name']}" if "namespace" in metadata else metadata["name"]


def schedule(name):
    pod = pods[name]
    statuses = {node: filter_node(pod, nodes[node]) for node in sorted(nodes)}
    feasible = [node for node, status in statuses.items() if status["code"] == "Success"]
    if not feasible:
        return [{"attempt": {"pod": name, "result": "unschedulable", "filter": statuses}}]
    pod["spec"]["nodeName"] = feasible[0]
    return [
        {"attempt": {"pod": name, "result": "scheduled", "node": feasible[0], "filter": statuses}},
        {"bind": {"pod": name, "node": feasible[0], "result": "bound"}},
    ]


def filter_node(pod, node):
    """Returns the status of the node: that of the first plugin that rejects it."""
    for taint in node.get("spec", {}).get("taints", []):
        if taint["effect"] != "PreferNoSchedule" and not is_tolerated(taint, pod):
            reason = "node(s) had untolerated taint(s)"
            return rejected("UnschedulableAndUnresolvable", "TaintToleration", reason)
    name = node["metadata"]["name"]
    taken = [
        port for other in pods.values() if other["spec"].get("nodeName") == name for port in host_ports(other)
    ]
    if any(conflict(port, other) for port in host_ports(pod) for other in taken):
        return rejected(
            "Unschedulable", "NodePorts", "node(s) didn't have free ports for the requested pod ports"
        )
    return {"code": "Success"}


def rejected(code, plugin, reason):
    return {"code": code, "plugin": plugin, "reasons": [reason]}


def is_tolerated(taint, pod):
    return any(tolerates(toleration, taint) for toleration in pod["spec"].get("tolerations", []))


def tolerates(toleration, taint):
    """An empty effect or key matches each."""
    if toleration.get("effect", "") not in ("", taint["effect"]) or toleration.get("key", "") not in (
        "",
        taint["key"],
    ):
        return False
    if toleration.get("operator", "") in ("", "Equal"):
        return toleration.get("value", "") == taint.get("value", "")
    return toleration["operator"] == "Exists"


def host_ports(pod):
    """Returns the host ports of its containers and sidecars, each as (address, protocol, port)."""
    sidecars = [
        each for each in pod["spec"].get("initContainers", []) if each.get("restartPolicy") == "Always"
    ]
    ports = [port for each in [*pod["spec"]["containers"], *sidecars] for port in each.get("ports", [])]
    return [
        (port.get("hostIP") or EVERY_ADDRESS, port.get("protocol") or "TCP", port["hostPort"])
        for port in ports
        if port.get("hostPort")
    ]


def conflict(one, other):
    return one[1:] == other[1:] and (one[0] == other[0] or EVERY_ADDRESS in (one[0], other[0]))


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
