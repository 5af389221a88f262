# SPDX-License-Identifier: Apache-2.0
"""Changes of the cluster that might help the pod: a label, an uncordoned node, pods that go, one more node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from attrs import evolve

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.selectors import Requirement
from refsched.plugins.inter_pod_affinity import NO_AFFINITY
from refsched.tools.planner.pending.by_claim import places_of_volumes, users_of, with_volumes_of_its_drivers
from refsched.tools.planner.pending.by_node import HEALTH, missed
from refsched.tools.planner.pending.by_pod import AntiAffinityPods, away, holders
from refsched.tools.planner.pending.by_resource import (
    FIT,
    asked_of,
    free_on,
    is_too_small,
    short_of,
)
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import few, joined, requirement_text, untolerated_taints
from refsched.tools.planner.verdicts import HelpfulChange

WELL_KNOWN = ("kubernetes.io/", "node.kubernetes.io/", "topology.kubernetes.io/")
"""Labels with these prefixes say what a node is. The kubelet and the cloud provider set them, and nobody else."""

CORDON = "node.kubernetes.io/unschedulable"
MOVABLE = (FIT, "NodePorts", "InterPodAffinity", "NodeVolumeLimits")
"""Pods that leave a node may help if no other plugin rejects it."""

OF_OTHER_PODS = (*MOVABLE, "PodTopologySpread", "VolumeRestrictions", "NodeUnschedulable")
"""One more node like this one may help if no other plugin rejects it."""

MOST = 2
MOST_PODS = 5
"""This many pods at most are to leave."""


# --- What comes by itself -------------------------------------------------------------------------


def what_comes(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields what need only be waited for: the end of pods that are being deleted, and nodes that get well."""
    for node in _by_effort(situation, situation.only_by(*MOVABLE)):
        going = [each.pod for each in node.pods if each.pod.metadata.deletion_timestamp is not None]
        if going:
            words = f"wait until {few(pod.key for pod in going)} {'has' if len(going) == 1 else 'have'} left"
            yield HelpfulChange("wait", f"{words} {node.name} (being deleted)", deleted=tuple(going))
            break
    pod = situation.pod.pod
    for node in situation.only_by("TaintToleration")[: 20 * MOST]:
        taints = untolerated_taints(pod, node.existing_node)
        if taints and all(taint.key in HEALTH and taint.key != CORDON for taint in taints):
            ill = joined(list(dict.fromkeys(HEALTH[taint.key] for taint in taints)))
            well = _with_node(
                node.existing_node, taints=tuple(t for t in node.existing_node.spec.taints if t not in taints)
            )
            yield HelpfulChange(
                "wait", f"wait until node {node.name}, which is {ill}, is well", updated=(well,)
            )
            break


def _by_effort(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeInfo]:
    return sorted(nodes, key=lambda node: len(situation.rejecting[node.name]))


def _with_node(node: Node, *, labels: dict[str, str] | None = None, **spec: Any) -> Node:
    metadata = node.metadata if labels is None else evolve(node.metadata, labels=labels)
    return evolve(node, metadata=metadata, spec=evolve(node.spec, **spec))


# --- What somebody does ---------------------------------------------------------------------------


def what_can_be_done(situation: Situation) -> Iterator[HelpfulChange]:
    yield from _uncordoned(situation)
    yield from _labelled(situation)
    yield from _with_pods_that_leave(situation)


def _uncordoned(situation: Situation) -> Iterator[HelpfulChange]:
    pod = situation.pod.pod
    found = situation.only_by("NodeUnschedulable", "TaintToleration")
    for node in [node for node in found if node.existing_node.spec.unschedulable][:MOST]:
        taints = node.existing_node.spec.taints
        left = tuple(taint for taint in taints if taint.key != CORDON)
        if all(taint.key == CORDON for taint in untolerated_taints(pod, node.existing_node)):
            node_after = _with_node(node.existing_node, taints=left, unschedulable=False)
            yield HelpfulChange("uncordon", f"uncordon node {node.name}", updated=(node_after,))


def _labelled(situation: Situation) -> Iterator[HelpfulChange]:
    pod = situation.pod.pod
    tried: Counter[tuple[Requirement, ...]] = Counter()
    for node in situation.only_by("NodeAffinity"):
        lacks = missed(pod, node.existing_node)
        labels = _labels_with(node.existing_node, lacks)
        if not lacks or labels is None or tried[lacks] or len(tried) >= MOST:
            continue
        tried[lacks] += 1
        node_after = _with_node(node.existing_node, labels=labels)
        yield HelpfulChange("label", _label_text(node.existing_node, lacks, labels), updated=(node_after,))


def _label_text(node: Node, lacks: Sequence[Requirement], labels: Mapping[str, str]) -> str:
    """Returns the words about the labels that the node gets and loses."""
    gets = joined([requirement_text(each) for each in lacks if each.key in labels])
    loses = [key for key in node.metadata.labels if key not in labels]
    lost = f"the label{'' if len(loses) == 1 else 's'} {joined(loses)}"
    if not gets:
        return f"remove {lost} from node {node.name}"
    return f"label node {node.name} so that it has {gets}" + (f", and remove {lost}" if loses else "")


def _labels_with(node: Node, lacks: Sequence[Requirement]) -> dict[str, str] | None:
    """Returns the node's labels with those that are required, or None if no label would do."""
    labels = dict(node.metadata.labels)
    for each in lacks:
        if each.key == "metadata.name" or each.key.startswith(WELL_KNOWN):
            return None
        match each.operator:
            case "In" if each.values:
                labels[each.key] = each.values[0]
            case "Exists":
                labels[each.key] = ""
            case "NotIn" | "DoesNotExist":
                labels.pop(each.key, None)
            case _:
                return None
    return labels


def _with_pods_that_leave(situation: Situation) -> Iterator[HelpfulChange]:
    using = [each.pod for pods in users_of(situation).values() for each in pods]
    if using:
        yield HelpfulChange("delete", f"delete {joined([pod.key for pod in using])}", deleted=tuple(using))
    found = []
    kept = (
        away(situation)
        if any("InterPodAffinity" in by for by in situation.rejecting.values())
        else AntiAffinityPods({}, {})
    )
    for node in situation.only_by(*MOVABLE):
        going = _in_the_way(situation, node, kept)
        if going and len(going) <= MOST_PODS:
            found.append((len(going), sum(each.priority for each in going), node.name, going))
    for _, _, name, going in sorted(found, key=lambda each: each[:3])[:MOST]:
        where = {pod.spec.node_name for pod in going}
        on = f" on {name}" if where == {name} else ""
        yield HelpfulChange(
            "delete", f"delete or move {joined([pod.key for pod in going])}{on}", deleted=tuple(going)
        )


def _in_the_way(situation: Situation, node: NodeInfo, kept: AntiAffinityPods) -> list[Pod]:
    """Returns pods without which the pod may fit on the node, or none if there are no such pods."""
    by = situation.rejecting[node.name]
    if is_too_small(situation, node):
        return []
    going: dict[str, PodInfo] = {}
    if "InterPodAffinity" in by:
        if NO_AFFINITY in by["InterPodAffinity"].reasons:
            return []
        others = [other for _, pods in kept.kept_from(situation, node) for other in pods[: MOST_PODS + 1]]
        going |= {other.pod.uid: other for other in others}
    if "NodePorts" in by:
        keys = {key for held in holders(situation, node).values() for key in held}
        going |= {each.pod.uid: each for each in node.pods if each.pod.key in keys}
    if "NodeVolumeLimits" in by:
        going |= {each.pod.uid: each for each in with_volumes_of_its_drivers(situation, node)}
    for resource in short_of(situation, node):
        going |= {each.pod.uid: each for each in _freeing(situation, node, resource, going)}
    found = [each.pod for each in going.values()]
    return found if all(map(may_go, found)) else []


def _freeing(
    situation: Situation, node: NodeInfo, resource: str, going: dict[str, PodInfo]
) -> Sequence[PodInfo]:
    """Returns the fewest pods that free enough, and of single ones the smallest."""

    def frees(each: PodInfo) -> int:
        return asked_of(each.pod, resource)

    lacks = asked_of(situation.pod.pod, resource) - free_on(node, resource)
    lacks -= sum(frees(each) for each in node.pods if each.pod.uid in going)
    others = sorted((each for each in node.pods if each.pod.uid not in going and may_go(each.pod)), key=frees)
    if lacks <= 0:
        return ()
    enough = [each for each in others if frees(each) >= lacks]
    if enough:
        return enough[:1]
    taken: list[PodInfo] = []
    while lacks > 0 and others:
        taken.append(others.pop())
        lacks -= frees(taken[-1])
    return taken


def may_go(pod: Pod) -> bool:
    """Returns whether the pod runs, and would not be created anew on the same node."""
    owner = pod.metadata.controller
    return bool(pod.spec.node_name) and (owner is None or owner.kind not in ("DaemonSet", "Node"))


# --- One more node --------------------------------------------------------------------------------


def one_more_node(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields nodes like which one more might help, the smallest of each size first."""
    found: dict[str, Node] = {}
    candidates = [node for node in situation.only_by(*OF_OTHER_PODS) if not is_too_small(situation, node)]
    for node in sorted(candidates, key=lambda node: (node.allocatable.milli_cpu, node.allocatable.memory)):
        found.setdefault(str(node.allocatable), node.existing_node)
    for each in list(found.values())[:MOST]:
        yield HelpfulChange("node", f"add a node like {each.name}", created=(_well(each),))
    yield from _elsewhere(situation)


def _well(node: Node) -> Node:
    taints = tuple(taint for taint in node.spec.taints if taint.key not in HEALTH)
    return _with_node(node, taints=taints, unschedulable=False)


def _elsewhere(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields nodes like the largest one, but where the pod's volumes can be reached from, or in a new domain."""
    nodes = situation.only_by(*OF_OTHER_PODS, "VolumeBinding", "VolumeZone")
    largest = max(nodes, key=lambda node: (node.allocatable.milli_cpu, node.allocatable.memory), default=None)
    if largest is None:
        return
    like, own = largest.existing_node, largest.existing_node.metadata.labels
    for places in places_of_volumes(situation)[:MOST]:
        said = joined([f"{key}={value}" for key, value in places.items()])
        model = _with_node(_well(like), labels={**own, **places})
        yield HelpfulChange("node", f"add a node like {like.name}, but with {said}", created=(model,))
    for spread in situation.pod.pod.spec.topology_spread_constraints:
        key = spread.topology_key
        values = {node.existing_node.metadata.labels.get(key) for node in situation.nodes} - {None}
        if len(values) >= (spread.min_domains or 0):
            continue
        new = next(value for value in (f"new-{number}" for number in count()) if value not in values)
        model = _with_node(_well(like), labels={**own, key: new})
        change = f"add a node like {like.name}, but with a value of {key} that no node has"
        yield HelpfulChange("node", change, created=(model,))
