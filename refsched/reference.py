# SPDX-License-Identifier: Apache-2.0
"""Reference: the specification as an implementation, which ``--impl=refsched.reference`` runs.

It takes the requests and returns the answers of docs/protocol.md as Python values, as any implementation written
in Python does (refsched/processes/implementation.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any

from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import CycleHeldError
from refsched.machine.state import START
from refsched.processes.http.unread import Unread
from refsched.queue.queued_pod import NotWaitingError
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.reading.record_json import to_json
from refsched.records import Advance, Create, Delete, Input, Permit, Reference, Release, Update
from refsched.releases import DEFAULT, release_of
from refsched.releases.release import Release as KubernetesRelease
from refsched.remembering import remember

Json = dict[str, Any]

CAPABILITIES = (
    "filter",
    "score",
    "preemption",
    "queue",
    "cache",
    "scripted",
    "hold",
    "volumes",
    "devices",
    "extenders",
    "validation",
)


def create(
    config: Mapping[str, Any],
    *,
    kubernetes: str = DEFAULT.name,
    feature_gates: Mapping[str, bool] | None = None,
    start: datetime = START,
    seed: int = 0,
) -> ReferenceScheduler:
    """Returns a scheduler of this release of Kubernetes, of an empty cluster at time 0.

    Raises InputError if the configuration is refused."""
    return ReferenceScheduler(config, with_feature_gates(feature_gates, release_of(kubernetes)), start, seed)


class ReferenceScheduler:
    """If kube-scheduler may do more than one thing, a ReferenceScheduler draws one from ``seed``."""

    def __init__(
        self, config: Mapping[str, Any], release: KubernetesRelease, start: datetime, seed: int
    ) -> None:
        read, unread = read_config(config, release), Unread()
        self._machine = scheduler_of(
            read, SeededChoices(seed), release=release, start=start, reach=unread.reach
        )
        remember(self._machine, by_default=False)
        self._inputs = InputReader(self._machine, unread.note if read.extenders else None)

    def hello(self) -> Json:
        return {
            "name": "refsched",
            "version": version("refsched"),
            "kubernetes": self._machine.kubernetes.name,
            "capabilities": list(CAPABILITIES),
        }

    # --- Inputs -----------------------------------------------------------------------------------

    def create(self, object: Json) -> Json:
        return self._apply(Create(object))

    def update(self, object: Json) -> Json:
        return self._apply(Update(object))

    def delete(self, object: Json) -> Json:
        named = Reference(
            object["kind"], object["name"], object.get("apiVersion", "v1"), object.get("namespace", "")
        )
        return self._apply(Delete(named))

    def advance(self, seconds: float) -> Json:
        return self._apply(Advance(seconds))

    def permit(self, pod: str, decision: str, plugin: str = "") -> Json:
        return self._apply(Permit(pod, decision, plugin))

    def release(self, pod: str) -> Json:
        return self._apply(Release(pod))

    def schedule(self, pod: str | None = None) -> Json:
        try:
            busy = self._machine.schedule(pod)
        except CycleHeldError as held:
            return {"unsupported": str(held)}
        except NotWaitingError:
            return {"error": f"{pod} does not wait to be scheduled"}
        return self._answer() if busy else {"idle": True}

    def observe(self) -> Json:
        return {"records": [to_json(self._machine.queues()), to_json(self._machine.nodes())]}

    # --- Answers ----------------------------------------------------------------------------------

    def _apply(self, record: Input) -> Json:
        self._inputs.apply(record)
        return self._answer()

    def _answer(self) -> Json:
        answer: Json = {"records": [to_json(record) for record in self._machine.take_records()]}
        began = self._machine.take_held()
        if began is not None:
            pod, held = began
            answer["held"] = {"pod": pod, "point": held.point, "plugin": held.plugin}
        return answer
