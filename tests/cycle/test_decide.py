# SPDX-License-Identifier: Apache-2.0
"""A whole decision: PreFilter, the search, the two passes over nominated pods, scores and the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from attrs import frozen

from refsched.cycle.decide import Decider, Decision
from refsched.cycle.fit_error import Diagnosis, fit_error_message
from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Code, Status, error, unschedulable
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


@frozen
class OnePodANode:
    """Refuses a node that holds a pod, counted by PreFilter's state and its extensions."""

    name: ClassVar[str] = "OnePodANode"

    def pre_filter(self, pod: PodInfo, snapshot: Snapshot) -> Continue[dict[str, int]]:
        return Continue({node.name: len(node.pods) for node in snapshot.nodes})

    def add_pod(
        self, state: dict[str, int], pod: PodInfo, added: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> dict[str, int]:
        return state | {node.name: state[node.name] + 1}

    def remove_pod(
        self, state: dict[str, int], pod: PodInfo, removed: PodInfo, node: NodeInfo, snapshot: Snapshot
    ) -> dict[str, int]:
        return state | {node.name: state[node.name] - 1}

    def filter(self, state: dict[str, int], pod: PodInfo, node: NodeInfo) -> Status:
        return SUCCESS if state[node.name] == 0 else unschedulable("one is enough")


@frozen
class NeedsCompany:
    """Refuses an empty node: what only a nominated pod makes feasible must not be taken."""

    name: ClassVar[str] = "NeedsCompany"

    def filter(self, state: Any, pod: PodInfo, node: NodeInfo) -> Status:
        return SUCCESS if node.pods else unschedulable("nobody is here")


@frozen
class Doubled:
    """Normalizes by doubling."""

    name: ClassVar[str] = "Doubled"

    def score(self, state: Any, pod: PodInfo, node: NodeInfo) -> int:
        return int(node.name[1:])

    def normalize_score(self, state: Any, pod: PodInfo, scores: Mapping[str, int]) -> Mapping[str, int]:
        return {node: 2 * score for node, score in scores.items()}


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


def test_prefilter_narrows_the_search_and_speaks_for_the_other_nodes() -> None:
    narrowing = Scripted(pre=Continue(None, frozenset({"n2", "gone"})), refuses={"n2": unschedulable("full")})
    decision = decide(narrowing)
    assert fit_error_message(decision.diagnosis, 3) == (
        "0/3 nodes are available: 1 full, 2 node(s) didn't satisfy plugin(s) [Scripted]."
    )


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


def test_a_plugin_that_skips_does_not_filter() -> None:
    assert names(decide(Scripted(pre=Skip(), refuses={"n1": error("not asked")}), scoring=[Doubled()])) == [
        "n1",
        "n2",
        "n3",
    ]


# --- Filter ---------------------------------------------------------------------------------------


def test_the_search_starts_at_the_start_index_and_goes_round() -> None:
    decision = decide(Scripted(refuses={"n3": unschedulable("no")}), start=2)
    assert (names(decision), decision.evaluated, decision.processed) == (["n1"], 2, 2)


def test_without_scoring_the_first_feasible_node_ends_the_search() -> None:
    assert decide(Scripted()).best == ("n1",)


def test_without_filter_plugins_nodes_are_taken_as_they_come() -> None:
    assert names(decide(start=1)) == ["n2"]


def test_a_status_that_is_no_rejection_becomes_an_error() -> None:
    decision = decide(Scripted(refuses={"n2": Status(Code.WAIT, ("hm",))}), scoring=[Doubled()])
    assert decision.failure == error('running "Scripted" filter plugin: hm').by("Scripted")
    assert (decision.best, decision.processed) == ((), 1)


def test_the_nominated_node_is_tried_first_and_alone() -> None:
    decision = decide(Scripted(), scheduled=pod(nominated="n3"), scoring=[Doubled()])
    assert (decision.best, decision.evaluated, decision.processed) == (("n3",), 1, 0)


def test_a_nominated_node_that_refuses_is_counted_once_and_the_search_goes_on() -> None:
    refusing = Scripted(refuses={"n2": unschedulable("full")})
    decision = decide(refusing, scheduled=pod(nominated="n2"), scoring=[Doubled()])
    assert (names(decision), decision.processed) == (["n1", "n3"], 3)


# --- Nominated pods -------------------------------------------------------------------------------


def test_a_nominated_pod_of_equal_priority_holds_its_place() -> None:
    waiting = {"n1": [pod("nominated", 5)]}
    assert names(decide(OnePodANode(), nominated=waiting, scheduled=pod(priority=5))) == ["n2"]
    assert names(decide(OnePodANode(), nominated=waiting, scheduled=pod(priority=6))) == ["n1"]


def test_the_pod_itself_does_not_stand_in_its_own_way() -> None:
    assert names(decide(OnePodANode(), nominated={"n1": [pod("p")]}, scheduled=pod("p"))) == ["n1"]


def test_what_only_a_nominated_pod_makes_feasible_is_not_taken() -> None:
    decision = decide(NeedsCompany(), nodes=["n1"], nominated={"n1": [pod("nominated", 5)]})
    assert decision.diagnosis.statuses["n1"] == unschedulable("nobody is here").by("NeedsCompany")


# --- Score ----------------------------------------------------------------------------------------


def test_scores_are_normalized_before_they_are_weighted() -> None:
    decision = decide(Scripted(), scoring=[Doubled(), Scripted("Flat", raw={"n1": 12, "n2": 10})])
    assert decision.totals == {"n1": 3 * (2 + 12), "n2": 3 * (4 + 10), "n3": 3 * 6}
    assert decision.best == ("n1", "n2")


def test_prescore_may_skip_or_fail() -> None:
    skipping = Scripted("Skips", before_score=Skip())
    scores = decide(Scripted(), scoring=[Doubled(), skipping]).scores
    assert scores is not None
    assert set(scores.weighted) == {"Doubled"}
    failing = Scripted("Fails", before_score=Reject(error("broken")))
    assert decide(Scripted(), scoring=[failing]).failure == error('running PreScore plugin "Fails": broken')


# --- How many, and the sentence -------------------------------------------------------------------


def test_the_sentence_sorts_reasons_as_text_and_ends_with_what_postfilter_said() -> None:
    two = unschedulable("too small", "too far")
    diagnosis = Diagnosis({"n1": two, "n2": unschedulable("too far")}, post_filter_message="no help.")
    assert fit_error_message(diagnosis, 2) == "0/2 nodes are available: 1 too small, 2 too far. no help."
    assert fit_error_message(Diagnosis(), 1) == "0/1 nodes are available:"
