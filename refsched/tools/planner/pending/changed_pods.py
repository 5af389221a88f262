# SPDX-License-Identifier: Apache-2.0
"""Changes of the pod that might help it, one each: a toleration, a selector, a smaller request, a port, a term."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from attrs import evolve

from refsched.framework.node_info import NodeInfo
from refsched.objects.pod import (
    Affinity,
    Container,
    Pod,
    PodAffinity,
    ResourceRequirements,
    Toleration,
)
from refsched.objects.quantity import Quantity
from refsched.objects.resources import PODS
from refsched.objects.selectors import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Requirement
from refsched.plugins.node_affinity import affinity_of
from refsched.plugins.pod_topology_spread import PodTopologySpread
from refsched.plugins.pod_topology_spread_constraints import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY
from refsched.tools.planner.amounts import amounts, at_most
from refsched.tools.planner.pending.by_node import HEALTH, missed, nearest_label
from refsched.tools.planner.pending.by_pod import exceeded, holders, port_text
from refsched.tools.planner.pending.by_resource import (
    FIT,
    allocatable_on,
    asked_of,
    free_on,
    nearest_resource,
    short_of,
)
from refsched.tools.planner.pending.situation import Situation
from refsched.tools.planner.pending.words import joined, requirement_text, taint_text, untolerated_taints
from refsched.tools.planner.verdicts import HelpfulChange

MOST = 3
"""This many alternatives of one kind are tried."""

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
"""To tolerate these taints is the last thing to think of."""


def changed_pods(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields the changes that are worth a trial, the cheapest first."""
    yield from tolerations(situation, of_control_plane=False)
    yield from _selections(situation)
    yield from _other_resources(situation)
    yield from _requests(situation)
    yield from _ports(situation)
    yield from _spreads(situation)
    yield from _affinities(situation)


def without_gates(pod: Pod) -> HelpfulChange:
    gates = [gate.name for gate in pod.spec.scheduling_gates]
    change = f"remove the scheduling gate{'' if len(gates) == 1 else 's'} {joined(gates)}"
    return _changed("gate", change, _with(pod, scheduling_gates=()))


def _changed(kind: str, change: str, pod: Pod) -> HelpfulChange:
    return HelpfulChange(kind, change, updated=(pod,))


def _with(pod: Pod, **changed: Any) -> Pod:
    return evolve(pod, spec=evolve(pod.spec, **changed))


# --- Tolerations ----------------------------------------------------------------------------------


def tolerations(situation: Situation, *, of_control_plane: bool) -> Iterator[HelpfulChange]:
    pod = situation.pod.pod
    found = Counter(
        taints
        for node in situation.only_by("TaintToleration")
        if (taints := untolerated_taints(pod, node.existing_node))
        and not any(t.key in HEALTH for t in taints)
        and any(t.key in CONTROL_PLANE for t in taints) is of_control_plane
    )
    for taints, _ in found.most_common(MOST):
        added = tuple(Toleration(taint.key, "Equal", taint.value, taint.effect) for taint in taints)
        said = joined([taint_text(taint) for taint in taints])
        yield _changed(
            "toleration", f"tolerate {said}", _with(pod, tolerations=(*pod.spec.tolerations, *added))
        )


# --- Node selector and affinity -------------------------------------------------------------------


def _selections(situation: Situation) -> Iterator[HelpfulChange]:
    pod = situation.pod.pod
    nodes = situation.only_by("NodeAffinity")
    found = Counter(lacks[0] for node in nodes if len(lacks := missed(pod, node.existing_node)) == 1)
    may_drop_all = bool(nodes)
    for requirement, _ in found.most_common(MOST):
        text = requirement_text(requirement)
        is_own = not isinstance(requirement, NodeSelectorRequirement)
        where = "nodeSelector" if is_own else "its node affinity"
        near = _misspelt(requirement, nodes)
        if near is not None:
            change = f"ask for {requirement_text(near)} in {where} instead of {text}"
            yield _changed("selector", change, _instead(pod, requirement, near, is_own=is_own))
        if is_own or not _is_alone(pod, requirement):
            may_drop_all = False
            change = f"drop nodeSelector {text}" if is_own else f"drop {text} from its node affinity"
            yield _changed("selector", change, _instead(pod, requirement, None, is_own=is_own))
    if may_drop_all:
        yield from _without_required_affinity(pod)


def _is_alone(pod: Pod, requirement: Requirement) -> bool:
    """Returns whether a term of the node affinity would have no condition without this one, and match no node."""
    required = affinity_of(pod).required_during_scheduling_ignored_during_execution
    terms = required.node_selector_terms if required is not None else ()
    return any({*term.match_expressions, *term.match_fields} == {requirement} for term in terms)


def _without_required_affinity(pod: Pod) -> Iterator[HelpfulChange]:
    affinity, own = pod.spec.affinity, affinity_of(pod)
    required = own.required_during_scheduling_ignored_during_execution
    if affinity is None or required is None:
        return
    terms = required.node_selector_terms
    one = [requirement_text(r) for term in terms for r in (*term.match_expressions, *term.match_fields)]
    which = (
        joined(one) if len(terms) == 1 else "both terms" if len(terms) == 2 else f"all {len(terms):,} terms"
    )
    change = f"drop its required node affinity{f' ({which})' if one else ''}"
    left = evolve(own, required_during_scheduling_ignored_during_execution=None)
    yield _changed("selector", change, _with(pod, affinity=evolve(affinity, node_affinity=left)))


def _misspelt(requirement: Requirement, nodes: Sequence[NodeInfo]) -> NodeSelectorRequirement | None:
    """Returns the requirement with a key or a value that is spelled nearly alike, if nodes have one."""
    near = nearest_label(requirement, nodes)
    if near is None or requirement.operator != "In" or not requirement.values:
        return None
    key, value = near
    wanted = requirement.values[0] if key == requirement.key else requirement.key
    found = value if key == requirement.key else key
    is_near = found.startswith(wanted) or get_close_matches(wanted, [found], n=1, cutoff=0.7)
    return (
        NodeSelectorRequirement(key, "In", (value,))
        if is_near and (key, value) != (requirement.key, wanted)
        else None
    )


def _instead(
    pod: Pod, requirement: Requirement, near: NodeSelectorRequirement | None, *, is_own: bool
) -> Pod:
    """Returns the pod with the other requirement, or without any, where it had this one."""
    if not is_own:
        return _with_affinity(pod, requirement, near)
    left = {key: value for key, value in pod.spec.node_selector.items() if key != requirement.key}
    return _with(pod, node_selector=left | ({near.key: near.values[0]} if near is not None else {}))


def _with_affinity(pod: Pod, requirement: Requirement, near: NodeSelectorRequirement | None) -> Pod:
    """Returns the pod with the other requirement, or none, in each term that has this one."""
    affinity, own = pod.spec.affinity, affinity_of(pod)
    required = own.required_during_scheduling_ignored_during_execution
    if affinity is None or required is None:
        return pod

    def replaced(requirements: Sequence[NodeSelectorRequirement]) -> tuple[NodeSelectorRequirement, ...]:
        others = (near if each == requirement else each for each in requirements)
        return tuple(each for each in others if each is not None)

    terms = tuple(
        NodeSelectorTerm(replaced(term.match_expressions), replaced(term.match_fields))
        for term in required.node_selector_terms
    )
    node_affinity = evolve(own, required_during_scheduling_ignored_during_execution=NodeSelector(terms))
    return _with(pod, affinity=evolve(affinity, node_affinity=node_affinity))


# --- Requests -------------------------------------------------------------------------------------


def _requests(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields the pod with the largest requests that are free on a node where nothing else keeps it away."""
    pod = situation.pod.pod
    possible: dict[tuple[tuple[str, int], ...], None] = {}
    for node in situation.only_by(FIT):
        short = short_of(situation, node)
        if PODS not in short and short and all(free_on(node, each) > 0 for each in short):
            possible[tuple((each, free_on(node, each)) for each in short)] = None
    largest = sorted(
        possible,
        key=lambda free_there: min(free / asked_of(pod, each) for each, free in free_there),
        reverse=True,
    )
    for free_there in [each for each in largest if len(each) == 1][:1] or largest[:1]:
        rounded = {resource: at_most(resource, free) for resource, free in free_there}
        said = [
            f"{text} {resource} (it asks for {amounts(resource, asked_of(pod, resource))[0]})"
            for resource, (_, text) in rounded.items()
        ]
        changed = with_requests(pod, {resource: value for resource, (value, _) in rounded.items()})
        yield _changed("request", f"request at most {joined(said)}", changed)


def _other_resources(situation: Situation) -> Iterator[HelpfulChange]:
    """Yields the pod that asks for a resource that is spelled nearly alike, where no node has any of its own."""
    pod, nodes = situation.pod.pod, situation.nodes
    for resource in sorted({each for node in nodes for each in short_of(situation, node)} - {PODS}):
        if any(allocatable_on(node, resource) for node in nodes):
            continue
        near, _ = nearest_resource(resource, nodes)
        if near and get_close_matches(resource, [near], n=1, cutoff=0.7):
            renamed = _with(
                pod,
                containers=_renamed(pod.spec.containers, resource, near),
                init_containers=_renamed(pod.spec.init_containers, resource, near),
            )
            yield _changed("request", f"ask for {near} instead of {resource}", renamed)


def _renamed(containers: Sequence[Container], resource: str, near: str) -> tuple[Container, ...]:
    def renamed(asked: ResourceRequirements) -> ResourceRequirements:
        names = {resource: near}
        return evolve(
            asked,
            requests={names.get(name, name): value for name, value in asked.requests.items()},
            limits={names.get(name, name): value for name, value in asked.limits.items()},
        )

    return tuple(evolve(each, resources=renamed(each.resources)) for each in containers)


def with_requests(pod: Pod, most: Mapping[str, int]) -> Pod:
    """Returns the pod with requests that are scaled down so that together they are at most this: milli-CPU,
    bytes, or whole units."""
    changed = pod
    for resource, value in most.items():
        overhead = pod.spec.overhead.get(resource, Quantity())
        unit = 10**6 if resource == "cpu" else 10**9
        asked = asked_of(pod, resource) * unit - overhead.nano
        share = (max(value * unit - overhead.nano, 0), max(asked, 1))
        changed = evolve(
            changed,
            spec=evolve(
                changed.spec,
                containers=_scaled(changed.spec.containers, resource, share, unit),
                init_containers=_scaled(changed.spec.init_containers, resource, share, unit),
                resources=_less(changed.spec.resources, resource, share, unit)
                if changed.spec.resources
                else None,
            ),
        )
    return changed


def _scaled(
    containers: Sequence[Container], resource: str, share: tuple[int, int], unit: int
) -> tuple[Container, ...]:
    return tuple(evolve(each, resources=_less(each.resources, resource, share, unit)) for each in containers)


def _less(
    asked: ResourceRequirements, resource: str, share: tuple[int, int], unit: int
) -> ResourceRequirements:
    if resource not in asked.requests:
        return asked
    nano = asked.requests[resource].nano * share[0] // share[1] // unit * unit
    return evolve(asked, requests={**asked.requests, resource: Quantity(nano)})


# --- What concerns other pods ---------------------------------------------------------------------


def _ports(situation: Situation) -> Iterator[HelpfulChange]:
    nodes = situation.only_by("NodePorts")
    taken = Counter(tuple(holders(situation, node)) for node in nodes)
    for ports, _ in taken.most_common(1):
        numbers = {(port.port, port.protocol) for port in ports}
        pod = situation.pod.pod
        containers = tuple(_without_ports(each, numbers) for each in pod.spec.containers)
        sidecars = tuple(_without_ports(each, numbers) for each in pod.spec.init_containers)
        said = joined([port_text(port) for port in ports])
        change = f"{'use another port than' if pod.spec.host_network else 'drop hostPort'} {said}"
        yield _changed("port", change, _with(pod, containers=containers, init_containers=sidecars))


def _without_ports(container: Container, ports: set[tuple[int, str]]) -> Container:
    kept = tuple(p for p in container.ports if (p.host_port, p.protocol or "TCP") not in ports)
    return evolve(container, ports=kept)


def _spreads(situation: Situation) -> Iterator[HelpfulChange]:
    pod, plugin = situation.pod.pod, PodTopologySpread.name
    own = pod.spec.topology_spread_constraints
    skews: dict[int, int] = {}
    for node in situation.only_by(plugin):
        spread = exceeded(situation, node)
        if spread is None:
            continue
        domain = node.existing_node.metadata.labels.get(spread.constraint.topology_key)
        if domain is None:
            continue
        for at, asked in enumerate(own):
            named = (
                asked.topology_key == spread.constraint.topology_key
                and asked.max_skew == spread.constraint.max_skew
            )
            if asked.when_unsatisfiable == DO_NOT_SCHEDULE and named:
                skews[at] = min(skews.get(at, spread.skew_in(domain)), spread.skew_in(domain))
    for at, skew in skews.items():
        key = own[at].topology_key
        larger = (*own[:at], evolve(own[at], max_skew=skew), *own[at + 1 :])
        yield _changed("spread", f"maxSkew {skew} for {key}", _with(pod, topology_spread_constraints=larger))
    for at, asked in enumerate(own):
        is_soft_too = any(
            each.topology_key == asked.topology_key and each.when_unsatisfiable == SCHEDULE_ANYWAY
            for each in own
        )  # the API server refuses a second one
        if asked.when_unsatisfiable == DO_NOT_SCHEDULE and not is_soft_too and situation.only_by(plugin):
            soft = (*own[:at], evolve(asked, when_unsatisfiable=SCHEDULE_ANYWAY), *own[at + 1 :])
            change = f"whenUnsatisfiable: ScheduleAnyway for {asked.topology_key}"
            yield _changed("spread", change, _with(pod, topology_spread_constraints=soft))


def _affinities(situation: Situation) -> Iterator[HelpfulChange]:
    affinity = situation.pod.pod.spec.affinity
    if affinity is None or not situation.only_by("InterPodAffinity"):
        return
    for name, part in (("anti-affinity", affinity.pod_anti_affinity), ("affinity", affinity.pod_affinity)):
        terms = part.required_during_scheduling_ignored_during_execution if part is not None else ()
        for at, term in enumerate(terms):
            assert part is not None
            left = evolve(
                part, required_during_scheduling_ignored_during_execution=(*terms[:at], *terms[at + 1 :])
            )
            which = f" term {at + 1}" if len(terms) > 1 else ""
            change = f"make its required pod {name}{which} (by {term.topology_key}) a preferred one"
            yield _changed(
                "affinity", change, _with(situation.pod.pod, affinity=_replaced(affinity, name, left))
            )


def _replaced(affinity: Affinity, name: str, part: PodAffinity) -> Affinity:
    if name == "affinity":
        return evolve(affinity, pod_affinity=part)
    return evolve(affinity, pod_anti_affinity=part)
