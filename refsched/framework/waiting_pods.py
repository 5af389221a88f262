# SPDX-License-Identifier: Apache-2.0
"""Waiting pods: the pods that wait on Permit until every plugin that asked to wait has allowed them.

Promised: how a pod waits on Permit is documented with the scheduling framework, KEP-624.
Shows in: scripted.
Source: pkg/scheduler/framework/runtime/waiting_pods_map.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from refsched.config.scalars import go_duration
from refsched.framework.status import SUCCESS, Code, Status, error
from refsched.objects.pod import Pod
from refsched.rules import ErrorReason, Reason, applies

TIMED_OUT = Reason("rejected due to timeout after waiting {} at plugin {}", "R-PERMIT-04")
REMOVED = Reason("removed", "R-PERMIT-03")
PREEMPTED = ErrorReason("waiting on permit for pod: preempted", "R-PERMIT-07")


class WaitingPod:
    """``deadlines`` are the seconds of the machine's clock at which each plugin's timeout ends."""

    def __init__(self, pod: Pod, waits: Mapping[str, float], now: float) -> None:
        self.pod = pod
        self.decision: Status | None = None
        self._waits = dict(waits)
        self.deadlines = {plugin: now + wait for plugin, wait in waits.items()}

    @property
    def pending_plugins(self) -> list[str]:
        return sorted(self.deadlines)

    def allow(self, plugin: str) -> None:
        """R-PERMIT-02: A waiting pod goes on when the last plugin that it waits for has allowed it."""
        self.deadlines.pop(plugin, None)
        if not self.deadlines:
            applies("R-PERMIT-02")
            self._decide(SUCCESS)

    def reject(self, plugin: str, reason: str) -> bool:
        """R-PERMIT-03: A waiting pod is rejected as soon as one plugin rejects it.

        Returns False if something else was decided before."""
        applies("R-PERMIT-03")
        return self._decide(Status(Code.UNSCHEDULABLE, (reason,), plugin))

    def preempt(self, plugin: str) -> bool:
        """R-PERMIT-07 (needs preemption): A waiting pod that is a victim of preemption fails with an error and
        is not rejected, so that it is tried again after a backoff.

        Returns False if something else was decided before."""
        applies("R-PERMIT-07")
        return self._decide(error(PREEMPTED).by(plugin))

    def time_out(self, plugin: str) -> None:
        """R-PERMIT-04: A waiting pod is rejected when the timeout of a plugin that it waits for ends."""
        applies("R-PERMIT-04")
        waited = go_duration(self._waits[plugin])
        self.reject(plugin, TIMED_OUT.of(waited, plugin))

    def _decide(self, status: Status) -> bool:
        """Sets the decision if there is none yet, and returns whether there was none."""
        if self.decision is not None:
            return False
        self.decision = status
        return True


class WaitingPods:
    """WaitingPods holds the pods that wait on Permit, by uid."""

    def __init__(self) -> None:
        self._by_uid: dict[str, WaitingPod] = {}

    def add(self, waiting: WaitingPod) -> None:
        self._by_uid[waiting.pod.uid] = waiting

    def get(self, uid: str) -> WaitingPod | None:
        return self._by_uid.get(uid)

    def remove(self, uid: str) -> None:
        self._by_uid.pop(uid, None)

    def reject(self, uid: str) -> bool:
        """Rejects the waiting pod that was deleted, and returns whether this decides about it.
        Source: framework.go, RejectWaitingPod."""
        waiting = self.get(uid)
        return waiting is not None and waiting.reject("", REMOVED)

    def undecided(self) -> Iterable[WaitingPod]:
        return [waiting for waiting in self._by_uid.values() if waiting.decision is None]
