# SPDX-License-Identifier: Apache-2.0
"""What the specification says beside another scheduler, whose decisions are written by hand here."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.processes.kubernetes_api.watching import ADDED, DELETED, MODIFIED, Event
from refsched.releases import DEFAULT
from refsched.tools.running.setting_up import Options
from refsched.tools.running.shadow import shadow_of

Json = dict[str, Any]


class Beside:
    """A cluster with nodes n1 (cpu 4), n2 (cpu 2) and small (cpu 1), and a shadow of its scheduler."""

    def __init__(self) -> None:
        self.said: list[str] = []
        options = Options(DEFAULT, "default-scheduler")
        self.shadow = shadow_of(options, say=self.said.append, show=lambda seen: self.said.append(str(seen)))
        for name, cpu in (("n1", "4"), ("n2", "2"), ("small", "1")):
            status = {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "9"}}
            node = {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "uid": name},
                "status": status,
            }
            self.shadow.take(Event(ADDED, "Node", node))

    def create(self, name: str, cpu: str = "1500m", **spec: Any) -> None:
        self._show(ADDED, name, cpu, spec, {})

    def bind(self, name: str, node: str, cpu: str = "1500m") -> None:
        self._show(MODIFIED, name, cpu, {"nodeName": node}, {})

    def reject(self, name: str, message: str, nominated: str = "", cpu: str = "1500m", **spec: Any) -> None:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
        status = {"conditions": [condition]} | ({"nominatedNodeName": nominated} if nominated else {})
        self._show(MODIFIED, name, cpu, spec, status)

    def delete(self, name: str) -> None:
        self._show(DELETED, name, "1", {}, {})

    def _show(self, type: str, name: str, cpu: str, spec: Json, status: Json) -> None:
        containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
        metadata = {"name": name, "namespace": "default", "uid": name}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
        self.shadow.take(
            Event(type, "Pod", pod | {"spec": {"containers": containers, **spec}, "status": status})
        )


@pytest.fixture
def beside() -> Beside:
    return Beside()


def test_a_decision_that_the_specification_allows_agrees(beside: Beside) -> None:
    beside.create("a")
    beside.bind("a", "n1")
    beside.create("huge", "9")
    beside.reject("huge", "0/3 nodes are available: 3 Insufficient cpu.", cpu="9")
    assert beside.said == [
        "default/a → n1: the specification agrees",
        "default/huge is not scheduled: the specification agrees",
    ]
    assert (beside.shadow.compared, beside.shadow.differs) == (2, 0)


def test_a_node_that_is_rejected_is_named_with_the_rule(beside: Beside) -> None:
    beside.create("a")
    beside.bind("a", "small")
    (said,) = beside.said
    assert said == "default/a → small: small is rejected by NodeResourcesFit: Insufficient cpu (R-FIT-02)"
    assert beside.shadow.differs == 1


def test_a_node_with_a_lower_total_is_named_with_the_plugins_that_prefer_another_one(beside: Beside) -> None:
    beside.create("a")
    beside.bind("a", "n2")
    (said,) = beside.said
    assert said.startswith("default/a → n2: n2 has a total of ")
    assert "(R-SEARCH-04)" in said
    assert "NodeResourcesFit" in said


def test_it_goes_on_from_what_the_other_one_has_decided(beside: Beside) -> None:
    beside.create("a")
    beside.bind("a", "n2")
    beside.create("b", "4")
    beside.bind("b", "n1", "4")
    beside.delete("b")
    beside.create("c", "4")
    beside.bind("c", "n1", "4")
    assert beside.said[1:] == [
        "default/b → n1: the specification agrees",
        "default/c → n1: the specification agrees",
    ]


def test_a_pod_that_one_of_them_does_not_schedule_differs(beside: Beside) -> None:
    beside.create("a")
    beside.reject("a", "0/3 nodes are available.")
    assert beside.said == [
        "default/a is not scheduled: the specification places it on n1, and the other one nowhere: "
        "0/3 nodes are available."
    ]
    beside.create("huge", "9", nodeSelector={"disk": "ssd"})
    beside.bind("huge", "nowhere", "9")
    assert beside.said[1].startswith(
        "default/huge → nowhere: the specification finds no node: 0/3 nodes are available"
    )
    beside.create("b", "1")
    beside.bind("b", "nowhere", "1")
    assert beside.said[2].endswith("and has not looked at nowhere")


def test_another_nomination_differs(beside: Beside) -> None:
    beside.create("low", "4", nodeName="n1", priority=0)
    beside.create("high", "4", priority=10)
    beside.reject("high", "preempts", cpu="4", priority=10)
    assert beside.said == [
        "default/high is not scheduled: the other one nominates no node, and the specification would nominate n1"
    ]
    beside.create("huge", "9")
    beside.reject("huge", "preempts", "n1", cpu="9")
    assert beside.said[1].endswith("the other one nominates n1, and the specification would not")


def test_a_pod_that_no_one_knew_before_is_not_compared(beside: Beside) -> None:
    beside.create("a", nodeName="n1")
    beside.bind("a", "n1")
    assert beside.said == []
