# SPDX-License-Identifier: Apache-2.0
"""Cases of NodeAffinity: terms that cannot be read, and a node that is deleted before its pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.cases.deleted import Replaced
from conformance.cases.pod_affinity import zones
from conformance.vocabulary.objects import REQUIRED, node, pod
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _node_deleted_before_its_pod() -> History:
    cluster = zones("a", "b")
    cluster.add_pod(pod(""), 0)
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [named]}}}
    cluster.add_pod(pod("", affinity=affinity))
    cluster.schedule()
    cluster.remove_node(0)
    cluster.add_pod(pod("", affinity=affinity))
    cluster.add_pod(pod("", status={"nominatedNodeName": "n1"}))
    cluster.schedule()
    return cluster.history()


_FAR: Json = {"key": "zone", "operator": "In", "values": ["z"]}
_INVALID: Json = {"key": "size", "operator": "Gt", "values": ["big"]}
_TERMS: dict[str, tuple[str, list[Json]]] = {
    "valid_term": ("a valid term", [{"matchExpressions": [_FAR]}]),
    "invalid_second_term": (
        "an invalid term beside a valid one",
        [{"matchExpressions": [_FAR]}, {"matchExpressions": [_INVALID]}],
    ),
    "invalid_expression": (
        "an invalid expression beside a valid one",
        [{"matchExpressions": [_FAR, _INVALID]}],
    ),
}


def _cases() -> Iterator[Case]:
    yield Case(
        "node_deleted_before_its_pod",
        "A node that is deleted while a pod still runs there is no node for any other pod, by its name either.",
        _node_deleted_before_its_pod(),
    )
    for name, (says, terms) in _TERMS.items():
        affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
        replaced = Replaced(name, (), pod("", affinity=affinity), later=node("n1", labels={"disk": "ssd"}))
        for is_tried_before in (False, True):
            when = "after_an_attempt" if is_tried_before else "before_any_attempt"
            yield Case(
                f"node_relabelled_for_{name}_{when}",
                "A pod whose required node affinity matches no node is requeued by a label only if the affinity"
                f" cannot be read: {says}, {when.replace('_', ' ')}.",
                replaced.history(is_tried_before=is_tried_before),
            )


CASES: tuple[Case, ...] = tuple(_cases())
