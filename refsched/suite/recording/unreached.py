# SPDX-License-Identifier: Apache-2.0
"""Unreached: the transitions of the queue that recordings of kube-scheduler cannot show, and why.

Every other transition is recorded ten times: a test holds both.
Source: as each sentence names it, below pkg/scheduler (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping

OFTEN = 10

_BACKOFF_IS_ON = (
    "a configuration without backoff is refused: podInitialBackoffSeconds is positive "
    "(apis/config/validation/validation.go, ValidateKubeSchedulerConfiguration)"
)
_ACTIVATED_IN_FLIGHT = (
    "no default plugin activates a pod but an asynchronous preemption that fails "
    "(framework/preemption/preemption.go, prepareCandidateAsync); the recorder waits for it before the preemptor "
    "is back, so that this is R-QUEUE-42"
)
_ASSUMED_BY_THEN = (
    "a pod that can be held is assumed already, and updates of assumed pods do not come to the queue "
    "(eventhandlers.go, updatePodInSchedulingQueue); before it is assumed nothing holds the cycle"
)

TRANSITIONS: Mapping[str, str] = {
    "R-QUEUE-09": _BACKOFF_IS_ON,
    "R-QUEUE-12": _BACKOFF_IS_ON,
    "R-QUEUE-18": _ACTIVATED_IN_FLIGHT,
    "R-QUEUE-25": _ACTIVATED_IN_FLIGHT,
    "R-QUEUE-29": _ACTIVATED_IN_FLIGHT,
    "R-QUEUE-30": _ACTIVATED_IN_FLIGHT,
    "R-QUEUE-34": _ACTIVATED_IN_FLIGHT,
    "R-QUEUE-35": _ACTIVATED_IN_FLIGHT,
    "R-QUEUE-39": _ACTIVATED_IN_FLIGHT,
    "R-QUEUE-41": _ASSUMED_BY_THEN,
    "R-QUEUE-44": _ACTIVATED_IN_FLIGHT,
}
"""These are the reasons by rule."""

_TOO_MANY_AT_THE_LEAST = (
    "a claim whose requests need too many devices at the least is rejected before any device is looked for, and "
    "no history was found whose claim needs them only in the end"
)

NOT_HEARD: Mapping[str, str] = {"R-DRA-52": _TOO_MANY_AT_THE_LEAST}
"""These rules hold, and no history and no recording that was listened to applies them (applied.json)."""
