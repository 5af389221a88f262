# SPDX-License-Identifier: Apache-2.0
"""A whole decision: PreFilter, the search, the two passes over nominated pods, scores and the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attrs import frozen

from refsched.cycle.decide import Decider, Decision
from refsched.cycle.fit_error import Diagnosis, fit_error_message
from refsched.framework.interface import Continue, Reject
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from tests.snapshots import snapshot_of


@frozen
class Scripted:
    """A plugin that answers what it is told."""

    name: str = "Scripted"
    pre: Any = Continue("state")
    refuses: Mapping[str, Status] = {}
    raw: Mapping[str, int] = {}
    before_score: Any = Continue(None)

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Any:
        return self.pre

    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status:
        return self.refuses.get(node.name, SUCCESS)

    def pre_score(self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot) -> Any:
        return self.before_score

    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int:
        return self.raw.get(node.name, 0)


def node(name: str) -> NodeInfo:
    return NodeInfo(read_as(Node, {"metadata": {"name": name}}))


def pod(name: str = "p", priority: int = 0, nominated: str = "") -> PodInfo:
    return PodInfo(
        read_as(
            Pod,
            {
                "metadata": {"name": name, "namespace": "default", "uid": name},
                "spec": {"priority": priority},
                "status": {"nominatedNodeName": nominated},
            },
        )
    )


def decide(
    *plugins: Any,
    nodes: Sequence[str] = ("n1", "n2", "n3"),
    scoring: Sequence[Any] = (),
    scheduled: PodInfo | None = None,
    nominated: Mapping[str, Sequence[PodInfo]] | None = None,
    start: int = 0,
) -> Decision:
    framework = Framework(
        "default-scheduler",
        pre_filter_plugins=[p for p in plugins if hasattr(p, "pre_filter")],
        filter_plugins=[p for p in plugins if hasattr(p, "filter")],
        pre_score_plugins=[p for p in scoring if hasattr(p, "pre_score")],
        score_plugins=scoring,
        score_weights={p.name: 3 for p in scoring},
    )
    waiting = nominated or {}
    decider = Decider(framework, snapshot_of(*map(node, nodes)), lambda n: waiting.get(n, ()), start)
    return decider.decide(scheduled or pod())


def names(decision: Decision) -> list[str]:
    return [info.name for info in decision.feasible]


# --- PreFilter ------------------------------------------------------------------------------------


def test_a_plain_refusal_lets_a_later_plugin_err() -> None:
    first = Scripted("First", pre=Reject(unschedulable("not now")))
    assert decide(first).pre_filter.status == unschedulable("not now").by("First")
    failure = decide(first, Scripted("Second", pre=Reject(error("broken")))).failure
    assert failure == error('running PreFilter plugin "Second": broken').by("Second")


@pytest.mark.parametrize(
    ("narrowings", "message"),
    [
        ((set(),), "node(s) didn't satisfy plugin P0"),
        (({"n1"}, {"n2"}), "node(s) didn't satisfy plugin(s) [P0 P1] simultaneously"),
    ],
)
def test_plugins_that_leave_no_node_are_named(narrowings: tuple[set[str], ...], message: str) -> None:
    plugins = [Scripted(f"P{i}", pre=Continue(None, frozenset(to))) for i, to in enumerate(narrowings)]
    decision = decide(*plugins)
    assert decision.diagnosis.pre_filter_message == message
    assert decision.diagnosis.unschedulable_plugins == {p.name for p in plugins}


# --- Filter ---------------------------------------------------------------------------------------


def test_without_filter_plugins_nodes_are_taken_as_they_come() -> None:
    assert names(decide(start=1)) == ["n2"]


# --- How many, and the sentence -------------------------------------------------------------------


def test_the_sentence_sorts_reasons_as_text_and_ends_with_what_postfilter_said() -> None:
    two = unschedulable("too small", "too far")
    diagnosis = Diagnosis({"n1": two, "n2": unschedulable("too far")}, post_filter_message="no help.")
    assert fit_error_message(diagnosis, 2) == "0/2 nodes are available: 1 too small, 2 too far. no help."
    assert fit_error_message(Diagnosis(), 1) == "0/1 nodes are available:"
