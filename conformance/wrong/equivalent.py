# SPDX-License-Identifier: Apache-2.0
"""Equivalent: mutants of which nobody outside can tell, each with the argument."""

from __future__ import annotations

from collections.abc import Mapping

EQUIVALENT: Mapping[str, str] = {}
