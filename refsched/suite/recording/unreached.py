# SPDX-License-Identifier: Apache-2.0
"""Unreached: what recordings of kube-scheduler have seen fewer than ten times, and why they cannot see it.

Whatever is not here is seen ten times, and what is here is not: a test holds both.
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

_BY_DEFAULT = (
    "it scores under the feature gate StorageCapacityScoring, which is off by default, and followed so"
)
_UNREADABLE = "its PreFilter refuses a selector that cannot be read, which the API server does not store"
_NEVER_REFUSES = "its PreFilter passes or skips"

PLUGINS: Mapping[tuple[str, str], str] = {
    ("InterPodAffinity", "preFilter"): _UNREADABLE,
    ("NodeName", "filter"): "a pod with a nodeName has its node and is not scheduled (eventhandlers.go)",
    ("NodePorts", "preFilter"): _NEVER_REFUSES,
    ("NodeResourcesFit", "preFilter"): (
        "its PreFilter refuses sidecars without the feature gate SidecarContainers, which is locked"
    ),
    ("NodeVolumeLimits", "preFilter"): _NEVER_REFUSES,
    ("PodTopologySpread", "preFilter"): _UNREADABLE,
    ("VolumeBinding", "score"): _BY_DEFAULT,
    ("VolumeBinding", "separated"): _BY_DEFAULT,
}
"""These are the reasons by plugin and point; ``separated`` is a score that differed between nodes."""
