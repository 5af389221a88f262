# SPDX-License-Identifier: Apache-2.0
"""Equivalent: mutants of which nobody outside can tell, each with the argument."""

from __future__ import annotations

from collections.abc import Mapping

EQUIVALENT: Mapping[str, str] = {
    "preemption.go_sort:_Sorting._partition_equal:swapped:0": (
        "Two elements change places: which of them is named first makes no difference."
    ),
}
