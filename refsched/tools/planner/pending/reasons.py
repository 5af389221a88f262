# SPDX-License-Identifier: Apache-2.0
"""Reasons: what keeps a pod from the nodes, plugin by plugin, and the sentence that says the most of it.

The sentence is found as a person would: of all nodes the pod leaves some (by its nodeSelector, its volumes, its
size, its tolerations), and the first of these that leaves none, or what rejects all that are left, is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refsched.framework.node_info import NodeInfo
from refsched.objects.pod import Pod
from refsched.plugins.dynamic_resources import DynamicResources
from refsched.tools.planner.pending import by_claim, by_device, by_node, by_pod, by_resource
from refsched.tools.planner.pending.by_node import NodeObstacle, grouped
from refsched.tools.planner.pending.by_resource import FIT
from refsched.tools.planner.pending.device_requests import lacks_devices
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import Subject, joined, natural
from refsched.tools.planner.rejections import EXTENDER
from refsched.tools.planner.verdicts import Obstacle

Said = Callable[[Situation, Sequence[NodeInfo], Subject], str]
Groups = Callable[[Situation, Sequence[NodeInfo]], list[NodeObstacle]]


_WORDS: dict[str, tuple[Groups, Said]] = {
    "NodeAffinity": (by_node.because_of_labels, by_node.said_of_labels),
    "NodeUnschedulable": (by_node.because_cordoned, by_node.said_of_ill),
    "TaintToleration": (by_node.because_of_taints, by_node.said_of_taints),
    FIT: (by_resource.because_of_resources, by_resource.said_of_resources),
    "NodePorts": (by_pod.because_of_ports, by_pod.said_of_ports),
    "InterPodAffinity": (by_pod.because_of_affinity, by_pod.said_of_affinity),
    "PodTopologySpread": (by_pod.because_of_spread, by_pod.said_of_spread),
    "VolumeBinding": (by_claim.because_of_volumes, by_claim.said_of_volumes),
    "VolumeZone": (by_claim.because_of_volumes, by_claim.said_of_volumes),
    "VolumeRestrictions": (by_claim.because_of_sharing, by_claim.said_of_sharing),
    "NodeVolumeLimits": (by_claim.because_of_limits, by_claim.said_of_limits),
    DynamicResources.name: (by_device.because_of_devices, by_device.said_of_devices),
}
"""What stands in the way by each plugin: for a table, and in a sentence."""


def reasons_of(situation: Situation) -> tuple[Obstacle, ...]:
    """Returns the reasons for which the nodes were rejected, that of most nodes first."""
    by_plugin: dict[tuple[str, str], list[NodeInfo]] = {}
    for node in situation.nodes:
        plugin = situation.first[node.name]
        says = situation.rejecting[node.name][plugin].message
        by_plugin.setdefault((plugin, "" if plugin == FIT else says), []).append(node)
    found = [
        Obstacle(plugin, says or _says(situation, each.nodes, plugin), each.text, each.nodes)
        for (plugin, says), nodes in by_plugin.items()
        for each in _groups(situation, plugin, nodes)
    ]
    return tuple(sorted(found, key=lambda each: (-len(each.nodes), each.plugin, natural(each.because))))


def _says(situation: Situation, nodes: Sequence[str], plugin: str) -> str:
    return situation.rejecting[nodes[0]][plugin].message


def _groups(situation: Situation, plugin: str, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    status = situation.rejecting[nodes[0].name][plugin]
    if plugin in _WORDS and status.is_rejected:
        return _WORDS[plugin][0](situation, nodes)
    return grouped((situation.rejecting[node.name][plugin].message, node.name) for node in nodes)


# --- The sentence ---------------------------------------------------------------------------------

_TOO_SMALL = "too small"
_WITHOUT_DEVICES = "without devices"
_NARROWING: tuple[tuple[str, Callable[[Pod], str]], ...] = (
    ("NodeName", lambda pod: "that it names"),
    ("NodeAffinity", lambda pod: f"that its {_selection(pod)} names"),
    ("VolumeBinding", lambda pod: "that its volumes can be reached from"),
    ("VolumeZone", lambda pod: "in the zones of its volumes"),
    ("NodeDeclaredFeatures", lambda pod: "with the features that it needs"),
    (_WITHOUT_DEVICES, lambda pod: "with the devices that it needs"),
    (_TOO_SMALL, lambda pod: "large enough for it"),
    ("NodeUnschedulable", lambda pod: "not cordoned"),
    ("TaintToleration", lambda pod: "whose taints it tolerates"),
)
"""These narrow down where a pod may run, whatever runs there: which nodes are left is said with these words."""


_SAME = {
    "VolumeBinding": ("VolumeZone",),
    "NodeUnschedulable": ("TaintToleration",),
}
"""These plugins mostly reject a node for one and the same thing: a cordoned node has a taint as well."""


def _selection(pod: Pod) -> str:
    if pod.spec.affinity is None or pod.spec.affinity.node_affinity is None:
        return "nodeSelector"
    return "nodeSelector and node affinity" if pod.spec.node_selector else "node affinity"


def why(situation: Situation) -> str:
    """Returns the sentence, without its full stop."""
    left = list(situation.nodes)
    words: list[str] = []
    for plugin, which in _NARROWING:
        kept = [node for node in left if not _rejects(situation, plugin, node)]
        if plugin == "NodeUnschedulable" and all(
            "TaintToleration" in situation.rejecting[n.name] for n in kept
        ):
            ill = [node for node in left if by_node.is_only_ill(situation, node)]
            if ill and (len(ill) < len(left) or len(by_node.because_ill(situation, ill)) > 1):
                is_mixed = any(not node.existing_node.spec.unschedulable for node in ill)
                words.append(f"whose {'other ' if is_mixed else ''}taints it tolerates")
                return by_node.said_of_ill(situation, ill, _subject(situation, ill, words))
        if not kept:
            said = _said(situation, _plugin(plugin), left, _subject(situation, left, words))
            return "; besides, ".join([said, *_besides(situation, _plugin(plugin), left)])
        if len(kept) < len(left):
            words.append(which(situation.pod.pod))
        left = kept
    nearest = _nearest(situation, left)
    if nearest:
        others = {plugin for node in left for plugin in situation.rejecting[node.name]}
        left = nearest
        others -= {plugin for node in left for plugin in situation.rejecting[node.name]}
        words.append(f"that {joined(sorted(others))} {'accepts' if len(others) == 1 else 'accept'}")
    return _of_those_left(situation, left, _subject(situation, left, words))


def _nearest(situation: Situation, left: Sequence[NodeInfo]) -> list[NodeInfo]:
    """Returns the nodes that only plugins reject which reject all, if other plugins reject some of the others."""
    of_all = set.intersection(*(set(situation.rejecting[node.name]) for node in left))
    nearest = [node for node in left if set(situation.rejecting[node.name]) == of_all]
    return nearest if len(nearest) < len(left) else []


def _besides(situation: Situation, plugin: str, left: Sequence[NodeInfo]) -> list[str]:
    """Returns what else rejects all these nodes, if anything, so that a change of one thing does not help."""
    rejecting = [situation.rejecting[node.name] for node in left]
    known = {plugin, *_SAME.get(plugin, ())}
    others = [other for other in rejecting[0] if other not in known and all(other in by for by in rejecting)]
    subject = Subject([node.name for node in left], len(situation.nodes))
    return [_said(situation, other, left, subject) for other in others[:1]]


def _plugin(narrowing: str) -> str:
    return {_TOO_SMALL: FIT, _WITHOUT_DEVICES: DynamicResources.name}.get(narrowing, narrowing)


def _rejects(situation: Situation, narrowing: str, node: NodeInfo) -> bool:
    if narrowing == _WITHOUT_DEVICES:
        return lacks_devices(situation, node)
    if narrowing == _TOO_SMALL:
        return by_resource.is_too_small(situation, node)
    return narrowing in situation.rejecting[node.name]


def _subject(situation: Situation, nodes: Sequence[NodeInfo], words: Sequence[str]) -> Subject:
    """Returns the nodes that are left, and by which words."""
    are = "is" if len(nodes) == 1 else "are"
    relative = [
        word if word.startswith(("that", "whose", "in", "with")) else f"that {are} {word}" for word in words
    ]
    return Subject([node.name for node in nodes], len(situation.nodes), joined(relative))


def _of_those_left(situation: Situation, left: Sequence[NodeInfo], subject: Subject) -> str:
    rejecting = [situation.rejecting[node.name] for node in left]
    of_all = [plugin for plugin in rejecting[0] if all(plugin in by for by in rejecting)]
    if of_all:
        said = [_said(situation, plugin, left, subject) for plugin in of_all[:2]]
        return "; besides, ".join(said)
    by_plugin: dict[str, list[NodeInfo]] = {}
    for node in left:
        by_plugin.setdefault(next(iter(situation.rejecting[node.name])), []).append(node)
    in_order = sorted(by_plugin.items(), key=lambda each: -len(each[1]))
    parts = [
        _said(situation, plugin, nodes, Subject([node.name for node in nodes], len(situation.nodes)))
        for plugin, nodes in in_order
    ]
    which = f"of {subject}: " if len(left) < len(situation.nodes) else ""
    return which + "; ".join(parts[:3])


def _said(situation: Situation, plugin: str, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    statuses = [situation.rejecting[node.name][plugin] for node in nodes]
    if plugin in _WORDS and all(status.is_rejected for status in statuses):
        return _WORDS[plugin][1](situation, nodes, subject)
    said = joined(sorted({status.message for status in statuses})[:2])
    by = "an extender" if plugin == EXTENDER else plugin
    where = "every node" if len(nodes) == subject.total and len(nodes) > 1 else str(subject).rstrip(",")
    return f"{by} rejects {where}: {said}" if said else f"{by} rejects {where}"
