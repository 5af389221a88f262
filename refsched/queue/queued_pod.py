# SPDX-License-Identifier: Apache-2.0
"""QueuedPod: a pod in the queue, with what its attempts have taught.

Source: pkg/scheduler/framework/types.go, QueuedPodInfo (v1.34.2).
"""

from __future__ import annotations

import math

from attrs import frozen

from refsched.framework.node_info import PodInfo
from refsched.objects.pod import Pod

NO_BACKOFF = -math.inf
"""When the backoff of a pod that owes none is over."""


@frozen(eq=False)
class QueuedPod:
    """``timestamp`` is when the pod was last put into the queue anew: at its creation, then after each
    attempt. Times are seconds on the queue's clock.

    After an attempt its caller says in ``unschedulable_plugins`` and ``pending_plugins`` who refused the pod;
    both empty stand for an error. ``gating_plugin`` is who holds it back at PreEnqueue.
    """

    info: PodInfo
    timestamp: float
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors_count: int = 0
    backoff_expiration: float = NO_BACKOFF
    unschedulable_plugins: frozenset[str] = frozenset()
    pending_plugins: frozenset[str] = frozenset()
    gating_plugin: str = ""

    @property
    def pod(self) -> Pod:
        return self.info.pod

    @property
    def key(self) -> str:
        return self.info.pod.key

    @property
    def rejectors(self) -> frozenset[str]:
        """Whose refusal an event would have to cure."""
        return self.unschedulable_plugins | self.pending_plugins

    @property
    def is_gated(self) -> bool:
        return self.gating_plugin != ""
