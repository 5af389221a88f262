# SPDX-License-Identifier: Apache-2.0
"""What keeps a pod from nodes by the pods that run there: host ports, pod (anti-)affinity and topology spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from refsched.errors import counted
from refsched.framework.node_info import AffinityTerm, HostPort, NodeInfo, PodInfo
from refsched.objects.pod import Pod
from refsched.objects.selectors import NOTHING
from refsched.plugins.inter_pod_affinity import (
    ANTI_AFFINITY,
    EXISTING_ANTI_AFFINITY,
    Filtering,
    InterPodAffinity,
)
from refsched.plugins.pod_topology_spread import NO_LABEL, PodTopologySpread, Spread
from refsched.plugins.topology_counts import Domain
from refsched.tools.planner.pending.by_node import NodeObstacle, grouped
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import Subject, few, joined, natural, nearest, selector_text

# --- Host ports -----------------------------------------------------------------------------------


def holders(situation: Situation, node: NodeInfo) -> dict[HostPort, list[str]]:
    """Returns the host ports of the pod that are taken on the node, and by which pods."""
    found: dict[HostPort, list[str]] = {}
    for port in situation.pod.host_ports:
        by = [each.pod.key for each in node.pods if any(port.conflicts_with(o) for o in each.host_ports)]
        if by:
            found[port] = by
    return found


def port_text(port: HostPort) -> str:
    return f"{port.port}{'' if port.protocol == 'TCP' else '/' + port.protocol}"


def because_of_ports(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    found = grouped((joined([port_text(p) for p in holders(situation, node)]), node.name) for node in nodes)
    return [
        NodeObstacle(
            f"port {each.text} is held by {few(_by(situation, situation.infos(each.nodes)))}", each.nodes
        )
        for each in found
    ]


def _by(situation: Situation, nodes: Sequence[NodeInfo]) -> list[str]:
    return [pod for node in nodes for by in holders(situation, node).values() for pod in by]


def said_of_ports(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    ports = sorted({port for node in nodes for port in holders(situation, node)}, key=port_text)
    taken = joined([port_text(port) for port in ports])
    words = f"port {taken} is" if len(ports) == 1 else f"ports {taken} are"
    on = f"on {subject}".rstrip(",")
    where = "on every node" if len(nodes) == subject.total and len(nodes) > 1 else on
    return f"{words} held by {few(_by(situation, nodes))} {where}"


# --- Pod affinity and anti-affinity ---------------------------------------------------------------


@frozen
class AntiAffinityPods:
    """AntiAffinityPods have the pods because of which anti-affinity keeps the pod from a domain, by domain:
    ``own`` are those that its own terms match, ``theirs`` those whose terms match it."""

    own: Mapping[Domain, Sequence[PodInfo]]
    theirs: Mapping[Domain, Sequence[PodInfo]]

    def kept_from(self, situation: Situation, node: NodeInfo) -> list[tuple[Domain, Sequence[PodInfo]]]:
        """Returns the domains for which the node is rejected, and the pods there."""
        reasons = _reasons(situation, node)
        by = (
            self.own if ANTI_AFFINITY in reasons else self.theirs if EXISTING_ANTI_AFFINITY in reasons else {}
        )
        labels = node.existing_node.metadata.labels.items()
        return [(domain, by[domain]) for domain in labels if domain in by]


def away(situation: Situation) -> AntiAffinityPods:
    state: Filtering = situation.state.states[InterPodAffinity.name]
    own: dict[Domain, list[PodInfo]] = {}
    theirs: dict[Domain, list[PodInfo]] = {}
    for node, other in _pods(situation):
        labels = node.existing_node.metadata.labels
        for term in state.anti_affinity_terms:
            if term.topology_key in labels and term.matches(other.pod, None):
                own.setdefault((term.topology_key, labels[term.topology_key]), []).append(other)
        for term in other.required_anti_affinity_terms:
            if term.topology_key in labels and term.matches(situation.pod.pod, state.namespace_labels):
                theirs.setdefault((term.topology_key, labels[term.topology_key]), []).append(other)
    return AntiAffinityPods(own, theirs)


def _pods(situation: Situation) -> Iterator[tuple[NodeInfo, PodInfo]]:
    return ((node, pod) for node in situation.nodes for pod in node.pods)


def because_of_affinity(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    own = [node for node in nodes if ANTI_AFFINITY in _reasons(situation, node)]
    theirs = [node for node in nodes if EXISTING_ANTI_AFFINITY in _reasons(situation, node)]
    other = [node for node in nodes if node not in own and node not in theirs]
    made = []
    if own:
        made.append(NodeObstacle(f"its anti-affinity keeps it from {_others(situation, own)}", _names(own)))
    if theirs:
        made.append(
            NodeObstacle(f"the anti-affinity of {_others(situation, theirs)} keeps it away", _names(theirs))
        )
    if other:
        made.append(NodeObstacle(f"its affinity finds {_wanted(situation)} there", _names(other)))
    return made


def _reasons(situation: Situation, node: NodeInfo) -> tuple[str, ...]:
    return situation.rejecting[node.name][InterPodAffinity.name].reasons


def _names(nodes: Sequence[NodeInfo]) -> tuple[str, ...]:
    return tuple(node.name for node in nodes)


def _others(situation: Situation, nodes: Sequence[NodeInfo]) -> str:
    found = away(situation)
    by = {domain: pods for node in nodes for domain, pods in found.kept_from(situation, node)}
    pods = {pod.pod.key for each in by.values() for pod in each}
    keys = sorted({key for key, _ in by})
    hostname = keys == ["kubernetes.io/hostname"]
    return few(pods) + ("" if hostname or not keys else f" (by {joined(keys)})")


def _wanted(situation: Situation) -> str:
    state: Filtering = situation.state.states[InterPodAffinity.name]
    return joined([f"no pod {_term(term)}" for term in state.affinity_terms])


def _term(term: AffinityTerm) -> str:
    where = (
        f" in the namespace {few(term.namespaces)}"
        if term.namespaces and term.namespace_selector == NOTHING
        else ""
    )
    return f"with {selector_text(term.selector)}{where} (by {term.topology_key})"


def said_of_affinity(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    parts = []
    groups = because_of_affinity(situation, nodes)
    for group in groups:
        part = subject if len(groups) == 1 else Subject(group.nodes, subject.total)
        where = f" on {part}".rstrip(",")
        where = " on every node" if len(part.nodes) == part.total and part.total > 1 else where
        parts.append(
            f"{_missing(situation) if group.text.startswith('its affinity') else group.text + where}"
        )
    return "; ".join(parts)


def _missing(situation: Situation) -> str:
    """Returns what the affinity of the pod asks for, and whether such pods run anywhere."""
    state: Filtering = situation.state.states[InterPodAffinity.name]
    terms = state.affinity_terms
    running = [pod.pod.key for _, pod in _pods(situation) if all(t.matches(pod.pod, None) for t in terms)]
    wanted = joined([_term(term) for term in terms])
    if not running:
        return f"its affinity asks for a pod {wanted}, and no such pod runs{_nearest(situation, terms)}"
    run = "runs" if len(running) == 1 else "run"
    return f"its affinity asks for a pod {wanted}: {few(running)} {run} elsewhere"


def _nearest(situation: Situation, terms: Sequence[AffinityTerm]) -> str:
    """Returns which pod is selected and pending, or in another namespace, or has nearly such a label."""
    waiting = [
        pod.key
        for pod in situation.snapshot.objects.list(Pod)
        if not pod.spec.node_name and pod.uid != situation.pod.pod.uid
        if all(term.matches(pod, None) for term in terms)
    ]
    if waiting:
        return f": {few(waiting)} {'is' if len(waiting) == 1 else 'are'} pending, too"
    pods = [pod.pod for _, pod in _pods(situation)]
    selected = [pod.key for pod in pods if all(term.selector.matches(pod.labels) for term in terms)]
    if selected:
        return f" there: {few(selected)} {'is' if len(selected) == 1 else 'are'} in another namespace"
    for term in terms:
        near_by = [pod for pod in pods if pod.namespace in term.namespaces]
        for wanted in term.selector.requirements or ():
            labels = [pod.labels[wanted.key] for pod in near_by if wanted.key in pod.labels]
            near = nearest(wanted.values[0], labels) if wanted.values else ""
            if near and wanted.operator == "In" and near not in wanted.values:
                of = few(pod.key for pod in near_by if pod.labels.get(wanted.key) == near)
                return f" (nearest: {wanted.key}={near} of {of})"
    return ""


# --- Topology spread ------------------------------------------------------------------------------


def exceeded(situation: Situation, node: NodeInfo) -> Spread | None:
    """Returns the spread because of which the node is rejected."""
    state: Sequence[Spread] = situation.state.states[PodTopologySpread.name]
    labels = node.existing_node.metadata.labels
    for spread in state:
        domain = labels.get(spread.constraint.topology_key)
        if domain is None or spread.skew_in(domain) > spread.constraint.max_skew:
            return spread
    return None


def because_of_spread(situation: Situation, nodes: Sequence[NodeInfo]) -> list[NodeObstacle]:
    return grouped((_skew(situation, node), node.name) for node in nodes)


def _skew(situation: Situation, node: NodeInfo) -> str:
    spread = exceeded(situation, node)
    if spread is None:
        return "the spread, with the pods that are nominated there"
    key = spread.constraint.topology_key
    domain = node.existing_node.metadata.labels.get(key)
    if domain is None:
        return f"the node has no label {key}, which a spread constraint names"
    skew = f"would have a skew of {spread.skew_in(domain)}, and maxSkew is {spread.constraint.max_skew}"
    return f"each {key} {skew}" if spread.constraint.is_by_host else f"{key}={domain} {skew}"


def said_of_spread(situation: Situation, nodes: Sequence[NodeInfo], subject: Subject) -> str:
    without = [n for n in nodes if NO_LABEL in situation.rejecting[n.name][PodTopologySpread.name].reasons]
    if len(without) == len(nodes):
        spread = exceeded(situation, nodes[0])
        key = spread.constraint.topology_key if spread else "of a topology key"
        return f"{subject} {subject.do('has', 'have')} no label {key}, which its topology spread constraint names"
    skews: dict[str, Spread] = {}
    for node in nodes:
        spread = exceeded(situation, node)
        if spread is not None and node not in without:
            skews[node.existing_node.metadata.labels[spread.constraint.topology_key]] = spread
    if not skews:
        return f"the pods that are nominated to {subject} count for its topology spread"
    first = next(iter(skews.values()))
    domains = sorted((d for d, spread in skews.items() if spread is first), key=natural)
    key = first.constraint.topology_key
    limit = f"and maxSkew is {first.constraint.max_skew}{_fewest(situation, first)}"
    if len(domains) == 1:
        return f"the skew of {key} {domains[0]} would be {first.skew_in(domains[0])}, {limit}"
    skew = first.skew_in(domains[0])
    if len(domains) > 3 and all(first.skew_in(domain) == skew for domain in domains):
        return f"in each of {len(domains):,} domains of {key} the skew would be {skew}, {limit}"
    each = few(f"{first.skew_in(domain)} in {domain}" for domain in domains)
    return f"the skew of {key} would be {each}, {limit}"


def _fewest(situation: Situation, spread: Spread) -> str:
    """Returns in which domain the fewest matching pods are, and what else keeps the pod from it."""
    if len(spread.counts) < spread.constraint.min_domains:
        few_domains = (
            f"{counted(len(spread.counts), 'domain')}, and minDomains is {spread.constraint.min_domains}"
        )
        return f" ({few_domains}, so that the skew is measured against 0)"
    least = [domain for domain, number in spread.counts.items() if number == spread.least]
    has = "has" if len(least) == 1 else "have"
    key = spread.constraint.topology_key
    there = [node for node in situation.nodes if node.existing_node.metadata.labels.get(key) in least]
    by = {next((plugin for plugin in situation.rejecting[node.name]), "") for node in there}
    but = (
        f", but {joined(sorted(by))} {'rejects' if len(by) == 1 else 'reject'} the pod there"
        if all(by)
        else ""
    )
    return f" ({few(least, 2)} {has} {counted(spread.least, 'matching pod')}{but})"
