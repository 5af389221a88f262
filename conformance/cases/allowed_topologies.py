# SPDX-License-Identifier: Apache-2.0
"""Cases of StorageClasses that allow some topologies: any term will do, and all conditions of it must be met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import ZONE, node, pod, with_metadata
from conformance.vocabulary.storage import DRIVER, SELECTED_NODE, a_claim, storage_class, using
from refsched.suite.histories.history import History, Update
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _allowing(*terms: dict[str, Sequence[str]]) -> Json:
    """Returns a class whose volumes may be made where a node has these labels."""
    conditions = ([{"key": key, "values": values} for key, values in term.items()] for term in terms)
    return {
        **storage_class("made", DRIVER),
        "allowedTopologies": [{"matchLabelExpressions": each} for each in conditions],
    }


def _made_on_two_nodes(made: Json, selected: str = "") -> History:
    """A claim is of the class; one of two nodes may have been selected for it."""
    claim = a_claim(spec={"storageClassName": "made"})
    cluster = HistoryBuilder(hosts=True)
    cluster.add(made, with_metadata(claim, annotations={SELECTED_NODE: selected}) if selected else claim)
    for labels in ({ZONE: "a", "rack": "1"}, {ZONE: "b", "rack": "2"}):
        cluster.add_node(node("", labels=labels))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


_ALLOWED: dict[str, tuple[str, Json]] = {
    "second_term": ("no zone, or the zone b", _allowing({ZONE: ["c"]}, {ZONE: ["b"]})),
    "second_condition": ("any zone and the rack 2", _allowing({ZONE: ["a", "b"], "rack": ["2"]})),
    "term_without_conditions": ("none, or the zone b", _allowing({}, {ZONE: ["b"]})),
    "value_that_no_label_can_have": (
        "the zone b or one that no label can have, which allows nothing, or the zone a",
        _allowing({ZONE: ["b", "b c"]}, {ZONE: ["a"]}),
    ),
    "conditions_that_no_node_meets": ("the zone a and the rack 2", _allowing({ZONE: ["a"], "rack": ["2"]})),
}


def _one_more_is_allowed(where: str) -> History:
    """The class allows one zone, in which there is no node; then it allows another value, in the same term or in
    one more."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_allowing({ZONE: ["c"]}), a_claim(spec={"storageClassName": "made"}))
    cluster.add_node(node("", labels={ZONE: "a"}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    wider = _allowing({ZONE: ["c", "a"]}) if where == "same" else _allowing({ZONE: ["c"]}, {ZONE: ["a"]})
    cluster.steps.append(Update(wider))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def of_allowed_topologies() -> Iterator[Case]:
    for where, term in (("same", "the same term"), ("another", "another term")):
        yield Case(
            f"one_more_zone_is_allowed_in_{where}_term",
            "A pod that no node of an allowed topology takes is requeued when its StorageClass allows another one;"
            f" it stands in {term}.",
            _one_more_is_allowed(where),
            ("R-VOLBIND-24",),
        )
    for host in ("n1", "n2"):
        yield Case(
            f"allowed_topologies_and_{host}_is_selected",
            "A volume is made on the node that was selected for its claim only if the class allows the topology,"
            f" here for {host}.",
            _made_on_two_nodes(_allowing({ZONE: ["b"]}), host),
        )
    for name, (says, made) in _ALLOWED.items():
        yield Case(
            f"allowed_topologies_{name}",
            f"A volume is made where a node meets all conditions of one allowed topology or another: {says}.",
            _made_on_two_nodes(made),
            ("R-VOLBIND-14",),
        )
