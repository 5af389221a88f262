# SPDX-License-Identifier: Apache-2.0
"""What an extender is asked, and what its answers mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from refsched.config.types import Extender as ExtenderConfig
from refsched.extenders.extender import Extender, Filtered
from refsched.extenders.failures import Failure
from refsched.framework.node_info import ImageState, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, error
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.preemption.candidate import Candidate
from tests.snapshots import snapshot_of

URL = "http://extender:80/prefix/"
VERBS = ExtenderConfig(URL, "filter", "preempt", "prioritize", 3, "bind")
BY_NAME = ExtenderConfig(URL, "filter", "preempt", "prioritize", 3, "bind", node_cache_capable=True)


class Script:
    """Answers what it is told, and remembers what it was asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, verb: str, request: dict[str, Any]) -> object:
        self.asked.append((verb, request))
        return self.answer


def pod(name: str = "p", **spec: Any) -> PodInfo:
    value = {"metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"}, "spec": spec}
    return PodInfo(read_as(Pod, value))


def node(name: str, *pods: PodInfo) -> NodeInfo:
    value = {"metadata": {"name": name}, "status": {"allocatable": {"cpu": "4"}}}
    info = NodeInfo(read_as(Node, value), image_states={"i": ImageState(1, 1)})
    for held in pods:
        info = info.with_pod(held)
    return info


def filtered(answer: object, config: ExtenderConfig = BY_NAME) -> Filtered | Status:
    return Extender(config, Script(answer)).filter(pod(), [node("n1"), node("n2")])


def names(answer: Filtered | Status) -> list[str]:
    assert isinstance(answer, Filtered)
    return [left.name for left in answer.nodes]


# --- Filter ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [None, {}, {"NodeNames": None}, {"NodeNames": []}])
def test_an_answer_that_names_no_node_leaves_none(answer: object) -> None:
    assert names(filtered(answer)) == []


def test_a_name_that_was_not_given_fails_the_call() -> None:
    claims = f'extender "{URL}" claims a filtered node "n3" which is not found in the input node list'

    assert filtered({"NodeNames": ["n3"]}) == error(claims)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"Error": "no", "NodeNames": ["n1"]}, "no"),
        (Failure("EOF"), "EOF"),
    ],
)
def test_an_error_is_reported_in_its_own_words(answer: object, message: str) -> None:
    assert filtered(answer) == error(message)


@pytest.mark.parametrize("answer", [[], "n1", {"NodeNames": "n1"}, {"NodeNames": [1]}, {"Nodes": []}])
def test_an_answer_that_cannot_be_read_fails_the_call(answer: object) -> None:
    failed = filtered(answer)

    assert isinstance(failed, Status)
    assert failed.message.startswith("json: cannot unmarshal the answer to filter: ")


# --- Prioritize -----------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [{}, [{"Host": "n1", "Score": 1.0}], [{"Host": "n1", "Score": 2**63}]])
def test_scores_that_cannot_be_read_are_none(answer: object) -> None:
    assert isinstance(Extender(VERBS, Script(answer)).prioritize(pod(), [node("n1")]), Status)


# --- Preempt --------------------------------------------------------------------------------------

VICTIM, OTHER = pod("victim"), pod("other")
SNAPSHOT: Snapshot = snapshot_of(node("n1", VICTIM, OTHER))
CANDIDATES = {"n1": Candidate("n1", (VICTIM,), 1)}


def preempted(answer: object) -> Mapping[str, Candidate] | Status:
    return Extender(VERBS, Script(answer)).process_preemption(pod(), CANDIDATES, SNAPSHOT)


@pytest.mark.parametrize("victims", [None, {}, {"Pods": None}])
def test_a_node_may_come_back_without_victims(victims: object) -> None:
    assert preempted({"NodeNameToMetaVictims": {"n1": victims}}) == {"n1": Candidate("n1", ())}


def test_a_node_or_a_pod_that_is_not_there_fails_the_call() -> None:
    unknown = f"extender: {URL} claims to preempt pod (UID: &{{uid-x}}) on node: n1, but the pod is not found"

    assert preempted({"NodeNameToMetaVictims": {"n2": {}}}) == error('nodeinfo not found for node name "n2"')
    assert preempted({"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "uid-x"}]}}}) == error(
        f"{unknown} on that node"
    )
    assert preempted(Failure("gone")) == error("gone")
