# SPDX-License-Identifier: Apache-2.0
"""Level: which rules count in a run of the suite (``--level``), and what a scheduler is free in because of that.

What ``--level promised`` leaves out is:

* the rules that are only observed (``Level.counts``);
* the order that the release takes where a rule leaves the order open (``Level.allows_any_order``);
* the words of reasons and messages (``Level.allows_other_words``).
"""

from __future__ import annotations

from enum import StrEnum

from refsched.errors import InputError
from refsched.suite.catalogue.rule_metadata import OBSERVED, PROMISED


class Level(StrEnum):
    """A Level says which rules count: those that the documentation of Kubernetes promises, those that were only
    observed in a release, or all."""

    PROMISED = PROMISED
    OBSERVED = OBSERVED
    ALL = "all"

    def counts(self, level_of_rule: str) -> bool:
        """Returns whether a rule of this level counts in the run."""
        return self in (Level.ALL, level_of_rule)

    @property
    def allows_any_order(self) -> bool:
        """Returns whether a scheduler may take another order than its release, where a rule leaves it open."""
        return self is Level.PROMISED

    @property
    def allows_other_words(self) -> bool:
        """Returns whether a scheduler may word its reasons and messages as it likes."""
        return self is Level.PROMISED

    @property
    def of_headline(self) -> str:
        """Returns the level of the rules that the headline of the report counts."""
        return OBSERVED if self is Level.OBSERVED else PROMISED


def read_level(text: str) -> Level:
    """Reads the value of ``--level``. Raises InputError if there is no such level."""
    try:
        return Level(text)
    except ValueError:
        *others, last = Level
        raise InputError(
            f"expected {', '.join(others)} or {last}, found {text!r:.60}", where="--level"
        ) from None
