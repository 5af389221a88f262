# SPDX-License-Identifier: Apache-2.0
"""Scripts: what is left of a pod's script where an implementation, or its release, cannot do all that it says."""

from __future__ import annotations

import json
from typing import Any

from refsched.framework.status import Code
from refsched.suite.histories.api_server import SCRIPT, script_of

Json = dict[str, Any]


def leave_out_script(pod: Json, *, keep: bool) -> None:
    """Leaves out the script, or, with ``keep``, only the answers that hold the pod."""
    annotations = _annotations(pod)
    if SCRIPT not in annotations:
        return
    script = script_of(annotations) if keep else {}
    del annotations[SCRIPT]
    if script:
        annotations[SCRIPT] = json.dumps(
            {plugin: _without_holds(points) for plugin, points in script.items()}
        )


def reject_instead(pod: Json, code: Code) -> None:
    """Makes the script reject the pod as Unschedulable where it answers this code."""
    annotations = _annotations(pod)
    if SCRIPT in annotations:
        annotations[SCRIPT] = annotations[SCRIPT].replace(f'{code.value}"', f'{Code.UNSCHEDULABLE.value}"')


def _without_holds(points: Any) -> dict[str, str]:
    return {point: answer for point, answer in points.items() if not answer.startswith("Hold")}


def _annotations(value: Json) -> Json:
    annotations: Json = (value.get("metadata") or {}).get("annotations") or {}
    return annotations
