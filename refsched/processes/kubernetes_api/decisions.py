# SPDX-License-Identifier: Apache-2.0
"""Decisions: what a pod shows of the attempt of whichever scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from refsched.records import ERROR, SCHEDULED, UNSCHEDULABLE, NodeStatus

Json = dict[str, Any]

RESULTS = {"Unschedulable": UNSCHEDULABLE, "SchedulerError": ERROR}
"""The results by the reason of the condition PodScheduled. A pod that waits for a gate has been attempted by
nobody."""


@frozen
class Results:
    """Results are what plugins have answered in an attempt, as the protocol has it: by node. The code of a node
    that was rejected may be unknown, and is "" then."""

    filter: Mapping[str, NodeStatus] = field(factory=dict)
    scores: Mapping[str, Mapping[str, int]] = field(factory=dict)


@frozen
class ObservedDecision:
    """An ObservedDecision is what can be seen of an attempt. ``result`` is that of the protocol."""

    result: str
    node: str = ""
    message: str = ""
    nominated: str = ""
    results: Results = field(factory=Results)


def pod_called(value: Json) -> str:
    """Returns ``namespace/name`` of a pod that an API server shows."""
    metadata = value["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}"


def waits(object: Json) -> bool:
    """Returns whether this is a pod that waits until it is to be scheduled."""
    return object["kind"] == "Pod" and not (object.get("spec") or {}).get("nodeName")


def is_bound(decision: ObservedDecision) -> bool:
    return bool(decision.node)


def is_of_another_attempt(decision: ObservedDecision, before: ObservedDecision | None) -> bool:
    """Returns whether a pod that showed the decision ``before`` has been attempted since. If it has only lost its
    nomination, another pod has taken the node."""
    return before is None or decision not in (before, evolve(before, nominated=""))


def decision_about(pod: Json) -> ObservedDecision | None:
    """Returns what a scheduler has decided about the pod, or None if none has yet."""
    if node := pod["spec"].get("nodeName"):
        return ObservedDecision(SCHEDULED, node)
    status = pod.get("status") or {}
    for condition in status.get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            result = RESULTS.get(condition.get("reason", ""))
            if result is not None:
                nominated = status.get("nominatedNodeName", "")
                return ObservedDecision(result, message=condition.get("message", ""), nominated=nominated)
    return None
