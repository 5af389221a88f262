# SPDX-License-Identifier: Apache-2.0
"""``suite``: a small world to run pytest in."""

from __future__ import annotations

import pytest
from toy_suite import Suite

MEASURED = ("test_suite_exit_codes.py",)
"""Runs in these files count for coverage. Those in the others reach the same, and would take three times as
long."""


@pytest.fixture
def suite(pytester: pytest.Pytester, request: pytest.FixtureRequest) -> Suite:
    return Suite(pytester, is_measured=request.path.name in MEASURED)
