# SPDX-License-Identifier: Apache-2.0
"""The defect of v1.37.2 in the count of pods that use a claim.

Source: pkg/scheduler/backend/cache/cache.go, AddNode, RemoveNode, UpdateSnapshot; backend/cache/snapshot.go,
IsPVCUsedByPods.
"""

from __future__ import annotations

from refsched.framework.snapshot import Snapshot
from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect


def as_counted(name: str, namespace: str, snapshot: Snapshot) -> bool:
    """Returns whether the cache has counted any pod that uses this claim."""
    return snapshot.counted_claims.get(f"{namespace}/{name}", 0) > 0


CLAIMS_OF_A_NODE_CREATED_ANEW = KnownDefect(
    "claims-of-a-node-created-anew",
    "R-VOLRESTR-04",
    NOT_REPORTED,
    "takes the ReadWriteOncePod claims of the pods on a node for unused when the node is deleted and created again"
    " between two attempts, and those of pods that are bound to a node which does not exist for used, until any"
    " other node comes or goes",
    "counts the pods on the nodes that exist",
    "VolumeRestrictions",
    {"is_used": as_counted},
)
