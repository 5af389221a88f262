# SPDX-License-Identifier: Apache-2.0
"""Unread: the parts of objects that scheduling does not read, and that are sent to extenders nevertheless.

kube-scheduler sends its objects whole, and an extender may use any field of them. The machine keeps only what it
reads; the rest is kept here, outside, and put back into what is sent.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from refsched.config.types import Extender as ExtenderConfig
from refsched.extenders.extender import Ask
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.writing import as_json
from refsched.processes.http.over_http import over_http

Json = dict[str, Any]


class Unread:
    """Unread has the unread part of every pod and node, as it was last shown."""

    def __init__(self) -> None:
        self._rest: dict[tuple[str, str, str], Json] = {}

    def note(self, shown: Json, read: ApiObject) -> None:
        """Keeps the part of the object that was not read; ``read`` is the part that was."""
        if isinstance(read, Pod | Node):
            name = read.kind, read.metadata.namespace, read.metadata.name
            self._rest[name] = _minus(shown, as_json(read))

    def reach(self, config: ExtenderConfig) -> Ask:
        """Returns an Ask over HTTP that sends objects as they were shown."""
        ask = over_http(config)
        return lambda verb, request: ask(verb, self.whole(request))

    def whole(self, request: Json) -> Json:
        """Returns the request with its pods and nodes whole."""
        result = dict(request)
        if result.get("Pod") is not None:
            result["Pod"] = self._whole("Pod", result["Pod"])
        if result.get("Nodes") is not None:
            items = [self._whole("Node", node) for node in result["Nodes"]["items"]]
            result["Nodes"] = {**result["Nodes"], "items": items}
        if result.get("NodeNameToVictims") is not None:
            result["NodeNameToVictims"] = {
                node: {**victims, "Pods": [self._whole("Pod", pod) for pod in victims["Pods"]]}
                for node, victims in result["NodeNameToVictims"].items()
            }
        return result

    def _whole(self, kind: str, written: Json) -> Json:
        metadata = written["metadata"]
        whole: Json = combined(
            written, self._rest.get((kind, metadata.get("namespace", ""), metadata["name"]), {})
        )
        return whole


def combined(written: Any, rest: Any, *, lists_of_rest: bool = False) -> Any:
    """Returns ``written``, and what ``rest`` has besides. A list that has another length in ``rest`` is as it was
    written. With ``lists_of_rest`` it is as it is there, followed by what was written besides if it is shorter
    there."""
    both = partial(combined, lists_of_rest=lists_of_rest)
    if isinstance(written, dict) and isinstance(rest, dict):
        added = {name: value for name, value in rest.items() if name not in written}
        return added | {
            name: both(value, rest[name]) if name in rest else value for name, value in written.items()
        }
    if isinstance(written, list) and isinstance(rest, list):
        if len(written) == len(rest) or (lists_of_rest and len(written) > len(rest)):
            pairs = [both(*pair) for pair in zip(written, rest, strict=False)]
            return pairs + written[len(rest) :]
        return rest if lists_of_rest else written
    return written


def _minus(shown: Any, read: Any) -> Any:
    """Returns the part of ``shown`` that is not in ``read``; an empty object if nothing is left."""
    if isinstance(shown, dict) and isinstance(read, dict):
        left = {name: _minus(value, read[name]) if name in read else value for name, value in shown.items()}
        return {name: value for name, value in left.items() if value not in ({}, None)}
    if isinstance(shown, list) and isinstance(read, list) and len(shown) == len(read):
        return [_minus(*pair) for pair in zip(shown, read, strict=True)]
    return {}
