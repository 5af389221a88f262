# SPDX-License-Identifier: Apache-2.0
"""Strategies: what histories are drawn from. Inputs come from the seed alone, never from answers.

``AREAS`` names them. An area is named as the traces of it are, and imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from hypothesis.strategies import SearchStrategy

from conformance.strategies.later_changes import continued
from conformance.strategies.odd_names import with_odd_names
from conformance.strategies.odd_values import with_odd_values
from conformance.strategies.questions import questioned
from refsched.suite.histories.history import History

_MODULES = {
    "resources": "resources",
    "taints": "taints",
    "node_affinity": "node_affinity",
    "pod_affinity": "pod_affinity",
    "spread": "spread",
    "ports": "ports",
    "images": "images",
    "requeued": "requeued",
    "hints": "hints",
    "config": "config",
    "left_out": "left_out",
    "nominated": "nominated",
    "queue": "queue",
    "preemption": "preemption",
    "volumes": "volumes",
    "attached": "attached",
    "earlier_plugins": "earlier_plugins",
    "disks": "disks",
    "claims": "claims",
    "limits": "limits",
    "assumed_volumes": "assumed_volumes",
    "dra": "devices",
    "devices": "devices",
    "multiple_claims": "multiple_claims",
    "allocations": "allocations",
    "csi_drivers": "csi_drivers",
    "batches": "batches",
    "before_binding": "before_binding",
    "early_nominations": "early_nominations",
    "gated_nominations": "gated_nominations",
    "declared_features": "declared_features",
    "shared_devices": "shared_devices",
    "taint_rules": "taint_rules",
    "ready_devices": "ready_devices",
    "many": "many_nodes",
    "faults": "faults",
    "permit": "permit",
    "lifecycle": "lifecycle",
    "mixed": "mixed",
    "pairs": "pairs",
    "exchanged": "exchanged",
    "exchanged_newer": "exchanged_newer",
    "twins": "twins",
    "twins_newer": "twins_newer",
    "extenders": "extenders",
    "anything": "machine",
}
"""In which module of this package an area's strategy, ``histories``, stands."""


def _area(module: str) -> Callable[[], SearchStrategy[History]]:
    def histories() -> SearchStrategy[History]:
        found = import_module(f"{__name__}.{module}")
        drawn = cast("SearchStrategy[History]", found.histories())
        return questioned(continued(with_odd_values(with_odd_names(drawn))))

    return histories


AREAS: Mapping[str, Callable[[], SearchStrategy[History]]] = {
    area: _area(module) for area, module in _MODULES.items()
}
