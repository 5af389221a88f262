# SPDX-License-Identifier: Apache-2.0
"""NodeTree: the names of nodes by zone, listed round-robin over the zones.

Observed: in which order nodes are listed is not part of the API.
Source: pkg/scheduler/backend/cache/node_tree.go; component-helpers/node/topology/helpers.go, GetZoneKey.
"""

from __future__ import annotations

from refsched.objects.node import Node
from refsched.rules import applies


class NodeTree:
    """A NodeTree holds zones in the order in which they appeared, each with its nodes in the order in which
    they were added."""

    def __init__(self) -> None:
        self._zones: dict[tuple[str, str], list[str]] = {}

    def add(self, node: Node) -> None:
        names = self._zones.setdefault(node.zone, [])
        if node.name not in names:
            names.append(node.name)

    def remove(self, node: Node) -> None:
        """Removes the node. Raises KeyError if the tree does not have it in its zone."""
        zone = node.zone
        if node.name not in self._zones.get(zone, ()):
            raise KeyError(node.name)
        self._zones[zone].remove(node.name)
        if not self._zones[zone]:
            del self._zones[zone]

    def update(self, old: Node, new: Node) -> None:
        """Moves a node that changes its zone to the end of the new zone. Any other node keeps its place."""
        if old.zone != new.zone:
            self.remove(old)
            self.add(new)

    def names(self) -> list[str]:
        """R-CACHE-03 (shows in score): Nodes are listed round the zones, in the order in which these appeared: the
        first node of each zone, then the second of each, and so on; the list is made anew when a node comes or
        leaves.
        """
        applies("R-CACHE-03", when=len(self._zones) > 1)
        longest = max((len(names) for names in self._zones.values()), default=0)
        return [names[i] for i in range(longest) for names in self._zones.values() if i < len(names)]
