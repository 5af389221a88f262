# SPDX-License-Identifier: Apache-2.0
"""Cases of objects that bear the name of another one, which is of another namespace or was there before."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.allocations import allocated
from conformance.vocabulary.builder import UNBOUND, HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import cpu, named, node, owned_by_pod, pod, resized, with_metadata
from conformance.vocabulary.storage import (
    DRIVER,
    EPHEMERAL_USER,
    a_claim,
    bound_pair,
    csi_node,
    ephemeral_pair,
    storage_class,
    using,
)
from refsched.suite.histories.history import Create, History, Update, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _claims_without_volumes() -> History:
    """Each of two pods, the first of which runs, has a claim without a volume; the node takes one of the
    driver."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("made", DRIVER), csi_node("n1", {"count": 1}))
    cluster.add_node(node(""))
    for home, namespace in ((0, "other"), (UNBOUND, "default")):
        cluster.add(a_claim("c1", namespace, spec={"storageClassName": "made"}))
        cluster.add_pod(pod("", volumes=using("c1"), namespace=namespace), home)
    cluster.schedule()
    return cluster.history()


def _owned_by_an_earlier_pod() -> History:
    """The claim of the ephemeral volume of a pod that runs belongs to an earlier pod of its name. A pod with
    another volume of the driver comes."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = ephemeral_pair()
    of_earlier = with_metadata(claim, ownerReferences=[owned_by_pod("p1", "uid-of-an-earlier-one")])
    cluster.add(
        storage_class("hand"), of_earlier, volume, *bound_pair("c2", "v2"), csi_node("n1", {"count": 9})
    )
    cluster.add_node(node(""))
    cluster.add_pod(EPHEMERAL_USER, 0)
    cluster.add_pod(pod("", volumes=using("c2")))
    cluster.schedule()
    return cluster.history()


def _reserved_for_an_earlier_pod() -> History:
    """The claim of a pod is allocated, and reserved for an earlier pod of its name."""
    earlier = {"resource": "pods", "name": "p1", "uid": "uid-of-an-earlier-one"}
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]))
    cluster.add(resource_claim("c1", ONE, allocated("d0", users=[earlier])))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


def _deleted(place: int) -> History:
    """Pods of one name wait in three namespaces, and one of them is deleted."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    pods = [named(pod("", cpu("1"), namespace=space, uid=f"uid-{space}"), "web") for space in "abc"]
    cluster.steps.extend(Create(value) for value in pods)
    cluster.steps.append(deleting(pods[place]))
    cluster.schedule(2)
    return cluster.history()


def _scaled_down(resource: str) -> History:
    """A pod waits for cpu. One of its name, which runs in another namespace, asks for less of this resource."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "memory": "4Gi", "pods": "9"}))
    there = {"cpu": "2", "memory": "2Gi"}
    less = {**there, resource: {"cpu": "1", "memory": "1Gi"}[resource]}
    running = named(pod("", there, namespace="other", nodeName="n1"), "web")
    cluster.steps.extend([Create(running), Create(named(pod("", cpu("1"), namespace="default"), "web"))])
    cluster.schedule(1)
    cluster.steps.append(Update(resized(less, less, less, "")(running)))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


OF_CLAIMS: tuple[Case, ...] = (
    Case(
        "claims_of_one_name_without_volumes",
        "Two claims of one name for which volumes are yet to be made count as two volumes.",
        _claims_without_volumes(),
    ),
    Case(
        "ephemeral_claim_of_an_earlier_pod_of_the_name",
        "The claim of an ephemeral volume must belong to the pod by its uid, not by its name.",
        _owned_by_an_earlier_pod(),
    ),
)

OF_DEVICES: tuple[Case, ...] = (
    Case(
        "claim_reserved_for_an_earlier_pod_of_the_name",
        "A claim is reserved for a pod by its uid, not by its name, so that one which is reserved for an earlier"
        " pod of that name is reserved for this one, too.",
        _reserved_for_an_earlier_pod(),
        ("R-DRA-11",),
    ),
)

OF_PODS: tuple[Case, ...] = (
    *(
        Case(
            f"pod_{place + 1}_of_three_of_one_name_is_deleted",
            "Of pods of one name that wait in different namespaces the one that was deleted is not tried any"
            " more.",
            _deleted(place),
        )
        for place in range(3)
    ),
    *(
        Case(
            f"pod_of_the_same_name_asks_for_less_{resource}",
            "A pod that waits for cpu is requeued by a running one that asks for less of it, and not by one that"
            f" bears its name in another namespace; that asks for less {resource}.",
            _scaled_down(resource),
            ("R-FIT-10",),
        )
        for resource in ("cpu", "memory")
    ),
)
