# SPDX-License-Identifier: Apache-2.0
"""Wording in v1.19: the messages if a pod fits on no node, or if it is rejected while it waits on Permit.

Observed: the wording of reasons and messages is not part of the API.
Source: pkg/scheduler/core/generic_scheduler.go, FitError.Error; framework/runtime/framework.go,
RunReservePluginsReserve, RunPermitPlugins, RunPreBindPlugins, RunBindPlugins, WaitOnPermit.
"""

from __future__ import annotations

from collections import Counter

from refsched.cycle.fit_error import Diagnosis
from refsched.framework.status import Status, unschedulable
from refsched.objects.pod import Pod
from refsched.rules import Reason, applies

FITS_NOWHERE = Reason("0/{} nodes are available: {}.", "R-WORDS-51")
REJECTED_WHILE_WAITING = Reason('pod "{}" rejected while waiting on permit: {}', "R-WORDS-53")


def fit_error_message(diagnosis: Diagnosis, number_of_nodes: int) -> str:
    """R-WORDS-51 (instead of R-WORDS-01): In v1.19 a FitError counts, for each reason, the nodes that were
    rejected with it; what PostFilter said is not part of it."""
    applies("R-WORDS-51")
    statuses = diagnosis.node_to_status
    counts = Counter(reason for status in statuses.values() for reason in status.reasons)
    for reason in diagnosis.absent.reasons:
        counts[reason] += number_of_nodes - len(statuses)
    histogram = sorted(f"{count} {reason}" for reason, count in counts.items())
    return FITS_NOWHERE.of(number_of_nodes, ", ".join(histogram))


def rejected_while_waiting(status: Status, pod: Pod) -> Status:
    """R-WORDS-53: In v1.19 a pod that is rejected while it waits on Permit, or waits too long, is
    Unschedulable."""
    return unschedulable(REJECTED_WHILE_WAITING.of(pod.name, status.message))
