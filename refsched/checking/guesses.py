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
    """A Guess that was wrong has changed one of these ``members`` of an attempt. Then the members that
    ``may_follow`` may differ as well, and any others where that is None."""

    members: frozenset[str]
    may_follow: frozenset[str] | None = frozenset()

    def explains(self, found: Iterable[Disagreement]) -> bool:
        """Returns whether all these differences may have come about because the guess was wrong."""
        differing = {one.member.partition(".")[0] for one in found}
        others = differing - self.members
        return others != differing and (self.may_follow is None or others <= self.may_follow)


SCORE = Guess(frozenset({"node", "scores", "totals"}))
"""Which count of ServiceAffinity, or which CSIStorageCapacity, a node was scored by."""
VICTIMS = Guess(frozenset({"victims", "nominatedNode"}), may_follow=frozenset({"message"}))
"""In which order equally important pods were reprieved, or stand on their node. The message of v1.37 names it."""
DRY_RUNS = Guess(VICTIMS.members | {"message"})
"""What plugins that only the other scheduler has said in the dry runs of a preemption."""
HINT_USED_UP = Guess(frozenset({"evaluated"}), may_follow=None)
"""Whether a pod that was tried on its nominated node used up the hint of its batch."""
