# SPDX-License-Identifier: Apache-2.0
"""QueuedPod: a pod in the queue, with what is known from its attempts.

Source: pkg/scheduler/framework/types.go, QueuedPodInfo.
"""

from __future__ import annotations

import math

from attrs import frozen

from refsched.framework.node_info import PodInfo
from refsched.framework.signature import Signature
from refsched.objects.pod import Pod

NO_BACKOFF = -math.inf
"""This is the end of the backoff of a pod that does not back off."""


class NotWaitingError(Exception):
    """A NotWaitingError is raised by a request to try a pod that is not in the queue, or whose turn it cannot be.
    Its text is ``namespace/name``."""


@frozen(eq=False)
class QueuedPod:
    """``timestamp`` is when the pod was created or its last attempt ended. Times are seconds on the queue's
    clock.

    After an attempt ``unschedulable_plugins`` and ``pending_plugins`` name the plugins that rejected the pod;
    if both are empty, the attempt ended in an error. ``gating_plugin`` is the PreEnqueue plugin that rejected
    it. ``flushed_at`` is when it was requeued last because it had waited for too long. ``signature`` says which
    pods are taken for equal to it.
    """

    info: PodInfo
    timestamp: float
    signature: Signature | None = None
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors_count: int = 0
    backoff_expiration: float = NO_BACKOFF
    unschedulable_plugins: frozenset[str] = frozenset()
    pending_plugins: frozenset[str] = frozenset()
    gating_plugin: str = ""
    flushed_at: float = -math.inf

    @property
    def pod(self) -> Pod:
        return self.info.pod

    @property
    def key(self) -> str:
        return self.info.pod.key

    @property
    def rejectors(self) -> frozenset[str]:
        """Returns the plugins whose hints decide if an event requeues the pod."""
        return self.unschedulable_plugins | self.pending_plugins

    @property
    def is_gated(self) -> bool:
        return self.gating_plugin != ""
