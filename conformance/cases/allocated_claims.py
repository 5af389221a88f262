# SPDX-License-Identifier: Apache-2.0
"""Cases of claims that are allocated: beside one that is not, for the same pod, and for the device of another
one."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.allocations import allocated, node_condition, node_selector, users_of
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import HOSTNAME, leaving, node
from refsched.suite.histories.history import History, deleting
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _for(host: str, *claims: str) -> History:
    """One of a pod's claims is allocated for this of two nodes, and another one is to get a device, which both
    nodes reach."""
    cluster = HistoryBuilder(hosts=True)
    there = node_selector([node_condition(host, key=HOSTNAME)])
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}, {"name": "d1"}]))
    cluster.add(resource_claim("old", ONE, allocated("d0", there)), resource_claim("new", ONE))
    for _ in range(2):
        cluster.add_node(node(""))
    cluster.add_pod(claim_user(*claims))
    cluster.schedule()
    return cluster.history()


def _one_device_of_two_claims(*deleted: str) -> History:
    """Two claims are allocated with the only device, and these of them are deleted. A pod comes after that for
    whose claim there is no other device."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]))
    both = {name: resource_claim(name, ONE, allocated("d0")) for name in ("c1", "c2")}
    cluster.add(*both.values(), resource_claim("c3", ONE))
    cluster.add_node(node(""))
    cluster.steps.extend(deleting(both[name]) for name in deleted)
    cluster.add_pod(claim_user("c3"))
    cluster.schedule()
    return cluster.history()


def _leaving_while_it_is_used() -> History:
    """A claim is allocated and reserved for a pod that runs, and is being deleted. Another pod names it."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]))
    cluster.add(leaving(resource_claim("c1", ONE, allocated("d0", users=users_of("p1")))))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", uid="uid-of-p1"), 0)
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


_OF_A_LEAVING_CLAIM = Case(
    "allocated_claim_that_is_being_deleted",
    "No other pod can use a claim that is being deleted, though it is allocated and a pod runs with it.",
    _leaving_while_it_is_used(),
)

_OF_ONE_DEVICE: tuple[Case, ...] = tuple(
    Case(
        f"device_of_two_claims_of_which_{len(deleted)}_are_deleted",
        "A device that two claims hold is free as soon as one of them is deleted; so many of both are:"
        f" {len(deleted)}.",
        _one_device_of_two_claims(*deleted),
        ("R-DRA-85",) if deleted else (),
    )
    for deleted in ((), ("c1",), ("c1", "c2"))
)

_OF_TWO_CLAIMS: tuple[Case, ...] = tuple(
    Case(
        f"claim_of_{host}_{'before' if claims[0] == 'old' else 'after'}_one_to_allocate",
        "A pod can go only where each of its claims can be used, those that are allocated and those that are not;"
        f" the one that is allocated is for {host}.",
        _for(host, *claims),
        ("R-DRA-05",),
    )
    for host in ("n1", "n2")
    for claims in (("old", "new"), ("new", "old"))
)

CASES: tuple[Case, ...] = (_OF_A_LEAVING_CLAIM, *_OF_ONE_DEVICE, *_OF_TWO_CLAIMS)
