# SPDX-License-Identifier: Apache-2.0
"""Answers: what is read, and what is said of those that are not as the protocol has them."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.errors import InputError
from refsched.records import Attempt, Bind, Delete, NodeStatus, Queues, Reference
from refsched.suite.adapters.answers import CAPABILITIES, Answer, Held, Hello, read_answer, read_hello

HELLO: dict[str, Any] = {
    "name": "mine",
    "version": "0.1",
    "kubernetes": "1.34",
    "capabilities": ["filter", "queue"],
}
ATTEMPT: dict[str, Any] = {"attempt": {"pod": "default/a", "result": "scheduled", "node": "n"}}
BIND: dict[str, Any] = {"bind": {"pod": "default/a", "node": "n", "result": "bound"}}
QUEUES: dict[str, Any] = {"queues": {"active": ["default/a"], "backoff": [], "unschedulable": []}}
NODES: dict[str, Any] = {"nodes": {"n": {"pods": ["default/a"], "milliCPU": 1, "memory": 2}}}
POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


def _answer(value: object, verb: str = "schedule", body: object = None, claims: str = "") -> Answer:
    return read_answer({verb: {} if body is None else body}, value, claims.split())


def _problem(value: object, verb: str = "schedule", body: object = None, claims: str = "") -> str:
    with pytest.raises(InputError) as refused:
        _answer(value, verb, body, claims)
    return str(refused.value)


# --- Hello ----------------------------------------------------------------------------------------


def test_hello_reports_who_answers_and_what_it_claims() -> None:
    hello = read_hello(HELLO | {"protocol": 1, "more": True})
    assert hello == Hello("mine", "0.1", "1.34", frozenset({"filter", "queue"}))
    assert hello.claims("queue")
    assert not hello.claims("cache")
    assert hello.capabilities


def test_who_has_an_api_server_of_its_own_does_not_depend_on_what_it_is_given() -> None:
    claims = ["filter", "preemption", "volumes", "api"]
    assert read_hello(HELLO | {"inputs": ["create"], "capabilities": claims}).inputs == {"create"}


def test_who_claims_nothing_has_no_capability() -> None:
    assert not read_hello(HELLO | {"capabilities": []}).capabilities


def test_every_capability_may_be_claimed() -> None:
    assert read_hello(HELLO | {"capabilities": list(CAPABILITIES)}).capabilities == CAPABILITIES.keys()


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"name": None}, "name: is required and missing"),
        ({"version": 1}, "version: expected a string, found 1"),
        ({"capabilities": "filter"}, "capabilities: expected a list, found 'filter'"),
        ({"capabilities": ["filter", "magic"]}, "capabilities[1]: expected one of api, "),
        ({"capabilities": ["hold"]}, "capabilities: claims hold, and not scripted"),
        ({"kubernetes": "v1.34"}, "kubernetes: expected a minor version as \"1.37\", found 'v1.34'"),
        (
            {"inputs": ["create", "advance"]},
            "inputs[1]: expected one of create, delete, update; found 'advance'",
        ),
        ({"inputs": ["update"]}, "inputs: without create there is nothing to schedule"),
        (
            {"inputs": ["create", "update"], "capabilities": ["filter", "preemption"]},
            "inputs: preemption is claimed, and needs delete",
        ),
        (
            {"inputs": ["create", "delete"], "capabilities": ["filter", "devices"]},
            "inputs: devices is claimed, and needs update",
        ),
        ({"protocol": 2}, "protocol: the suite speaks protocol 1, not 2"),
        ({"error": "no"}, "hello must be answered, and not refused: 'no'"),
        ({"unsupported": "no"}, "hello must be answered, and not refused: 'no'"),
    ],
)
def test_a_hello_that_is_not_as_the_protocol_has_it_is_refused(changed: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as refused:
        read_hello(HELLO | changed)
    assert str(refused.value).startswith(problem)


def test_a_hello_that_is_no_object_is_refused() -> None:
    with pytest.raises(InputError, match="expected a JSON object, found 'hello'"):
        read_hello("hello")


# --- Answers --------------------------------------------------------------------------------------


def test_an_attempt_is_read_with_what_followed() -> None:
    answer = _answer({"records": [ATTEMPT, BIND], "more": 1})
    assert answer.records == (
        Attempt("default/a", "scheduled", "n"),
        Bind("default/a", "n", "bound"),
    )
    assert answer.attempt == answer.records[0]
    assert answer.of(Bind) == answer.records[1:]


def test_outcomes_are_distinguished() -> None:
    assert _answer({"idle": True, "records": []}) == Answer(idle=True)
    assert _answer({"unsupported": "why"}) == Answer(unsupported="why")
    assert _answer({"error": "what", "idle": False, "held": None}) == Answer(error="what")
    held = {"records": [], "held": {"pod": "default/a", "point": "permit"}}
    assert _answer(held, claims="hold") == Answer(held=Held("default/a", "permit"))
    assert _answer({}, "reset") == Answer()
    assert _answer({"records": []}, "create", POD).attempt is None


def test_records_come_with_a_pod_that_is_held() -> None:
    held = {"pod": "default/a", "point": "preBind", "plugin": "ScriptedA"}
    answer = _answer({"records": [ATTEMPT], "held": held}, claims="hold")
    assert answer.attempt is not None
    assert answer.held == Held("default/a", "preBind", "ScriptedA")


def test_observations_are_read() -> None:
    answer = _answer({"records": [QUEUES, NODES]}, "observe", claims="queue cache")
    assert answer.of(Queues) == (Queues(("default/a",), (), ()),)


def test_who_plays_the_api_server_reports_what_it_did() -> None:
    deletion = {"delete": {"apiVersion": "v1", "kind": "Pod", "name": "a", "namespace": "default"}}
    answer = _answer({"records": [ATTEMPT, deletion, {"update": POD}, {"create": POD}]}, claims="api")
    assert answer.of(Delete) == (Delete(Reference("Pod", "a", "v1", "default")),)
    assert _problem({"records": [deletion]}) == (
        "records[0].delete: is the driver's to say, unless api is claimed"
    )


def test_filter_and_writes_are_read() -> None:
    filtered = {"attempt": ATTEMPT["attempt"] | {"filter": {"n": {"code": "Success"}}}}
    write = {"write": {"verb": "update", "object": POD}}
    answer = _answer({"records": [filtered, write]})
    assert answer.attempt is not None
    assert answer.attempt.filter == {"n": NodeStatus("Success")}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "expected a JSON object, found []"),
        ({}, "records: is required and missing"),
        ({"records": {}}, "records: expected a list, found {}"),
        ({"records": [1]}, "records[0]: expected a JSON object, found 1"),
        ({"records": [{"attempts": {}}]}, "records[0]: expected exactly one of advance, "),
        ({"records": [ATTEMPT | BIND]}, "records[0]: expected exactly one of advance, "),
        ({"records": [{"attempt": {"pod": "a/b"}}]}, "records[0].attempt.result: is required and missing"),
        (
            {"records": [ATTEMPT, {"bind": BIND["bind"] | {"node": 1}}]},
            "records[1].bind.node: expected a string",
        ),
        ({"records": [QUEUES]}, "records[0].queues: does not answer schedule"),
        ({"records": [{"advance": 1}]}, "records[0].advance: does not answer schedule"),
        ({"idle": "yes"}, "idle: expected true or false, found 'yes'"),
        ({"held": {"point": "permit"}}, "held.pod: is required and missing"),
        ({"held": {"pod": "a", "point": "permit"}}, "held.pod: expected namespace/name, found 'a'"),
        ({"error": ""}, "error: must say what"),
        ({"unsupported": ""}, "unsupported: must say what"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_refused_with_the_member(value: object, problem: str) -> None:
    assert _problem(value).startswith(problem)


@pytest.mark.parametrize(
    ("member", "changed", "problem"),
    [
        ("attempt", {"pod": "a"}, "pod: expected namespace/name, found 'a'"),
        (
            "attempt",
            {"result": "bound"},
            "result: expected one of error, scheduled, unschedulable; found 'bound'",
        ),
        ("attempt", {"preFilter": {"code": "No"}}, "preFilter.code: expected one of Error, "),
        ("attempt", {"filter": {"n": {"code": "ok"}}}, "filter.n.code: expected one of Error, "),
        ("attempt", {"scores": {"n": {"Fit": 1.5}}}, "scores.n.Fit: expected an integer, found 1.5"),
        ("attempt", {"victims": ["b/b", "a/a"]}, "victims: expected a sorted list"),
        ("bind", {"pod": "/a"}, "pod: expected namespace/name"),
        ("bind", {"result": "scheduled"}, "result: expected one of bound, error, unschedulable;"),
        ("write", {"verb": "patch", "object": POD}, "verb: expected one of create, delete, update;"),
        ("write", {"verb": "update", "object": {}}, "object.apiVersion: expected a string, found None"),
        ("create", POD | {"metadata": None}, "metadata.name: is required and missing"),
        ("update", POD | {"metadata": {"name": 1}}, "metadata.name: is required and missing"),
    ],
)
def test_a_word_that_is_none_of_the_protocols_is_refused(
    member: str, changed: dict[str, Any], problem: str
) -> None:
    base = (ATTEMPT | BIND).get(member, {})
    value = {"records": [{member: base | changed}]}
    assert _problem(value, claims="api").startswith(f"records[0].{member}.{problem}")


def test_observed_pods_are_named_in_full_and_in_order() -> None:
    unsorted = {"queues": QUEUES["queues"] | {"backoff": ["b/b", "a/a"]}}
    unnamed = {"nodes": {"n": {"pods": ["a/a", "b"], "milliCPU": 1, "memory": 2}}}
    assert _problem({"records": [unsorted]}, "observe") == "records[0].queues.backoff: expected a sorted list"
    assert _problem({"records": [unnamed]}, "observe") == (
        "records[0].nodes.n.pods[1]: expected namespace/name, found 'b'"
    )


# --- Contradictions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"records": [ATTEMPT], "idle": True}, "expected one member, found records and idle"),
        ({"records": [ATTEMPT], "error": "x"}, "expected one member, found records and error"),
        ({"error": "x", "unsupported": "y"}, "expected one member, found unsupported and error"),
        (
            {"idle": True, "held": {"pod": "a/b", "point": "permit"}},
            "expected one member, found idle and held",
        ),
        ({"records": [ATTEMPT, ATTEMPT]}, "records: an answer has one attempt at most, this has 2"),
        ({"records": [BIND]}, "records: a pod was neither attempted nor held, and yet it is not idle"),
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(value: object, problem: str) -> None:
    assert _problem(value) == problem


def test_who_was_asked_for_one_pod_does_not_schedule_another() -> None:
    assert _answer({"records": [ATTEMPT]}, body={"pod": "default/a"}).attempt is not None
    assert _problem({"records": [ATTEMPT]}, body={"pod": "default/b"}) == (
        "records: default/b was to be scheduled, not default/a"
    )


def test_only_schedule_is_idle() -> None:
    assert (
        _problem({"idle": True}, "create", POD) == "idle: only schedule may be answered with idle, not create"
    )


def test_a_reset_has_no_records_and_observe_no_attempt() -> None:
    assert _problem({"records": [ATTEMPT]}, "reset") == "records[0].attempt: does not answer reset"
    assert _problem({"records": [ATTEMPT]}, "observe") == "records[0].attempt: does not answer observe"


def test_what_is_claimed_must_be_observed() -> None:
    assert _problem({"records": [QUEUES]}, "observe", claims="queue cache") == (
        "records: cache is claimed, and there is no nodes"
    )
    assert _problem({"records": [QUEUES, QUEUES]}, "observe") == (
        "records: an answer has one queues at most, this has 2"
    )
    assert _answer({"unsupported": "not now"}, "observe", claims="queue").unsupported == "not now"


def test_a_hello_says_what_is_not_shown_and_which_configuration_decides() -> None:
    hello = {"name": "n", "version": "", "kubernetes": "1.34", "capabilities": ["score"]}
    assert read_hello(hello | {"notShown": ["scores"]}).not_shown == {"scores"}
    with pytest.raises(InputError, match=r"notShown\[0\]: expected one of filter, scores; found 'victims'"):
        read_hello(hello | {"notShown": ["victims"]})
    assert not read_hello(hello).has_default_config
    assert read_hello(hello | {"hasDefaultConfig": True}).has_default_config
