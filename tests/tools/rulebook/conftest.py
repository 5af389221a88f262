# SPDX-License-Identifier: Apache-2.0
"""The tests of the suite are looked at here, and their marks must be known to be read."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "conforms(claim): a test of the conformance suite")
