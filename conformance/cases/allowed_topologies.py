# SPDX-License-Identifier: Apache-2.0
"""Cases of StorageClasses that allow some topologies: any term will do, and all conditions of it must be met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import ZONE, node, pod
from conformance.vocabulary.storage import DRIVER, a_claim, storage_class, using
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _allowing(*terms: dict[str, Sequence[str]]) -> Json:
    """Returns a class whose volumes may be made where a node has these labels."""
    conditions = ([{"key": key, "values": values} for key, values in term.items()] for term in terms)
    return {
        **storage_class("made", DRIVER),
        "allowedTopologies": [{"matchLabelExpressions": each} for each in conditions],
    }


def _made_on_two_nodes(made: Json) -> History:
    cluster = HistoryBuilder(hosts=True)
    cluster.add(made, a_claim(spec={"storageClassName": "made"}))
    for labels in ({ZONE: "a", "rack": "1"}, {ZONE: "b", "rack": "2"}):
        cluster.add_node(node("", labels=labels))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


_ALLOWED: dict[str, tuple[str, Json]] = {
    "second_term": ("no zone, or the zone b", _allowing({ZONE: ["c"]}, {ZONE: ["b"]})),
    "second_condition": ("any zone and the rack 2", _allowing({ZONE: ["a", "b"], "rack": ["2"]})),
    "term_without_conditions": ("none, or the zone b", _allowing({}, {ZONE: ["b"]})),
    "conditions_that_no_node_meets": ("the zone a and the rack 2", _allowing({ZONE: ["a"], "rack": ["2"]})),
}


def of_allowed_topologies() -> Iterator[Case]:
    for name, (says, made) in _ALLOWED.items():
        yield Case(
            f"allowed_topologies_{name}",
            f"A volume is made where a node meets all conditions of one allowed topology or another: {says}.",
            _made_on_two_nodes(made),
            ("R-VOLBIND-14",),
        )
