# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by what a node is: its name, labels, taints, and what is free there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from refsched.errors import counted
from refsched.framework.node_info import NodeInfo
from refsched.objects.node import Node, Taint
from refsched.objects.pod import Pod
from refsched.objects.selectors import Requirement
from refsched.plugins.node_affinity import affinity_of
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import (
    Subject,
    joined,
    natural,
    nearest,
    requirement_text,
    taint_text,
    untolerated_taints,
)

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
class NodeObstacle:
    """A NodeObstacle is what stands in the way on some nodes, as a row of a table says it."""

    text: str
    nodes: tuple[str, ...]


def grouped(of: Iterable[tuple[str, str]]) -> list[NodeObstacle]:
    """Returns one Because for each text, of pairs of a text and a node, that of most nodes first."""
    found: dict[str, list[str]] = {}
    for text, node in of:
        found.setdefault(text, []).append(node)
    made = [NodeObstacle(text, tuple(nodes)) for text, nodes in found.items()]
    return sorted(made, key=lambda each: (-len(each.nodes), natural(each.text)))


# --- Taints ---------------------------------------------------------------------------------------


def because_of_taints(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    return grouped((f"untolerated {joined(_taints(situation, node))}", node.name) for node in nodes)


def said_of_taints(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    groups = because_of_taints(situation, nodes)
    taints = [each.text.removeprefix("untolerated ") for each in groups]
    found = dict.fromkeys(
        taint for node in nodes for taint in untolerated_taints(situation.pod.pod, node.existing_node)
    )
    health = sorted({HEALTH[taint.key] for taint in found if taint.key in HEALTH})
    carry = subject.do("carries", "carry")
    if len(groups) == 1:
        taint = f"the taint{'' if len(found) == 1 else 's'} {taints[0]}, which the pod does not tolerate"
        if all(taint.key in HEALTH for taint in found):
            is_ill = f"{subject} {subject.do('is', 'are')} {joined(health, 'or')}"
            return f"{is_ill}: {subject.do('it has', 'they have')} {taint}"
        return f"{subject} {carry} {taint}{_nearest_toleration(situation.pod.pod, found)}"
    ill = f" ({joined(health, 'or')})" if health else ""
    listed = joined(
        [
            f"{each} ({counted(len(group.nodes), 'node')})"
            for each, group in zip(taints[:3], groups, strict=False)
        ]
    )
    more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
    return f"{subject} {carry} taints that the pod does not tolerate{ill}: {listed}{more}"


def _nearest_toleration(pod: Pod, taints: Iterable[Taint]) -> str:
    """Returns the pod's toleration of such a key, or of a similar one, which differs in something else."""
    for taint in taints:
        tolerations = [each for each in pod.spec.tolerations if each.key and each.key not in HEALTH]
        keys = [each.key for each in tolerations]
        key = taint.key if taint.key in keys else nearest(taint.key, keys)
        if key:
            return f" (nearest: it tolerates {taint_text(tolerations[keys.index(key)])})"
    return ""


def _taints(situation: Situation, node: NodeInfo) -> list[str]:
    return [taint_text(taint) for taint in untolerated_taints(situation.pod.pod, node.existing_node)]


# --- Nodes that are cordoned, or not well ---------------------------------------------------------


def is_only_ill(situation: Situation, node: NodeInfo) -> bool:
    """Returns whether the pod could run on the node once it is well, and not cordoned."""
    taints = untolerated_taints(situation.pod.pod, node.existing_node)
    others = set(situation.rejecting[node.name]) - {"NodeUnschedulable", "TaintToleration"}
    return not others and all(taint.key in HEALTH for taint in taints)


def because_cordoned(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    return grouped(("cordoned (spec.unschedulable)", node.name) for node in nodes)


def because_ill(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    return grouped((_illness(situation, node), node.name) for node in nodes)


def said_of_ill(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    said = because_ill(situation, nodes)
    if len(said) == 1:
        return f"{subject} {subject.do('is', 'are')} {said[0].text}"
    each = [f"{len(of.nodes):,} {'is' if len(of.nodes) == 1 else 'are'} {of.text}" for of in said]
    return f"of {subject} {joined(each)}"


def _illness(situation: Situation, node: NodeInfo) -> str:
    if node.existing_node.spec.unschedulable:
        return "cordoned"
    taints = untolerated_taints(situation.pod.pod, node.existing_node)
    return joined(list(dict.fromkeys(HEALTH[taint.key] for taint in taints if taint.key in HEALTH)))


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


def _unmet(pod: Pod, node: Node) -> tuple[tuple[Requirement, ...], ...]:
    """Returns what the node lacks of each alternative, without alternatives that lack the same and more."""
    labels = labels_of(node)
    lacks = dict.fromkeys(tuple(r for r in term if not r.matches(labels)) for term in required_terms(pod))
    return tuple(each for each in lacks if not any(set(other) < set(each) for other in lacks))


def _not_met(unmet: Sequence[Sequence[Requirement]], nodes: Sequence[NodeInfo]) -> str:
    """Returns the words about what these nodes lack of each alternative, and what they have instead."""
    if not unmet:
        return "no term has a condition"
    said = [joined([requirement_text(r) for r in lacks]) for lacks in unmet]
    instead = [_instead(lacks[0], nodes) if len(lacks) == 1 else "" for lacks in unmet]
    if len(said) == 1:
        return f"{said[0] or 'its node affinity'} is not met{instead[0]}"
    each = [f"{lacks}{has}" for lacks, has in zip(said, instead, strict=True)]
    return f"no term is met: {'; '.join(each[:3])}{f'; and {len(each) - 3:,} more' if len(each) > 3 else ''}"


def because_of_labels(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    pod = situation.pod.pod
    if _is_enforced(situation, nodes):
        return grouped(("the profile's addedAffinity does not match", node.name) for node in nodes)
    unmet = {node.name: _unmet(pod, node.existing_node) for node in nodes}
    said = {
        lacks: _not_met(lacks, [node for node in nodes if unmet[node.name] == lacks])
        for lacks in dict.fromkeys(unmet.values())
    }
    return grouped((said[unmet[node.name]], node.name) for node in nodes)


def _is_enforced(situation: Situation, nodes: Sequence[NodeInfo]) -> bool:
    """Returns whether it is the profile that adds the affinity which these nodes do not match."""
    said = {reason for node in nodes for reason in situation.rejecting[node.name]["NodeAffinity"].reasons}
    return any("scheduler-enforced" in reason for reason in said)


def _instead(requirement: Requirement, nodes: Sequence[NodeInfo]) -> str:
    """Returns what the nodes have instead of the label that is required."""
    labels = [labels_of(node.existing_node).get(requirement.key) for node in nodes]
    values = sorted({value for value in labels if value is not None}, key=natural)
    values.sort(key=labels.count, reverse=True)
    named = values[:2] if len(values) <= 2 or labels.count(values[0]) > 1 else []
    said = [
        f"{labels.count(value):,} {'has' if labels.count(value) == 1 else 'have'} {requirement.key}={value}"
        for value in named
    ]
    if len(values) > len(named):
        said.append(counted(len(values) - len(named), "other value"))
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
            else "its required node affinity has no term with a condition, and matches no node"
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
    """Returns the nearest label that nodes have, and how many."""
    near = nearest_label(first, nodes)
    if near is None:
        return ""
    key, value = near
    number = sum(labels_of(node.existing_node).get(key) == value for node in nodes)
    return f" (nearest: {key}={value} on {counted(number, 'node')})"


def nearest_label(first: Requirement, nodes: Sequence[NodeInfo]) -> tuple[str, str] | None:
    """Returns the label that nodes have and that is most similar to what is required: of the same key; of a
    similar key, with a value that is required if there is one; or with such a value. None if there is none."""
    if first.key == "metadata.name":
        return None
    labels = [labels_of(node.existing_node) for node in nodes]
    keys = {key for each in labels for key in each}
    same = [key for key in sorted(keys) if first.values and any(e.get(key) in first.values for e in labels)]
    key = first.key if first.key in keys else nearest(first.key, keys) or next(iter(same), "")
    values = [each[key] for each in labels if key in each]
    if not values:
        return None
    wanted = [value for value in first.values if value in values]
    near = nearest(first.values[0], values) if first.values else ""
    return key, next(iter(wanted), near or max(sorted(set(values)), key=values.count))
