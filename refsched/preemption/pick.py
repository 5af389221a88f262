# SPDX-License-Identifier: Apache-2.0
"""Pick: which of the candidates may be picked, and which pods lose their nomination to the picked node.

Promised: that budgets and priorities decide is documented with the priority of pods.
Shows in: preemption.
Source: framework/preemption/preemption.go, pickOneNodeForPreemption, DryRunPreemption.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from refsched.framework.node_info import PodInfo
from refsched.framework.post_filter import PostFilterContext
from refsched.preemption.candidate import Candidate
from refsched.preemption.importance import earliest_start
from refsched.rules import applies

Rank = tuple[int, int, int, int, float]

_ABOVE_ANY_PRIORITY = 2**31
"""This is added to each priority, so that one more victim raises the sum even if its priority is negative."""


def rank(candidate: Candidate, now: datetime) -> Rank:
    """R-PREEMPT-11 (decides victims, nominatedNode): The candidate with the fewest violated budgets is picked; of
    equal ones the one whose most important victim has the lowest priority, then the one with the lowest sum of the
    victims' priorities, then the one with the fewest victims, then the one whose earliest victim of the highest
    priority started latest; of candidates that are equal in all of these, any is picked.

    If that victim has not started, any may be picked too, since kube-scheduler reads the clock anew for each
    candidate.
    """
    applies("R-PREEMPT-11")
    victims = candidate.victims
    return (
        candidate.num_pdb_violations,
        victims[0].pod.priority,
        sum(victim.pod.priority + _ABOVE_ANY_PRIORITY for victim in victims),
        len(victims),
        -earliest_start(victims, now).timestamp(),
    )


def possible_picks(candidates: Sequence[Candidate], wanted: int, now: datetime) -> list[Candidate]:
    """R-PREEMPT-10 (observed: where dry runs start and end is an optimization): A dry run that ends early may have
    found any of the candidates, as long as it found as many as were wanted and one of these violates no budget.

    ``candidates`` are all that a complete search finds.

    kube-scheduler visits the nodes in the order of a Go map, from a random offset, in parallel chunks, so that any
    order is possible. The search has then seen at least ``found`` candidates of the better kind, whichever they
    are, and picks the best of them: a candidate is possible if that many are no better than it.
    """
    non_violating = [c for c in candidates if not c.num_pdb_violations]
    pool = non_violating or candidates
    others = len(candidates) - len(pool)
    found = min(max(wanted - others, 1), len(pool))
    applies("R-PREEMPT-10", when=found < len(pool))
    ranks = [rank(candidate, now) for candidate in pool]
    worst = sorted(ranks)[len(pool) - found]
    return [candidate for candidate, its_rank in zip(pool, ranks, strict=True) if its_rank <= worst]


def first_found(candidates: Sequence[Candidate], wanted: int) -> list[Candidate]:
    """Returns what a search that visits the nodes in the order given keeps, those without a violation first."""
    non_violating: list[Candidate] = []
    violating: list[Candidate] = []
    for candidate in candidates:
        (violating if candidate.num_pdb_violations else non_violating).append(candidate)
        if non_violating and len(non_violating) + len(violating) >= wanted:
            break
    return non_violating[:wanted] + violating[:wanted]


def outranked_on(context: PostFilterContext, node: str) -> tuple[PodInfo, ...]:
    """Returns the pods of lower priority that are nominated to the node. Source: getLowerPriorityNominatedPods."""
    priority = context.pod.pod.priority
    return tuple(other for other in context.nominated_pods(node) if other.pod.priority < priority)
