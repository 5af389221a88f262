# SPDX-License-Identifier: Apache-2.0
"""Candidate: a node, and what would have to leave it for the pod to fit there."""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import PodInfo


@frozen
class Candidate:
    """``victims`` stand in order of importance, the most important first; ``num_pdb_violations`` of them
    are protected by a disruption budget that has nothing left to give.

    Source: framework/preemption/preemption.go, candidate; extender/v1 Victims (v0.34.2).
    """

    node: str
    victims: tuple[PodInfo, ...]
    num_pdb_violations: int = 0
