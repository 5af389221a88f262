# SPDX-License-Identifier: Apache-2.0
"""Questions at the end of a history: what they ask for, and what they show that was left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import strategies as st

from conformance.strategies.questions import QUESTIONS, RARELY, _End, questioned
from conformance.vocabulary.objects import container, cpu, named, node, pod, with_spec
from conformance.vocabulary.places import there_after
from refsched.framework.node_info import NodeInfo
from refsched.records import Attempt, Create, Delete
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import Advance, History, Schedule, creating
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.trial import try_history
from refsched.suite.session.drawing import collected, load_profile

NODE = named(node(), "n1")
PORT = container("p", ports=[{"containerPort": 80, "hostPort": 80}])
POD = with_spec(named(pod("", cpu("2")), "p1"), containers=[PORT])
HISTORY = History((*creating(NODE, POD), Schedule()))


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    with connect("refsched.reference", in_process=True) as adapter:
        yield adapter


def asked(number: int) -> History:
    """Returns the history with one of the questions."""
    end = _End(there_after(HISTORY.steps), 0)
    return History((*HISTORY.steps, *QUESTIONS[number](end)))


def last(transcript: Judgement) -> Attempt:
    return [seen.record for seen in transcript.seen if isinstance(seen.record, Attempt)][-1]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_each_question_is_answered_by_the_specification_as_allowed(adapter: Adapter, number: int) -> None:
    came = try_history(adapter, asked(number))
    assert (came.ended, came.findings) == ("", [])
    assert last(came).result == "scheduled"


def test_who_asks_for_a_whole_node_asks_for_all_of_it_and_for_the_ports_of_another_pod() -> None:
    whole = [step.object for step in asked(1).steps if isinstance(step, Create)][-1]
    first = whole["spec"]["containers"][0]
    assert first["resources"]["requests"] == {
        name: amount for name, amount in NODE["status"]["allocatable"].items() if name != "pods"
    }
    assert first["ports"] == PORT["ports"]


def test_what_a_node_does_not_give_back_is_shown(adapter: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    without_pod = NodeInfo.without_pod

    def keeping_ports(info: NodeInfo, uid: str, shown: object = None) -> NodeInfo:
        left = without_pod(info, uid)
        return left._counting(info.pods[0], 0, left.pods, info.host_ports)

    monkeypatch.setattr(NodeInfo, "without_pod", keeping_ports)
    results = [last(try_history(adapter, asked(number), with_specification=False)) for number in (0, 1, 3)]
    assert {each.result for each in results} == {"unschedulable"}


def test_one_history_in_three_goes_on_and_none_without_pods_and_nodes() -> None:
    load_profile()
    many = st.integers(0, 10**9).map(lambda n: History((*HISTORY.steps, Advance(n))))
    drawn = collected(questioned(many), examples=60, seed="0", name="questions")
    longer = [history for history in drawn if len(history.steps) > len(HISTORY.steps) + 1]
    assert all(history.steps[: len(HISTORY.steps)] == HISTORY.steps for history in longer)
    assert len(drawn) / (2 * RARELY) < len(longer) < 2 * len(drawn) / RARELY
    assert any(isinstance(step, Delete) for history in longer for step in history.steps)
    alone = History(tuple(creating(NODE)))
    unasked = collected(questioned(st.just(alone)), examples=9, seed="0", name="alone")
    assert all(history.steps == alone.steps for history in unasked)
