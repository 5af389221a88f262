# SPDX-License-Identifier: Apache-2.0
"""The table of all planted wrong schedulers, collected from the tables of the areas."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from attrs import frozen

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
"""The modules of this package that hold a table ``WRONG``, each with the areas whose tests and
recordings are tried first."""


@frozen
class Wrong:
    """A wrong scheduler: the specification with ``before`` replaced by ``after``.

    ``before`` occurs once in ``module``. ``says`` is a sentence about what the scheduler does wrong, and
    ``cites`` names the report of a scheduler with this mistake, if any.
    ``breaks`` lists the rules whose sentences are not true of it; a report that names one of them first names
    the right rule. ``kubernetes`` is the release that it decides by, if not the newest. ``shows_with`` is a
    capability without which a part of a scheduler does not show this mistake, though it may show others by which
    the same rules are broken.
    """

    name: str
    says: str
    module: str
    before: str
    after: str
    cites: str = ""
    breaks: tuple[str, ...] = ()
    kubernetes: str = ""
    shows_with: str = ""


def all_wrong() -> Mapping[str, Wrong]:
    return {wrong.name: wrong for table in tables().values() for wrong in table}


def tables() -> Mapping[str, tuple[Wrong, ...]]:
    """Return the tables of all areas, by area."""
    return {area: import_module(f"conformance.wrong.planted.{area}").WRONG for area in NEAREST}


def areas_near(name: str) -> tuple[str, ...]:
    """Return the areas whose tests are tried first on this wrong scheduler."""
    area = next(area for area, table in tables().items() if any(wrong.name == name for wrong in table))
    return NEAREST[area]
