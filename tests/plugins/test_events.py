# SPDX-License-Identifier: Apache-2.0
"""The events that may cure the refusals of the plugins that look at a node and its pods, and their hints."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.events import DEVICE_CLASS, NODE, POD, ActionType, Hint
from refsched.framework.interface import EnqueueExtensions
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.plugins.image_locality import ImageLocality
from refsched.plugins.inter_pod_affinity import InterPodAffinity
from refsched.plugins.node_affinity import NodeAffinity
from refsched.plugins.node_name import NodeName
from refsched.plugins.node_ports import NodePorts
from refsched.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from refsched.plugins.node_resources_fit import NodeResourcesFit
from refsched.plugins.node_unschedulable import NodeUnschedulable
from refsched.plugins.scheduling_gates import SchedulingGates
from refsched.plugins.taint_toleration import TaintToleration

STORE = ObjectStore()
ADD = ActionType.ADD


def pod(name: str = "pod", status: dict[str, Any] | None = None, **spec: Any) -> Pod:
    return read_as(Pod, {"metadata": {"name": name, "uid": name}, "spec": spec, "status": status})


def node(status: dict[str, Any] | None = None, labels: dict[str, str] | None = None, **spec: Any) -> Node:
    return read_as(Node, {"metadata": {"name": "n1", "labels": labels}, "spec": spec, "status": status})


def hint(plugin: EnqueueExtensions, resource: str) -> Hint:
    row = next(row for row in plugin.EVENTS if row.resource == resource)
    assert row.hint is not None
    return row.hint


def helps(plugin: EnqueueExtensions, refused: Pod, before: Any, after: Any) -> bool:
    """Does the plugin think that this change may cure its refusal?"""
    resource = POD if isinstance(before or after, Pod) else NODE
    return hint(plugin, resource)(plugin, refused, before, after, STORE)


# --- Tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plugin", "registered"),
    [
        (NodeName(), {NODE: ADD}),
        (
            NodeUnschedulable(),
            {NODE: ADD | ActionType.UPDATE_NODE_TAINT, POD: ActionType.UPDATE_POD_TOLERATION},
        ),
        (
            TaintToleration(),
            {NODE: ADD | ActionType.UPDATE_NODE_TAINT, POD: ActionType.UPDATE_POD_TOLERATION},
        ),
        (NodeAffinity(), {NODE: ADD | ActionType.UPDATE_NODE_LABEL}),
        (NodePorts(), {NODE: ADD, POD: ActionType.DELETE}),
        (
            NodeResourcesFit(),
            {
                NODE: ADD | ActionType.UPDATE_NODE_ALLOCATABLE,
                POD: ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN,
                DEVICE_CLASS: ADD | ActionType.UPDATE,
            },
        ),
        (
            InterPodAffinity(),
            {
                NODE: ADD | ActionType.UPDATE_NODE_LABEL,
                POD: ADD | ActionType.DELETE | ActionType.UPDATE_POD_LABEL,
            },
        ),
        (SchedulingGates(), {POD: ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED}),
    ],
)
def test_each_plugin_registers_for_what_it_can_use(
    plugin: EnqueueExtensions, registered: dict[str, ActionType]
) -> None:
    assert {row.resource: row.action for row in plugin.EVENTS} == registered
    assert len(plugin.EVENTS) == len(registered)


def test_plugins_that_refuse_nothing_register_for_nothing() -> None:
    for plugin in (ImageLocality(), NodeResourcesBalancedAllocation()):
        assert not isinstance(plugin, EnqueueExtensions)


def test_any_new_node_is_worth_a_try_for_a_node_name_and_for_ports() -> None:
    for plugin in (NodeName(), NodePorts()):
        assert [row.hint for row in plugin.EVENTS if row.resource == NODE] == [None]


# --- NodeAffinity ---------------------------------------------------------------------------------


def required(key: str, operator: str, *values: str) -> dict[str, Any]:
    expression = {"key": key, "operator": operator, "values": list(values)}
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [expression]}]
        }
    }


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, {"disk": "ssd", "cpu": "new"}, True),
        (None, {"disk": "ssd"}, False),
        (None, {"cpu": "new"}, False),
        ({"disk": "ssd"}, {"disk": "ssd", "cpu": "new"}, True),
        ({"cpu": "new"}, {"disk": "ssd", "cpu": "new"}, True),
        ({"disk": "ssd", "cpu": "new", "x": "y"}, {"disk": "ssd", "cpu": "new"}, False),
    ],
)
def test_a_node_that_comes_to_match_helps(before: Any, after: dict[str, str], expected: bool) -> None:
    asking = pod(nodeSelector={"disk": "ssd"}, affinity={"nodeAffinity": required("cpu", "In", "new")})
    old = None if before is None else node(labels=before)
    assert helps(NodeAffinity(), asking, old, node(labels=after)) is expected


# --- NodePorts ------------------------------------------------------------------------------------


def on_port(number: int, name: str = "pod", *, status: dict[str, Any] | None = None, **spec: Any) -> Pod:
    return pod(name, status, containers=[{"ports": [{"hostPort": number}]}], **spec)


def test_a_deleted_pod_that_held_a_wanted_port_helps() -> None:
    wanting = on_port(80)
    assert helps(NodePorts(), wanting, on_port(80, nodeName="n1"), None)
    assert helps(NodePorts(), wanting, on_port(80, status={"nominatedNodeName": "n1"}), None)
    assert not helps(NodePorts(), wanting, on_port(80), None)
    assert not helps(NodePorts(), wanting, on_port(81, nodeName="n1"), None)
    assert not helps(NodePorts(), wanting, pod(nodeName="n1"), None)


# --- NodeResourcesFit -----------------------------------------------------------------------------

FIT = NodeResourcesFit()


def asks(name: str = "pod", *, on: str = "", **requests: str) -> Pod:
    amounts = {key.replace("_", "-"): value for key, value in requests.items()}
    gpu = amounts.pop("gpu", None)
    if gpu is not None:
        amounts["example.com/gpu"] = gpu
    return pod(name, nodeName=on, containers=[{"name": "c", "resources": {"requests": amounts}}])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"cpu": "2"}, {"cpu": "1"}, True),
        ({"cpu": "2"}, {"cpu": "3"}, False),
        ({"memory": "2Gi"}, {"memory": "1Gi"}, False),
        ({"gpu": "2"}, {"gpu": "1"}, True),
        ({"ephemeral_storage": "2"}, {"ephemeral_storage": "1"}, False),
    ],
)
def test_a_running_pod_helps_by_asking_for_less_of_what_is_wanted(
    before: dict[str, str], after: dict[str, str], expected: bool
) -> None:
    wanting = asks(cpu="1", memory="0", gpu="1")
    old, new = asks("other", on="n1", **before), asks("other", on="n1", **after)
    assert helps(FIT, wanting, old, new) is expected
