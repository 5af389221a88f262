# SPDX-License-Identifier: Apache-2.0
"""The queue before 1.36: it does not sign pods.

Observed: which pods are taken for equal may only save searches, KEP-5598.
Source: pkg/scheduler/schedule_one.go, findNodesThatFitPod; pkg/scheduler/framework/runtime/batch.go, GetNodeHint.
"""

from __future__ import annotations

from refsched.queue.queued_pod import QueuedPod
from refsched.rules import applies


def keeps_no_signature(pod: QueuedPod) -> bool:
    """R-BATCH-53 (instead of R-BATCH-09): Until v1.35 a pod has the signature that it gets when it is tried."""
    applies("R-BATCH-53", when=pod.signature is not None)
    return False
