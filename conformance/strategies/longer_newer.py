# SPDX-License-Identifier: Apache-2.0
"""Longer lists in what only newer releases have (longer.py)."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from conformance.strategies.exchanged import of_areas
from conformance.strategies.exchanged_newer import OF_AREAS
from conformance.strategies.longer import with_longer_lists
from refsched.suite.histories.history import History


def histories() -> SearchStrategy[History]:
    return with_longer_lists(of_areas(OF_AREAS))
