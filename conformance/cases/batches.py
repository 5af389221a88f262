# SPDX-License-Identifier: Apache-2.0
"""Cases of batches: what becomes of the node of the pod before, for a pod that equals it and comes at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    cpu,
    node,
    pod,
    spread_by_default,
    with_metadata,
    with_spec,
    with_status,
)
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
        cluster.add_pod(
            with_metadata(pod("", priority=2), deletionTimestamp=AN_AGE_AGO, finalizers=["a.b/c"])
        )
    cluster.add_pod(pod("", cpu("1"), priority=1))
    cluster.schedule(1)
    if what == "deleted_node":
        cluster.remove_node(3)
    cluster.schedule()
    return cluster.history(spread_by_default([]))


CASES: tuple[Case, ...] = (
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
