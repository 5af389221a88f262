# SPDX-License-Identifier: Apache-2.0
"""What is drawn depends on the seed alone, and every area draws what only it is about."""

from __future__ import annotations

from collections import Counter

import pytest
from done_histories import drawn, recorded

OWN = (
    "resources",
    "taints",
    "node_affinity",
    "pod_affinity",
    "spread",
    "ports",
    "images",
    "config",
    "nominated",
    "queue",
    "preemption",
    "many",
    "faults",
    "permit",
    "lifecycle",
    "mixed",
    "pairs",
    "anything",
    "extenders",
    "volumes",
    "attached",
    "disks",
    "requeued",
    "claims",
    "assumed_volumes",
    "limits",
    "devices",
    "multiple_claims",
    "allocations",
    "batches",
    "before_binding",
    "early_nominations",
    "declared_features",
)
"""The areas that are tested here."""


@pytest.mark.parametrize("area", OWN)
def test_the_same_seed_draws_the_same_histories(area: str) -> None:
    assert drawn(area, 1) == drawn(area, 1)


@pytest.mark.parametrize("area", OWN)
def test_two_seeds_draw_different_histories(area: str) -> None:
    assert drawn(area, 1) != drawn(area, 2)


@pytest.mark.parametrize("area", OWN)
def test_every_history_can_be_done_to_the_specification(area: str) -> None:
    results = Counter(
        attempt["result"] for history in drawn(area, 3) for attempt in recorded(history, "attempt")
    )

    assert results["scheduled"]
