# SPDX-License-Identifier: Apache-2.0
"""Counted: what the histories of a test have compared, as far as the report counts it."""

from __future__ import annotations

from collections import Counter

from attrs import Factory, define

from refsched.suite.histories.judgement import Judgement
from refsched.suite.session.kept_rules import Decided


@define(eq=False)
class Counted:
    """A Counted has the number of histories (``examples``) that were run, and how many were ``not_for_it``, since
    they need what the implementation does not do. ``decisive`` says how often each rule was compared, and
    ``decided`` in which histories where nothing was wrong. Of so many ``choices`` some were ``single``: only one
    outcome was allowed. ``ended`` counts histories that were not run to the end, by reason, and ``without`` those
    from which a field was left out that the implementation does not take, by field."""

    examples: int = 0
    not_for_it: int = 0
    decisive: Counter[str] = Factory(Counter)
    decided: dict[str, Decided] = Factory(dict)
    choices: int = 0
    single: int = 0
    ended: Counter[str] = Factory(Counter)
    without: Counter[str] = Factory(Counter)

    def add(self, judgement: Judgement) -> None:
        """Counts another history."""
        if judgement.needs_more:
            self.not_for_it += 1
            return
        self.examples += 1
        self.without.update(judgement.without)
        if judgement.findings or not judgement.ended:
            self.decisive.update(judgement.decisive)
        if judgement.comparison is not None and not (judgement.findings or judgement.ended):
            for rule, times in judgement.decisive.items():
                known = self.decided.setdefault(
                    rule, Decided(judgement.comparison, times, judgement.comparison)
                )
                known.see(judgement.comparison, times)
        self.choices += judgement.choices
        self.single += judgement.single
        if judgement.ended and not judgement.findings:
            self.ended[judgement.ended] += 1
