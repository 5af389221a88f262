# SPDX-License-Identifier: Apache-2.0
"""Strategies: what histories are drawn from. Inputs come from the seed alone, never from answers.

``AREAS`` names them. An area is named as the traces of it are, and imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import cast

from hypothesis.strategies import SearchStrategy

from conformance.strategies.later_changes import continued
from conformance.strategies.odd_names import with_odd_names
from conformance.strategies.odd_values import with_odd_values
from conformance.strategies.questions import questioned
from conformance.strategies.stored_objects import as_stored
from refsched.suite.histories.history import History

_NAMES = (
    *("resources", "taints", "node_affinity", "pod_affinity", "spread", "ports", "images", "requeued"),
    *("hints", "config", "left_out", "nominated", "queue", "preemption", "volumes", "attached"),
    *("earlier_plugins", "disks", "claims", "limits", "assumed_volumes", "awaited_volumes", "dra"),
    *("devices", "multiple_claims", "allocations", "csi_drivers", "batches", "before_binding"),
    *("early_nominations", "gated_nominations", "declared_features", "shared_devices", "taint_rules"),
    *("ready_devices", "many", "faults", "permit", "lifecycle", "mixed", "pairs", "exchanged"),
    *("exchanged_newer", "twins", "twins_newer", "longer", "longer_newer", "extenders", "anything"),
)
_OF_CASES = (
    *("cases_of_pods", "cases_of_volumes", "cases_of_the_cycle", "cases_of_newer_pods"),
    *("cases_of_newer_objects", "cases_of_the_newer_cycle", "cases_of_newest_rules"),
)
"""The strategies of these areas are the functions of their names in one module."""
_ELSEWHERE = {"dra": "devices", "many": "many_nodes", "anything": "machine"}
"""The strategy of an area, ``histories``, stands in the module of its name, or in that one."""


def _drawn(module: str, function: str = "histories") -> SearchStrategy[History]:
    found = import_module(f"{__name__}.{module}")
    return cast("SearchStrategy[History]", getattr(found, function)())


def _area(module: str, function: str = "histories") -> Callable[[], SearchStrategy[History]]:
    def histories() -> SearchStrategy[History]:
        return as_stored(questioned(continued(with_odd_values(with_odd_names(_drawn(module, function))))))

    return histories


AREAS: Mapping[str, Callable[[], SearchStrategy[History]]] = {
    **{name: _area(_ELSEWHERE.get(name, name)) for name in _NAMES},
    **{name: _area("varied_cases", name) for name in _OF_CASES},
    **{f"varied_{name}": _area("varied", name) for name in ("pods", "volumes")},
    "configurations": partial(_drawn, "configurations"),
    "configurations_together": partial(_drawn, "configurations", "together"),
}
"""Nothing follows a configuration that is asked for alone."""
