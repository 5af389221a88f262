# SPDX-License-Identifier: Apache-2.0
"""Batching before 1.37: there is a hint only if the node that was chosen last has no room for another such pod,
and a nominated pod uses one up.

Changed by: kubernetes #140289 (the node that was chosen last is scored anew).
After the upgrade: A pod that equals the one before it is tried first on the next best node also while that of the
one before has room (R-BATCH-07).
What to do: nothing.
Observed: that pods are batched may only save searches, KEP-5598.
Source: pkg/scheduler/framework/runtime/batch.go, batchStateCompatible.
"""

from __future__ import annotations

from attrs import define

from refsched.cycle import batching as current
from refsched.cycle.batching import Candidates, Turn
from refsched.framework.cycle_state import CycleState
from refsched.framework.node_info import NodeInfo
from refsched.rules import applies


@define(eq=False)
class Batch(current.Batch):
    def passes_over(self, turn: Turn) -> bool:
        """R-BATCH-51 (instead of R-BATCH-05): Until v1.36 a pod that is nominated to a node is given a hint like
        any other, which is used up, although the nominated node is tried."""
        applies("R-BATCH-51", when=turn.pod.pod.status.nominated_node_name)
        return False

    def with_last_node(
        self, turn: Turn, state: CycleState, candidates: Candidates, last: NodeInfo
    ) -> Candidates | None:
        """R-BATCH-52 (instead of R-BATCH-07): Until v1.36 there is no hint if the node that was chosen last is
        still feasible for the pod."""
        applies("R-BATCH-52")
        return None
