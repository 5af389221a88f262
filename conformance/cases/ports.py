# SPDX-License-Identifier: Apache-2.0
"""Cases of NodePorts: ports of the pod alone, which claim nothing of the host."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import container, node, pod
from refsched.suite import Case
from refsched.suite.histories.history import History

Json = dict[str, Any]

_OF_POD: Json = {"containerPort": 80}
_OF_HOST: Json = {"containerPort": 80, "hostPort": 80}


def _ports_of_pods_alone() -> History:
    """Pods with ports of their own and with a host port come to one node, with containers and sidecars that have
    them."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    for port in (_OF_POD, _OF_POD, _OF_HOST, _OF_POD, _OF_HOST):
        cluster.add_pod(pod("", containers=[container("c", ports=[port, {"containerPort": 81}])]))
        sidecar = {**container("i", ports=[port]), "restartPolicy": "Always"}
        cluster.add_pod(pod("", initContainers=[sidecar]))
    cluster.schedule()
    return cluster.history()


CASES = (
    Case(
        "container_ports_without_host_port",
        "A container's port without a hostPort conflicts with no other port, be it of the host or of a pod.",
        _ports_of_pods_alone(),
        ("R-PORTS-01", "R-PORTS-03"),
    ),
)
