# SPDX-License-Identifier: Apache-2.0
"""What tests of recordings may use: ``reference``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect


@pytest.fixture(scope="module")
def reference() -> Iterator[Adapter]:
    """The specification as an implementation."""
    with connect() as adapter:
        yield adapter
