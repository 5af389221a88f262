# SPDX-License-Identifier: Apache-2.0
"""Rule: what is known of a rule about which a run reports."""

from __future__ import annotations

from attrs import frozen

from refsched.suite.catalogue.rule_metadata import PROMISED


@frozen
class Rule:
    """A Rule has a ``level``, promised or observed, and its ``source`` in Kubernetes. One of ``plugins`` must be
    there, or the rule decides nothing. ``untestable`` says why no history can show it."""

    id: str
    sentence: str = ""
    level: str = PROMISED
    source: str = ""
    plugins: tuple[str, ...] = ()
    untestable: str = ""

    @property
    def area(self) -> str:
        """Returns ``TAINT`` of ``R-TAINT-03``."""
        return self.id.split("-")[1] if self.id.count("-") > 1 else self.id
