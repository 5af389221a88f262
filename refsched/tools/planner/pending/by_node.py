# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by what a node is: its name, labels, taints, and what is free there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from refsched.errors import counted
from refsched.framework.node_info import NodeInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.resources import PODS, amount, pod_requests, resource_of
from refsched.objects.selectors import Requirement
from refsched.plugins.node_affinity import affinity_of
from refsched.tools.planner.amounts import amounts
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import (
    Subject,
    few,
    joined,
    natural,
    nearest,
    requirement_text,
    taint_text,
    untolerated_taints,
)

FIT = "NodeResourcesFit"
INSUFFICIENT = "Insufficient "
TOO_MANY_PODS = "Too many pods"
HEALTH = {
    "node.kubernetes.io/not-ready": "not ready",
    "node.kubernetes.io/unreachable": "unreachable",
    "node.kubernetes.io/disk-pressure": "short of disk space",
    "node.kubernetes.io/memory-pressure": "short of memory",
    "node.kubernetes.io/pid-pressure": "short of process ids",
    "node.kubernetes.io/network-unavailable": "without a network",
    "node.kubernetes.io/unschedulable": "cordoned",
    "node.cloudprovider.kubernetes.io/uninitialized": "not initialized by the cloud provider",
    "node.cloudprovider.kubernetes.io/shutdown": "shut down",
}
"""These are the taints that say how a node is, and go by themselves once that is over."""


@frozen
class Because:
    """A Because is what stands in the way on some nodes, as a row of a table says it."""

    text: str
    nodes: tuple[str, ...]


def grouped(of: Iterable[tuple[str, str]]) -> list[Because]:
    """Returns one Because for each text, of pairs of a text and a node, that of most nodes first."""
    found: dict[str, list[str]] = {}
    for text, node in of:
        found.setdefault(text, []).append(node)
    made = [Because(text, tuple(nodes)) for text, nodes in found.items()]
    return sorted(made, key=lambda each: (-len(each.nodes), natural(each.text)))


# --- Taints ---------------------------------------------------------------------------------------


def because_of_taints(situation: Situation, nodes: Sequence[NodeInfo]) -> list[Because]:
    return grouped((f"untolerated {joined(_taints(situation, node))}", node.name) for node in nodes)


def said_of_taints(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    groups = because_of_taints(situation, nodes)
    taints = [each.text.removeprefix("untolerated ") for each in groups]
    found = {taint for node in nodes for taint in untolerated_taints(situation.pod.pod, node.existing_node)}
    health = sorted({HEALTH[taint.key] for taint in found if taint.key in HEALTH})
    carry = subject.do("carries", "carry")
    if len(groups) == 1:
        taint = f"the taint{'' if len(found) == 1 else 's'} {taints[0]}, which the pod does not tolerate"
        if len(health) == len(found):
            is_ill = f"{subject} {subject.do('is', 'are')} {joined(health, 'or')}"
            return f"{is_ill}: {subject.do('it has', 'they have')} {taint}"
        return f"{subject} {carry} {taint}"
    ill = f" ({joined(health, 'or')})" if health else ""
    listed = joined(
        [
            f"{each} ({counted(len(group.nodes), 'node')})"
            for each, group in zip(taints[:3], groups, strict=False)
        ]
    )
    more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
    return f"{subject} {carry} taints that the pod does not tolerate{ill}: {listed}{more}"


def _taints(situation: Situation, node: NodeInfo) -> list[str]:
    return [taint_text(taint) for taint in untolerated_taints(situation.pod.pod, node.existing_node)]


# --- Cordoned nodes -------------------------------------------------------------------------------


def is_only_cordoned(situation: Situation, node: NodeInfo) -> bool:
    """Returns whether the pod could run on the node if it were not cordoned."""
    taints = untolerated_taints(situation.pod.pod, node.existing_node)
    others = set(situation.rejecting[node.name]) - {"NodeUnschedulable", "TaintToleration"}
    return not others and all(taint.key == "node.kubernetes.io/unschedulable" for taint in taints)


def because_cordoned(situation: Situation, nodes: Sequence[NodeInfo]) -> list[Because]:
    return grouped(("cordoned (spec.unschedulable)", node.name) for node in nodes)


def said_of_cordons(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    return f"{subject} {subject.do('is', 'are')} cordoned"


# --- Labels ---------------------------------------------------------------------------------------


def required_terms(pod: Pod) -> list[tuple[Requirement, ...]]:
    """Returns the alternatives of which a node must match one: the nodeSelector with each required term."""
    own = tuple(Requirement(key, "In", (value,)) for key, value in pod.spec.node_selector.items())
    required = affinity_of(pod).required_during_scheduling_ignored_during_execution
    if required is None:
        return [own]
    return [
        (*own, *term.match_expressions, *term.match_fields)
        for term in required.node_selector_terms
        if not term.is_empty
    ]


def labels_of(node: Node) -> Mapping[str, str]:
    """Returns the node's labels, and its name as terms of fields name it."""
    return {**node.metadata.labels, "metadata.name": node.name}


def missed(pod: Pod, node: Node) -> tuple[Requirement, ...]:
    """Returns what the node lacks of the alternative that it is nearest to."""
    labels = labels_of(node)
    missing = [tuple(r for r in term if not r.matches(labels)) for term in required_terms(pod)]
    return min(missing, key=len, default=())


def because_of_labels(situation: Situation, nodes: Sequence[NodeInfo]) -> list[Because]:
    pod = situation.pod.pod
    if _is_enforced(situation, nodes):
        return grouped(("the profile's addedAffinity does not match", node.name) for node in nodes)
    found = grouped(
        (joined([requirement_text(r) for r in missed(pod, node.existing_node)]), node.name) for node in nodes
    )
    known = {requirement_text(r): r for node in nodes for r in missed(pod, node.existing_node)}
    made = []
    for each in found:
        instead = _instead(known.get(each.text), situation.infos(each.nodes))
        made.append(Because(f"{each.text or 'no required term'} is not met{instead}", each.nodes))
    return made


def _is_enforced(situation: Situation, nodes: Sequence[NodeInfo]) -> bool:
    """Returns whether it is the profile that adds the affinity which these nodes do not match."""
    said = {reason for node in nodes for reason in situation.rejecting[node.name]["NodeAffinity"].reasons}
    return any("scheduler-enforced" in reason for reason in said)


def _instead(requirement: Requirement | None, nodes: Sequence[NodeInfo]) -> str:
    """Returns what the nodes have instead of the label that is required."""
    if requirement is None:
        return ""
    labels = [labels_of(node.existing_node).get(requirement.key) for node in nodes]
    values = sorted({value for value in labels if value is not None}, key=lambda value: -labels.count(value))
    said = [f"{labels.count(value):,} have {requirement.key}={value}" for value in values[:2]]
    if len(values) > 2:
        said.append(f"{len(values) - 2:,} other values")
    without = labels.count(None)
    if said and without:
        said.append(f"{without:,} no such label")
    return f" ({', '.join(said)})" if said else ""


def said_of_labels(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    pod = situation.pod.pod
    if _is_enforced(situation, nodes):
        return f"{subject} {subject.do('does', 'do')} not match the addedAffinity of the profile"
    no_node = "no node" if len(nodes) == subject.total else f"none of {subject}"
    terms = required_terms(pod)
    if len(terms) != 1:
        what = (
            "none of its required node affinity terms matches a node"
            if terms
            else ("its required node affinity has no term, and matches no node")
        )
        wanted = [joined([requirement_text(r) for r in term]) for term in terms[:3]]
        return f"{what}{': ' if wanted else ''}{'; '.join(wanted)}"
    required = terms[0]
    never = [r for r in required if not any(r.matches(labels_of(node.existing_node)) for node in nodes)]
    if not never:
        each = [
            f"{requirement_text(r)} (on {sum(r.matches(labels_of(n.existing_node)) for n in nodes):,})"
            for r in required
        ]
        return f"{no_node} meets all that it requires: {joined(each)}"
    first = never[0]
    return f"{_no_node_has(first, no_node)}{_nearest(first, nodes)}"


def _no_node_has(first: Requirement, no_node: str) -> str:
    if first.key == "metadata.name":
        return f"there is no node {' or '.join(first.values)}, which its node affinity names"
    if first.operator == "Exists" or (first.operator == "In" and len(first.values) == 1):
        return f"{no_node} has the label {requirement_text(first)}"
    return f"{no_node} meets {requirement_text(first)}, which its node affinity requires"


def _nearest(first: Requirement, nodes: Sequence[NodeInfo]) -> str:
    """Returns which values the label has, or which label has a similar key."""
    labels = [labels_of(node.existing_node) for node in nodes]
    values = [each[first.key] for each in labels if first.key in each]
    if values and first.key != "metadata.name":
        near = nearest(first.values[0], values) if first.values else ""
        value = near or max(sorted(set(values)), key=values.count)
        return f" (nearest: {first.key}={value} on {counted(values.count(value), 'node')})"
    keys = {key for each in labels for key in each}
    same = [key for key in sorted(keys) if first.values and any(e.get(key) in first.values for e in labels)]
    similar = [*filter(None, [nearest(first.key, keys)]), *same]
    if not similar:
        return ""
    with_it = [each[similar[0]] for each in labels if similar[0] in each]
    value = max(sorted(set(with_it)), key=with_it.count)
    return f" (nearest: {similar[0]}={value} on {counted(with_it.count(value), 'node')})"


# --- Resources ------------------------------------------------------------------------------------


def _nearest_resource(resource: str, nodes: Sequence[NodeInfo]) -> str:
    offered = [name for node in nodes for name, amount in node.allocatable.scalar.items() if amount]
    near = nearest(resource, offered)
    return f" (nearest: {near} on {counted(offered.count(near), 'node')})" if near else ""


def asked_of(pod: Pod, resource: str) -> int:
    """Returns how much the pod requests: milli-CPU, bytes, or whole units; one of ``pods``."""
    return 1 if resource == PODS else amount(resource_of(pod_requests(pod, use_status=False)), resource)


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


def because_of_resources(situation: Situation, nodes: Sequence[NodeInfo]) -> list[Because]:
    found = grouped((joined(short_of(situation, node)), node.name) for node in nodes)
    return [Because(_shortage(situation, situation.infos(each.nodes)), each.nodes) for each in found]


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
    return amounts(resource, asks, free, asks - free)


def _freest(nodes: Sequence[NodeInfo], resource: str) -> NodeInfo:
    return max(nodes, key=lambda node: free_on(node, resource))


def said_of_resources(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    shortages = [set(short_of(situation, node)) for node in nodes]
    of_all = [each for each in short_of(situation, nodes[0]) if all(each in short for short in shortages)]
    if of_all:
        return joined([_said_of(of_all[0], situation, nodes, subject), *_also(of_all[1:], situation, nodes)])
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
    asks, free, size = amounts(resource, asked_of(pod, resource), free_on(best, resource), has)
    if has == 0:
        has_none = (
            f"no node has any {resource}{_nearest_resource(resource, nodes)}"
            if len(nodes) == subject.total
            else f"{subject} {subject.do('has', 'have')} none"
        )
        return f"it asks for {asks} {resource}, and {has_none}"
    if asked_of(pod, resource) > has:
        if len(nodes) == 1:
            return f"it asks for {asks} {resource}, and {subject} has {size} allocatable"
        which = "the largest node" if len(nodes) == subject.total else f"the largest of {subject}"
        return f"it asks for {asks} {resource}, and {which}, {largest.name}, has {size} allocatable"
    on = f" on {best.name}" if len(nodes) > 1 and free_on(best, resource) > 0 else ""
    most = f"and the most that is free {subject.among} is {free}{on}{_nominated(situation, best)}"
    return f"it asks for {asks} {resource}, {most}"


def _also(others: Sequence[str], situation: Situation, nodes: Sequence[NodeInfo]) -> list[str]:
    pod, said = situation.pod.pod, []
    for resource in others:
        asks, free = amounts(resource, asked_of(pod, resource), free_on(_freest(nodes, resource), resource))
        said.append(f"for {asks} {resource} where at most {free} is free")
    return said
