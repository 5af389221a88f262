# SPDX-License-Identifier: Apache-2.0
"""Guesses: what no record shows of an attempt, so that the specification had to choose.

A difference that a wrong guess may have made is no disagreement, but the history is followed no further.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from refsched.checking.agreement import Disagreement


@frozen
class Guess:
    """A Guess that was wrong has changed these ``members`` of an attempt, and no others unless it
    ``changes_others``."""

    members: frozenset[str]
    changes_others: bool = False

    def explains(self, found: Iterable[Disagreement]) -> bool:
        differing = {one.member.partition(".")[0] for one in found}
        return not differing.isdisjoint(self.members) if self.changes_others else differing <= self.members


COUNT_OF_SERVICE = Guess(frozenset({"node", "scores", "totals"}))
"""Which count of ServiceAffinity was taken."""
VICTIMS = Guess(frozenset({"victims", "nominatedNode"}))
"""In which order equally important pods were reprieved, or stand on their node."""
DRY_RUNS = Guess(VICTIMS.members | {"message"})
"""What plugins that only the other scheduler has said in the dry runs of a preemption."""
HINT_USED_UP = Guess(frozenset({"evaluated"}), changes_others=True)
"""Whether a pod that was tried on its nominated node used up the hint of its batch."""
HINT_TOO_OLD = Guess(frozenset({"node"}), changes_others=True)
"""Whether the hint of a batch was too old when it was looked at, on a clock that goes on."""
