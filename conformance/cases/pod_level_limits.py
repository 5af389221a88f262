# SPDX-License-Identifier: Apache-2.0
"""Cases of pods that limit a resource as a whole, and state no request for it as a whole: how much
they request."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import limited, node, pod
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_AMOUNTS: dict[str, tuple[str, str, str]] = {
    "cpu": ("1", "1500m", "2"),
    "memory": ("2Gi", "3Gi", "4Gi"),
    "hugepages-2Mi": ("4Mi", "6Mi", "8Mi"),
    "hugepages-1Gi": ("2Gi", "3Gi", "4Gi"),
}
"""What the container of a pod requests, what the smaller of two nodes has, and what the pod is limited to."""


def _limited_as_a_whole(resource: str, *, in_a_container: bool) -> History:
    """A pod is limited to more than the smaller of two nodes has, and to what the larger one has."""
    small, between, large = _AMOUNTS[resource]
    cluster = HistoryBuilder()
    for amount in (between, large):
        cluster.add_node(node("", {"cpu": "4", "memory": "8Gi", "pods": "9", resource: amount}))
    asked = {"cpu": "100m", "memory": "100Mi", resource: small}
    if not in_a_container:
        del asked[resource]
    cluster.add_pod(pod("", containers=[limited("c", asked)], resources={"limits": {resource: large}}))
    cluster.schedule()
    return cluster.history()


CASES: tuple[Case, ...] = tuple(
    Case(
        f"limit_of_a_pod_for_{'_'.join(resource.lower().split('-'))}_that_{name}",
        f"A pod that only limits a resource as a whole, here {resource}, requests what its containers request"
        f" together, but of huge pages as much as its limit; a container {says}.",
        _limited_as_a_whole(resource, in_a_container=in_a_container),
        ("R-DEFAULTS-10",),
    )
    for resource in _AMOUNTS
    for name, says, in_a_container in (
        ("a_container_requests", "requests some", True),
        ("no_container_requests", "requests none", False),
    )
)
