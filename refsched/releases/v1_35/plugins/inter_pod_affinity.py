# SPDX-License-Identifier: Apache-2.0
"""InterPodAffinity before 1.36: the pod's own labels, and pods that are nominated, requeue no pod.

Changed by: kubernetes #135394 (the pod's own labels count, and nominated pods count as assigned).
After the upgrade: A pod that waits for pods of its affinity is tried again when its own labels change, and when a
pod is nominated (R-PODAFF-16, R-PODAFF-17).
What to do: nothing.
Observed: queueing hints may only save attempts (KEP-4247).
Source: plugins/interpodaffinity/plugin.go, isSchedulableAfterPodChange.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import evolve, frozen

from refsched.framework.events import POD, EventHint
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins import inter_pod_affinity as current


def after_pod_change(
    plugin: current.InterPodAffinity, pod: Pod, before: Pod | None, after: Pod | None, objects: ObjectStore
) -> bool:
    """Returns whether a change of an assigned pod requeues the pod; one of the pod itself does not."""
    if after is not None and after.uid == pod.uid:
        return False
    return plugin.after_pod_change(pod, before, after, objects)


@frozen
class InterPodAffinity(current.InterPodAffinity):
    EVENTS: ClassVar[tuple[EventHint, ...]] = tuple(
        evolve(row, hint=after_pod_change) if row.resource == POD else row
        for row in current.InterPodAffinity.EVENTS
    )

    # --- Events -----------------------------------------------------------------------------------

    def is_placed(self, changed: Pod) -> bool:
        """Returns whether the pod is assigned to a node."""
        return bool(changed.spec.node_name)
