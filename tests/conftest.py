# SPDX-License-Identifier: Apache-2.0
"""What tests of every folder may use: ``world``, and the modules beside this one."""

from __future__ import annotations

import signal

import pytest
from world import World

pytest_plugins = ("pytester",)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # In the background of a shell SIGINT is ignored, and children would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the mark of the suite's tests, which some tests here import outside of a run of the suite."""
    config.addinivalue_line(
        "markers", "conforms(declaration): a test of the suite, which its own plugin runs"
    )


@pytest.fixture
def world() -> World:
    """An empty cluster; both scripted plugins are configured."""
    return World()
