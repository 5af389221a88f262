# SPDX-License-Identifier: Apache-2.0
"""Extenders are sent objects whole, though the machine keeps only what it reads of them."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from world import configuration, node_object, pod_object

from refsched.checking.checker import Checker
from refsched.config.types import Extender as ExtenderConfig
from refsched.extenders.extender import Ask
from refsched.extenders.wire import extender_args, preemption_args
from refsched.framework.node_info import PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.policy import PodDisruptionBudget
from refsched.objects.reading import read_as
from refsched.preemption.candidate import Candidate
from refsched.processes.http import unread as module
from refsched.processes.http.unread import Unread
from refsched.records import Attempt, Create
from refsched.reference import create

SHOWN_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default", "uid": "u", "generation": 3},
    "spec": {
        "serviceAccountName": "robot",
        "dnsPolicy": None,
        "containers": [{"name": "c", "env": [{"name": "A", "value": "b"}], "command": ["run"]}],
    },
}
SHOWN_NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"nodeInfo": {"architecture": "arm64"}, "allocatable": {"cpu": "1000m"}},
}


def noted(pod: Any = SHOWN_POD) -> tuple[Unread, Pod, Node]:
    unread, read, node = Unread(), read_as(Pod, pod), read_as(Node, SHOWN_NODE)
    unread.note(pod, read)
    unread.note(SHOWN_NODE, node)
    return unread, read, node


def test_what_was_not_read_is_sent_all_the_same() -> None:
    unread, pod, node = noted()

    request = unread.whole(extender_args(pod, [node], by_name=False))

    assert request["Pod"]["metadata"] == SHOWN_POD["metadata"]
    spec = request["Pod"]["spec"]
    assert spec["serviceAccountName"] == "robot"
    assert "dnsPolicy" not in spec
    assert spec["containers"] == SHOWN_POD["spec"]["containers"]  # type: ignore[index]
    assert request["Nodes"]["items"][0]["status"] == {
        "nodeInfo": {"architecture": "arm64"},
        "allocatable": {"cpu": "1"},
    }


def test_victims_are_sent_whole_too() -> None:
    unread, pod, _ = noted()
    args = preemption_args(pod, {"n": Candidate("n", (PodInfo(pod),))}, by_uid=False)

    [victim] = unread.whole(args)["NodeNameToVictims"]["n"]["Pods"]

    assert victim["spec"]["serviceAccountName"] == "robot"


def test_a_request_without_objects_is_sent_as_it_is() -> None:
    binding = {"PodName": "p", "Node": "n"}

    assert Unread().whole(binding) == binding


def test_what_was_read_is_sent_as_it_is_now() -> None:
    nominated = SHOWN_POD | {"status": {"nominatedNodeName": "n1", "qosClass": "Burstable"}}
    unread, pod, _ = noted(nominated)
    status = evolve(pod.status, nominated_node_name="")

    request = unread.whole(extender_args(evolve(pod, status=status), [], by_name=True))

    assert request["Pod"]["status"] == {"phase": "Pending", "qosClass": "Burstable"}


def test_a_list_that_has_grown_is_as_it_was_written() -> None:
    unread, pod, _ = noted()
    two = {"metadata": SHOWN_POD["metadata"], "spec": {"containers": [{"name": "c"}, {"name": "d"}]}}

    request = unread.whole(extender_args(read_as(Pod, two), [], by_name=True))

    assert request["Pod"]["spec"]["containers"] == [{"name": "c"}, {"name": "d"}]
    assert len(pod.spec.containers) == 1


def test_other_kinds_are_not_sent_and_not_kept() -> None:
    unread = Unread()
    unread.note({"kind": "PodDisruptionBudget"}, PodDisruptionBudget())

    assert unread._rest == {}


def asked_over(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What goes out, in place of HTTP."""
    asked: list[dict[str, Any]] = []

    def reach(config: ExtenderConfig) -> Ask:
        def ask(verb: str, request: dict[str, Any]) -> object:
            asked.append(request)
            return {"NodeNames": request["NodeNames"]}

        return ask

    monkeypatch.setattr(module, "over_http", reach)
    return asked


CONFIG = configuration(
    extenders=[{"urlPrefix": "http://e", "filterVerb": "filter", "nodeCacheCapable": True}]
)


def test_the_reference_and_the_checker_send_pods_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_over(monkeypatch)
    pod = pod_object("p", serviceAccountName="robot")
    reference = create(CONFIG)
    reference.create(node_object("n"))
    reference.create(pod)
    reference.schedule()
    checker = Checker(CONFIG)
    checker.take(Create(node_object("n")))
    checker.take(Create(pod))
    assert checker.take(Attempt("default/p", "scheduled", node="n")) == []

    assert [request["Pod"]["spec"]["serviceAccountName"] for request in asked] == ["robot", "robot"]
