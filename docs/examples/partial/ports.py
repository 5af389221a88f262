# SPDX-License-Identifier: Apache-2.0
"""A part of a scheduler in Python: host ports and cordoned nodes, and no score of its own.

pytest conformance/ --impl=docs.examples.partial.ports
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

ANY_ADDRESS = "0.0.0.0"
CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "value": ""}
FREE: Json = {"code": "Success"}


def create(config: Json) -> Ports:
    """The configuration is not read: this scheduler has two plugins, and they take no arguments."""
    return Ports()


class Ports:
    def __init__(self) -> None:
        self.nodes: dict[str, Json] = {}
        self.pods: dict[str, Json] = {}

    def hello(self) -> Json:
        plugins = ["NodePorts", "NodeUnschedulable"]
        return {
            "name": "ports",
            "version": "1",
            "kubernetes": "1.37",
            "capabilities": ["filter"],
            "plugins": plugins,
        }

    # --- The cluster ------------------------------------------------------------------------------

    def create(self, object: Json) -> Json:
        if object["kind"] == "Node":
            self.nodes[object["metadata"]["name"]] = object
        elif object["kind"] == "Pod":
            self.pods[key_of(object["metadata"])] = object
        return {"records": []}

    def update(self, object: Json) -> Json:
        before = self.pods.get(key_of(object["metadata"]), {}) if object["kind"] == "Pod" else {}
        if "nodeName" in before.get("spec", {}):
            object["spec"]["nodeName"] = before["spec"]["nodeName"]
        return self.create(object)

    def delete(self, object: Json) -> Json:
        if object["kind"] == "Node":
            self.nodes.pop(object["name"], None)
        elif object["kind"] == "Pod":
            self.pods.pop(key_of(object), None)
        return {"records": []}

    # --- A scheduling cycle -----------------------------------------------------------------------

    def schedule(self, pod: str) -> Json:
        wanted = self.pods[pod]
        statuses = {name: self.filter(wanted, node) for name, node in self.nodes.items()}
        feasible = [name for name, status in statuses.items() if status == FREE]
        if not feasible:
            return {"records": [{"attempt": {"pod": pod, "result": "unschedulable", "filter": statuses}}]}
        wanted["spec"]["nodeName"] = feasible[0]
        attempt = {"pod": pod, "result": "scheduled", "node": feasible[0], "filter": statuses}
        bind = {"pod": pod, "node": feasible[0], "result": "bound"}
        return {"records": [{"attempt": attempt}, {"bind": bind}]}

    def filter(self, pod: Json, node: Json) -> Json:
        tolerations = pod["spec"].get("tolerations", [])
        if node.get("spec", {}).get("unschedulable") and not any(map(tolerates_cordon, tolerations)):
            return rejected("NodeUnschedulable", "node(s) were unschedulable", "UnschedulableAndUnresolvable")
        name = node["metadata"]["name"]
        taken = [
            port
            for other in self.pods.values()
            if other["spec"].get("nodeName") == name
            for port in host_ports(other)
        ]
        if any(conflict(one, other) for one in host_ports(pod) for other in taken):
            reason = "node(s) didn't have free ports for the requested pod ports"
            return rejected("NodePorts", reason, "Unschedulable")
        return FREE


def key_of(named: Json) -> str:
    return f"{named.get('namespace', 'default')}/{named['name']}"


def rejected(plugin: str, reason: str, code: str) -> Json:
    return {"code": code, "plugin": plugin, "reasons": [reason]}


def tolerates_cordon(toleration: Json) -> bool:
    if toleration.get("effect") not in (None, "", CORDON["effect"]):
        return False
    if toleration.get("key") and toleration["key"] != CORDON["key"]:
        return False
    return toleration.get("operator") == "Exists" or toleration.get("value", "") == CORDON["value"]


def host_ports(pod: Json) -> list[tuple[str, str, int]]:
    sidecars = [
        each for each in pod["spec"].get("initContainers", []) if each.get("restartPolicy") == "Always"
    ]
    return [
        (port.get("hostIP") or ANY_ADDRESS, port.get("protocol") or "TCP", port["hostPort"])
        for container in (*pod["spec"]["containers"], *sidecars)
        for port in container.get("ports", [])
        if port.get("hostPort", 0) > 0
    ]


def conflict(one: tuple[str, str, int], other: tuple[str, str, int]) -> bool:
    return one[1:] == other[1:] and (one[0] == other[0] or ANY_ADDRESS in (one[0], other[0]))
