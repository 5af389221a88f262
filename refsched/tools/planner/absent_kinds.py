# SPDX-License-Identifier: Apache-2.0
"""Absent kinds: of which kinds nothing was given though their objects could decide where these pods go.

A cluster may have no such object, or the dump may lack them: the dump does not show which, so it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.objects.storage import CSIDriver


def plural(kind: str) -> str:
    """Returns the kind as kubectl names it: ``storageclasses``."""
    lower = kind.lower()
    return f"{lower[:-1]}ies" if lower.endswith("y") else f"{lower}es" if lower.endswith("s") else f"{lower}s"


@frozen
class _Cluster:
    """A _Cluster is what the question looks at besides the pod. ``lowest_priority`` is that of the running pods
    with labels, which alone a disruption budget can select; None if there is no such pod."""

    lowest_priority: int | None
    counts_capacity: bool
    namespaces_are_selected: bool


def absent_kinds(objects: Sequence[ApiObject], pods: Iterable[Pod]) -> Mapping[str, tuple[str, ...]]:
    """Returns the pods that objects of each kind, as kubectl names it, could matter to; none if there is such an
    object."""
    present = {type(shown).__name__ for shown in objects}
    bound = [shown for shown in objects if isinstance(shown, Pod) and shown.spec.node_name]
    drivers = [shown for shown in objects if isinstance(shown, CSIDriver)]
    cluster = _Cluster(
        min((pod.priority for pod in bound if pod.labels), default=None),
        not drivers or any(driver.spec.storage_capacity for driver in drivers),
        any(_selects_namespaces(pod) for pod in bound),
    )
    found: dict[str, list[str]] = {}
    for pod in pods:
        for kind, matters in _MATTERS.items():
            if kind not in present and matters(pod, cluster):
                found.setdefault(plural(kind), []).append(pod.key)
    return {kind: tuple(named) for kind, named in found.items()}


# --- Which kinds matter to a pod ------------------------------------------------------------------


def _is_spread_by_default(pod: Pod, cluster: _Cluster) -> bool:
    return bool(pod.labels) and not pod.spec.topology_spread_constraints


def _is_owned_by(kind: str) -> Callable[[Pod, _Cluster], bool]:
    def matters(pod: Pod, cluster: _Cluster) -> bool:
        owner = pod.metadata.controller
        return owner is not None and owner.kind == kind and not pod.spec.topology_spread_constraints

    return matters


def _namespaces(pod: Pod, cluster: _Cluster) -> bool:
    return cluster.namespaces_are_selected or _selects_namespaces(pod)


def _selects_namespaces(pod: Pod) -> bool:
    """Returns whether a term of the pod's affinity selects namespaces by their labels."""
    affinity = pod.spec.affinity
    for half in (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity is not None else ():
        if half is None:
            continue
        preferred = half.preferred_during_scheduling_ignored_during_execution
        terms = (
            *half.required_during_scheduling_ignored_during_execution,
            *(weighted.pod_affinity_term for weighted in preferred),
        )
        for term in terms:
            selector = term.namespace_selector
            if selector is not None and (selector.match_labels or selector.match_expressions):
                return True
    return False


def _may_preempt(pod: Pod, cluster: _Cluster) -> bool:
    if pod.spec.preemption_policy == "Never":
        return False
    return cluster.lowest_priority is not None and cluster.lowest_priority < pod.priority


def _has_claims(pod: Pod, cluster: _Cluster) -> bool:
    return any(volume.claim_name(pod.name) for volume in pod.spec.volumes)


def _has_attached_volumes(pod: Pod, cluster: _Cluster) -> bool:
    return _has_claims(pod, cluster) or any(volume.csi for volume in pod.spec.volumes)


def _has_capacity(pod: Pod, cluster: _Cluster) -> bool:
    return cluster.counts_capacity and _has_claims(pod, cluster)


def _has_devices(pod: Pod, cluster: _Cluster) -> bool:
    return bool(pod.spec.resource_claims)


def _has_generated_devices(pod: Pod, cluster: _Cluster) -> bool:
    return any(claim.resource_claim_template_name for claim in pod.spec.resource_claims)


_MATTERS: Mapping[str, Callable[[Pod, _Cluster], bool]] = {
    "Node": lambda pod, cluster: True,
    "Namespace": _namespaces,
    "Service": _is_spread_by_default,
    "ReplicationController": _is_owned_by("ReplicationController"),
    "ReplicaSet": _is_owned_by("ReplicaSet"),
    "StatefulSet": _is_owned_by("StatefulSet"),
    "PodDisruptionBudget": _may_preempt,
    "PersistentVolume": _has_claims,
    "PersistentVolumeClaim": _has_claims,
    "StorageClass": _has_claims,
    "CSINode": _has_attached_volumes,
    "CSIDriver": _has_claims,
    "CSIStorageCapacity": _has_capacity,
    "VolumeAttachment": _has_attached_volumes,
    "ResourceClaim": _has_devices,
    "ResourceClaimTemplate": _has_generated_devices,
    "ResourceSlice": _has_devices,
    "DeviceClass": _has_devices,
}
