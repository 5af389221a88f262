# SPDX-License-Identifier: Apache-2.0
"""Scripts: what a pod's annotation asks of the scripted plugins, and what of it an implementation can do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, define

from refsched.framework.status import Code
from refsched.records import BOUND, SCHEDULED, Attempt, Bind

Json = dict[str, Any]

SCRIPT = "refsched.dev/script"


def script_of(annotations: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """Returns the answers that the annotation asks of the scripted plugins: plugin → point → answer."""
    script: Mapping[str, Mapping[str, str]] = json.loads(annotations.get(SCRIPT, "{}"))
    return script


@define
class PoppedScripts:
    """PoppedScripts are the annotations of pods (``namespace/name``) as they were when the pods were popped: an
    update that comes later changes nothing of a cycle that has begun. ``now`` returns those that a pod has."""

    now: Callable[[str], Mapping[str, str]]
    _annotations: dict[str, Mapping[str, str]] = Factory(dict)

    def begin(self, pod: str) -> None:
        """Notes that the pod was popped, or is known to have been popped before."""
        self._annotations.setdefault(pod, self.now(pod))

    def attempt(self, attempt: Attempt) -> None:
        """Notes an attempt of the pod, whose cycle goes on only if it was scheduled."""
        if attempt.result == SCHEDULED:
            self.begin(attempt.pod)
        else:
            self.forget(attempt.pod)

    def forget(self, pod: str) -> None:
        """Notes that the pod was deleted, or that its cycle is over."""
        self._annotations.pop(pod, None)

    def took_the_binding(self, bind: Bind, *, refused: bool) -> bool:
        """Ends a cycle, and returns whether the API server has the pod on its node, even if the scheduler was
        informed that the binding failed. ``refused`` says that the API server refuses a binding of this pod."""
        popped = self._annotations.pop(bind.pod, self.now(bind.pod))
        if bind.result == BOUND:
            return True
        if refused:
            return False
        answer = script_of(popped).get("ScriptedBinder", {}).get("bind", "")
        return answer.endswith("ErrorAfterBound") and "ScriptedBinder.bind" in (bind.calls or ())


def without_script(pod: Json, *, keep: bool) -> Json:
    """Returns the pod without its script, or, with ``keep``, without the answers that hold it."""
    annotations = _annotations(pod)
    if SCRIPT not in annotations:
        return pod
    script = script_of(annotations) if keep else {}
    left = {name: value for name, value in annotations.items() if name != SCRIPT}
    if script:
        left[SCRIPT] = json.dumps({plugin: _without_holds(points) for plugin, points in script.items()})
    return _annotated(pod, left)


def rejected_instead(pod: Json, code: Code) -> Json:
    """Returns the pod with a script that rejects it as Unschedulable where it answers this code."""
    annotations = _annotations(pod)
    if SCRIPT not in annotations:
        return pod
    script = annotations[SCRIPT].replace(f'{code.value}"', f'{Code.UNSCHEDULABLE.value}"')
    return _annotated(pod, {**annotations, SCRIPT: script})


def _without_holds(points: Any) -> dict[str, str]:
    return {point: answer for point, answer in points.items() if not answer.startswith("Hold")}


def _annotated(pod: Json, annotations: Json) -> Json:
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}}


def _annotations(value: Json) -> Json:
    annotations: Json = (value.get("metadata") or {}).get("annotations") or {}
    return annotations
