# SPDX-License-Identifier: Apache-2.0
"""Defaults: what the API server adds to an object before it is stored, as far as scheduling reads it.

Users write less than the API server stores. ``defaulted`` completes an object as the API server would; an
object that is complete already stays as it is.

Some defaults are left out, since a snapshot of a cluster shows their effect and the scheduler does not need
them otherwise: the tolerations of not-ready and unreachable nodes (DefaultTolerationSeconds, which name
NoExecute), the not-ready taint of a node's first seconds (TaintNodesByCondition), limits and overhead that
LimitRange and RuntimeClass would add, and selectors that workloads would take from their templates. Spread
constraints get no defaults from the API server; those of ``nodeAffinityPolicy`` and others are the scheduler's
own.

Promised: defaults are documented with the fields of the API.
Source: pkg/apis/core/v1/defaults.go and zz_generated.defaults.go; pkg/registry/core/pod/strategy.go,
PrepareForCreate; plugin/pkg/admission/priority/admission.go, admitPod.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast
from uuid import UUID, uuid5

from attrs import evolve

from refsched.errors import InputError
from refsched.objects.kinds import described_as, kind_of
from refsched.objects.meta import ApiObject, LabelSelector, LabelSelectorRequirement, ObjectMeta
from refsched.objects.node import Node
from refsched.objects.pod import (
    DEFAULT_SCHEDULER_NAME,
    Affinity,
    Container,
    DisabledRequirements,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    TopologySpreadConstraint,
)
from refsched.objects.priority_class import PriorityClass
from refsched.objects.quantity import Quantity, ResourceList
from refsched.objects.workloads import Namespace
from refsched.releases import DEFAULT
from refsched.releases.release import Release
from refsched.rules import applies

DEFAULT_NAMESPACE = "default"
NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"
PREEMPT_LOWER_PRIORITY = "PreemptLowerPriority"
SYSTEM_CLASSES = (
    PriorityClass(2_000_001_000, ObjectMeta("system-node-critical")),
    PriorityClass(2_000_000_000, ObjectMeta("system-cluster-critical")),
)
"""Every cluster has these classes (pkg/apis/scheduling/v1/helpers.go, systemPriorityClasses)."""

_UIDS = UUID("6f1c4a0e-0b52-5d0e-9d55-0c8f4f1d7a11")

T = TypeVar("T", bound=ApiObject)


def defaulted(
    shown: T,
    before: T | None = None,
    *,
    classes: Sequence[PriorityClass] = (),
    serial: int = 0,
    release: Release = DEFAULT,
) -> T:
    """Returns ``shown`` as the API server of ``release`` stores it: when it is created or, if ``before`` is given,
    updated.
    ``classes`` are the cluster's PriorityClasses. Objects of one name that follow each other are distinguished
    by ``serial``, from which a missing uid is made."""
    complete: ApiObject = _identified(shown, before, serial)
    match complete:
        case Pod():
            complete = _pod(complete, cast("Pod | None", before), classes, release)
        case Node():
            complete = _node(complete)
        case Namespace():
            labels = {**complete.metadata.labels, NAMESPACE_NAME_LABEL: complete.metadata.name}
            complete = evolve(complete, metadata=evolve(complete.metadata, labels=labels))
    return cast("T", complete)


def _identified(shown: T, before: T | None, serial: int) -> T:
    """R-DEFAULTS-01: An object of a namespaced kind without a namespace is in the namespace default, an object
    of any other kind is in none, and an object without a uid is given one, which updates do not change."""
    metadata = shown.metadata
    kind = kind_of(shown)
    namespace = (metadata.namespace or DEFAULT_NAMESPACE) if kind.namespaced else ""
    uid = metadata.uid or (before.metadata.uid if before is not None else "")
    if not uid:
        uid = str(uuid5(_UIDS, f"{kind.group}/{kind.name}/{namespace}/{metadata.name}/{serial}"))
    if (namespace, uid) == (metadata.namespace, metadata.uid):
        return shown
    applies("R-DEFAULTS-01")
    identified: T = evolve(shown, metadata=evolve(metadata, namespace=namespace, uid=uid))  # type: ignore[misc]
    return identified


def _node(node: Node) -> Node:
    """R-DEFAULTS-02: The allocatable resources of a node that does not state them are its capacity."""
    capacity = _rounded(node.status.capacity)
    allocatable = _rounded(node.status.allocatable)
    if not allocatable and capacity:
        applies("R-DEFAULTS-02")
        allocatable = capacity
    return evolve(node, status=evolve(node.status, capacity=capacity, allocatable=allocatable))


def _pod(pod: Pod, before: Pod | None, classes: Sequence[PriorityClass], release: Release) -> Pod:
    spec = pod.spec
    containers = tuple(_container(container, spec.host_network) for container in spec.containers)
    init_containers = tuple(_container(container, spec.host_network) for container in spec.init_containers)
    spec = evolve(
        spec,
        scheduler_name=spec.scheduler_name or DEFAULT_SCHEDULER_NAME,
        containers=containers,
        init_containers=init_containers,
        overhead=_rounded(spec.overhead),
    )
    if spec.resources is not None and (spec.resources.limits or spec.resources.requests):
        limits, requests = _rounded(spec.resources.limits), _rounded(spec.resources.requests)
        own = evolve(spec.resources, limits=limits, requests=requests)
        if not isinstance(own, DisabledRequirements):
            own = release.pod_level_defaults(spec, own, is_new=before is None)
        spec = evolve(spec, resources=own)
    if before is not None:
        return evolve(pod, spec=_kept(spec, before.spec))
    return evolve(pod, spec=_folded(_admitted(pod, spec, classes), pod.labels))


# --- Containers and resources ---------------------------------------------------------------------


def _container(container: Container, host_network: bool) -> Container:
    """R-DEFAULTS-03: A container with a limit for a resource and no request for it requests as much as its
    limit.
    R-DEFAULTS-04: A container port without a protocol is a TCP port, and in a pod with hostNetwork a container
    port without a host port is a host port of the same number."""
    limits = _rounded(container.resources.limits)
    requests = {**limits, **_rounded(container.resources.requests)}
    ports = tuple(
        evolve(
            port,
            protocol=port.protocol or "TCP",
            host_port=port.host_port or (port.container_port if host_network else 0),
        )
        for port in container.ports
    )
    applies("R-DEFAULTS-03", when=requests.keys() != container.resources.requests.keys())
    applies("R-DEFAULTS-04", when=ports != container.ports)
    resources = evolve(container.resources, requests=requests, limits=limits)
    return evolve(container, resources=resources, ports=ports)


def _rounded(amounts: ResourceList) -> dict[str, Quantity]:
    """R-DEFAULTS-07: The amounts of resources in an object are rounded up to whole thousandths.
    Source: pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList."""
    rounded = {name: Quantity.milli(quantity.milli_value) for name, quantity in amounts.items()}
    applies("R-DEFAULTS-07", when=rounded != amounts)
    return rounded


# --- Priority -------------------------------------------------------------------------------------


def _admitted(pod: Pod, spec: PodSpec, classes: Sequence[PriorityClass]) -> PodSpec:
    """R-DEFAULTS-08: A pod without a priority or a preemption policy has those of the PriorityClass that it
    names, of the default class if it names none, or else priority 0 and PreemptLowerPriority."""
    applies("R-DEFAULTS-08", when=spec.priority is None or not spec.preemption_policy)
    named = spec.priority_class_name
    found = _class_called(named, classes) if named else _default_class(classes)
    if found is None and named and spec.priority is None:
        problem = f"no PriorityClass with name {named} was found"
        raise InputError(problem, "spec.priorityClassName", described_as(pod))
    priority, policy = (found.value, found.preemption_policy) if found is not None else (0, None)
    return evolve(
        spec,
        priority=spec.priority if spec.priority is not None else priority,
        preemption_policy=spec.preemption_policy or policy or PREEMPT_LOWER_PRIORITY,
    )


def _class_called(name: str, classes: Sequence[PriorityClass]) -> PriorityClass | None:
    return next((c for c in (*classes, *SYSTEM_CLASSES) if c.metadata.name == name), None)


def _default_class(classes: Sequence[PriorityClass]) -> PriorityClass | None:
    """Returns the default class, or the one with the lowest value if there is more than one."""
    return min((c for c in classes if c.global_default), key=lambda c: c.value, default=None)


def _kept(spec: PodSpec, before: PodSpec) -> PodSpec:
    """Returns the spec of an updated pod. An update without priority and preemption policy changes neither."""
    return evolve(
        spec,
        priority=spec.priority if spec.priority is not None else before.priority,
        preemption_policy=spec.preemption_policy or before.preemption_policy,
    )


# --- Label keys -----------------------------------------------------------------------------------


def _folded(spec: PodSpec, labels: Mapping[str, str]) -> PodSpec:
    """R-DEFAULTS-09: When a pod is created, a requirement with its own value of each of the matchLabelKeys (In)
    and mismatchLabelKeys (NotIn) is added to the labelSelector beside them; a missing labelSelector stays
    missing."""
    affinity = spec.affinity
    if affinity is None and not spec.topology_spread_constraints:
        return spec
    if affinity is not None:
        affinity = Affinity(
            affinity.node_affinity,
            _pod_affinity(affinity.pod_affinity, labels),
            _pod_affinity(affinity.pod_anti_affinity, labels),
        )
    constraints = tuple(_constraint(constraint, labels) for constraint in spec.topology_spread_constraints)
    return evolve(spec, affinity=affinity, topology_spread_constraints=constraints)


def _pod_affinity(affinity: PodAffinity | None, labels: Mapping[str, str]) -> PodAffinity | None:
    if affinity is None:
        return None
    return PodAffinity(
        tuple(_term(term, labels) for term in affinity.required_during_scheduling_ignored_during_execution),
        tuple(
            evolve(weighted, pod_affinity_term=_term(weighted.pod_affinity_term, labels))
            for weighted in affinity.preferred_during_scheduling_ignored_during_execution
        ),
    )


def _term(term: PodAffinityTerm, labels: Mapping[str, str]) -> PodAffinityTerm:
    selector = _joined(term.label_selector, term.match_label_keys, "In", labels)
    selector = _joined(selector, term.mismatch_label_keys, "NotIn", labels)
    return evolve(term, label_selector=selector)


def _constraint(constraint: TopologySpreadConstraint, labels: Mapping[str, str]) -> TopologySpreadConstraint:
    selector = _joined(constraint.label_selector, constraint.match_label_keys, "In", labels)
    return evolve(constraint, label_selector=selector)


def _joined(
    selector: LabelSelector | None, keys: tuple[str, ...], operator: str, labels: Mapping[str, str]
) -> LabelSelector | None:
    """Returns the selector with the requirements added. One that is there already, from an earlier pass, is not
    repeated."""
    if selector is None:
        return None
    wanted = (LabelSelectorRequirement(key, operator, (labels[key],)) for key in keys if key in labels)
    new = tuple(requirement for requirement in wanted if requirement not in selector.match_expressions)
    applies("R-DEFAULTS-09", when=new)
    return evolve(selector, match_expressions=(*selector.match_expressions, *new))
