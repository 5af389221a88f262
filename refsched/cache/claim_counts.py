# SPDX-License-Identifier: Apache-2.0
"""Claim counts: how many pods use each PersistentVolumeClaim, counted from snapshot to snapshot.

No rule reads these counts, which are kept as kube-scheduler keeps them: the rules look at the pods on the nodes.
What is counted differs from that where a node is deleted and created again between two snapshots, and where pods
are bound to a node that does not exist (R-VOLRESTR-04).
Source: pkg/scheduler/backend/cache/cache.go, refreshPVCRefCountsDelta, applyPVCRefCountDelta.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from attrs import Factory, define

from refsched.framework.node_info import NodeInfo
from refsched.objects.pod import Pod
from refsched.objects.storage import claim_names


@define(eq=False)
class ClaimCounts:
    """ClaimCounts are by ``namespace/name`` of a claim. ``changes`` were made since the last snapshot."""

    counted: Counter[str] = Factory(Counter)
    changes: Counter[str] = Factory(Counter)

    def came(self, pod: Pod) -> None:
        self.changes.update(_claims_of(pod))

    def went(self, *pods: Pod) -> None:
        """Notes that the pods left, or that their node was deleted. What pods count again when the node is created
        anew is not noted."""
        for pod in pods:
            self.changes.subtract(_claims_of(pod))

    def at_snapshot(self, nodes: Iterable[NodeInfo], *, anew: bool) -> Mapping[str, int]:
        """Returns the counts as the next cycle sees them: added up over the nodes if any node came or went since
        the last snapshot, and otherwise those of the last snapshot with the changes."""
        changed = self.counted.copy()
        changed.update(self.changes)
        if anew or any(number < 0 for number in changed.values()):
            changed = Counter(claim for node in nodes for info in node.pods for claim in _claims_of(info.pod))
        self.counted = +changed
        self.changes = Counter()
        return self.counted


def _claims_of(pod: Pod) -> list[str]:
    return [f"{pod.namespace}/{name}" for name in claim_names(pod)]
