# SPDX-License-Identifier: Apache-2.0
"""Changes: which nodes changed from one snapshot to the next."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from attrs import Factory, define


@define(eq=False)
class NodeChanges:
    """NodeChanges count snapshots: ``ordered`` is when a node was last added or removed, and ``changed`` has when
    each node changed, the latest last."""

    generation: int = 0
    ordered: int = 0
    changed: dict[str, int] = Factory(dict)

    def note(self, changed: Iterable[str], *, is_reordered: bool) -> None:
        self.generation += 1
        if is_reordered:
            self.ordered = self.generation
        for name in changed:
            self.changed.pop(name, None)
            self.changed[name] = self.generation

    def since(self, generation: int) -> list[str]:
        """Returns the nodes that have changed since then, the latest first."""
        return list(takewhile(lambda name: self.changed[name] > generation, reversed(self.changed)))
