# SPDX-License-Identifier: Apache-2.0
"""Which rules are applied while something is called, and the objects that the calls need, in short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.resources import resource_of
from refsched.rules import listening

Json = dict[str, Any]
Call = Callable[[], object]


OF_SELECTORS = ("R-SELECTOR-", "R-TAINT-07")


def applied(call: Call) -> list[str]:
    """The rules that are applied while ``call`` runs, each once, in the order in which they first were, but for
    those by which selectors and tolerations match whatever plugin asks."""
    return [rule for rule in all_applied(call) if not rule.startswith(OF_SELECTORS)]


def all_applied(call: Call) -> list[str]:
    heard: dict[str, None] = {}

    def hear(rule: str) -> None:
        heard.setdefault(rule)

    with listening(hear):
        call()
    return list(heard)


def pod(uid: str = "p", labels: Json | None = None, status: Json | None = None, **spec: Any) -> Pod:
    metadata = {"name": uid, "namespace": "default", "uid": uid, "labels": labels or {}}
    return read_as(Pod, {"metadata": metadata, "spec": spec, "status": status or {}})


def info(uid: str = "p", labels: Json | None = None, status: Json | None = None, **spec: Any) -> PodInfo:
    return PodInfo(pod(uid, labels, status, **spec))


def container(**fields: Any) -> list[Json]:
    return [{"name": "c", **fields}]


def node(labels: Json | None = None, allocatable: Json | None = None, **spec: Any) -> Node:
    document = {
        "metadata": {"name": "n1", "labels": labels or {}},
        "spec": spec,
        "status": {"allocatable": allocatable or {}},
    }
    return read_as(Node, document)


def on(a_node: Node, *pods: PodInfo) -> NodeInfo:
    """The node as the scheduler knows it, with these pods."""
    known = NodeInfo(a_node, allocatable=resource_of(a_node.status.allocatable))
    for each in pods:
        known = known.with_pod(each)
    return known
