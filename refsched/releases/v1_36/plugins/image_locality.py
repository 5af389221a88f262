# SPDX-License-Identifier: Apache-2.0
"""ImageLocality in 1.36: image volumes count, and do not raise what scores 100.

Changed by: kubernetes #138951 (image volumes raise it as containers do).
After the upgrade: Image volumes raise what a pod's images have to reach for the full score (R-IMAGE-05).
What to do: nothing.
Observed: how images count is not documented.
Source: plugins/imagelocality/image_locality.go, Score, calculatePriority.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.plugins import image_locality as current
from refsched.rules import applies


@frozen
class ImageLocality(current.ImageLocality):
    # --- Score ------------------------------------------------------------------------------------

    def score(self, number_of_nodes: int, pod: PodInfo, node: NodeInfo) -> int:
        """R-IMAGE-06 (instead of R-IMAGE-05): In v1.36 the image of an image volume counts as that of a container
        does, but does not raise the sum that scores 100."""
        in_volumes = current.images_of_volumes(pod.pod)
        applies("R-IMAGE-06", when=in_volumes)
        of_containers = current.images_of_containers(pod.pod)
        counted = current.present((*of_containers, *in_volumes), node, number_of_nodes)
        return current.scaled(counted, len(of_containers))
