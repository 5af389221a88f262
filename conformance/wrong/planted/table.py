# SPDX-License-Identifier: Apache-2.0
"""Planted: the table of wrong schedulers, put together from the tables of the areas."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from attrs import frozen

NEAREST: Mapping[str, tuple[str, ...]] = {
    "resources": ("resources", "requeued"),
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
}
"""The modules of this package that hold a table ``WRONG``, each with the areas whose tests, and recordings, lie
nearest."""


@frozen
class Wrong:
    """``says`` what it does wrong, in one sentence. In ``module`` of refsched ``before``, which stands there once,
    is replaced by ``after``. ``cites`` is the report of a scheduler that was wrong in this way, or empty."""

    name: str
    says: str
    module: str
    before: str
    after: str
    cites: str = ""


def all_wrong() -> Mapping[str, Wrong]:
    return {wrong.name: wrong for table in tables().values() for wrong in table}


def tables() -> Mapping[str, tuple[Wrong, ...]]:
    """By area."""
    return {area: import_module(f"conformance.wrong.planted.{area}").WRONG for area in NEAREST}


def areas_near(name: str) -> tuple[str, ...]:
    """Which areas' tests to try first on this one."""
    area = next(area for area, table in tables().items() if any(wrong.name == name for wrong in table))
    return NEAREST[area]
