# SPDX-License-Identifier: Apache-2.0
"""Rarity: in how few of the suite's histories a rule is applied.

A history that was made small applies a rare rule only if it is needed to show the difference, so the rarest rules
are suspected first. How often each rule is applied was counted over the histories of the suite (``applied.json``,
which ``python -m conformance.wrong.rarity`` writes).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from math import log
from pathlib import Path

TABLE = Path(__file__).with_name("applied.json")


def rarity(rule: str) -> float:
    """Returns how much it says that a history applies the rule: 0 if every one does."""
    histories, counts = _table()
    return log((histories + 1) / (counts.get(rule, 0) + 1))


@cache
def _table() -> tuple[int, Mapping[str, int]]:
    """Returns how many histories there are, and how many of them apply each rule."""
    table = json.loads(TABLE.read_text("utf-8"))
    return table["histories"], table["rules"]
