# SPDX-License-Identifier: Apache-2.0
"""Extenders in preemption: they may reject candidates, or change their victims.

Promised: the verb of preemption is documented with the API of extenders, k8s.io/kube-scheduler/extender/v1.
Source: framework/preemption/preemption.go, callExtenders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from refsched.extenders.extender import Extender
from refsched.framework.choices import Choices
from refsched.framework.node_info import PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, error
from refsched.preemption.candidate import Candidate
from refsched.rules import ErrorReason, applies

NO_VICTIM = ErrorReason('expected at least one victim pod on node "{}"', "R-PREEMPT-12")


def consult(
    extenders: Sequence[Extender],
    pod: PodInfo,
    candidates: Sequence[Candidate],
    snapshot: Snapshot,
    choices: Choices,
) -> list[Candidate] | Status:
    """R-PREEMPT-12 (shows in preemption): Each extender that supports preemption and is interested in the pod is
    asked about the candidates that the extenders before it left, until none is left; an extender that is not
    ignorable ends preemption if it fails, or if it names nodes without a victim, any one of which is reported.

    kube-scheduler visits the nodes in the order of a Go map."""
    left: Mapping[str, Candidate] = {candidate.node: candidate for candidate in candidates}
    for extender in extenders:
        if not left:
            break
        if not extender.supports_preemption or not extender.is_interested(pod):
            continue
        applies("R-PREEMPT-12")
        answer = extender.process_preemption(pod, left, snapshot)
        if isinstance(answer, Status):
            if extender.is_ignorable:
                continue
            return answer
        idle = [node for node, candidate in answer.items() if not candidate.victims]
        if idle and not extender.is_ignorable:
            return error(choices.choose("error", [NO_VICTIM.of(node) for node in idle]))
        left = {node: candidate for node, candidate in answer.items() if candidate.victims}
    return list(left.values())
