# SPDX-License-Identifier: Apache-2.0
"""The areas whose tests are tried first on a planted wrong scheduler, so that most are found out soon."""

from __future__ import annotations

from collections.abc import Mapping

from refsched.mistakes.table import tables

NEAREST: Mapping[str, tuple[str, ...]] = {
    "resources": ("resources", "requeued", "hints"),
    "scores": ("resources", "config"),
    "taints": ("taints", "requeued"),
    "affinity": ("node_affinity", "requeued"),
    "pod_affinity": ("pod_affinity", "requeued", "preemption", "nominated"),
    "spread": ("spread", "requeued", "spread_policies", "preemption", "nominated"),
    "ports": ("ports", "ports_ips"),
    "images": ("images", "image_churn"),
    "queue": ("queue", "faults", "lifecycle"),
    "backoff": ("queue", "faults"),
    "hints": ("queue", "requeued", "hints", "events"),
    "events": ("queue", "lifecycle", "events"),
    "cache": ("lifecycle", "faults", "many", "churn"),
    "cycle": ("many", "nominated"),
    "nominated": ("nominated", "preemption"),
    "preemption": ("preemption", "preempt_flow", "nominated"),
    "binding": ("faults", "permit"),
    "permit": ("permit", "faults"),
    "volumes": ("volumes", "attached", "disks", "claims", "limits", "assumed_volumes"),
    "devices": ("devices", "dra", "multiple_claims", "allocations"),
    "config": ("config", "resources", "many"),
    "earlier_queue": ("queue", "requeued", "lifecycle", "extenders", "permit", "images", "workloads"),
    "earlier_cycle": (
        "claims",
        "preemption",
        "faults",
        "permit",
        "nominated",
        "volumes",
        "config",
        "many",
        "extenders",
    ),
    "earlier_plugins": (
        "earlier_plugins",
        "spread",
        "resources",
        "taints",
        "node_affinity",
        "pod_affinity",
        "images",
        "volumes",
        "attached",
        "claims",
        "limits",
    ),
}
"""By the table of ``refsched.mistakes.planted`` in which the wrong scheduler stands."""


def areas_near(name: str) -> tuple[str, ...]:
    """Return the areas whose tests and recordings are tried first on this wrong scheduler."""
    area = next(area for area, table in tables().items() if any(wrong.name == name for wrong in table))
    return NEAREST[area]
