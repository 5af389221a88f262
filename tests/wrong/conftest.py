# SPDX-License-Identifier: Apache-2.0
"""The suite's tests are imported here as modules like any other, outside of a run of the suite."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "conforms(claim): a test of the suite, which its own plugin runs")
