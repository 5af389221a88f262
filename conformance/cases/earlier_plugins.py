# SPDX-License-Identifier: Apache-2.0
"""Cases of plugins that v1.19 alone has, ServiceAffinity and NodePreferAvoidPods, and of what its NodeAffinity
prefers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.strategies.earlier_plugins import AVOID, avoids, of_controller, of_plugin
from conformance.vocabulary.allocations import node_condition, node_selector
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    PREFERRED,
    ZONE,
    node,
    owner,
    pod,
    selecting,
    with_metadata,
)
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_OF_A = {"app": "a"}
_OF_THE_SET = of_controller("ReplicaSet", "w")


def _beside_the_first_pod(selector: Json) -> History:
    """A pod of the Service runs in zone a and rack 1, and another one comes with this nodeSelector; there are
    nodes in zone b, in rack 1 and in rack 2."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(selecting("Service", "s", _OF_A, "v1"))
    for zone, rack in (("a", "1"), ("b", "2"), ("b", "1")):
        cluster.add_node(node("", labels={ZONE: zone, "rack": rack}))
    cluster.add_pod(pod("", labels=_OF_A), 0)
    cluster.add_pod(pod("", labels=_OF_A, nodeSelector=selector))
    cluster.schedule()
    return cluster.history(of_plugin("ServiceAffinity", "preFilter", "filter", affinityLabels=[ZONE, "rack"]))


def _avoided(entries: Sequence[Any], owners: Sequence[Json]) -> History:
    """The annotation of the first of two nodes has these entries, and a pod these owners."""
    cluster = HistoryBuilder(hosts=True)
    annotations = {AVOID: avoids(*entries)}
    cluster.add_node(with_metadata(node(""), annotations=annotations))
    cluster.add_node(node(""))
    cluster.add_pod(with_metadata(pod(""), ownerReferences=list(owners)))
    cluster.schedule()
    return cluster.history()


def _preferring_by_name(*others: Json) -> History:
    """A pod prefers the second of two nodes by its name, and by these other terms. The first one has a label."""
    cluster = HistoryBuilder(hosts=True)
    for labels in ({"disk": "ssd"}, {}):
        cluster.add_node(node("", labels=labels))
    term = node_selector(fields=[node_condition("n2", key="metadata.name")])["nodeSelectorTerms"][0]
    preferred = [{"weight": 10, "preference": each} for each in (term, *others)]
    cluster.add_pod(pod("", affinity={"nodeAffinity": {PREFERRED: preferred}}))
    cluster.schedule()
    return cluster.history()


def _two_racks(**selectors: Json) -> HistoryBuilder:
    """Returns two nodes, each in a rack of its own, and Services by their names."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*(selecting("Service", name, selector, "v1") for name, selector in selectors.items()))
    for rack in "ab":
        cluster.add_node(node("", labels={"rack": rack}))
    return cluster


def _spread_over_racks(cluster: HistoryBuilder, labels: Json) -> History:
    """A pod with these labels comes, which ServiceAffinity spreads over racks."""
    cluster.add_pod(pod("", labels=labels))
    cluster.schedule()
    args = {"antiAffinityLabelsPreference": ["rack"]}
    return cluster.history(of_plugin("ServiceAffinity", "score", alone=True, **args))


def _more_than_one_pod_of_a_service() -> History:
    """On the first node two of three pods are of the Service; on the second one of three, since one is of another
    namespace and one is being deleted."""
    cluster = _two_racks(s=_OF_A)
    for labels in ({"app": "b"}, _OF_A, _OF_A):
        cluster.add_pod(pod("", labels=labels), 0)
    cluster.add_pod(pod("", labels=_OF_A, namespace="other"), 1)
    cluster.add_pod(with_metadata(pod("", labels=_OF_A), deletionTimestamp=AN_AGE_AGO), 1)
    cluster.add_pod(pod("", labels=_OF_A), 1)
    return _spread_over_racks(cluster, _OF_A)


def _pods_of_two_services() -> History:
    """Each of two Services selects the pod. On the first node run two pods that only the one selects and two that
    only the other selects, on the second one three pods that both select."""
    of_web = {"tier": "web"}
    cluster = _two_racks(a=_OF_A, web=of_web)
    for labels in (_OF_A, _OF_A, of_web, of_web):
        cluster.add_pod(pod("", labels=labels), 0)
    for _ in range(3):
        cluster.add_pod(pod("", labels=_OF_A | of_web), 1)
    return _spread_over_racks(cluster, _OF_A | of_web)


def _thirds(most: int, others: int) -> History:
    """Of the pods of a Service so many run on the first of two nodes, and so many on the second."""
    cluster = _two_racks(s=_OF_A)
    for home, count in enumerate((most, others)):
        for _ in range(count):
            cluster.add_pod(pod("", labels=_OF_A), home)
    cluster.add_pod(pod("", labels=_OF_A))
    cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"{others}_of_{most}_pods_on_another_node",
            "SelectorSpread cuts a node's score to a whole number at the end, and no share before; a node has"
            f" {others} pods where the most are {most}.",
            _thirds(most, others),
            ("R-SELSPREAD-03",),
        )
        for most, others in ((3, 1), (3, 2), (7, 3), (6, 1))
    ),
    Case(
        "avoided_pods_with_an_entry_that_is_none",
        "An annotation preferAvoidPods of which one entry cannot be read avoids no pod, whatever the others say.",
        _avoided(["a text", _OF_THE_SET], [owner("ReplicaSet")]),
        ("R-AVOID-02",),
    ),
    Case(
        "pods_of_a_service_on_one_node",
        "ServiceAffinity counts every pod of the Service on a node, and neither one of another namespace nor one"
        " that is being deleted.",
        _more_than_one_pod_of_a_service(),
        ("R-SVCAFF-05",),
    ),
    Case(
        "pods_of_two_services_on_one_node",
        "ServiceAffinity counts the pods of one Service on a node, not those of each Service that selects the"
        " pod.",
        _pods_of_two_services(),
        ("R-SVCAFF-05",),
    ),
    *(
        Case(
            f"node_selector_of_a_pod_of_a_service_by_{name}",
            "What a pod's nodeSelector asks for goes before the labels of the node where the first pod of its"
            f" Service runs; it asks for {says}.",
            _beside_the_first_pod(selector),
            ("R-SVCAFF-02",),
        )
        for name, says, selector in (
            ("zone", "another zone", {ZONE: "b"}),
            ("rack", "another rack", {"rack": "2"}),
            ("zone_and_rack", "another zone and another rack", {ZONE: "b", "rack": "2"}),
        )
    ),
    *(
        Case(
            f"avoided_by_{name}",
            f"A node is avoided by the pods of their controller, and by no other owner; {says}.",
            _avoided([_OF_THE_SET], owners),
            ("R-AVOID-01",),
        )
        for name, says, owners in (
            ("the_second_owner", "it is the second one", (owner("Job", controls=False), owner("ReplicaSet"))),
            ("an_owner_that_controls_nothing", "there is none", (owner("ReplicaSet", controls=False),)),
        )
    ),
    *(
        Case(
            f"preferred_by_the_name_of_a_node{name}",
            f"A node that a pod prefers by its name alone scores no better than any other in v1.19{says}.",
            _preferring_by_name(*others),
            ("R-NODEAFF-53",),
        )
        for name, says, others in (
            ("", "", ()),
            (
                "_and_another_by_its_label",
                ", also where it prefers the other one by a label",
                ({"matchExpressions": [node_condition("ssd", key="disk")]},),
            ),
        )
    ),
)
