# SPDX-License-Identifier: Apache-2.0
"""Over the API: a scheduler that is a program of its own, judged by what a real API server shows of it.

The objects of a history are created at the API server; a pod only when it is to be scheduled, because a scheduler
chooses the next pod itself. So it has one pod to schedule at a time, and it is known which. A pod that is found
unschedulable is deleted until its next attempt, except for one for which others are preempted: it stays, with its
nomination, and its victims stay terminating until it is its turn again. No other pod is scheduled meanwhile: once
the victims are deleted, as they are in the history, the scheduler attempts the nominated pod at once. How a
nominated pod counts for others is seen of one that waits for a gate.

A scheduler sees nodes and pods by watches that do not wait for each other. Before a pod is created for which
something has changed, a probe is scheduled, a pod that fits on no node: when the scheduler has decided about it,
it has long seen the rest. A pod that is found unschedulable then is attempted once more, after another probe.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from refsched.objects.pod import DEFAULT_SCHEDULER_NAME
from refsched.processes.kubernetes_api.client import ApiError, Client, UnreachableError
from refsched.processes.kubernetes_api.decisions import ObservedDecision, is_bound, waits
from refsched.processes.serving import PROTOCOL
from refsched.reading.objects import Key, key_named, key_of
from refsched.records import BOUND, ERROR
from refsched.suite.adapters.adapter import NotSentError, TransportError
from refsched.suite.adapters.answers import HAS_A_GATE
from refsched.suite.adapters.api_objects import ApiObjects
from refsched.suite.adapters.control_plane import (
    KUBERNETES,
    ControlPlane,
    control_plane_program,
    running_control_plane,
)
from refsched.suite.adapters.kube_scheduler import Log
from refsched.suite.adapters.scheduler_command import CONFIG, reads_config
from refsched.suite.adapters.watched_scheduler import WatchedScheduler

Json = dict[str, Any]

CAPABILITIES = ("filter", "preemption", "score")
"""This can be seen from outside; of Filter and of scores, which node was chosen, and why none was."""

QUIET = 3
"""Victims are complete when this many probes in a row have been scheduled without another victim, and there are as
many victims as the scheduler says, if it says so."""

VICTIMS_TIMEOUT = 10.0
"""The scheduler may take this many seconds to delete as many victims as it says."""
AFTER_A_TIMEOUT = 1.0
"""A scheduler that has not done so once may take this many."""

_VICTIMS = re.compile(r"preempting (\d+) victims")
_NOT_JUDGED = re.compile(r"running (PreScore|Score|Reserve|Permit|PreBind|Bind)")
"""These errors come when Filter has found nodes. Which node was chosen is not shown."""

_STATUS_OF_A_WAITING_POD = {"phase", "startTime"}
"""These fields say nothing of a pod that waits."""

NEXT_ATTEMPT = 3.0
"""A pod for which others were preempted is bound within this many seconds after their deletion."""

BACKOFF = 2.5
"""A pod that an event moves is attempted within this many seconds: its backoff is a second, and kube-scheduler
looks every second whether it is over."""

_NO_RECORDS: Json = {"records": []}


class OverTheApi:
    """OverTheApi is a Transport (refsched/suite/adapters/adapter.py)."""

    def __init__(
        self, control_plane: Callable[[], ControlPlane], name: str, command: Sequence[str], timeout: float
    ) -> None:
        """Starts nothing yet. ``control_plane`` returns one that runs; ``timeout`` is for each decision of the
        scheduler."""
        self._name = name
        self._control_plane = control_plane
        self._command = command
        self._timeout = timeout
        self._victims_timeout = VICTIMS_TIMEOUT
        self._what_is_open = ExitStack()
        self._printed: Callable[[], tuple[str, ...]] = tuple

    # --- Transport --------------------------------------------------------------------------------

    def open(self) -> None:
        self.close()
        kubeconfig = self._control_plane().kubeconfig
        client = Client(kubeconfig)
        self._objects = ApiObjects(client)
        self._objects.find_all()
        self._scheduler = WatchedScheduler(client, kubeconfig, self._command, self._timeout)
        self._printed = self._scheduler.log
        self._pods = self._scheduler.pods
        self._what_is_open.callback(self._scheduler.close)
        self._forget()

    def _forget(self) -> None:
        self._waiting: dict[Key, Json] = {}
        self._nominated: dict[Key, str] = {}
        self._deferred: set[Key] = set()
        self._not_its_turn: dict[Key, tuple[str, str]] = {}
        self._has_changed = True

    def ask(self, request: Json) -> Any:
        ((verb, body),) = request.items()
        answers: Mapping[str, Callable[[Any], Json]] = {
            "hello": self._hello,
            "reset": self._reset,
            "create": self._create,
            "update": self._update,
            "delete": self._delete,
            "schedule": lambda asked: self._schedule(asked["pod"]),
            "observe": lambda asked: _NO_RECORDS,
        }
        if verb not in answers:
            return {"unsupported": f"{verb} is nothing that an API server has"}
        try:
            return answers[verb](body)
        except ApiError as refused:
            return {"unsupported": f"the API server refuses it: {refused}"}
        except (TransportError, UnreachableError) as problem:
            raise NotSentError(str(problem)) from None

    def close(self, *, at_once: bool = False) -> None:
        self._what_is_open.close()

    def log(self) -> tuple[str, ...]:
        return self._printed()

    # --- The scheduler ----------------------------------------------------------------------------

    def _hello(self, asked: Json) -> Json:
        has_config = reads_config(self._command)
        return {
            "protocol": PROTOCOL,
            "name": self._name,
            "version": "over the API",
            "kubernetes": KUBERNETES,
            "capabilities": [*CAPABILITIES, "config"] if has_config else list(CAPABILITIES),
            "notShown": ["filter", "scores"],
            "hasDefaultConfig": not has_config,
        }

    def _reset(self, asked: Json) -> Json:
        if asked.get("featureGates"):
            return {"unsupported": "feature gates are set where the scheduler and the API server are started"}
        self._objects.clear()
        self._forget()
        self._scheduler.configure(asked["config"])
        self._scheduler.probe()
        return {}

    # --- Objects ----------------------------------------------------------------------------------

    def _create(self, object: Json) -> Json:
        if waits(object):
            return self._take_waiting(object)
        return self._put(self._objects.create, object)

    def _put(self, put: Callable[[Json], Json], object: Json) -> Json:
        put(object)
        if object["metadata"].get("deletionTimestamp"):
            self._objects.terminate(key_of(object))
        self._has_changed = True
        return _NO_RECORDS

    def _take_waiting(self, pod: Json) -> Json:
        if pod["metadata"].get("deletionTimestamp"):
            return {"unsupported": "a pod that is deleted and has no node exists no more"}
        if why := self._why_it_is_not_scheduled(pod):
            return self._leave_waiting(self._objects.create(pod), why)
        if (pod.get("status") or {}).keys() - _STATUS_OF_A_WAITING_POD:
            return {"unsupported": "a pod that is created may be attempted before it has this status"}
        pod = {name: value for name, value in pod.items() if name != "status"}
        self._objects.check(pod)
        self._waiting[key_of(pod)] = pod
        return _NO_RECORDS

    def _leave_waiting(self, stored: Json, why: str) -> Json:
        self._not_its_turn[key_of(stored)] = stored["metadata"]["uid"], why
        self._has_changed = True
        return _NO_RECORDS

    def _why_it_is_not_scheduled(self, pod: Json) -> str:
        """Returns why nobody may attempt a pod, which is created at once then, or ""."""
        if pod["spec"].get("schedulerName", DEFAULT_SCHEDULER_NAME) not in self._scheduler.names:
            return "names another scheduler and must not be attempted"
        return HAS_A_GATE if pod["spec"].get("schedulingGates") else ""

    def _update(self, object: Json) -> Json:
        key = key_of(object)
        if key in self._nominated:
            return {"unsupported": "a pod that is nominated may be attempted again at any time"}
        if self._waiting.pop(key, None) is not None:
            return self._create(object)
        if self._not_its_turn.pop(key, None):
            return self._update_what_nobody_attempts(object)
        return self._put(self._objects.update, object)

    def _update_what_nobody_attempts(self, pod: Json) -> Json:
        """Creates the pod anew if it is to be attempted now, or if the API server refuses the update."""
        why = self._why_it_is_not_scheduled(pod)
        if why and not pod["metadata"].get("deletionTimestamp"):
            with suppress(ApiError):
                return self._leave_waiting(self._objects.update(pod), why)
        self._objects.delete(key_of(pod))
        return self._create(pod)

    def _delete(self, reference: Json) -> Json:
        key = key_named(reference["kind"], reference.get("namespace"), reference["name"])
        self._waiting.pop(key, None)
        self._not_its_turn.pop(key, None)
        if key in self._deferred:
            return _NO_RECORDS
        if self._nominated.pop(key, None):
            self._remove_victims()
        self._objects.delete(key)
        self._has_changed = True
        return _NO_RECORDS

    # --- Attempts ---------------------------------------------------------------------------------

    def _schedule(self, pod: str) -> Json:
        key = _key(pod)
        if key in self._nominated:
            return self._schedule_nominated(key)
        if key not in self._waiting:
            return {"idle": True}
        if self._nominated:
            return {"unsupported": "another pod is nominated, and may be attempted at the same time"}
        has_changed, self._has_changed = self._has_changed, False
        if has_changed:
            self._scheduler.probe()
        terminating = self._pods.terminating()
        uid, decided = self._attempt(key)
        if has_changed and not decided.node and not decided.nominated:
            self._objects.delete(key)
            self._scheduler.probe()
            uid, decided = self._attempt(key)
        return self._attempted(key, uid, decided, terminating)

    def _schedule_nominated(self, key: Key) -> Json:
        """Removes the victims, and returns what then becomes of the pod, which is attempted at once."""
        uid = self._nominated.pop(key)
        before = self._quiet_decision(uid)
        if before is None or before.node:
            return {"unsupported": "a pod that is nominated was bound before it was its turn"}
        self._remove_victims()
        again = self._scheduler.decision_within(uid, NEXT_ATTEMPT, is_bound)
        if again is None:
            return self._without_a_node(key, before, self._pods.decided(uid))
        return self._attempted(key, uid, again, {})

    def _attempted(
        self, key: Key, uid: str, decided: ObservedDecision, terminating: Mapping[str, str]
    ) -> Json:
        """Returns the records of an attempt. ``terminating`` are the pods that were being deleted before it, with
        their nodes."""
        for other, (other_uid, why) in self._not_its_turn.items():
            if self._pods.decided(other_uid):
                return {"error": f"the pod {_pod(other)} {why}"}
        if decided.result == ERROR and _NOT_JUDGED.match(decided.message):
            self._objects.delete(key)
            return {"unsupported": f"the node is not shown: {decided.message}"}
        attempt: Json = {"pod": _pod(key), "result": decided.result}
        if decided.node:
            self._waiting.pop(key, None)
            bind = {"pod": attempt["pod"], "node": decided.node, "result": BOUND}
            return {"records": [{"attempt": {**attempt, "node": decided.node}}, {"bind": bind}]}
        attempt["message"] = decided.message
        if decided.nominated:
            self._nominated[key] = uid
            if decided.nominated in terminating.values():
                return {"unsupported": "pods that were being deleted already may be among the victims"}
            victims = self._victims(terminating, decided.message)
            attempt |= {"nominatedNode": decided.nominated, "victims": victims}
            self._deferred = set(map(_key, victims))
        else:
            self._objects.delete(key)
        return {"records": [{"attempt": attempt}]}

    def _quiet_decision(self, uid: str) -> ObservedDecision | None:
        """Returns what a pod shows when changes no longer lead to an attempt of it."""
        shown = self._pods.decided(uid)
        if self._has_changed:
            self._scheduler.decision_within(uid, BACKOFF, lambda decided: decided != shown)
        return self._pods.decided(uid)

    def _without_a_node(self, key: Key, before: ObservedDecision, after: ObservedDecision | None) -> Json:
        """Returns what became of a nominated pod that was not bound when its victims were removed. It may have
        been attempted more than once, of which the last attempt counts: it must have been seen, and no new
        victims."""
        if after is None or after.message == before.message or self._pods.terminating():
            return {"unsupported": "it is not shown when a pod that is nominated is attempted again"}
        if after.result == ERROR or after.nominated not in ("", before.nominated):
            return {"unsupported": "a pod that is nominated may have been attempted more than once"}
        attempt = {"pod": _pod(key), "result": after.result, "message": after.message}
        self._objects.delete(key)
        return {"records": [{"attempt": {**attempt, "nominatedNode": after.nominated}}]}

    def _attempt(self, key: Key) -> tuple[str, ObservedDecision]:
        """Creates a pod, and returns its uid and what is decided about it."""
        created = self._objects.create(self._waiting[key])
        return created["metadata"]["uid"], self._scheduler.decision(created)

    def _victims(self, terminating: Mapping[str, str], message: str) -> list[str]:
        """Returns the pods that are being deleted besides those that were before, when there come no more."""
        said = _VICTIMS.search(message)
        expected = int(said[1]) if said else 0
        deadline = time.monotonic() + self._victims_timeout
        found: list[str] = []
        quiet = 0
        while quiet < QUIET or (len(found) < expected and time.monotonic() < deadline):
            self._scheduler.probe()
            before, found = found, [pod for pod in self._pods.terminating() if pod not in terminating]
            quiet = quiet + 1 if found == before else 0
        if len(found) < expected:
            self._victims_timeout = AFTER_A_TIMEOUT
        return found

    def _remove_victims(self) -> None:
        for victim in sorted(self._deferred):
            self._objects.delete(victim)
        self._deferred = set()
        self._has_changed = True


def _key(pod: str) -> Key:
    """Returns the key of the pod ``namespace/name``."""
    namespace, _, name = pod.partition("/")
    return "Pod", namespace, name


def _pod(key: Key) -> str:
    """Returns ``namespace/name``."""
    return "/".join(key[1:])


KUBE_SCHEDULER = "kube-scheduler"


def over_the_api(command: Sequence[str], timeout: float, log: Log | None) -> OverTheApi:
    """Returns the transport to a scheduler with this command line. The command ``kube-scheduler`` is the one that
    the program of the control plane has. Raises AdapterUnavailable if that program is not available."""
    program = control_plane_program(log).program()
    name = Path(command[0]).name
    if list(command) == [KUBE_SCHEDULER]:
        command = [str(program), "scheduler", f"--config={CONFIG}", "--secure-port=0"]
    return OverTheApi(lambda: running_control_plane(program), name, command, timeout)
