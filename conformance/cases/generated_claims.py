# SPDX-License-Identifier: Apache-2.0
"""Cases of claims that are generated from a template: a pod waits until its status names them before it is
tried."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    ONE,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import (
    node,
    owned_by_pod,
    pod,
    with_metadata,
    with_spec,
    with_status,
)
from refsched.suite.histories.history import History, Observe
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_CLASS, _SLICE = device_class("any"), resource_slice("s1", [{"name": "d0"}])
_OWNER = owned_by_pod("p1", "uid-of-p1")


def _generated(*events: str, beside: str = "") -> History:
    """A claim is created from a pod's template, the pod's status names it, and a scheduling gate is removed, in
    some order. The pod may name a claim ``beside``, which is there."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_CLASS, _SLICE, *([resource_claim(beside, ONE)] if beside else []))
    cluster.add_node(node(""))
    gated: Json = {"schedulingGates": [{"name": "g"}]} if "gate" in events else {}
    used: list[Json] = [{"name": "g", "resourceClaimTemplateName": "t"}]
    used += [{"name": "named", "resourceClaimName": beside}] if beside else []
    value = pod("p1", uid="uid-of-p1", resourceClaims=used, **gated)
    statuses = [{"name": "g", "resourceClaimName": "p1-g"}]
    cluster.add_pod(value)
    cluster.schedule()
    for event in events:
        match event:
            case "claim":
                cluster.add(with_metadata(resource_claim("p1-g", ONE), ownerReferences=[_OWNER]))
            case "status":
                cluster.change_pod(0, partial(with_status, resourceClaimStatuses=statuses))
            case "gate":
                cluster.change_pod(0, partial(with_spec, schedulingGates=[]))
        cluster.schedule()
    return cluster.history()


def _named_one_by_one(*names: str) -> History:
    """The claims of a pod's two templates are there, and its status names one of them after the other, in this
    order."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_CLASS, resource_slice("s1", [{"name": "d0"}, {"name": "d1"}]))
    cluster.add_node(node(""))
    for name in sorted(names):
        cluster.add(with_metadata(resource_claim(f"p1-{name}", ONE), ownerReferences=[_OWNER]))
    used = [{"name": name, "resourceClaimTemplateName": "t"} for name in sorted(names)]
    cluster.add_pod(pod("p1", uid="uid-of-p1", resourceClaims=used))
    cluster.schedule()
    for number in range(len(names)):
        named = sorted(names[: number + 1])
        statuses = [{"name": name, "resourceClaimName": f"p1-{name}"} for name in named]
        cluster.change_pod(0, partial(with_status, resourceClaimStatuses=statuses))
        cluster.steps.append(Observe())
        cluster.schedule()
    return cluster.history()


def _named_by_the_status_too() -> History:
    """A pod names a claim that has no device to get, and its status says that the claim is another one."""
    cluster = HistoryBuilder(hosts=True)
    wanting = {"requests": [request("r0", [exactly(2)])]}
    cluster.add(_CLASS, _SLICE, resource_claim("c1", wanting), resource_claim("c2", ONE))
    cluster.add_node(node(""))
    statuses = [{"name": "g0", "resourceClaimName": "c2"}]
    cluster.add_pod(with_status(claim_user("c1"), resourceClaimStatuses=statuses))
    cluster.schedule()
    return cluster.history()


def _cases() -> Iterator[Case]:
    orders = (("claim", "status"), ("status", "claim"), *permutations(("gate", "claim", "status")))
    for order in orders:
        yield Case(
            f"generated_claim_{'_then_'.join(order)}",
            "A pod is queued once its generated claim exists, its status names the claim and no gate is left,"
            f" in whatever order that happens: {', '.join(order)}.",
            _generated(*order),
        )
    for orders_beside in (("claim", "status"), ("status", "claim")):
        yield Case(
            f"generated_claim_{'_then_'.join(orders_beside)}_beside_a_named_one",
            "A pod is queued once its generated claim exists and its status names that one, though it has another"
            " claim, which its status never names.",
            _generated(*orders_beside, beside="c1"),
        )
    for names in (("a", "b"), ("b", "a")):
        yield Case(
            f"two_generated_claims_of_which_{names[0]}_is_named_first",
            "A pod is queued once its status names all of its generated claims, however many it named before;"
            f" {names[0]} comes first.",
            _named_one_by_one(*names),
        )
    yield Case(
        "claim_that_the_pod_names_and_its_status_does_not",
        "A claim that the pod names itself is its claim, whatever its status says.",
        _named_by_the_status_too(),
        ("R-DRA-81",),
    )


CASES: tuple[Case, ...] = tuple(_cases())
