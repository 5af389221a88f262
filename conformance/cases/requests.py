# SPDX-License-Identifier: Apache-2.0
"""Cases of the requests of claims: which configurations concern them, in which order, and how many devices they
may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.vocabulary.allocations import opaque
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    Asked,
    all_there_are,
    claim_user,
    claims_in_turn,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _claiming(devices: int, claim: Json) -> History:
    """There are so many devices, and a pod has the claim."""
    return claims_in_turn(
        [resource_slice("s1", [{"name": f"d{place}"} for place in range(devices)])], [claim]
    )


def _configured(requests: Sequence[Asked], *named: Sequence[str]) -> History:
    """The claim has these requests, and a configuration for each of the lists of names; an empty one is for
    all."""
    configs = [
        {**({"requests": list(names)} if names else {}), **opaque(place)} for place, names in enumerate(named)
    ]
    asked = [request(f"r{place}", each) for place, each in enumerate(requests)]
    return _claiming(4, {"requests": asked, "config": configs})


_ONE_OF_TWO: Asked = [exactly(1), exactly(2)]
_CONFIGURED: tuple[tuple[str, str, Sequence[Asked], tuple[Sequence[str], ...]], ...] = (
    ("of_one_request_before_that_of_all", "one of a request before one of all", [[exactly(1)]], (["r0"], [])),
    (
        "of_both_alternatives",
        "one of both alternatives of the only request",
        [_ONE_OF_TWO],
        (["r0/a0", "r0/a1"],),
    ),
    (
        "of_both_alternatives_of_one_of_two_requests",
        "one of both alternatives of the first of two requests",
        [_ONE_OF_TWO, [exactly(1)]],
        (["r0/a0", "r0/a1"],),
    ),
    ("of_both_requests", "one of both requests", [[exactly(1)], [exactly(1)]], (["r0", "r1"],)),
)


def _too_many_beside(*alternatives: Json) -> History:
    """A request for all of 20 devices, and one of alternatives. One for exactly 20 would make kube-scheduler try
    them in every order."""
    return _claiming(20, {"requests": [request("r0", [all_there_are()]), request("r1", alternatives)]})


def _nothing(count: int) -> Json:
    """Asks for devices that there are not."""
    return {**exactly(count), "selectors": [{"cel": {"expression": "false"}}]}


def _alternatives_on_two_nodes(*places: int) -> History:
    """Each node has a device of the size that is this one of three alternatives."""
    sizes = [{**exactly(1), "selectors": [_of_size(size)]} for size in range(3)]
    cluster = HistoryBuilder(hosts=True)
    cluster.add(device_class("any"), resource_claim("c1", {"requests": [request("r0", sizes)]}))
    for number, size in enumerate(places, start=1):
        device = {"name": "d0", "attributes": {"size": {"int": size}}}
        cluster.add(resource_slice(f"s{number}", [device], {"nodeName": f"n{number}"}))
        cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history()


def _claims_of_two_sizes(*sizes: int) -> History:
    """A pod has a claim for each of these sizes, of which there is a device each, the smallest first."""
    cluster = HistoryBuilder()
    devices = [{"name": f"d{size}", "attributes": {"size": {"int": size}}} for size in sorted(sizes)]
    cluster.add(device_class("any"), resource_slice("s1", devices))
    for size in sizes:
        asked = {**exactly(1), "selectors": [_of_size(size)]}
        cluster.add(resource_claim(f"c{size}", {"requests": [request("r0", [asked])]}))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user(*(f"c{size}" for size in sizes)))
    cluster.schedule()
    return cluster.history()


def _of_size(size: int) -> Json:
    return {"cel": {"expression": f"device.attributes['{DRIVER}'].size == {size}"}}


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"more_devices_than_a_claim_may_have_in_the_{name}_alternative",
            "A claim asks for more devices than it may have only if each alternative does; the other one finds"
            " none.",
            _too_many_beside(*alternatives),
            ("R-DRA-53",) if name == "only" else (),
        )
        for name, alternatives in (
            ("first", (exactly(15), _nothing(5))),
            ("last", (_nothing(5), exactly(15))),
            ("only", (exactly(15),)),
        )
    ),
    *(
        Case(
            f"claims_of_the_sizes_{'_and_'.join(map(str, sizes))}",
            "Each claim of a pod gets a device that its own request selects, though the requests bear one name;"
            f" they are for the sizes {' and '.join(map(str, sizes))}.",
            _claims_of_two_sizes(*sizes),
        )
        for sizes in ((1, 2), (2, 1))
    ),
    *(
        Case(
            f"alternatives_{first + 1}_and_{second + 1}_of_three_on_two_nodes",
            "Of two nodes the one with the better alternative scores 100, whether or not it is the best of all,"
            " and the other one in proportion.",
            _alternatives_on_two_nodes(first, second),
        )
        for first, second in ((1, 2), (0, 2))
    ),
    *(
        Case(
            f"configuration_{name}",
            f"An allocation has the configurations of its requests in the order of the claim, which has {says}.",
            _configured(requests, *named),
        )
        for name, says, requests, named in _CONFIGURED
    ),
    *(
        Case(
            f"{count}_devices_with_admin_access",
            f"A claim may ask for 32 devices, with admin access too; it asks for {count}.",
            _claiming(33, {"requests": [request("r0", [{**exactly(count), "adminAccess": True}])]}),
        )
        for count in (32, 33)
    ),
)
