# SPDX-License-Identifier: Apache-2.0
"""Cases of ImageLocality: images that a pod names more than once, in containers and in volumes."""

from __future__ import annotations

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, node, pod
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

_MIB = 1024 * 1024


def _named(*, containers: int, volumes: int) -> History:
    """A pod names an image so often, and each of two images on other nodes once."""
    cluster = HistoryBuilder()
    for name, size in (("a", 500), ("b", 700), ("c", 900)):
        image = {"names": [f"{name}:latest"], "sizeBytes": size * _MIB}
        cluster.add_node(node("", images=[image]))
    images = [*"a" * containers, "b", "c"]
    cluster.add_pod(
        pod(
            "",
            containers=[container(f"c{number}", image=image) for number, image in enumerate(images)],
            volumes=[{"name": f"v{number}", "image": {"reference": "a"}} for number in range(volumes)],
        )
    )
    cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = tuple(
    Case(
        f"image_named_by_{containers}_and_{volumes}",
        "The size of an image counts as often as containers and volumes of the pod name it; so many of each do:"
        f" {containers} and {volumes}.",
        _named(containers=containers, volumes=volumes),
    )
    for containers, volumes in ((1, 0), (2, 0), (1, 1), (0, 2), (2, 1))
)
