# SPDX-License-Identifier: Apache-2.0
"""SchedulingGates: a pod with gates waits outside the queue until the last of them is removed.

Rules: R-GATES-01, R-GATES-02.   Source: plugins/schedulinggates/scheduling_gates.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.framework.events import POD, ActionType, EventHint
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore


@frozen
class SchedulingGates:
    name: ClassVar[str] = "SchedulingGates"

    # --- PreEnqueue -------------------------------------------------------------------------------

    def pre_enqueue(self, pod: Pod, objects: ObjectStore) -> Status:
        """R-GATES-01: one gate is enough to keep the pod out; all are named, in the order of the spec."""
        if not pod.spec.scheduling_gates:
            return SUCCESS
        gates = " ".join(gate.name for gate in pod.spec.scheduling_gates)
        return unresolvable(f"waiting for scheduling gates: [{gates}]")

    # --- Events -----------------------------------------------------------------------------------

    def after_gates_eliminated(self, pod: Pod, before: Pod, after: Pod, objects: ObjectStore) -> bool:
        """R-GATES-02: only the pod's own gates matter."""
        return after.uid == pod.uid

    EVENTS: ClassVar[tuple[EventHint, ...]] = (
        EventHint(
            POD,
            ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
            after_gates_eliminated,
            "the pod's gates may be gone",
        ),
    )
