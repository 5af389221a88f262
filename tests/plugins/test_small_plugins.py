# SPDX-License-Identifier: Apache-2.0
"""NodeName, NodeUnschedulable, TaintToleration and ImageLocality."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, unresolvable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.plugins.node_name import NodeName


def pod(**spec: Any) -> PodInfo:
    return PodInfo(read_as(Pod, {"spec": spec}))


def node(name: str = "n1", **spec: Any) -> NodeInfo:
    return NodeInfo(read_as(Node, {"metadata": {"name": name}, "spec": spec}))


@pytest.mark.parametrize(
    ("asked", "status"),
    [("", SUCCESS), ("n1", SUCCESS), ("n2", unresolvable("node(s) didn't match the requested node name"))],
)
def test_a_pod_that_names_its_node_goes_only_there(asked: str, status: Any) -> None:
    assert NodeName().filter(None, pod(nodeName=asked), node()) == status
