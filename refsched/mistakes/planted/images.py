# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the score for images that a node has."""

from refsched.mistakes.wrong import Wrong

_IMAGES = "refsched.plugins.image_locality"
_CACHE = "refsched.cache.cache"

WRONG = (
    Wrong(
        "small-images-count",
        "Images of less than 23 MiB count.",
        _IMAGES,
        "MIN_THRESHOLD = 23 * MIB",
        "MIN_THRESHOLD = 0",
        cites="kubernetes #124392",
        breaks=("R-IMAGE-02",),
    ),
    Wrong(
        "ignores-how-far-an-image-spread",
        "An image on one node counts as much as an image on all nodes.",
        _IMAGES,
        "present += int(state.size * spread)",
        "present += state.size",
        breaks=("R-IMAGE-01",),
    ),
    Wrong(
        "ignores-images-of-init-containers",
        "The images of init containers do not count.",
        _IMAGES,
        "containers = (*pod.pod.spec.init_containers, *pod.pod.spec.containers)",
        "containers = pod.pod.spec.containers",
        breaks=("R-IMAGE-01",),
    ),
    Wrong(
        "knows-no-latest",
        "An image without a tag is not normalized to the tag latest.",
        _IMAGES,
        'return f"{name}:latest"',
        "return name",
        breaks=("R-IMAGE-03",),
    ),
    Wrong(
        "takes-a-port-for-a-tag",
        "The port of an image's registry is read as its tag.",
        _IMAGES,
        'if name.rfind(":") > name.rfind("/"):',
        'if ":" in name:',
        breaks=("R-IMAGE-03",),
    ),
    Wrong(
        "one-threshold-for-all-containers",
        "The upper threshold does not grow with the number of containers.",
        _IMAGES,
        "most = MAX_CONTAINER_THRESHOLD * len(containers)",
        "most = MAX_CONTAINER_THRESHOLD",
        breaks=("R-IMAGE-02",),
    ),
    Wrong(
        "shares-among-feasible-nodes",
        "The spread of an image is its share of the feasible nodes, not of all nodes.",
        _IMAGES,
        "return Continue(len(snapshot.nodes))",
        "return Continue(len(feasible))",
        cites="kubernetes #116673",
        breaks=("R-IMAGE-01",),
    ),
    Wrong(
        "images-are-never-removed",
        "An image that was removed from a node still counts for the image's spread.",
        _CACHE,
        "holders.discard(node.name)",
        "pass",
        breaks=("R-IMAGE-01", "R-IMAGE-04"),
    ),
    Wrong(
        "takes-the-last-size-of-an-image",
        "If nodes report different sizes of an image, the last size counts, not the first.",
        _CACHE,
        "self._images.setdefault(name, (image.size_bytes, set()))[1].add(node.name)",
        "self._images[name] = (image.size_bytes, {*self._images.get(name, (0, set()))[1], node.name})",
        breaks=("R-IMAGE-04",),
    ),
)
