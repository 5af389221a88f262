# SPDX-License-Identifier: Apache-2.0
"""The control plane, for tests that need a real API server. None of them builds it, which takes minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from refsched.suite.adapters.control_plane import control_plane_program

PROGRAM = control_plane_program().built_before()
NOT_BUILT = "the control plane is not built: pytest conformance/ --impl=api:kube-scheduler does it"

is_built = pytest.mark.skipif(PROGRAM is None, reason=NOT_BUILT)


def built_program() -> Path:
    """Returns the program, for a fixture. Skips its tests if there is none."""
    if PROGRAM is None:
        pytest.skip(NOT_BUILT)
    return PROGRAM
