# SPDX-License-Identifier: Apache-2.0
"""Scripted plugins: what a script may say, and what is wrong with one that no plugin can follow."""

from __future__ import annotations

import json

import pytest

from refsched.errors import InputError
from refsched.framework.status import SUCCESS, Code, Status
from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod
from refsched.plugins.scripted import ANNOTATION, SILENT, ScriptedAnswer, answer_of, check_script


def pod(script: object) -> Pod:
    text = script if isinstance(script, str) else json.dumps(script)
    return Pod(ObjectMeta(name="p", annotations={ANNOTATION: text}))


def answer(plugin: str, point: str, text: str) -> ScriptedAnswer:
    return answer_of(pod({plugin: {point: text}}), plugin, point)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Success", ScriptedAnswer(SUCCESS)),
        ("Unschedulable", ScriptedAnswer(Status(Code.UNSCHEDULABLE, ("scripted",)))),
        ("Wait", ScriptedAnswer(Status(Code.WAIT, ("scripted",)), wait=900)),
        ("Wait:30", ScriptedAnswer(Status(Code.WAIT, ("scripted",)), wait=30)),
        ("Wait:0.5", ScriptedAnswer(Status(Code.WAIT, ("scripted",)), wait=0.5)),
        ("Wait:1000", ScriptedAnswer(Status(Code.WAIT, ("scripted",)), wait=900)),
        ("Hold", ScriptedAnswer(hold=True)),
        ("Hold:Error", ScriptedAnswer(Status(Code.ERROR, ("scripted",)), hold=True)),
        ("Hold:Wait:5", ScriptedAnswer(Status(Code.WAIT, ("scripted",)), hold=True, wait=5)),
    ],
)
def test_what_permit_can_be_scripted_to_do(text: str, expected: ScriptedAnswer) -> None:
    assert answer("ScriptedA", "permit", text) == expected


def test_what_a_binder_can_be_scripted_to_do() -> None:
    failed = Status(Code.ERROR, ("scripted",))
    assert answer("ScriptedBinder", "bind", "ErrorAfterBound") == ScriptedAnswer(failed, after_bound=True)
    held = answer("ScriptedBinder", "bind", "Hold:ErrorAfterBound")
    assert held == ScriptedAnswer(failed, hold=True, after_bound=True)


def test_what_is_not_in_the_script_is_silent() -> None:
    quiet = Pod(ObjectMeta(name="p"))
    assert answer_of(quiet, "ScriptedA", "reserve") == SILENT
    assert answer_of(pod({"ScriptedB": {}}), "ScriptedB", "reserve") == SILENT
    assert answer("ScriptedBinder", "bind", "Success").status == SUCCESS
    check_script(quiet)


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("{", "is not JSON"),
        ("[]", "expected an object of plugin, point and answer"),
        ({"ScriptedA": "Error"}, "expected an object of plugin, point and answer"),
        ({"ScriptedA": {"bind": "Error"}}, "ScriptedA.bind: there is no such plugin and point"),
        ({"ScriptedBinder": {"reserve": "Error"}}, "ScriptedBinder.reserve: there is no such plugin"),
        ({"Other": {"reserve": "Error"}}, "Other.reserve: there is no such plugin and point"),
        ({"ScriptedA": {"reserve": 1}}, "ScriptedA.reserve: expected a string, found 1"),
        ({"ScriptedA": {"reserve": "Maybe"}}, "'Maybe' is no answer"),
        ({"ScriptedA": {"reserve": "Error:5"}}, "'Error:5' is no answer"),
        ({"ScriptedA": {"reserve": "Wait"}}, "only permit can answer Wait"),
        ({"ScriptedA": {"reserve": "Hold:Wait:5"}}, "only permit can answer Wait"),
        ({"ScriptedA": {"preBind": "ErrorAfterBound"}}, "only bind can answer ErrorAfterBound"),
        ({"ScriptedA": {"permit": "Wait:soon"}}, "'Wait:soon' does not say how many seconds to wait"),
        ({"ScriptedA": {"permit": "Wait:-1"}}, "does not say how many seconds to wait"),
        ({"ScriptedA": {"permit": "Wait:inf"}}, "does not say how many seconds to wait"),
        ({"ScriptedA": {"permit": "Wait:nan"}}, "does not say how many seconds to wait"),
    ],
)
def test_a_script_that_no_plugin_can_follow_says_where(script: object, problem: str) -> None:
    with pytest.raises(InputError) as error:
        check_script(pod(script))
    assert problem in str(error.value)
    assert str(error.value).startswith("metadata.annotations[refsched.dev/script]")
