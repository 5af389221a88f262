# SPDX-License-Identifier: Apache-2.0
"""Basic checks: a pod whose claim is missing is not scheduled at all in v1.19.

Source: pkg/scheduler/core/generic_scheduler.go, podPassesBasicChecks (v1.19.16).
"""

from __future__ import annotations

from refsched.framework.status import Status, error
from refsched.objects.pod import Pod
from refsched.objects.storage import PersistentVolumeClaim, claim_names
from refsched.objects.store import ObjectStore
from refsched.rules import Reason

MISSING = Reason('persistentvolumeclaim "{}" not found', "R-BASIC-01")
BEING_DELETED = Reason('persistentvolumeclaim "{}" is being deleted', "R-BASIC-02")


def why_not_schedulable(pod: Pod, objects: ObjectStore) -> Status | None:
    """R-BASIC-01: In v1.19 an attempt ends with an error, before any node is looked at, if the pod names a claim
    that does not exist.
    R-BASIC-02: In v1.19 an attempt ends with an error, before any node is looked at, if the pod names a claim that
    is being deleted."""
    for name in claim_names(pod):
        claim = objects.get(PersistentVolumeClaim, name, pod.namespace)
        if claim is None:
            return error(MISSING.of(name))
        if claim.metadata.deletion_timestamp is not None:
            return error(BEING_DELETED.of(name))
    return None
