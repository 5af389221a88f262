# SPDX-License-Identifier: Apache-2.0
"""ImageLocality before 1.36: image volumes do not count.

Changed by: kubernetes #130231 (image volumes count).
After the upgrade: The images of image volumes count for ImageLocality, so that nodes which have them are preferred
(R-IMAGE-06).
What to do: nothing.
Observed: how images count is not documented.
Source: plugins/imagelocality/image_locality.go, Score, sumImageScores.
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
        """R-IMAGE-07 (instead of R-IMAGE-05, R-IMAGE-06): Until v1.35 the images of image volumes do not count for
        ImageLocality's score."""
        applies("R-IMAGE-07", when=current.images_of_volumes(pod.pod))
        images = current.images_of_containers(pod.pod)
        return current.scaled(current.present(images, node, number_of_nodes), len(images))
