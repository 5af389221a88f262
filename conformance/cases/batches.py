# SPDX-License-Identifier: Apache-2.0
"""Cases of batches: what becomes of the node of the pod before, for a pod that equals it and comes at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.vocabulary.allocations import node_condition
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    ZONE,
    container,
    cpu,
    leaving,
    node,
    pod,
    spread_by_default,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.storage import with_some
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_CHANGES: dict[str, tuple[str, Callable[[Json], Json]]] = {
    "is_cordoned": ("rejects it as unresolvable", partial(with_spec, unschedulable=True)),
    "gets_a_taint": (
        "rejects it as unresolvable",
        partial(with_spec, taints=[{"key": "k", "effect": "NoSchedule"}]),
    ),
    "loses_its_label": ("rejects it as unresolvable", partial(with_metadata, labels={})),
    "is_full": ("rejects it for want of cpu", partial(with_status, allocatable={"cpu": "1", "pods": "9"})),
    "stays": ("is as it was", lambda value: value),
}
"""What happens to the node, and what that means for the pod."""


def _node_of_the_last_pod(change: Callable[[Json], Json]) -> History:
    """Four equal pods come to three nodes, of which the first is the largest; it changes after the first pod."""
    cluster = HistoryBuilder()
    for amount in ("16", "8", "4"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}, {"disk": "ssd"}))
    for _ in range(4):
        cluster.add_pod(pod("", cpu("1"), nodeSelector={"disk": "ssd"}))
    cluster.schedule(1)
    cluster.change_node(0, change(cluster.nodes["n1"]))
    cluster.schedule()
    return cluster.history(spread_by_default([]))


def _between_two_equal_pods(what: str) -> History:
    """Between two equal pods another one is popped that is being deleted, or a node is deleted that was
    feasible."""
    cluster = HistoryBuilder()
    for amount in ("16", "8", "4", "4"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
    cluster.add_pod(pod("", cpu("1"), priority=3))
    if what == "leaving_pod":
        cluster.add_pod(leaving(pod("", priority=2)))
    cluster.add_pod(pod("", cpu("1"), priority=1))
    cluster.schedule(1)
    if what == "deleted_node":
        cluster.remove_node(3)
    cluster.schedule()
    return cluster.history(spread_by_default([]))


def _one_is_nominated(which: int) -> History:
    """Of three equal pods this one is nominated to the first of four nodes, which is full."""
    cluster = HistoryBuilder()
    for amount in ("1", "16", "8", "4"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
    cluster.add_pod(pod("", cpu("1")), 0)
    for number in range(3):
        nomination = {"nominatedNodeName": "n1"} if number == which else None
        cluster.add_pod(pod("", cpu("1"), status=nomination))
    cluster.schedule()
    return cluster.history(spread_by_default([]))


def _by_name(weights: Sequence[int]) -> list[Json]:
    """Returns what prefers the nodes n1, n2 and so on with these weights."""
    return [
        {"weight": weight, "preference": {"matchExpressions": [node_condition(f"n{place}", key=HOSTNAME)]}}
        for place, weight in enumerate(weights, start=1)
    ]


def _preferring(*weights: Sequence[int]) -> History:
    """Pods prefer three nodes with these weights, one pod after the other."""
    cluster = HistoryBuilder(hosts=True)
    for _ in range(3):
        cluster.add_node(node(""))
    for of_pod in weights:
        cluster.add_pod(pod("", cpu("1m"), affinity={"nodeAffinity": {PREFERRED: _by_name(of_pod)}}))
        cluster.schedule(1)
    return cluster.history(spread_by_default([]))


def _drawn_or_kept_away(kind: str) -> History:
    """Three equal pods prefer three nodes, which have room for one each, and more than that to be near each other,
    or not to be. The first two nodes are of one zone if they are not to be near each other, else the first and
    the last."""
    cluster = HistoryBuilder(hosts=True)
    for zone in "aab" if kind == "podAntiAffinity" else "aba":
        cluster.add_node(node("", {"cpu": "4", "pods": "1"}, {ZONE: zone}))
    near_pods = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "a"}}}
    terms = [{"weight": 100, "podAffinityTerm": near_pods}]
    affinity = {"nodeAffinity": {PREFERRED: _by_name((80, 50, 10))}, kind: {PREFERRED: terms}}
    for _ in range(3):
        cluster.add_pod(pod("", cpu("1"), labels={"app": "a"}, affinity=affinity))
    cluster.schedule()
    return cluster.history(spread_by_default([]))


_EMPTY: Json = {"emptyDir": {}}
_PORTS: list[Json] = [{"containerPort": 80, "hostPort": 80}]
_PREFERRED: Json = {"key": "k", "operator": "Exists", "effect": "PreferNoSchedule"}
_DIFFERENCES: dict[str, tuple[str, Json]] = {
    "a_preferred_toleration": (
        "tolerates a taint that only counts for scores",
        {"spec": {"tolerations": [_PREFERRED]}},
    ),
    "one_more_volume": (
        "has one more volume of the same kind",
        {"spec": {"volumes": [{"name": name, **_EMPTY} for name in "ab"]}},
    ),
    "a_claim_that_it_does_not_need": (
        "names a claim of which its status says that it is not needed",
        {
            "spec": {"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}]},
            "status": {"resourceClaimStatuses": [{"name": "g"}]},
        },
    ),
    "a_request_as_a_whole": (
        "requests more for the pod as a whole",
        {"spec": {"resources": {"requests": {"cpu": "3"}}}},
    ),
    "a_label": ("has a label", {"metadata": {"labels": {"app": "a"}}}),
    "a_port_of_an_init_container": (
        "has an init container with a host port",
        {"spec": {"initContainers": [container("i", ports=_PORTS)]}},
    ),
    "a_port_of_a_sidecar": (
        "has a sidecar with a host port",
        {"spec": {"initContainers": [container("i", ports=_PORTS, restartPolicy="Always")]}},
    ),
    "a_port": (
        "has a host port",
        {"spec": {"containers": [container("c", cpu("1"), ports=_PORTS)]}},
    ),
    "an_init_container": ("has an init container", {"spec": {"initContainers": [container("i")]}}),
    "another_image": ("has another image", {"spec": {"containers": [container("c", cpu("1"), image="j")]}}),
    "nothing": ("is as the first one is", {}),
}
"""What a pod has that the one before it has not."""


def _alike_but_for(difference: Json) -> History:
    """After a pod with a volume come two that are like it but for one thing."""
    cluster = HistoryBuilder()
    taints = [{"key": "k", "effect": "PreferNoSchedule"}]
    for amount in ("16", "8", "4"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}, taints=taints if amount == "8" else []))
    first = pod("", cpu("1"), volumes=[{"name": "a", **_EMPTY}])
    return _one_and_two_others(cluster, first, with_some(first, **difference))


def _one_and_two_others(cluster: HistoryBuilder, first: Json, other: Json) -> History:
    """These pods are created and tried one after the other."""
    for value in (first, other, other):
        cluster.add_pod(value)
        cluster.schedule(1)
    return cluster.history(spread_by_default([]))


def _requiring(*terms: Sequence[Json]) -> Json:
    required = {"nodeSelectorTerms": [{"matchExpressions": list(each)} for each in terms]}
    return pod("", cpu("1"), affinity={"nodeAffinity": {REQUIRED: required}})


def _terms_joined(first: Json, then: Json) -> History:
    """Of three nodes the largest has only one of two labels. Two pods are tried that require both in one term, or
    each of them in a term of its own."""
    cluster = HistoryBuilder()
    for amount, labels in (("16", {"b": "x"}), ("8", {"a": "x", "b": "x"}), ("4", {"a": "x", "b": "x"})):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}, labels))
    return _one_and_two_others(cluster, first, then)


def _hints_are_cordoned(number: int) -> History:
    """Three equal pods come to three nodes. After the first, so many of the nodes that it left are cordoned, the
    best of them first."""
    cluster = HistoryBuilder()
    for amount in ("16", "8", "4"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
    for _ in range(3):
        cluster.add_pod(pod("", cpu("1")))
    cluster.schedule(1)
    for place in range(1, 1 + number):
        cluster.change_node(place, with_spec(cluster.nodes[f"n{place + 1}"], unschedulable=True))
    cluster.schedule()
    return cluster.history(spread_by_default([]))


_REQUIRED = [{"key": key, "operator": "In", "values": ["x"]} for key in "ab"]
_IN_ONE, _IN_TWO = _requiring(_REQUIRED), _requiring(*([each] for each in _REQUIRED))

CASES: tuple[Case, ...] = (
    *(
        Case(
            f"required_terms_{how}",
            "Two requirements of one term, and of a term each, make different pods, which are not of one batch.",
            _terms_joined(first, then),
            ("R-BATCH-33",),
        )
        for how, first, then in (("taken_apart", _IN_ONE, _IN_TWO), ("joined", _IN_TWO, _IN_ONE))
    ),
    *(
        Case(
            f"next_node_of_a_batch_cordoned_and_{number - 1}_more",
            "The node that is left for the next pod of a batch is filtered before it is taken; if it is rejected,"
            f" all nodes are searched. Of the nodes that are left {number} are cordoned.",
            _hints_are_cordoned(number),
        )
        for number in (1, 2)
    ),
    *(
        Case(
            f"pod_that_differs_by_{name}",
            f"A pod comes at once after one that is like it, and {says}; another such pod comes after that.",
            _alike_but_for(difference),
        )
        for name, (says, difference) in _DIFFERENCES.items()
    ),
    *(
        Case(
            f"the_{name}_of_three_equal_pods_is_nominated",
            f"A nomination makes no difference between pods that are alike: the {name} of three is nominated.",
            _one_is_nominated(which),
        )
        for which, name in enumerate(("first", "second", "third"))
    ),
    *(
        Case(
            f"equal_pods_that_prefer_to_be_{name}",
            "A pod that only prefers to be near other pods, or not to be, is taken for equal to no other one;"
            f" these prefer to be {name.replace('_', ' ')}.",
            _drawn_or_kept_away(kind),
            ("R-BATCH-31",),
        )
        for name, kind in (("near_each_other", "podAffinity"), ("far_from_each_other", "podAntiAffinity"))
    ),
    Case(
        "preferences_of_other_weights",
        "Two pods that prefer the same nodes with other weights are not equal, so that each gets the node that it"
        " prefers most.",
        _preferring((80, 50, 10), (10, 20, 80), (10, 20, 80)),
    ),
    *(
        Case(
            f"node_of_the_pod_before_{name}",
            f"A pod comes at once after one that equals it, and the node of that {says}.",
            _node_of_the_last_pod(change),
        )
        for name, (says, change) in _CHANGES.items()
    ),
    *(
        Case(
            f"{name}_between_two_equal_pods",
            f"A pod comes after one that equals it, and between them {says}.",
            _between_two_equal_pods(name),
        )
        for name, says in (
            ("leaving_pod", "a pod is popped that is being deleted"),
            ("deleted_node", "a node is deleted that was feasible"),
        )
    ),
)
