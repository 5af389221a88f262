# SPDX-License-Identifier: Apache-2.0
"""TopologyCounts: the number of matching terms in each topology domain, also with a pod added or removed.

Source: plugins/interpodaffinity/filtering.go, topologyToMatchedTermCount.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen

Domain = tuple[str, str]
"""A Domain is the key and value of a label: all the nodes that have it are one domain."""


@frozen
class TopologyCounts:
    """``counted`` is shared by all copies of one PreFilter's state; each copy has its own ``changes``."""

    counted: Mapping[Domain, int] = field(factory=dict)
    changes: Mapping[Domain, int] = field(factory=dict)

    def at(self, domain: Domain) -> int:
        return self.counted.get(domain, 0) + self.changes.get(domain, 0)

    @property
    def is_empty(self) -> bool:
        """Returns whether the number is 0 in every domain."""
        return not any(map(self.at, self.counted)) and not any(map(self.at, self.changes))

    def plus(self, domains: Iterable[Domain], sign: int) -> TopologyCounts:
        """Returns the counts with one more, or one less, in each of ``domains``."""
        changes: dict[Domain, int] | None = None
        for domain in domains:
            changes = dict(self.changes) if changes is None else changes
            changes[domain] = changes.get(domain, 0) + sign
        return self if changes is None else evolve(self, changes=changes)
