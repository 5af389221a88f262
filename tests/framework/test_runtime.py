# SPDX-License-Identifier: Apache-2.0
"""Framework: how the plugins of a point are combined, beyond what a whole decision shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from refsched.framework.cycle_state import CycleState, Scores
from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unschedulable
from refsched.objects.meta import ObjectMeta
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from tests.snapshots import snapshot_of

POD = PodInfo(Pod(ObjectMeta(name="p")))


@frozen
class Answering:
    """PreFilter, Filter, PreScore and Score that answer what they are told."""

    name: str
    before: Any = Continue(None)
    verdict: Status = SUCCESS
    before_score: Any = Continue(None)

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Any:
        return self.before

    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status:
        return self.verdict

    def pre_score(self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot) -> Any:
        return self.before_score

    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int:
        return int(state or 0)


def nodes(*names: str) -> list[NodeInfo]:
    return [NodeInfo(Node(ObjectMeta(name=name))) for name in names]


def framework(*plugins: Any) -> Framework:
    return Framework(
        "default-scheduler",
        pre_filter_plugins=plugins,
        filter_plugins=plugins,
        pre_score_plugins=plugins,
        score_plugins=plugins,
        score_weights={plugin.name: 2 for plugin in plugins},
    )


def test_a_plugin_counts_once_wherever_it_stands() -> None:
    a, b = Answering("A"), Answering("B")
    assert framework(a, b).plugins == (a, b)


def test_plugins_narrow_the_search_together() -> None:
    both = framework(
        Answering("A", Continue(None, frozenset({"n1", "n2"}))),
        Answering("B", Continue(None, frozenset({"n2", "n3"}))),
        Answering("C"),
    )
    result = both.run_pre_filter_plugins(POD, snapshot_of(*nodes("n1", "n2", "n3")))
    assert (result.nodes, result.narrowed_by) == (frozenset({"n2"}), {"A", "B"})


def test_a_plain_refusal_is_reported_with_what_others_narrowed_to() -> None:
    refusing = framework(
        Answering("A", Reject(unschedulable("no"))), Answering("B", Continue(None, frozenset({"n1"})))
    )
    result = refusing.run_pre_filter_plugins(POD, snapshot_of(*nodes("n1")))
    assert result.status == unschedulable("no").by("A")
    assert result.narrowed_by == {"B"}


def test_the_last_plain_refusal_counts() -> None:
    both = framework(Answering("A", Reject(unschedulable("a"))), Answering("B", Reject(unschedulable("b"))))
    assert both.run_pre_filter_plugins(POD, snapshot_of(*nodes("n1"))).status == unschedulable("b").by("B")


def test_the_first_filter_that_refuses_is_the_one_that_is_named() -> None:
    two = framework(
        Answering("A"), Answering("B", verdict=unschedulable("b")), Answering("C", verdict=error(""))
    )
    assert two.run_filter_plugins(CycleState(), POD, nodes("n1")[0]) == unschedulable("b").by("B")
    assert two.run_filter_plugins(CycleState(skipped=frozenset({"B", "C"})), POD, nodes("n1")[0]) == SUCCESS


def test_pods_come_and_go_only_for_plugins_that_care() -> None:
    snapshot = snapshot_of(*nodes("n1"))
    indifferent = framework(Answering("A"), Answering("B", Skip()))
    state = indifferent.run_pre_filter_plugins(POD, snapshot).state
    assert indifferent.add_pod(state, POD, POD, nodes("n1")[0], snapshot) == state
    assert indifferent.remove_pod(state, POD, POD, nodes("n1")[0], snapshot) == state


def test_scores_are_returned_raw_normalized_and_weighted() -> None:
    scores = framework(Answering("A", before_score=Continue(7)), Answering("B", before_score=Skip()))
    computed = scores.run_score_plugins(POD, nodes("n1"), snapshot_of(*nodes("n1")))
    assert isinstance(computed, Scores)
    assert (computed.raw, computed.normalized, computed.weighted) == (
        {"A": {"n1": 7}},
        {"A": {"n1": 7}},
        {"A": {"n1": 14}},
    )
    assert computed.totals(nodes("n1")) == {"n1": 14}
