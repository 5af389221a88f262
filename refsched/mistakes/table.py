# SPDX-License-Identifier: Apache-2.0
"""The table of all wrong schedulers that were made by hand, collected from the tables of the areas."""

from __future__ import annotations

from collections.abc import Mapping

from refsched.mistakes.planted import (
    affinity,
    backoff,
    binding,
    cache,
    config,
    cycle,
    devices,
    earlier_cycle,
    earlier_plugins,
    earlier_queue,
    events,
    hints,
    images,
    nominated,
    permit,
    pod_affinity,
    ports,
    preemption,
    queue,
    resources,
    scores,
    spread,
    taints,
    volumes,
)
from refsched.mistakes.wrong import Wrong


def tables() -> Mapping[str, tuple[Wrong, ...]]:
    """Return the tables of all areas, by area, the nearest to the way of a pod first."""
    return {
        "resources": resources.WRONG,
        "scores": scores.WRONG,
        "taints": taints.WRONG,
        "affinity": affinity.WRONG,
        "pod_affinity": pod_affinity.WRONG,
        "spread": spread.WRONG,
        "ports": ports.WRONG,
        "images": images.WRONG,
        "queue": queue.WRONG,
        "backoff": backoff.WRONG,
        "hints": hints.WRONG,
        "events": events.WRONG,
        "cache": cache.WRONG,
        "cycle": cycle.WRONG,
        "nominated": nominated.WRONG,
        "preemption": preemption.WRONG,
        "binding": binding.WRONG,
        "permit": permit.WRONG,
        "volumes": volumes.WRONG,
        "devices": devices.WRONG,
        "config": config.WRONG,
        "earlier_queue": earlier_queue.WRONG,
        "earlier_cycle": earlier_cycle.WRONG,
        "earlier_plugins": earlier_plugins.WRONG,
    }


def all_wrong() -> Mapping[str, Wrong]:
    """Return all wrong schedulers, by name."""
    return {wrong.name: wrong for table in tables().values() for wrong in table}
