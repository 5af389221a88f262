# SPDX-License-Identifier: Apache-2.0
"""PodInfo and NodeInfo: what is computed once of a pod, and what a node counts."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as


def pod(name: str = "p", spec: dict[str, Any] | None = None) -> PodInfo:
    metadata = {"name": name, "namespace": "ns", "uid": name, "labels": {"app": "web"}}
    return PodInfo(read_as(Pod, {"metadata": metadata, "spec": spec or {}}))


def asking(**requests: str) -> dict[str, Any]:
    return {"containers": [{"name": "c", "resources": {"requests": requests}}]}


def test_a_node_counts_its_pods_and_gives_back_what_leaves() -> None:
    empty = NodeInfo(read_as(Node, {"metadata": {"name": "n1"}}))
    a, b, c = (pod(name, asking(cpu="1", **{"example.com/gpu": "1"})) for name in "abc")
    full = empty.with_pod(a).with_pod(b).with_pod(c)
    assert (full.requested.milli_cpu, full.requested.scalar) == (3000, {"example.com/gpu": 3})
    left = full.without_pod("a")
    assert ([p.pod.name for p in left.pods], left.requested.milli_cpu) == (["c", "b"], 2000)
    assert (left.name, empty.pods) == ("n1", ())
    with pytest.raises(KeyError):
        left.without_pod("a")
