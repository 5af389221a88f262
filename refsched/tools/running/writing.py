# SPDX-License-Identifier: Apache-2.0
"""Writing: what the machine has done is done at the API server.

Source: pkg/scheduler/schedule_one.go, handleSchedulingFailure, updatePod; plugins/defaultbinder/default_binder.go,
Bind; framework/preemption/executor.go, prepareCandidate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from refsched.processes.kubernetes_api.client import ApiError, Client, UnreachableError
from refsched.records import BOUND, ERROR, SCHEDULED, Attempt, Bind, Output, Write
from refsched.tools.running.mirror import Mirror

Json = dict[str, Any]
T = TypeVar("T")

AGAIN = 0.2
"""A request to which there is no answer is sent again after this many seconds."""


class LostError(Exception):
    """A LostError says that this scheduler may write no more: another one leads."""


class Writer:
    """A Writer writes only while ``may_write``. What the API server refuses is shown to the scheduler anew."""

    def __init__(
        self, client: Client, mirror: Mirror, may_write: Callable[[], bool], say: Callable[[str], None]
    ) -> None:
        self._client = client
        self._mirror = mirror
        self._may_write = may_write
        self._say = say

    def take(self, record: Output) -> None:
        match record:
            case Attempt(result=result) if result != SCHEDULED:
                self._reject(record)
            case Bind(pod, node, result) if result == BOUND:
                self._bind(pod, node)
            case Bind(pod, node, result):
                self._say(f"{pod}: not bound to {node}: {record.message or result}")
                self._write_condition(pod, _reason(result), record.message or "", None)
            case Write(verb, value):
                self._write(verb, value)

    # --- Pods -------------------------------------------------------------------------------------

    def _bind(self, pod: str, node: str) -> None:
        namespace, _, name = pod.partition("/")
        uid = self._mirror.uid_of(pod)
        self._mirror.has_bound(pod, node)
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name, "namespace": namespace, "uid": uid},
            "target": {"kind": "Node", "name": node},
        }
        try:
            self._asked(lambda: self._client.request("POST", f"{_path(namespace, name)}/binding", binding))
        except ApiError as refused:
            self._show_anew(pod, node, refused)
        else:
            self._say(f"{pod} → {node}")

    def _show_anew(self, pod: str, node: str, refused: ApiError) -> None:
        """Shows the pod as it is. An answer may have been lost: then the pod has its node already."""
        namespace, _, name = pod.partition("/")
        try:
            found: Json | None = self._asked(lambda: self._client.get("Pod", namespace, name))
        except ApiError:
            found = None
        if found is not None and found["spec"].get("nodeName") == node:
            self._say(f"{pod} → {node}")
            return
        self._say(f"{pod}: not bound to {node}: {refused}")
        self._mirror.show_anew(pod, found)

    def _reject(self, attempt: Attempt) -> None:
        self._say(f"{attempt.pod}: {attempt.message}")
        message = attempt.message or ""
        self._write_condition(attempt.pod, _reason(attempt.result), message, attempt.nominated_node)
        for victim in attempt.victims or ():
            self._say(f"{victim} is deleted for {attempt.pod}")
            self._attempted(partial(self._delete, victim))

    def _delete(self, victim: str) -> None:
        namespace, _, name = victim.partition("/")
        self._client.delete("Pod", namespace, name, {"preconditions": {"uid": self._mirror.uid_of(victim)}})

    def _write_condition(self, pod: str, reason: str, message: str, nominated: str | None) -> None:
        namespace, _, name = pod.partition("/")
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        condition = {"type": "PodScheduled", "status": "False", "reason": reason, "message": message}
        status: Json = {"conditions": [{**condition, "lastTransitionTime": now}]}
        if nominated is not None:
            status["nominatedNodeName"] = nominated or None
        patch = {"metadata": {"uid": self._mirror.uid_of(pod)}, "status": status}
        self._attempted(lambda: self._client.patch_lists("Pod", namespace, name, patch, "status"))

    # --- Other objects ----------------------------------------------------------------------------

    def _write(self, verb: str, value: Json) -> None:
        kind, metadata = value["kind"], value["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
        if kind == "Pod" and verb == "delete":
            return
        if verb == "create":
            self._attempted(lambda: self._client.create(value))
        elif verb == "delete":
            self._attempted(lambda: self._client.delete(kind, namespace, name))
        else:
            self._attempted(lambda: self._client.patch(kind, namespace, name, _without_status(value)))
            if value.get("status"):
                status = {"status": value["status"]}
                self._attempted(lambda: self._client.patch(kind, namespace, name, status, "status"))

    # --- Requests ---------------------------------------------------------------------------------

    def _attempted(self, ask: Callable[[], object]) -> None:
        """Asks for what is of no use any more if the API server refuses it: the object has changed."""
        try:
            self._asked(ask)
        except ApiError as refused:
            self._say(f"the API server refuses: {refused}")

    def _asked(self, ask: Callable[[], T]) -> T:
        """Returns the answer, however long there is none. Raises LostError if nothing may be written any more."""
        while True:
            if not self._may_write():
                raise LostError
            try:
                return ask()
            except UnreachableError as problem:
                self._say(str(problem))
                time.sleep(AGAIN)


def _path(namespace: str, name: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods/{name}"


def _reason(result: str) -> str:
    return "SchedulerError" if result == ERROR else "Unschedulable"


def _without_status(value: Json) -> Json:
    return {name: member for name, member in value.items() if name != "status"}
