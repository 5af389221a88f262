# SPDX-License-Identifier: Apache-2.0
"""Stored values: what no API server would have stored in a pod or a node is refused, since kube-scheduler does not
look for it and would decide something all the same.

Source: pkg/apis/core/validation/validation.go, ValidatePodSpec, ValidateNode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from refsched.errors import InputError, did_you_mean
from refsched.objects.kinds import described_as
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Affinity, Container, Pod, ResourceRequirements, TopologySpreadConstraint
from refsched.objects.quantity import Quantity
from refsched.plugins.pod_topology_spread_constraints import DO_NOT_SCHEDULE, HONOR, SCHEDULE_ANYWAY
from refsched.plugins.scripted import check_script
from refsched.reading.operators import check_operators

PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
TOLERATION_OPERATORS = ("Equal", "Exists")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PROTOCOLS = ("TCP", "UDP", "SCTP")
UNSATISFIABLE = (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)
INCLUSION_POLICIES = (HONOR, "Ignore")

Refused = Iterator[tuple[str, str]]
"""Refused are the fields that have a value that is not stored, and what is wrong with each."""


def check_stored(shown: ApiObject) -> None:
    """Raises InputError if the object has a value that no API server would have stored, or is a pod with a script
    that no scripted plugin can follow."""
    check_operators(shown)
    where = described_as(shown)
    for place, problem in _of_pod(shown) if isinstance(shown, Pod) else _of_node(shown):
        raise InputError(problem, place, where)
    if isinstance(shown, Pod):
        try:
            check_script(shown)
        except InputError as problem:
            raise problem.at(where) from None


def _of_pod(pod: Pod) -> Refused:
    spec = pod.spec
    if spec.priority is not None and not -(2**31) <= spec.priority < 2**31:
        yield "spec.priority", f"expected a number of 32 bits, found {spec.priority}"
    yield from _one_of(spec.preemption_policy or "", PREEMPTION_POLICIES, "spec.preemptionPolicy", "")
    for place, toleration in _each(spec.tolerations, "spec.tolerations"):
        yield from _one_of(toleration.operator, TOLERATION_OPERATORS, f"{place}.operator", "")
        yield from _one_of(toleration.effect, EFFECTS, f"{place}.effect", "")
    for place, constraint in _each(spec.topology_spread_constraints, "spec.topologySpreadConstraints"):
        yield from _of_constraint(constraint, place)
    for place, container in (
        *_each(spec.init_containers, "spec.initContainers"),
        *_each(spec.containers, "spec.containers"),
    ):
        yield from _of_container(container, place)
    if spec.resources is not None:
        yield from _of_resources(spec.resources, "spec.resources")
    yield from _negative(spec.overhead, "spec.overhead")
    if spec.affinity is not None:
        yield from _of_affinity(spec.affinity)


def _of_node(shown: ApiObject) -> Refused:
    if not isinstance(shown, Node):
        return
    for place, taint in _each(shown.spec.taints, "spec.taints"):
        yield from _one_of(taint.effect, EFFECTS, f"{place}.effect")
    yield from _negative(shown.status.capacity, "status.capacity")
    yield from _negative(shown.status.allocatable, "status.allocatable")


def _of_constraint(constraint: TopologySpreadConstraint, place: str) -> Refused:
    yield from _within(constraint.max_skew, 1, None, f"{place}.maxSkew")
    yield from _one_of(constraint.when_unsatisfiable, UNSATISFIABLE, f"{place}.whenUnsatisfiable")
    for policy, name in (
        (constraint.node_affinity_policy, "nodeAffinityPolicy"),
        (constraint.node_taints_policy, "nodeTaintsPolicy"),
    ):
        if policy is not None:
            yield from _one_of(policy, INCLUSION_POLICIES, f"{place}.{name}")
    if constraint.min_domains is not None:
        yield from _within(constraint.min_domains, 1, None, f"{place}.minDomains")
        if constraint.when_unsatisfiable != DO_NOT_SCHEDULE:
            yield f"{place}.minDomains", f"is only for a constraint with whenUnsatisfiable {DO_NOT_SCHEDULE}"


def _of_container(container: Container, place: str) -> Refused:
    yield from _of_resources(container.resources, f"{place}.resources")
    for of_port, port in _each(container.ports, f"{place}.ports"):
        yield from _within(port.host_port, 0, 65_535, f"{of_port}.hostPort")
        yield from _one_of(port.protocol, PROTOCOLS, f"{of_port}.protocol")


def _of_resources(resources: ResourceRequirements, place: str) -> Refused:
    yield from _negative(resources.limits, f"{place}.limits")
    yield from _negative(resources.requests, f"{place}.requests")
    for name, limit in resources.limits.items():
        requested = resources.requests.get(name, limit)
        if requested > limit:
            found = f"expected at most the limit of {_text(limit)}, found {_text(requested)}"
            yield f"{place}.requests.{name}", found


def _of_affinity(affinity: Affinity) -> Refused:
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    for name, kind in (
        ("nodeAffinity", affinity.node_affinity),
        ("podAffinity", affinity.pod_affinity),
        ("podAntiAffinity", affinity.pod_anti_affinity),
    ):
        terms: Iterable[Any] = kind.preferred_during_scheduling_ignored_during_execution if kind else ()
        for place, term in _each(terms, f"spec.affinity.{name}.{preferred}"):
            yield from _within(term.weight, 1, 100, f"{place}.weight")


def _each(values: Iterable[Any], place: str) -> Iterator[tuple[str, Any]]:
    return ((f"{place}[{index}]", value) for index, value in enumerate(values))


def _one_of(found: str, allowed: tuple[str, ...], place: str, *besides: str) -> Refused:
    if found not in (*allowed, *besides):
        *others, last = allowed
        expected = f"expected {', '.join(others)} or {last}, found {found!r:.60}"
        yield place, f"{expected}{did_you_mean(found, allowed)}"


def _within(found: int, least: int, most: int | None, place: str) -> Refused:
    if found < least or (most is not None and found > most):
        expected = f"at least {least}" if most is None else f"a number from {least} to {most}"
        yield place, f"expected {expected}, found {found}"


def _negative(amounts: Mapping[str, Quantity], place: str) -> Refused:
    for name, amount in amounts.items():
        if amount < Quantity():
            yield f"{place}.{name}", f"expected an amount that is not negative, found {_text(amount)}"


def _text(amount: Quantity) -> str:
    """Returns the amount as a manifest may say it; it was rounded to thousandths when it was read."""
    whole, rest = divmod(amount.milli_value, 1000)
    return f"{amount.milli_value}m" if rest else str(whole)
