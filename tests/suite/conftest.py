# SPDX-License-Identifier: Apache-2.0
"""``suite``: a small world to run pytest in."""

from __future__ import annotations

import pytest
from toy_suite import Suite


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    return Suite(pytester)
