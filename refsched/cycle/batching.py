# SPDX-License-Identifier: Apache-2.0
"""Batching: a pod that is equal to the one scheduled just before is tried on the next best node of that search.

Each profile keeps the nodes that were scored for the last pod and not chosen. The node that is best among them,
the hint, is tried before any other, as a nominated node is; if the pod passes Filter there, no other node is
looked at.

Observed: that pods are batched may only save searches, KEP-5598.
Source: pkg/scheduler/framework/runtime/batch.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from attrs import define, evolve, frozen

from refsched.cycle.decide import NO_NODE_HINT, Decision, with_highest_total
from refsched.framework.cycle_state import CycleState
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.runtime import Framework
from refsched.framework.signature import Signature
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import Status
from refsched.rules import applies

MAX_BATCH_AGE = 0.5
"""The nodes that are kept give no hint after this many seconds."""


def is_too_old(age: float) -> bool:
    return age > MAX_BATCH_AGE


@frozen
class Turn:
    """A Turn is what the batch of a profile sees of one scheduling cycle. ``number`` counts the pods that were
    popped, of all profiles, and ``now`` is in seconds on the scheduler's clock."""

    number: int
    now: float
    framework: Framework
    snapshot: Snapshot
    pod: PodInfo
    signature: Signature | None


@frozen
class Candidates:
    """Candidates are the nodes that are left of a search, with the score of each plugin before Normalize (by
    plugin and node), and the totals. ``since`` is when the nodes were scored."""

    signature: Signature
    raw: Mapping[str, Mapping[str, int]]
    totals: Mapping[str, int]
    since: float

    @property
    def best(self) -> tuple[str, ...]:
        return with_highest_total(self.totals)

    def without(self, node: str) -> Candidates:
        return evolve(self, totals={name: total for name, total in self.totals.items() if name != node})


@define(eq=False)
class Batch:
    """A Batch is what one profile keeps from one scheduling cycle for the next. ``last_number`` and ``last_node``
    are of the last cycle of the profile in which a node was chosen. ``is_too_old`` takes the age of the
    candidates in seconds."""

    candidates: Candidates | None = None
    last_number: int = 0
    last_node: str = ""
    is_too_old: Callable[[float], bool] = is_too_old
    gives_hints: ClassVar[bool] = True

    # --- Before Filter ----------------------------------------------------------------------------

    def hint(self, turn: Turn, state: CycleState) -> str:
        """R-BATCH-01: A pod with the same signature as the one that was scheduled in the cycle before gets as its
        hint the node with the highest total among the candidates that are left; each hint is given once.

        Returns the name of the node, or NO_NODE_HINT. Source: GetNodeHint."""
        candidates = self.candidates
        if candidates is None or not candidates.totals or not self._is_meant_for(turn, candidates):
            return NO_NODE_HINT
        refreshed = self._refreshed(turn, state, candidates)
        if refreshed is None:
            return NO_NODE_HINT
        applies("R-BATCH-01")
        hint = turn.snapshot.choices.choose("hint", refreshed.best)
        self.candidates = refreshed.without(hint)
        return hint

    def _is_meant_for(self, turn: Turn, candidates: Candidates) -> bool:
        """R-BATCH-02: There is no hint unless the profile chose a node in the cycle directly before; a pod that
        was popped meanwhile ends the batch, also one of another profile and one that failed or was skipped.
        R-BATCH-03: A pod whose signature differs, or that has none, gets no hint.
        R-BATCH-04: There is no hint if more than half a second has passed since the candidates were scored.

        Source: batchStateCompatible."""
        if turn.number != self.last_number + 1:
            applies("R-BATCH-02")
            return False
        if self.passes_over(turn):
            return False
        if turn.signature != candidates.signature:
            applies("R-BATCH-03")
            return False
        return not (self.is_too_old(turn.now - candidates.since) and applies("R-BATCH-04"))

    def passes_over(self, turn: Turn) -> bool:
        """R-BATCH-05: A pod that is nominated to a node gets no hint."""
        return applies("R-BATCH-05", when=turn.pod.pod.status.nominated_node_name)

    def _refreshed(self, turn: Turn, state: CycleState, candidates: Candidates) -> Candidates | None:
        """R-BATCH-06: There is no hint if the node that was chosen last was deleted, or if Filter fails on it with
        an error.

        Returns the candidates as they are for this pod, or None if there is no hint. Filter runs without the pods
        that are nominated to the node. Source: refreshHintCandidates."""
        last = turn.snapshot.get(self.last_node)
        status = None if last is None else turn.framework.run_filter_plugins(state, turn.pod, last)
        if last is None or status is None or not (status.is_success or status.is_rejected):
            applies("R-BATCH-06")
            return None
        return self.with_last_node(turn, state, candidates, last) if status.is_success else candidates

    def with_last_node(
        self, turn: Turn, state: CycleState, candidates: Candidates, last: NodeInfo
    ) -> Candidates | None:
        """R-BATCH-07: If the node that was chosen last is still feasible, it becomes a candidate again: it is
        scored as it is now, the others keep their scores before Normalize, and all are normalized together. There
        is no hint if one of them was deleted, or if PreScore fails.

        Source: rescoreHintedNode."""
        applies("R-BATCH-07")
        others = [node for name in candidates.totals if (node := turn.snapshot.get(name)) is not None]
        if len(others) < len(candidates.totals):
            return None
        nodes = (*others, last)
        scoring = turn.framework.run_pre_score_plugins(turn.pod, nodes, turn.snapshot, state)
        if isinstance(scoring, Status):
            return None
        raw: dict[str, dict[str, int]] = {}
        for plugin in scoring.plugins:
            kept = candidates.raw.get(plugin.name, {})
            raw[plugin.name] = {node.name: kept.get(node.name, 0) for node in others}
            raw[plugin.name][last.name] = plugin.score(scoring.states.get(plugin.name), turn.pod, last)
        scores = turn.framework.normalized(scoring.plugins, scoring.states, turn.pod, raw)
        return evolve(candidates, raw=scores.raw, totals=scores.totals(nodes))

    # --- After a node was chosen ------------------------------------------------------------------

    def store(self, turn: Turn, decision: Decision, node: str) -> None:
        """R-BATCH-08: After a hint that was taken the other candidates remain. After any other search they are
        replaced by the nodes that were scored and not chosen; there are none if only one node was feasible, or if
        the pod has no signature.

        ``node`` is the one that was chosen. Source: StoreScheduleResults."""
        self.last_number, self.last_node = turn.number, node
        if decision.hint == node:
            return
        applies("R-BATCH-08", when=self.candidates)
        self.candidates = None
        if decision.scores is not None and turn.signature is not None:
            found = Candidates(turn.signature, decision.scores.raw, decision.totals, turn.now)
            self.candidates = found.without(node)


@define(eq=False)
class NoBatch(Batch):
    """A NoBatch keeps nothing and gives no hint, as without feature gate OpportunisticBatching."""

    gives_hints: ClassVar[bool] = False

    def hint(self, turn: Turn, state: CycleState) -> str:
        return NO_NODE_HINT

    def store(self, turn: Turn, decision: Decision, node: str) -> None:
        """Does nothing."""
