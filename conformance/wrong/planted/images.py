# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in the score for images that are there."""

from conformance.wrong.planted.table import Wrong

_IMAGES = "refsched.plugins.image_locality"
_CACHE = "refsched.cache.cache"

WRONG = (
    Wrong(
        "small-images-count",
        "images of less than 23 MiB count",
        _IMAGES,
        "MIN_THRESHOLD = 23 * MIB",
        "MIN_THRESHOLD = 0",
        cites="kubernetes #124392",
    ),
    Wrong(
        "ignores-how-far-an-image-spread",
        "an image that only one node has counts as much as one that all have",
        _IMAGES,
        "present += int(state.size * spread)",
        "present += state.size",
    ),
    Wrong(
        "ignores-images-of-init-containers",
        "init containers' images do not count",
        _IMAGES,
        "containers = (*pod.pod.spec.init_containers, *pod.pod.spec.containers)",
        "containers = pod.pod.spec.containers",
    ),
    Wrong(
        "knows-no-latest",
        "an image without a tag is not the one tagged latest",
        _IMAGES,
        'return f"{name}:latest"',
        "return name",
    ),
    Wrong(
        "takes-a-port-for-a-tag",
        "the port of an image's registry is taken for its tag",
        _IMAGES,
        'if name.rfind(":") > name.rfind("/"):',
        'if ":" in name:',
    ),
    Wrong(
        "one-threshold-for-all-containers",
        "the upper threshold does not grow with the number of containers",
        _IMAGES,
        "most = MAX_CONTAINER_THRESHOLD * len(containers)",
        "most = MAX_CONTAINER_THRESHOLD",
    ),
    Wrong(
        "shares-among-feasible-nodes",
        "an image's share is one of the feasible nodes, not of all",
        _IMAGES,
        "return Continue(len(snapshot.nodes))",
        "return Continue(len(feasible))",
        cites="kubernetes #116673",
    ),
    Wrong(
        "images-are-never-removed",
        "an image that a node no longer has goes on counting for its spread",
        _CACHE,
        "holders.discard(node.name)",
        "pass",
    ),
    Wrong(
        "takes-the-last-size-of-an-image",
        "of an image whose size nodes tell differently the last one counts, not the first",
        _CACHE,
        "self._images.setdefault(name, (image.size_bytes, set()))[1].add(node.name)",
        "self._images[name] = (image.size_bytes, {*self._images.get(name, (0, set()))[1], node.name})",
    ),
)
