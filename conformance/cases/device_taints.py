# SPDX-License-Identifier: Apache-2.0
"""Cases of taints of devices: those that a device has, and those that a DeviceTaintRule adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    ONE,
    claim_user,
    claims_in_turn,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
    taint_rule,
)
from conformance.vocabulary.objects import node
from refsched.suite.histories.history import History, Update
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_ADDED = "2026-01-01T00:00:00Z"


def _rule(taint: Json) -> Json:
    """Returns a rule that adds this taint to all devices of the only pool."""
    return taint_rule("r", {"driver": DRIVER, "pool": "s1"}, {**taint, "timeAdded": _ADDED})


def _tainted_twice(own: Json, added: Json) -> History:
    """A device has one taint, a rule adds the other, and there is a claim that tolerates each, and one that
    tolerates both."""
    device = {"name": "d0", "taints": [{**own, "timeAdded": _ADDED}]}
    tolerating = [
        [{"operator": "Equal", **taint} for taint in some] for some in ([own], [added], [own, added])
    ]
    return claims_in_turn(
        [resource_slice("s1", [device]), _rule(added)],
        [{"requests": [request("r0", [{**exactly(1), "tolerations": some}])]} for some in tolerating],
        node("", {"cpu": "9", "pods": "9"}),
    )


def _rule_changes(before: Json, after: Json) -> History:
    """A rule taints the only device, and then says another taint."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]), resource_claim("c1", ONE))
    cluster.add(_rule(before))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    cluster.steps.append(Update(_rule(after)))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_OWN: Json = {"key": "k", "value": "a", "effect": "NoSchedule"}

_OTHERS: tuple[tuple[str, Json], ...] = (
    ("value", {"value": "b"}),
    ("effect", {"effect": "NoExecute"}),
    ("key", {"key": "l"}),
)


def _cases() -> Iterator[Case]:
    for name, other in _OTHERS:
        yield Case(
            f"taint_of_a_rule_with_another_{name}",
            f"A device has its own taints and those that rules add; they differ in the {name} alone.",
            _tainted_twice(_OWN, {**_OWN, **other}),
            ("R-DRA-35",),
        )
    for name, other in (*_OTHERS, ("effect_none", {"effect": "None"})):
        yield Case(
            f"rule_changes_its_taint_to_another_{name}",
            "An update of a rule that taints a device requeues a pod that was rejected for its claim if it changes"
            f" the taint; here the {name.split('_')[0]} changes.",
            _rule_changes(_OWN, {**_OWN, **other}),
            ("R-DRA-89",),
        )


CASES: tuple[Case, ...] = tuple(_cases())
