# SPDX-License-Identifier: Apache-2.0
"""Scripted plugins: plugins that fail or wait as a pod's script says, for tests (docs/protocol.md, Scripted
plugins).

ScriptedA and ScriptedB are Reserve, Permit, PreBind and PostBind plugins, and ScriptedBinder is a Bind
plugin. The annotation ``refsched.dev/script`` of a pod says what they answer for it; where it says nothing,
they answer Success (the binder: Skip). They register for no cluster event, so any event may requeue a pod
that they rejected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import TypeVar

from attrs import evolve, frozen

from refsched.errors import InputError
from refsched.framework.interface import Api, Continue, Hold, Reject, Wait, WaitFor
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SKIP, SUCCESS, Code, Status
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.default_binder import binding

ANNOTATION = "refsched.dev/script"
REASON = "scripted"
MAX_PERMIT_WAIT = 900.0
"""Permit may wait for at most this many seconds (framework/runtime/framework.go, maxTimeout)."""

_ANSWERING = frozenset({"reserve", "permit", "preBind"})
_SCRIPTED_POINTS: Mapping[str, frozenset[str]] = {
    "ScriptedA": _ANSWERING,
    "ScriptedB": _ANSWERING,
    "ScriptedBinder": frozenset({"bind"}),
}


@frozen
class ScriptedAnswer:
    """A ScriptedAnswer is what a scripted plugin does when it is called.

    ``status`` is None if the script names no code. ``wait`` is how many seconds Permit waits at most.
    """

    status: Status | None = None
    hold: bool = False
    wait: float = MAX_PERMIT_WAIT
    after_bound: bool = False


SILENT = ScriptedAnswer()


@frozen
class Scripted:
    """A Scripted is ScriptedA or ScriptedB."""

    name: str
    POINTS = ("reserve", "permit", "preBind", "postBind")
    RECORDS_CALLS = True

    # --- Reserve ----------------------------------------------------------------------------------

    def reserve(
        self, state: object, pod: PodInfo, node: NodeInfo, objects: ObjectStore
    ) -> Continue[None] | Reject | Hold[Continue[None] | Reject]:
        answer = answer_of(pod.pod, self.name, "reserve")
        status = answer.status or SUCCESS
        return _held(answer, Continue(None) if status.is_success else Reject(status))

    def unreserve(self, state: object, pod: PodInfo, node: NodeInfo, api: Api) -> None:
        """Does nothing, since nothing was reserved."""

    # --- Permit -----------------------------------------------------------------------------------

    def permit(self, state: object, pod: PodInfo, node: NodeInfo) -> Status | Wait | Hold[Status | Wait]:
        answer = answer_of(pod.pod, self.name, "permit")
        status = answer.status or SUCCESS
        return _held(answer, Wait(answer.wait) if status.code is Code.WAIT else status)

    # --- PreBind and PostBind ---------------------------------------------------------------------

    def pre_bind(
        self, state: object, pod: PodInfo, node: NodeInfo, api: Api
    ) -> Status | WaitFor | Hold[Status | WaitFor]:
        answer = answer_of(pod.pod, self.name, "preBind")
        return _held(answer, answer.status or SUCCESS)

    def post_bind(self, state: object, pod: PodInfo, node: NodeInfo) -> None:
        """Does nothing: that it was called is recorded."""


@frozen
class ScriptedBinder:
    name = "ScriptedBinder"
    POINTS = ("bind",)
    RECORDS_CALLS = True

    # --- Bind -------------------------------------------------------------------------------------

    def bind(self, state: object, pod: PodInfo, node: NodeInfo, api: Api) -> Status | Hold[Status]:
        answer = answer_of(pod.pod, self.name, "bind")

        def bound() -> Status:
            status = answer.status or SKIP
            if not (status.is_success or answer.after_bound):
                return status
            sent = api.bind(binding(pod.pod, node.name))
            return status if sent.is_success else sent

        return Hold(bound) if answer.hold else bound()


Answer = TypeVar("Answer")


def _held(answer: ScriptedAnswer, answered: Answer) -> Answer | Hold[Answer]:
    return Hold(lambda: answered) if answer.hold else answered


def answer_of(pod: Pod, plugin: str, point: str) -> ScriptedAnswer:
    """Returns the answer of the pod's script to one call. The script was checked before (``check_script``)."""
    return _script(pod).get(plugin, {}).get(point, SILENT)


def check_script(pod: Pod) -> None:
    """Raises InputError if the pod's script says what no plugin can do."""
    _script(pod)


def _script(pod: Pod) -> Mapping[str, Mapping[str, ScriptedAnswer]]:
    text = pod.metadata.annotations.get(ANNOTATION)
    if text is None:
        return {}
    try:
        script = json.loads(text)
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", _FIELD) from None
    if not isinstance(script, dict) or not all(isinstance(points, dict) for points in script.values()):
        raise InputError("expected an object of plugin, point and answer", _FIELD)
    return {
        plugin: {point: _read(plugin, point, answer) for point, answer in points.items()}
        for plugin, points in script.items()
    }


_FIELD = f"metadata.annotations[{ANNOTATION}]"


def _read(plugin: str, point: str, text: object) -> ScriptedAnswer:
    where = f"{_FIELD}.{plugin}.{point}"
    if point not in _SCRIPTED_POINTS.get(plugin, frozenset()):
        raise InputError("there is no such plugin and point", where)
    if not isinstance(text, str):
        raise InputError(f"expected a string, found {text!r:.60}", where)
    answer = _answer(text, where)
    waits = answer.status is not None and answer.status.code is Code.WAIT
    if waits and point != "permit":
        raise InputError("only permit can answer Wait", where)
    if answer.after_bound and point != "bind":
        raise InputError("only bind can answer ErrorAfterBound", where)
    return answer


def _answer(text: str, where: str) -> ScriptedAnswer:
    """Reads an answer: CODE, Wait, Wait:SECONDS, ErrorAfterBound, Hold, or Hold: and one of the others."""
    name, _, rest = text.partition(":")
    if name == "Hold":
        return evolve(_answer(rest, where), hold=True) if rest else ScriptedAnswer(hold=True)
    if text == "ErrorAfterBound":
        return ScriptedAnswer(Status(Code.ERROR, (REASON,)), after_bound=True)
    if name == "Wait" and rest:
        return ScriptedAnswer(Status(Code.WAIT, (REASON,)), wait=_seconds(rest, text, where))
    try:
        code = Code(text)
    except ValueError:
        raise InputError(f"{text!r:.60} is no answer", where) from None
    return ScriptedAnswer(Status(code, () if code is Code.SUCCESS else (REASON,)))


def _seconds(rest: str, text: str, where: str) -> float:
    try:
        seconds = float(rest)
    except ValueError:
        seconds = -1.0
    if not isfinite(seconds) or seconds < 0:
        raise InputError(f"{text!r:.60} does not say how many seconds to wait", where)
    return min(seconds, MAX_PERMIT_WAIT)
