# SPDX-License-Identifier: Apache-2.0
"""The pods as a watch shows them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from refsched.processes.kubernetes_api.client import Client, kind_named
from refsched.processes.kubernetes_api.decisions import ObservedDecision, decision_about
from refsched.processes.kubernetes_api.watching import DELETED, LISTED, MODIFIED, Event, Watching
from refsched.suite.adapters.adapter import TransportError
from refsched.suite.adapters.process import LOOK

Json = dict[str, Any]

FLOOD = 200
"""A scheduler that changes pods this many times before it decides about one of them floods the API server."""


class PodsSeen:
    """The PodsSeen are the pods that exist, by uid, as far as the watch has come."""

    def __init__(self, client: Client) -> None:
        self._watching = Watching(client, [kind_named("Pod")])
        self._by_uid: dict[str, Json] = {}

    def close(self) -> None:
        self._watching.close()

    def terminating(self) -> dict[str, str]:
        """Returns the pods that are being deleted, as ``namespace/name``, sorted, with their nodes."""
        nodes = {
            f"{pod['metadata']['namespace']}/{pod['metadata']['name']}": pod["spec"].get("nodeName", "")
            for pod in self._by_uid.values()
            if "deletionTimestamp" in pod["metadata"]
        }
        return dict(sorted(nodes.items()))

    def wait_for_decision(
        self,
        uid: str,
        timeout: float,
        ended: Callable[[], str],
        counts: Callable[[ObservedDecision], bool] = bool,
    ) -> ObservedDecision | None:
        """Returns what is decided about a pod, if it is a decision that counts. None: there is none in time.
        ``ended`` says how the scheduler has ended, if it has. Raises TransportError if it has, if the pod is
        deleted, or if the scheduler floods the API server."""
        deadline = time.monotonic() + timeout
        changes = 0
        while (decided := self.decided(uid)) is None or not counts(decided):
            left = deadline - time.monotonic()
            event = self._watching.next(min(LOOK, max(0.0, left)))
            if event is not None:
                self._see(event)
                changes += event.type == MODIFIED
                if event.type == DELETED and event.object["metadata"]["uid"] == uid:
                    raise TransportError("it deletes the pod that it is to schedule")
            elif problem := ended():
                raise TransportError(problem)
            elif left <= 0:
                return None
            if changes > FLOOD:
                raise TransportError(
                    f"it floods the API server: pods are changed {FLOOD} times before one is decided about"
                )
        return decided

    def decided(self, uid: str) -> ObservedDecision | None:
        """Returns what is decided about a pod, as far as it was seen."""
        pod = self._by_uid.get(uid)
        return None if pod is None else decision_about(pod)

    def _see(self, event: Event) -> None:
        if event.type == DELETED:
            self._by_uid.pop(event.object["metadata"]["uid"], None)
        elif event.type != LISTED:
            self._by_uid[event.object["metadata"]["uid"]] = event.object
