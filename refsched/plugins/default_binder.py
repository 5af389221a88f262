# SPDX-License-Identifier: Apache-2.0
"""DefaultBinder: a pod is bound to a node by a Binding that is written to the API server.

Promised: the preconditions of a Binding are documented with the Pod API.
Source: plugins/defaultbinder/default_binder.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.interface import Api, Binding
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import Status
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod
from refsched.rules import applies


@frozen
class DefaultBinder:
    name = "DefaultBinder"
    POINTS = ("bind",)

    # --- Bind -------------------------------------------------------------------------------------

    def bind(self, state: object, pod: PodInfo, node: NodeInfo, api: Api) -> Status:
        return api.bind(binding(pod.pod, node.name))


def binding(pod: Pod, node: str) -> Binding:
    """R-BIND-05 (shows in scripted, volumes, devices, extenders, api): A pod is bound with its uid, so that a pod
    that was created anew under the same name is not bound in its place."""
    applies("R-BIND-05")
    return Binding(ObjectMeta(name=pod.name, namespace=pod.namespace, uid=pod.uid), node)
