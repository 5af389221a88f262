# SPDX-License-Identifier: Apache-2.0
"""What an extender is asked, and what its answers mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from refsched.config.types import Extender as ExtenderConfig
from refsched.config.types import ExtenderManagedResource
from refsched.extenders.extender import Extender, Failure, Filtered
from refsched.framework.node_info import ImageState, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, error, unresolvable, unschedulable
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


# --- Who is asked ---------------------------------------------------------------------------------


def test_an_extender_without_managed_resources_is_interested_in_every_pod() -> None:
    assert Extender(VERBS, Script(None)).is_interested(pod())


@pytest.mark.parametrize("place", ["requests", "limits"])
@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_an_extender_is_interested_in_containers_that_use_what_it_manages(kind: str, place: str) -> None:
    managing = ExtenderConfig(managed_resources=(ExtenderManagedResource("a.b/gpu"),))
    extender = Extender(managing, Script(None))

    assert extender.is_interested(pod(**{kind: [{"resources": {place: {"a.b/gpu": 1}}}]}))
    assert not extender.is_interested(pod(**{kind: [{"resources": {place: {"cpu": 1}}}]}))
    assert not extender.is_interested(pod(overhead={"a.b/gpu": 1}))


def test_a_verb_left_empty_is_a_call_that_is_not_made() -> None:
    mute = Extender(ExtenderConfig(URL), Script(None))

    assert mute.name == URL
    assert not any((mute.is_filter, mute.is_prioritizer, mute.is_binder, mute.supports_preemption))
    assert names(mute.filter(pod(), [node("n1")])) == ["n1"]
    assert mute.prioritize(pod(), [node("n1")]) == {"n1": 0}
    asking = Extender(VERBS, Script(None))
    assert all((asking.is_filter, asking.is_prioritizer, asking.is_binder, asking.supports_preemption))
    assert not asking.is_ignorable


# --- Filter ---------------------------------------------------------------------------------------


def test_nodes_go_out_whole_or_by_name() -> None:
    for config, nodes in (
        (BY_NAME, (None, ["n1"])),
        (VERBS, ({"metadata": {}, "items": [_written("n1")]}, None)),
    ):
        script = Script({})
        Extender(config, script).filter(pod(), [node("n1")])
        ((verb, request),) = script.asked
        assert verb == "filter"
        assert (request["Nodes"], request["NodeNames"]) == nodes
        assert request["Pod"]["metadata"] == {"name": "p", "namespace": "default", "uid": "uid-p"}
        assert request["Pod"]["spec"]["schedulerName"] == "default-scheduler"
        assert request["Pod"]["status"] == {"phase": "Pending"}


def _written(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {}, "status": {"allocatable": {"cpu": "4"}}}


def test_what_is_named_is_left_in_the_order_of_the_answer() -> None:
    assert names(filtered({"NodeNames": ["n2", "n1"]})) == ["n2", "n1"]
    assert names(filtered({"nodenames": ["n2"], "Other": 1})) == ["n2"]


@pytest.mark.parametrize("answer", [None, {}, {"NodeNames": None}, {"NodeNames": []}])
def test_an_answer_that_names_no_node_leaves_none(answer: object) -> None:
    assert names(filtered(answer)) == []


def test_names_count_only_where_names_were_asked_for() -> None:
    assert names(filtered({"NodeNames": ["n1"]}, VERBS)) == []
    assert names(filtered({"Nodes": {"items": [_written("n1")]}}, BY_NAME)) == ["n1"]


def test_a_name_that_was_not_given_fails_the_call() -> None:
    claims = f'extender "{URL}" claims a filtered node "n3" which is not found in the input node list'

    assert filtered({"NodeNames": ["n3"]}) == error(claims)


def test_a_node_that_is_sent_back_has_neither_pods_nor_images() -> None:
    extender = Extender(VERBS, Script({"Nodes": {"items": [_written("n1")]}}))

    answer = extender.filter(pod(), [node("n1", pod("other"))])

    assert isinstance(answer, Filtered)
    (bare,) = answer.nodes
    assert bare.allocatable.milli_cpu == 4000
    assert bare.pods == ()
    assert bare.image_states == {}


def test_a_refusal_for_good_goes_before_a_plain_one() -> None:
    answer = filtered(
        {"FailedNodes": {"n1": "busy", "n2": "busy"}, "FailedAndUnresolvableNodes": {"n1": "broken"}}
    )

    assert isinstance(answer, Filtered)
    assert answer.rejected == {"n1": unresolvable("broken"), "n2": unschedulable("busy")}


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


def test_a_score_counts_ten_times_its_weight() -> None:
    script = Script([{"Host": "n1", "Score": 4}, {"host": "n1", "score": 1}, {"Host": "n2"}, {"Score": 7}])

    assert Extender(BY_NAME, script).prioritize(pod(), [node("n1")]) == {"n1": 150, "n2": 0, "": 210}
    assert [verb for verb, _ in script.asked] == ["prioritize"]


@pytest.mark.parametrize("answer", [{}, [{"Host": "n1", "Score": 1.0}], [{"Host": "n1", "Score": 2**63}]])
def test_scores_that_cannot_be_read_are_none(answer: object) -> None:
    assert isinstance(Extender(VERBS, Script(answer)).prioritize(pod(), [node("n1")]), Status)


def test_null_is_a_list_without_scores() -> None:
    assert Extender(VERBS, Script(None)).prioritize(pod(), [node("n1")]) == {}


# --- Preempt --------------------------------------------------------------------------------------

VICTIM, OTHER = pod("victim"), pod("other")
SNAPSHOT: Snapshot = snapshot_of(node("n1", VICTIM, OTHER))
CANDIDATES = {"n1": Candidate("n1", (VICTIM,), 1)}


def preempted(answer: object) -> Mapping[str, Candidate] | Status:
    return Extender(VERBS, Script(answer)).process_preemption(pod(), CANDIDATES, SNAPSHOT)


def test_victims_go_out_whole_or_by_uid() -> None:
    for config in (VERBS, BY_NAME):
        script = Script({})
        Extender(config, script).process_preemption(pod(), CANDIDATES, SNAPSHOT)
        ((verb, request),) = script.asked
        assert verb == "preempt"
        whole, meta = request["NodeNameToVictims"], request["NodeNameToMetaVictims"]
        if config is BY_NAME:
            assert whole is None
            assert meta == {"n1": {"Pods": [{"UID": "uid-victim"}], "NumPDBViolations": 1}}
        else:
            assert meta is None
            assert [victim["metadata"]["name"] for victim in whole["n1"]["Pods"]] == ["victim"]
            assert whole["n1"]["NumPDBViolations"] == 1


def test_other_victims_may_come_back_than_were_sent() -> None:
    answer = {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "uid-other"}], "NumPDBViolations": 2}}}

    assert preempted(answer) == {"n1": Candidate("n1", (OTHER,), 2)}


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


# --- Bind -----------------------------------------------------------------------------------------


def test_a_binding_names_the_pod_and_the_node() -> None:
    script = Script({"Error": ""})

    assert Extender(VERBS, script).bind(pod(), "n1") is None
    request = {"PodName": "p", "PodNamespace": "default", "PodUID": "uid-p", "Node": "n1"}
    assert script.asked == [("bind", request)]


def test_a_binding_that_is_refused_says_why() -> None:
    assert Extender(VERBS, Script({"Error": "full"})).bind(pod(), "n1") == error("full")
    assert Extender(VERBS, Script(Failure("gone"))).bind(pod(), "n1") == error("gone")
