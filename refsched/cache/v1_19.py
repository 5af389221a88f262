# SPDX-License-Identifier: Apache-2.0
"""Cache in v1.19: on how many nodes an image is, a node knows from when it was itself last shown.

Rules: R-CACHE-51.   Source: pkg/scheduler/internal/cache/cache.go, addNodeImageStates (v1.19.16).
"""

from __future__ import annotations

from attrs import evolve

from refsched.cache import cache as current
from refsched.framework.node_info import NodeInfo
from refsched.objects.node import Node
from refsched.rules import applies


class Cache(current.Cache):
    """As today's, but for what is overridden."""

    def set_node(self, node: Node) -> None:
        """R-CACHE-51: In v1.19 a node counts the other nodes that have its images when the node itself is added or
        updated; pods that come or go do not make it count again."""
        super().set_node(node)
        info = self._nodes[node.name]
        applies("R-CACHE-51")
        self._nodes[node.name] = evolve(info, image_states=self._images.states_of(node))

    def _change(self, name: str, info: NodeInfo) -> None:
        super()._change(name, info)
        self._images_to_learn.discard(name)
