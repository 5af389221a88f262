# SPDX-License-Identifier: Apache-2.0
"""Extenders: processes outside the scheduler that may reject candidates, or change their victims.

Source: framework/preemption/preemption.go, callExtenders (v1.34.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from refsched.framework.choices import Choices
from refsched.framework.node_info import PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status, error
from refsched.preemption.candidate import Candidate
from refsched.rules import applies


class PreemptionExtender(Protocol):
    """A PreemptionExtender is an extender as far as preemption calls it."""

    @property
    def is_ignorable(self) -> bool:
        """Returns whether preemption continues without the extender if the call fails, or a node comes back
        without victims."""
        ...

    @property
    def supports_preemption(self) -> bool: ...

    def is_interested(self, pod: PodInfo) -> bool: ...

    def process_preemption(
        self, pod: PodInfo, candidates: Mapping[str, Candidate], snapshot: Snapshot
    ) -> Mapping[str, Candidate] | Status:
        """Returns the candidates that the extender leaves, by node, or a Status if the call failed."""
        ...


def consult(
    extenders: Sequence[PreemptionExtender],
    pod: PodInfo,
    candidates: Sequence[Candidate],
    snapshot: Snapshot,
    choices: Choices,
) -> list[Candidate] | Status:
    """R-PREEMPT-12: Each extender that supports preemption and is interested in the pod is asked about the
    candidates that the extenders before it left, until none is left; an extender that is not ignorable ends
    preemption if it fails, or if it names nodes without a victim, any one of which is reported.

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
            return error(
                choices.choose("error", [f'expected at least one victim pod on node "{n}"' for n in idle])
            )
        left = {node: candidate for node, candidate in answer.items() if candidate.victims}
    return list(left.values())
