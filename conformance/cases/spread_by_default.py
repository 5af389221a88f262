# SPDX-License-Identifier: Apache-2.0
"""Cases of PodTopologySpread for pods that state no constraints: the Services and owners that select them, and
nodes that lack a label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.cases.pod_affinity import zones
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    REGION,
    ZONE,
    node,
    owner,
    pod,
    selecting,
    spread,
    spread_by_default,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}


def _node_lacks_a_label(missing: str) -> History:
    """Two pods of a Service: one has no constraints of its own, one has a constraint for each of two keys."""
    cluster = HistoryBuilder()
    cluster.add(selecting("Service", "s", _A, "v1"))
    for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b")):
        labels = {HOSTNAME: name, ZONE: zone}
        if name == "n2":
            del labels[missing]
        cluster.add_node(node(labels=labels))
    for home in (1, 1, 1, 2):
        cluster.add_pod(pod("", labels=_A), home)
    cluster.add_pod(pod("", labels=_A))
    cluster.add_pod(
        pod("", labels=_A, topologySpreadConstraints=[spread(key, 1) for key in (HOSTNAME, ZONE)])
    )
    cluster.schedule()
    return cluster.history()


def _services(running: Sequence[tuple[Json, int]], coming: Json, *services: Json) -> History:
    """Of two nodes, each in a zone of its own, pods with these labels run on the one of this index; one with the
    labels ``coming`` is spread by default."""
    cluster = zones("a", "b")
    cluster.add(*services)
    for labels, home in running:
        cluster.add_pod(pod("", labels=labels), home)
    cluster.add_pod(pod("", labels=coming))
    cluster.schedule()
    return cluster.history()


def _service_that_selects_nobody() -> History:
    """The only Service of the namespace has no selector."""
    service = {**selecting("Service", "s", _A, "v1"), "spec": {}}
    return _services([(_A, 0), (_A, 0), (_A, 1)], _A, service)


def _two_services(names: str) -> History:
    """Two Services with these names select the pod, by one label each."""
    both = {**_A, "tier": "t"}
    selectors = (_A, {"tier": "t"})
    services = (selecting("Service", name, of, "v1") for name, of in zip(names, selectors, strict=True))
    running = [(both, 0), (_A, 1), (_A, 1), ({"tier": "t"}, 1), ({"tier": "t"}, 1)]
    return _services(running, both, *services)


def _owner_with_a_wider_selector() -> History:
    """The ReplicaSet of a pod selects the pods of two apps, and a Service those of one of them."""
    cluster = zones("a", "b")
    requirement = {"key": "app", "operator": "In", "values": ["a", "b"]}
    cluster.add(selecting("Service", "s", _A, "v1"))
    cluster.add(selecting("ReplicaSet", "w", {"matchExpressions": [requirement]}))
    for labels, home in ((_B, 0), (_B, 0), (_A, 1)):
        cluster.add_pod(pod("", labels=labels), home)
    cluster.add_pod(pod("", labels=_A, owner=owner("ReplicaSet")))
    cluster.schedule()
    return cluster.history()


def _nodes_of_a_region_alone() -> History:
    """Two nodes have a label for their region and none for a zone, and one has neither."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(selecting("Service", "s", _A, "v1"))
    for labels in ({REGION: "r"}, {REGION: "r"}, {}):
        cluster.add_node(node(labels=labels))
    for _ in range(2):
        cluster.add_pod(pod("", labels=_A), 0)
    cluster.add_pod(pod("", labels=_A))
    cluster.schedule()
    return cluster.history()


def _listed_defaults() -> History:
    """The constraints that the configuration lists are of two keys, and a node lacks one of them."""
    cluster = HistoryBuilder()
    cluster.add(selecting("Service", "s", _A, "v1"))
    for name, zone in (("n1", "a"), ("n2", ""), ("n3", "b")):
        cluster.add_node(node(labels={HOSTNAME: name, **({ZONE: zone} if zone else {})}))
    for home in (0, 0, 2):
        cluster.add_pod(pod("", labels=_A), home)
    cluster.add_pod(pod("", labels=_A))
    cluster.schedule()
    listed = [
        {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway"} for key in (HOSTNAME, ZONE)
    ]
    return cluster.history(spread_by_default(listed))


def _selected_by_another_owner() -> History:
    """A ReplicaSet controls the pod and selects it by one label, and a StatefulSet selects it by another."""
    cluster = zones("a", "b")
    of_tier = {"tier": "t"}
    cluster.add(selecting("ReplicaSet", "w", {"matchLabels": _A}))
    cluster.add(selecting("StatefulSet", "s", {"matchLabels": of_tier}))
    for labels, home in ((_A, 0), (_A, 0), ({**_A, **of_tier}, 1)):
        cluster.add_pod(pod("", labels=labels), home)
    cluster.add_pod(pod("", labels={**_A, **of_tier}, owner=owner("ReplicaSet")))
    cluster.schedule()
    return cluster.history()


def _of_selectors() -> Iterator[Case]:
    yield Case(
        "spread_by_default_with_an_owner_and_another_that_selects",
        "The release says whether a workload that selects a pod counts, though another one controls the pod.",
        _selected_by_another_owner(),
    )
    yield Case(
        "spread_by_default_in_its_own_namespace",
        "Pods of another namespace do not count, whatever their labels are.",
        _services(
            [(_A, 1)],
            _A,
            selecting("Service", "s", _A, "v1"),
            *(pod(f"other{number}", labels=_A, namespace="other", nodeName="n1") for number in range(2)),
        ),
    )
    yield Case(
        "spread_by_default_with_a_service_that_selects_nobody",
        "A Service without a selector selects no pod, so that none is spread by default.",
        _service_that_selects_nobody(),
    )
    for names in ("st", "ts"):
        yield Case(
            f"spread_by_default_with_two_services_{names}",
            "A pod that two Services select is spread from pods that both select.",
            _two_services(names),
            ("R-SPREAD-02",),
        )
    yield Case(
        "spread_by_default_over_nodes_of_a_region_alone",
        "The release says whether nodes that have a region and no zone are of one zone.",
        _nodes_of_a_region_alone(),
    )
    yield Case(
        "spread_by_default_with_an_owner_that_selects_more",
        "A pod that a Service selects by a label, and its owner by an expression about this label that more pods"
        " match, is spread from pods that both select.",
        _owner_with_a_wider_selector(),
        ("R-SPREAD-02",),
    )


def _of_nodes() -> Iterator[Case]:
    yield Case(
        "listed_default_constraints_need_all_keys",
        "A node that lacks the key of one of the default constraints that the configuration lists scores 0.",
        _listed_defaults(),
        ("R-SPREAD-13",),
    )
    for key, name in ((HOSTNAME, "hostname"), (ZONE, "zone")):
        yield Case(
            f"spread_with_a_node_that_lacks_the_{name}_label",
            f"Pods on a node without the {name} label count for system defaulted constraints of the other key,"
            " and for no constraint of a pod that states constraints for both keys.",
            _node_lacks_a_label(key),
        )


CASES: tuple[Case, ...] = (*_of_selectors(), *_of_nodes())
