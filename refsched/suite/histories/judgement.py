# SPDX-License-Identifier: Apache-2.0
"""Judgement: what was found out by running one history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory, define

from refsched.suite.findings import Comparison, Finding, Seen
from refsched.suite.histories.history import DEFAULT_CONFIG, History

NEEDS = "needs "
"""The reason begins so if a history was not run because it needs what the implementation does not do."""

UNSUPPORTED = " is unsupported: "
"""This stands between the request and the reason, where a history ended because a request is unsupported."""


@define
class Judgement:
    """A Judgement is what was found out by running one history.

    ``ended`` says why the history was not run to its end, if it was not; ``decisive`` counts for each rule how
    often it produced a value that was checked; ``choices`` how many outcomes were checked, and ``single`` for how
    many of them the specification allowed one only. ``usual`` is the configuration that the implementation gets
    with the default one; ``without`` are fields without which the history was run, since the implementation does
    not take them."""

    history: History
    seen: list[Seen] = Factory(list)
    findings: list[Finding] = Factory(list)
    decisive: Mapping[str, int] = Factory(dict)
    choices: int = 0
    single: int = 0
    ended: str = ""
    comparison: Comparison | None = None
    usual: Mapping[str, Any] = Factory(lambda: DEFAULT_CONFIG)
    without: tuple[str, ...] = ()

    @property
    def is_unsupported(self) -> bool:
        """Returns whether the history ended because the implementation does not support a request."""
        return UNSUPPORTED in self.ended and not self.findings

    @property
    def needs_more(self) -> bool:
        """Returns whether the history was not run because it needs what the implementation does not do."""
        return self.ended.startswith(NEEDS)
