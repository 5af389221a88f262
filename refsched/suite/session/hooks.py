# SPDX-License-Identifier: Apache-2.0
"""Hooks that the suite adds to pytest."""

from __future__ import annotations

import pytest

from refsched.suite.session.bench import Bench


@pytest.hookspec(firstresult=True)
def pytest_conformance_bench(config: pytest.Config) -> Bench | None:
    """Returns the bench of this run. A project with rules, areas or adapters of its own returns its own bench."""
