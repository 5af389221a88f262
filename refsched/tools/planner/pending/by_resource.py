# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by what is free there: cpu, memory, extended resources, and pods."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from refsched.errors import counted
from refsched.framework.node_info import NodeInfo
from refsched.objects.pod import Pod
from refsched.objects.quantity import Quantity
from refsched.objects.resources import PODS, amount, requests_of_spec, resource_of
from refsched.tools.planner.amounts import amounts
from refsched.tools.planner.pending.by_node import NodeObstacle, grouped
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import Subject, few, joined, nearest

FIT = "NodeResourcesFit"
INSUFFICIENT = "Insufficient "
TOO_MANY_PODS = "Too many pods"


def nearest_resource(resource: str, nodes: Sequence[NodeInfo]) -> tuple[str, int]:
    """Returns the most similar name of a resource that nodes offer, "" if none is, and how many nodes do."""
    offered = [name for node in nodes for name, amount in node.allocatable.scalar.items() if amount]
    near = nearest(resource, offered)
    return near, offered.count(near)


def _nearest_resource(resource: str, nodes: Sequence[NodeInfo]) -> str:
    near, number = nearest_resource(resource, nodes)
    return f" (nearest: {near} on {counted(number, 'node')})" if near else ""


def _with_capacity(resource: str, nodes: Sequence[NodeInfo]) -> str:
    """Returns the words about nodes that have the resource, though none of it is allocatable: its device plugin
    does not run there, or finds all devices unhealthy."""
    capacity = {node.name: node.existing_node.status.capacity.get(resource) for node in nodes}
    has = few(name for name, amount in capacity.items() if amount is not None and amount.nano)
    return f" allocatable, though it is among the capacity of {has}" if has else ""


def asked_of(pod: Pod, resource: str) -> int:
    """Returns how much the pod requests: milli-CPU, bytes, or whole units; one of ``pods``."""
    return 1 if resource == PODS else amount(requests_of_spec(pod), resource)


def free_on(node: NodeInfo, resource: str) -> int:
    if resource == PODS:
        return node.allocatable.allowed_pod_number - len(node.pods)
    return amount(node.allocatable, resource) - amount(node.requested, resource)


def allocatable_on(node: NodeInfo, resource: str) -> int:
    return node.allocatable.allowed_pod_number if resource == PODS else amount(node.allocatable, resource)


def short_of(situation: Situation, node: NodeInfo) -> tuple[str, ...]:
    """Returns the resources of which too little is free on the node."""
    status = situation.rejecting[node.name].get(FIT)
    reasons = status.reasons if status is not None else ()
    return tuple(
        PODS if reason == TOO_MANY_PODS else reason.removeprefix(INSUFFICIENT)
        for reason in reasons
        if reason == TOO_MANY_PODS or reason.startswith(INSUFFICIENT)
    )


def is_too_small(situation: Situation, node: NodeInfo) -> bool:
    """Returns whether the pod would not fit on the node without any other pod."""
    pod = situation.pod.pod
    return any(asked_of(pod, each) > allocatable_on(node, each) for each in short_of(situation, node))


def because_of_resources(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    found = grouped((joined(short_of(situation, node)), node.name) for node in nodes)
    return [NodeObstacle(_shortage(situation, situation.infos(each.nodes)), each.nodes) for each in found]


def _shortage(situation: Situation, nodes: Sequence[NodeInfo]) -> str:
    pod = situation.pod.pod
    parts = []
    for resource in short_of(situation, nodes[0]):
        best = _freest(nodes, resource)
        if resource == PODS:
            parts.append(
                f"as many pods run there as may ({allocatable_on(best, PODS):,} on {best.name}"
                f"{_nominated(situation, best)})"
            )
            continue
        asks, free, lacks = _written(pod, resource, free_on(best, resource))
        counted_there = _nominated(situation, best)
        parts.append(
            f"asks {asks} {resource}, at most {free} free ({best.name}{counted_there}), {lacks} too little"
        )
    return "; ".join(parts) or joined(situation.rejecting[nodes[0].name][FIT].reasons)


def _nominated(situation: Situation, *nodes: NodeInfo) -> str:
    """Returns the words about pods that are nominated to these nodes, and count there."""
    pods = situation.nominated_to(*nodes)
    return f", where {few(pods)} {'is' if len(pods) == 1 else 'are'} nominated and counted" if pods else ""


def _written(pod: Pod, resource: str, free: int) -> tuple[str, ...]:
    asks = asked_of(pod, resource)
    return amounts(resource, asks, max(free, 0), asks - free)


def _freest(nodes: Sequence[NodeInfo], resource: str) -> NodeInfo:
    return max(nodes, key=lambda node: free_on(node, resource))


def said_of_resources(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    shortages = [set(short_of(situation, node)) for node in nodes]
    of_all = [each for each in short_of(situation, nodes[0]) if all(each in short for short in shortages)]
    if of_all:
        also = _also(of_all[1:], situation, nodes)
        return "; and ".join([_said_of(of_all[0], situation, nodes, subject), *also])
    parts = []
    for resource in dict.fromkeys(each for node in nodes for each in short_of(situation, node)):
        short = [node for node in nodes if resource in short_of(situation, node)]
        parts.append(_said_of(resource, situation, short, Subject([n.name for n in short], subject.total)))
    return "; ".join(parts)


def _said_of(resource: str, situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    pod, best = situation.pod.pod, _freest(nodes, resource)
    if resource == PODS:
        number = (
            f" ({allocatable_on(best, PODS):,})" if len({allocatable_on(n, PODS) for n in nodes}) == 1 else ""
        )
        runs = f"{subject} {subject.do('runs', 'run')} as many pods as {subject.do('it', 'they')} may{number}"
        return runs + _nominated(situation, *nodes)
    largest = max(nodes, key=lambda node: allocatable_on(node, resource))
    has = allocatable_on(largest, resource)
    asks, free, size = amounts(resource, asked_of(pod, resource), max(free_on(best, resource), 0), has)
    asks_for = f"it asks for {asks} {resource}{_made_up_of(pod, resource)}"
    if has == 0:
        has_none = (
            f"no node has any {resource}{_with_capacity(resource, nodes) or _nearest_resource(resource, nodes)}"
            if len(nodes) == subject.total
            else f"{subject} {subject.do('has', 'have')} none"
        )
        return f"{asks_for}, and {has_none}"
    if asked_of(pod, resource) > has:
        if len(nodes) == 1:
            return f"{asks_for}, and {subject} has {size} allocatable"
        which = "the largest node" if len(nodes) == subject.total else f"the largest of {subject}"
        return f"{asks_for}, and {which}, {largest.name}, has {size} allocatable"
    on = f" on {best.name}" if len(nodes) > 1 and free_on(best, resource) > 0 else ""
    most = f"and the most that is free {subject.among} is {free}{on}{_nominated(situation, best)}"
    return f"{asks_for}, {most}"


def _made_up_of(pod: Pod, resource: str) -> str:
    """Returns the words about what a request is made up of beside that of the pod's containers, or ""."""
    overhead = pod.spec.overhead.get(resource)
    parts = []
    if overhead is not None and overhead.nano:
        [size] = amounts(resource, amount(resource_of({resource: overhead}), resource))
        parts.append(f"with an overhead of {size}")
    without = evolve(pod, spec=evolve(pod.spec, init_containers=()))
    if asked_of(without, resource) < asked_of(pod, resource):
        largest = max(
            pod.spec.init_containers, key=lambda each: each.resources.requests.get(resource, Quantity())
        )
        kind = "sidecar" if largest.is_sidecar else "init container"
        parts.append(f"{'with' if kind == 'sidecar' else 'for'} its {kind} {largest.name}")
    return f" ({joined(parts)})" if parts else ""


def _also(others: Sequence[str], situation: Situation, nodes: Sequence[NodeInfo]) -> list[str]:
    pod, said = situation.pod.pod, []
    for resource in others:
        most = max(free_on(_freest(nodes, resource), resource), 0)
        asks, free = amounts(resource, asked_of(pod, resource), most)
        said.append(f"for {asks} {resource}, of which at most {free} is free")
    return said
