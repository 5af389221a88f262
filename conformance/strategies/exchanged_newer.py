# SPDX-License-Identifier: Apache-2.0
"""Exchanged values of what only newer releases have (exchanged.py)."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from conformance.strategies.exchanged import exchanging, of_areas
from refsched.suite.histories.history import History

OF_AREAS = ("csi_drivers", "declared_features", "ready_devices", "shared_devices", "taint_rules")
"""These areas have objects that a feature gate refuses in earlier releases."""


def histories() -> SearchStrategy[History]:
    return exchanging(of_areas(OF_AREAS))
