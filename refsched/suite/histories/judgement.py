# SPDX-License-Identifier: Apache-2.0
"""Judgement: what was found out by running one history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory, define

from refsched.suite.findings import Comparison, Finding, Seen
from refsched.suite.histories.history import DEFAULT_CONFIG, History


@define
class Judgement:
    """A Judgement is what was found out by running one history.

    ``ended`` says why the history was not run to its end, if it was not; it ``is_unsupported`` if a request was,
    and ``needs_more`` if it was not begun, since the implementation has not what it needs. ``decisive`` counts
    for each rule how often it produced a value that was checked; ``choices`` how many outcomes were checked, and
    ``single`` for how many of them the specification allowed one only. ``usual`` is the configuration that the
    implementation gets with the default one; ``without`` are fields without which the history was run, since the
    implementation does not take them."""

    history: History
    seen: list[Seen] = Factory(list)
    findings: list[Finding] = Factory(list)
    decisive: Mapping[str, int] = Factory(dict)
    choices: int = 0
    single: int = 0
    ended: str = ""
    is_unsupported: bool = False
    needs_more: bool = False
    comparison: Comparison | None = None
    usual: Mapping[str, Any] = Factory(lambda: DEFAULT_CONFIG)
    without: tuple[str, ...] = ()
