# SPDX-License-Identifier: Apache-2.0
"""Which rules selectors, tolerations and host ports apply."""

from __future__ import annotations

import pytest

from refsched.cache.cache import Cache
from refsched.cache.node_tree import NodeTree
from refsched.objects.node import Taint
from refsched.objects.pod import Toleration
from refsched.objects.selectors import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    Requirement,
    compile_selector,
)
from tests.applied import Call, all_applied, info, node

ZONE = NodeSelectorTerm((NodeSelectorRequirement("zone", "Exists"),))
PORT = {"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (lambda: Requirement("zone", "Exists").matches({}), ["R-SELECTOR-01"]),
        (lambda: Requirement("size", "Gt", ("1",)).matches({}), ["R-SELECTOR-01", "R-SELECTOR-02"]),
        (lambda: ZONE.matches(node()), ["R-SELECTOR-03", "R-SELECTOR-01"]),
        (lambda: NodeSelector((ZONE,)).matches(node()), ["R-SELECTOR-03", "R-SELECTOR-01"]),
        (
            lambda: NodeSelector((ZONE, ZONE)).matches(node()),
            ["R-SELECTOR-04", "R-SELECTOR-03", "R-SELECTOR-01"],
        ),
        (lambda: compile_selector(None), ["R-SELECTOR-05"]),
        (lambda: Toleration(key="a").tolerates(Taint(key="a", effect="NoSchedule")), ["R-TAINT-07"]),
    ],
)
def test_selectors_and_tolerations(call: Call, rules: list[str]) -> None:
    assert all_applied(call) == rules


def test_host_ports_of_init_containers_are_decided_on_where_there_are_any() -> None:
    sidecar = {**PORT, "restartPolicy": "Always"}
    assert all_applied(lambda: info(containers=[PORT]).host_ports) == []
    assert all_applied(lambda: info(containers=[], initContainers=[PORT]).host_ports) == ["R-PORTS-05"]
    assert all_applied(lambda: info(containers=[], initContainers=[sidecar]).host_ports) == ["R-PORTS-05"]


def test_the_order_of_nodes_is_decided_by_zones_where_there_are_many() -> None:
    zones = NodeTree()
    zones.add(node({"topology.kubernetes.io/zone": "a"}))
    assert all_applied(zones.names) == []
    zones.add(node({"topology.kubernetes.io/zone": "b"}))
    assert all_applied(zones.names) == ["R-CACHE-03"]


def test_what_a_node_has_is_what_it_was_set_to() -> None:
    assert all_applied(lambda: Cache().set_node(node())) == ["R-CACHE-02"]
