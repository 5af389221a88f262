# SPDX-License-Identifier: Apache-2.0
"""Cases of taints of devices: those that a device has, and those that a DeviceTaintRule adds."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.devices import (
    DRIVER,
    claims_in_turn,
    exactly,
    request,
    resource_slice,
    taint_rule,
)
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_ADDED = "2026-01-01T00:00:00Z"


def _tainted_twice(own: Json, added: Json) -> History:
    """A device has one taint, a rule adds the other, and there is a claim that tolerates each, and one that
    tolerates both."""
    device = {"name": "d0", "taints": [{**own, "timeAdded": _ADDED}]}
    rule = taint_rule("r", {"driver": DRIVER, "pool": "s1"}, {**added, "timeAdded": _ADDED})
    tolerating = [
        [{"operator": "Equal", **taint} for taint in some] for some in ([own], [added], [own, added])
    ]
    return claims_in_turn(
        [resource_slice("s1", [device]), rule],
        [{"requests": [request("r0", [{**exactly(1), "tolerations": some}])]} for some in tolerating],
        node("", {"cpu": "9", "pods": "9"}),
    )


_OWN: Json = {"key": "k", "value": "a", "effect": "NoSchedule"}

CASES: tuple[Case, ...] = tuple(
    Case(
        f"taint_of_a_rule_with_another_{name}",
        f"A device has its own taints and those that rules add; they differ in the {name} alone.",
        _tainted_twice(_OWN, {**_OWN, **other}),
        ("R-DRA-35",),
    )
    for name, other in (("value", {"value": "b"}), ("effect", {"effect": "NoExecute"}), ("key", {"key": "l"}))
)
