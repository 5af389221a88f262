# SPDX-License-Identifier: Apache-2.0
"""Cases of the requests of claims: which configurations concern them, in which order, and how many devices they
may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.vocabulary.allocations import opaque
from conformance.vocabulary.devices import Asked, claims_in_turn, exactly, request, resource_slice
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


CASES: tuple[Case, ...] = (
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
