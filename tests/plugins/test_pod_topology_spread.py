# SPDX-License-Identifier: Apache-2.0
"""PodTopologySpread: whom it refuses, and what may cure that."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.framework.events import NODE, POD, ActionType
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import HOSTNAME_LABEL, ZONE_LABEL, Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.plugins.pod_topology_spread import PodTopologySpread

PLUGIN = PodTopologySpread()
NOTHING_STORED = ObjectStore()
WEB = {"app": "web"}


def constraint(key: str = ZONE_LABEL, **asked: Any) -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": WEB},
        **asked,
    }


def pod(
    *constraints: dict[str, Any], uid: str = "new", labels: Any = WEB, metadata: Any = None, **spec: Any
) -> PodInfo:
    meta = {"name": uid, "namespace": "default", "uid": uid, "labels": labels, **(metadata or {})}
    return PodInfo(
        read_as(Pod, {"metadata": meta, "spec": {"topologySpreadConstraints": list(constraints), **spec}})
    )


def node(name: str, *pods: PodInfo, labels: Any = None, **spec: Any) -> NodeInfo:
    """``a1`` is a node of zone ``a``."""
    of_zone = {ZONE_LABEL: name[0], HOSTNAME_LABEL: name}
    meta = {"name": name, "labels": of_zone if labels is None else labels}
    info = NodeInfo(read_as(Node, {"metadata": meta, "spec": spec}))
    for placed in pods:
        info = info.with_pod(placed)
    return info


# --- Events ---------------------------------------------------------------------------------------


def test_the_table_names_pods_and_nodes() -> None:
    assert [(row.resource, row.action) for row in PLUGIN.EVENTS] == [
        (
            POD,
            ActionType.ADD
            | ActionType.DELETE
            | ActionType.UPDATE_POD_LABEL
            | ActionType.UPDATE_POD_TOLERATION,
        ),
        (
            NODE,
            ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT,
        ),
    ]


def just(info: NodeInfo) -> Node:
    return info.existing_node


@pytest.mark.parametrize(
    ("before", "after", "worth_it"),
    [
        (None, just(node("a1")), True),
        (just(node("a1")), None, True),
        (None, just(node("a1", labels={})), False),
        (just(node("a1", labels={})), None, False),
        (just(node("a1", labels={})), just(node("a1")), True),
        (just(node("a1")), just(node("a1", labels={})), True),
        (just(node("a1")), just(node("b1")), True),
        (just(node("a1")), just(node("a1", taints=[{"key": "t", "effect": "NoSchedule"}])), True),
        (just(node("a1")), just(node("a2")), False),
        (just(node("a1", labels={})), just(node("a1", labels={"rack": "r"})), False),
    ],
)
def test_a_node_matters_if_it_has_the_keys_and_something_of_it_changed(
    before: Node | None, after: Node | None, worth_it: bool
) -> None:
    hint = PLUGIN.EVENTS[1].hint
    assert hint is not None
    assert hint(PLUGIN, pod(constraint()).pod, before, after, NOTHING_STORED) is worth_it
