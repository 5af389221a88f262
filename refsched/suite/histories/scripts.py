# SPDX-License-Identifier: Apache-2.0
"""Scripts: what is left of a pod's script where an implementation, or its release, cannot do all that it says."""

from __future__ import annotations

import json
from typing import Any

from refsched.framework.status import Code
from refsched.suite.histories.api_server import SCRIPT, script_of

Json = dict[str, Any]


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
