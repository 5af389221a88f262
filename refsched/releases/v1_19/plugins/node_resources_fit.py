# SPDX-License-Identifier: Apache-2.0
"""NodeResourcesFit in v1.19: a pod runs where what it requests is still free. It does not score.

Promised: requests and allocatable resources are documented with the Pod and the Node API.
Source: plugins/noderesources/fit.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.config.args import PluginArgs
from refsched.framework.interface import Continue
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unschedulable
from refsched.objects.resources import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    Resource,
    amount,
    is_extended_resource,
    pod_requests,
    resource_of,
)
from refsched.plugins.node_resources_fit_args import check_ignored
from refsched.releases.v1_19.framework import ERROR_READING
from refsched.rules import Reason, applies

TOO_MANY_PODS = Reason("Too many pods", "R-FIT-51")
INSUFFICIENT = Reason("Insufficient {}", "R-FIT-51")


@frozen
class NodeResourcesFitArgs(PluginArgs):
    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()

    def validate(self) -> None:
        check_ignored(self.ignored_resources, self.ignored_resource_groups)


@frozen
class NodeResourcesFit:
    name = "NodeResourcesFit"
    POINTS = ("preFilter", "filter")
    READS = ("Node.status.allocatable",)
    ARGS = NodeResourcesFitArgs
    WITHOUT_PRE_FILTER = error(ERROR_READING.of(name))
    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()

    @classmethod
    def of_args(cls, args: NodeResourcesFitArgs) -> NodeResourcesFit:
        return cls(frozenset(args.ignored_resources), frozenset(args.ignored_resource_groups))

    # --- PreFilter --------------------------------------------------------------------------------

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[Resource]:
        return Continue(resource_of(pod_requests(pod.pod, pod_level=False, use_status=False)))

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, wanted: Resource, pod: PodInfo, node: NodeInfo) -> Status:
        """R-FIT-51 (instead of R-FIT-02, R-FIT-03): In v1.19 a node is rejected as Unschedulable with one reason
        per insufficient resource, and with "Too many pods" if it has no pod slot left, even if the pod asks for
        more than the whole node has.
        R-FIT-52 (instead of R-FIT-01): In v1.19 a pod that asks for nothing needs a pod slot only."""
        reasons = [TOO_MANY_PODS] if len(node.pods) + 1 > node.allocatable.allowed_pod_number else []
        if wanted == Resource(allowed_pod_number=wanted.allowed_pod_number):
            applies("R-FIT-52")
        else:
            reasons += [INSUFFICIENT.of(resource) for resource in self._insufficient(wanted, node)]
        return unschedulable(*reasons) if reasons else SUCCESS

    def _insufficient(self, wanted: Resource, node: NodeInfo) -> list[str]:
        """R-FIT-53 (observed: an overcommitted node is an accident): In v1.19 a node that is overcommitted in cpu,
        memory or ephemeral storage is rejected for any pod that requests something, even if the pod does not
        request that resource."""
        insufficient = []
        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar):
            asked = amount(wanted, resource)
            is_enough = asked + amount(node.requested, resource) <= amount(node.allocatable, resource)
            if is_enough or self._ignores(resource):
                continue
            applies("R-FIT-53", when=not asked)
            insufficient.append(resource)
        return insufficient

    def _ignores(self, resource: str) -> bool:
        """R-FIT-54 (instead of R-FIT-04; needs config): In v1.19 too, an extended resource does not reject a node
        if ignoredResources names it or ignoredResourceGroups names the part of its name before the slash."""
        if not is_extended_resource(resource):
            return False
        group, _, _ = resource.partition("/")
        ignored = resource in self.ignored_resources or group in self.ignored_resource_groups
        return applies("R-FIT-54", when=ignored)
