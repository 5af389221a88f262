# SPDX-License-Identifier: Apache-2.0
"""A part of a scheduler with a plugin of its own: ports.py, and Quota, which Kubernetes does not have.

Quota rejects at Reserve the pod that would be one too many on its node, and its PreBind fails for each other pod.
What it decides is taken as given; that the pod is forgotten then is judged.

pytest conformance/ --impl=docs.examples.partial.quota
"""

from __future__ import annotations

from typing import Any

from ports import Ports

Json = dict[str, Any]

PODS_ON_A_NODE = 1


def create(config: Json) -> Quota:
    return Quota()


class Quota(Ports):
    bound = 0

    def hello(self) -> Json:
        return {
            "name": "quota",
            "version": "1",
            "kubernetes": "1.37",
            "capabilities": ["filter"],
            "plugins": ["NodePorts", "NodeUnschedulable", "Quota"],
        }

    def schedule(self, pod: str) -> Json:
        answer = super().schedule(pod)
        attempt = answer["records"][0]["attempt"]
        if attempt["result"] != "scheduled":
            return answer
        node = attempt["node"]
        if sum(each["spec"].get("nodeName") == node for each in self.pods.values()) > PODS_ON_A_NODE:
            self.forget(pod)
            attempt |= {"result": "unschedulable", "unschedulablePlugins": ["Quota"], "message": "too many"}
            return {"records": [{"attempt": attempt}]}
        self.bound += 1
        if self.bound % 2:
            self.forget(pod)
            failed = {"result": "error", "message": 'running PreBind plugin "Quota": no answer'}
            return {"records": [{"attempt": attempt}, {"bind": {"pod": pod, "node": node, **failed}}]}
        return answer

    def forget(self, pod: str) -> None:
        """What was assumed is forgotten, so that the ports are free again."""
        del self.pods[pod]["spec"]["nodeName"]
