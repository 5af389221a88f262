# SPDX-License-Identifier: Apache-2.0
"""SchedulingGates: a pod with scheduling gates is not scheduled until the last of them is removed.

Promised: schedulingGates are documented with the Pod API, KEP-3521.
Source: plugins/schedulinggates/scheduling_gates.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.events import POD, ActionType, EventHint
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.rules import Reason, applies

WAITING = Reason("waiting for scheduling gates: [{}]", "R-GATES-01")


@frozen
class SchedulingGates:
    name = "SchedulingGates"
    POINTS = ("preEnqueue",)
    READS = ("Pod.spec.schedulingGates",)

    # --- PreEnqueue -------------------------------------------------------------------------------

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status:
        """R-GATES-01: A pod with at least one scheduling gate is rejected by PreEnqueue; the reason names all of
        its gates in the order of the spec."""
        if not pod.spec.scheduling_gates:
            return SUCCESS
        return unresolvable(WAITING.of(" ".join(gate.name for gate in pod.spec.scheduling_gates)))

    # --- Events -----------------------------------------------------------------------------------

    def after_gates_eliminated(self, pod: Pod, before: Pod, after: Pod, objects: ObjectStore) -> bool:
        """R-GATES-02 (observed: queueing hints may only save attempts, KEP-4247): A pod that SchedulingGates
        rejected is requeued when its own scheduling gates are removed, and not when those of another pod are."""
        return applies("R-GATES-02", when=after.uid == pod.uid)

    EVENTS = (
        EventHint(
            POD,
            ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
            after_gates_eliminated,
            "the pod's scheduling gates may have been removed",
        ),
    )
