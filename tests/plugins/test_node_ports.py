# SPDX-License-Identifier: Apache-2.0
"""NodePorts."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, unschedulable
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.oddities.known_defect import KnownDefect
from refsched.oddities.known_defects import with_oddities
from refsched.oddities.node_ports import PORT_OF_TWO_PODS
from refsched.plugins.node_ports import NodePorts

CONFLICT = unschedulable("node(s) didn't have free ports for the requested pod ports")


def pod(*ports: dict[str, Any]) -> PodInfo:
    return PodInfo(read_as(Pod, {"spec": {"containers": [{"name": "c", "ports": list(ports)}]}}))


def test_a_pod_without_host_ports_is_not_filtered() -> None:
    assert NodePorts().pre_filter(pod({"containerPort": 80}), Snapshot()) == Skip()


@pytest.mark.parametrize(
    ("taken", "wanted", "status"),
    [
        ({"hostPort": 80}, {"hostPort": 80}, CONFLICT),
        ({"hostPort": 80}, {"hostPort": 81}, SUCCESS),
        ({"hostPort": 80, "protocol": "UDP"}, {"hostPort": 80}, SUCCESS),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80, "hostIP": "10.0.0.2"}, SUCCESS),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80, "hostIP": "10.0.0.1"}, CONFLICT),
        ({"hostPort": 80, "hostIP": "0.0.0.0"}, {"hostPort": 80, "hostIP": "10.0.0.2"}, CONFLICT),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80}, CONFLICT),
    ],
)
def test_one_conflicting_port_refuses_the_node(
    taken: dict[str, Any], wanted: dict[str, Any], status: Status
) -> None:
    newcomer = pod({"hostPort": 9999}, wanted)
    outcome = NodePorts().pre_filter(newcomer, Snapshot())
    assert isinstance(outcome, Continue)
    node = NodeInfo(None).with_pod(pod(taken))
    assert NodePorts().filter(outcome.state, newcomer, node) == status


@pytest.mark.parametrize(("oddities", "status"), [((), CONFLICT), ((PORT_OF_TWO_PODS,), SUCCESS)])
def test_a_port_that_two_pods_use_is_in_use_until_both_have_left(
    oddities: tuple[KnownDefect, ...], status: Status
) -> None:
    plugin: NodePorts = with_oddities(NodePorts(), oddities)
    newcomer, one, other = pod({"hostPort": 80}), pod({"hostPort": 80}), pod({"hostPort": 80})
    node = NodeInfo(None).with_pod(one).with_pod(other).without_pod(one.pod.uid)
    assert plugin.filter(newcomer.host_ports, newcomer, node) == status
