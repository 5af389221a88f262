# SPDX-License-Identifier: Apache-2.0
"""Compared again: the histories of a test by which one explanation of its failure is preferred to another."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from attrs import Factory, define

from refsched.suite.findings import Comparison
from refsched.suite.histories.judgement import Judgement

EACH = 12
"""This many histories that have failed are kept, as many that have not since the first one has, and as many from
before it."""


def _last_ones() -> deque[Comparison]:
    return deque(maxlen=EACH)


@define(eq=False)
class ComparedAgain:
    """A ComparedAgain keeps the last histories in which something was wrong (``failing``), the last ones from
    ``before`` the test failed, and the last ones since then in which nothing was (``passing``)."""

    failing: deque[Comparison] = Factory(_last_ones)
    before: deque[Comparison] = Factory(_last_ones)
    passing: deque[Comparison] = Factory(_last_ones)

    def keep(self, judgement: Judgement, *, has_failed: bool) -> None:
        """Keeps a history of a test that ``has_failed`` before. One that was not run to its end says nothing."""
        if judgement.comparison is None:
            return
        if judgement.findings:
            self.failing.append(judgement.comparison)
        elif not judgement.ended:
            (self.passing if has_failed else self.before).append(judgement.comparison)

    def latest_first(self) -> Iterator[Iterator[Comparison]]:
        """Yields each kind, the last history first."""
        return map(reversed, (self.failing, self.before, self.passing))
