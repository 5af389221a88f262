# SPDX-License-Identifier: Apache-2.0
"""Twins of names in what only newer releases have (twins.py)."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from conformance.strategies.exchanged import of_areas
from conformance.strategies.exchanged_newer import OF_AREAS
from conformance.strategies.twins import twinning
from refsched.suite.histories.history import History


def histories() -> SearchStrategy[History]:
    return twinning(of_areas(OF_AREAS))
