# SPDX-License-Identifier: Apache-2.0
"""Candidate: a node, and the pods that would have to be evicted from it for the pod to fit there."""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import PodInfo


@frozen
class Candidate:
    """``victims`` are in order of importance, the most important first; ``num_pdb_violations`` of them are
    protected by a disruption budget that allows no more disruptions.

    Source: framework/preemption/preemption.go, candidate; extender/v1 Victims.
    """

    node: str
    victims: tuple[PodInfo, ...]
    num_pdb_violations: int = 0
