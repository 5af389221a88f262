# SPDX-License-Identifier: Apache-2.0
"""What tests of every folder may use: ``world``, and the modules beside this one."""

from __future__ import annotations

import pytest
from world import World

pytest_plugins = ("pytester",)


@pytest.fixture
def world() -> World:
    """An empty cluster; both scripted plugins are configured."""
    return World()
