# SPDX-License-Identifier: Apache-2.0
"""ImageLocality: a node that already has a pod's images is preferred, the more so the larger they are.

Promised: the plugin's purpose, not its scale, is documented with KubeSchedulerConfiguration.
Shows in: score.
Source: plugins/imagelocality/image_locality.go.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from refsched.framework.interface import MAX_NODE_SCORE, Fragments
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.rules import applies

MIB = 1024 * 1024
MIN_THRESHOLD = 23 * MIB
MAX_CONTAINER_THRESHOLD = 1000 * MIB
"""Both are in bytes: a sum of up to MIN_THRESHOLD scores 0, and no container counts more than
MAX_CONTAINER_THRESHOLD."""


@frozen
class ImageLocality:
    name = "ImageLocality"
    POINTS = ("score",)
    READS = ("Node.status.images", "Pod.spec.volumes")

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments:
        """R-BATCH-28 (observed: which pods are taken for equal may only save searches, KEP-5598): The images of
        the pod's containers are part of its signature, each once and in any order."""
        applies("R-BATCH-28")
        return {"images": frozenset(map(normalized_image_name, images_of_containers(pod)))}

    # --- Score ------------------------------------------------------------------------------------

    def state_of_snapshot(self, snapshot: Snapshot) -> int:
        """Returns the number of all nodes."""
        return len(snapshot.nodes)

    def score(self, number_of_nodes: int, pod: PodInfo, node: NodeInfo) -> int:
        """R-IMAGE-05 (observed: how images count is not documented): The image of an image volume counts as that
        of a container does."""
        in_volumes = images_of_volumes(pod.pod)
        applies("R-IMAGE-05", when=in_volumes)
        images = (*images_of_containers(pod.pod), *in_volumes)
        return scaled(present(images, node, number_of_nodes), len(images))


def images_of_containers(pod: Pod) -> list[str]:
    return [container.image for container in (*pod.spec.init_containers, *pod.spec.containers)]


def images_of_volumes(pod: Pod) -> list[str]:
    return [volume.image.reference for volume in pod.spec.volumes if volume.image is not None]


def present(images: Iterable[str], node: NodeInfo, number_of_nodes: int) -> int:
    """R-IMAGE-01 (observed: how images count is not documented): Each container whose image is on the node counts
    with the image's size times the share of all nodes that have the image."""
    counted = 0
    for image in images:
        state = node.image_states.get(normalized_image_name(image))
        if state is not None:
            applies("R-IMAGE-01")
            spread = state.num_nodes / number_of_nodes
            counted += int(state.size * spread)
    return counted


def scaled(counted: int, number_of_images: int) -> int:
    """R-IMAGE-02 (observed: the thresholds are constants of the source): The sum of what a node's images count is
    scaled to 0..100: up to 23 MiB scores 0, and 1000 MiB or more for each container, init containers included,
    scores 100."""
    applies("R-IMAGE-02", when=counted)
    most = MAX_CONTAINER_THRESHOLD * number_of_images
    counted = min(max(counted, MIN_THRESHOLD), most)
    return MAX_NODE_SCORE * (counted - MIN_THRESHOLD) // (most - MIN_THRESHOLD)


def normalized_image_name(name: str) -> str:
    """R-IMAGE-03 (shows in score): The name of an image without a tag stands for the image with the tag
    ``latest``; a colon before the last slash begins a port and not a tag."""
    if name.rfind(":") > name.rfind("/"):
        return name
    applies("R-IMAGE-03")
    return f"{name}:latest"
