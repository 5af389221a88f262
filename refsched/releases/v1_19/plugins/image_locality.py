# SPDX-License-Identifier: Apache-2.0
"""ImageLocality in v1.19: init containers do not count.

Observed: that images count is documented, and not how much.
Source: plugins/imagelocality/image_locality.go.
"""

from __future__ import annotations

from attrs import evolve, frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.releases.v1_35.plugins import image_locality as current
from refsched.rules import applies


@frozen
class ImageLocality(current.ImageLocality):
    # --- Score ------------------------------------------------------------------------------------

    def score(self, number_of_nodes: int, pod: PodInfo, node: NodeInfo) -> int:
        """R-IMAGE-51: In v1.19 the images of init containers do not count for ImageLocality's score, nor do init
        containers raise what scores 100."""
        if not pod.pod.spec.init_containers:
            return super().score(number_of_nodes, pod, node)
        applies("R-IMAGE-51")
        without = evolve(pod.pod, spec=evolve(pod.pod.spec, init_containers=()))
        return super().score(number_of_nodes, PodInfo(without), node)
