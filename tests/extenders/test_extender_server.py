# SPDX-License-Identifier: Apache-2.0
"""The extender that histories are played with."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from refsched.suite.histories import extender_server
from refsched.suite.histories.extender_server import ANNOTATION, ScriptedAnswers, ScriptedFailureError


def pod(**scripts: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "p", "namespace": "default", "annotations": {ANNOTATION: json.dumps(scripts)}}
    }


def test_a_pod_without_the_annotation_gets_no_scripted_answer() -> None:
    bare = {"Pod": {"metadata": {"name": "p"}}, "NodeNames": ["n"], "Nodes": None}

    answer = ScriptedAnswers().answer("/a/filter", bare)

    assert answer == {"FailedNodes": {}, "FailedAndUnresolvableNodes": {}, "Error": "", "NodeNames": ["n"]}


def test_an_answer_that_stands_in_the_pod_is_given_as_it_is() -> None:
    request = {"Pod": pod(a={"filter": {"answer": ["n"]}}), "NodeNames": ["n"], "Nodes": None}

    assert ScriptedAnswers().answer("/a/filter", request) == ["n"]


def test_victims_that_are_sent_whole_come_back_by_uid() -> None:
    victims = {"Pods": [{"metadata": {"uid": "u"}}, {"metadata": {"uid": "v"}}], "NumPDBViolations": 1}
    request = {"Pod": pod(a={"preempt": {"n": 1}}), "NodeNameToVictims": {"n": victims}}

    answer = ScriptedAnswers().answer("/a/preempt", request)

    assert answer == {"NodeNameToMetaVictims": {"n": {"Pods": [{"UID": "u"}], "NumPDBViolations": 1}}}


def test_the_script_of_a_binding_is_that_of_the_call_before() -> None:
    answers = ScriptedAnswers()
    binding = {"PodName": "p", "PodNamespace": "default", "PodUID": "u", "Node": "n"}

    assert answers.answer("/a/bind", binding) == {"Error": ""}
    answers.answer("/b/filter", {"Pod": pod(a={"bind": "Error"}), "NodeNames": []})
    assert answers.answer("/a/bind", binding) == {"Error": "told to fail"}
    answers.answer("/b/filter", {"Pod": pod(a={"bind": "Fail"}), "NodeNames": []})
    with pytest.raises(ScriptedFailureError):
        answers.answer("/a/bind", binding)


@pytest.mark.parametrize(
    ("path", "request_body"), [("/a/", {"Pod": pod()}), ("/a/filter", {"Pod": pod()}), ("/a/filter", [])]
)
def test_a_call_that_no_extender_understands_is_refused_and_reported(path: str, request_body: Any) -> None:
    calls: list[dict[str, Any]] = []

    with extender_server.serving(heard=calls.append) as url, pytest.raises(HTTPError) as refused:
        urlopen(Request(url + path, json.dumps(request_body).encode(), method="POST"))

    refused.value.close()
    assert refused.value.code == 400
    assert [call["status"] for call in calls] == [400]


def test_it_is_served_at_the_port_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Served(extender_server._Server):
        def serve_forever(self, poll_interval: float = 0.5) -> None:
            served.append(self.server_address[1])

    served: list[int] = []
    monkeypatch.setattr(extender_server, "_Server", Served)
    monkeypatch.setattr("sys.argv", ["extender_server", "--port", "0"])

    extender_server.main()

    assert len(served) == 1
