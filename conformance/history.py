# SPDX-License-Identifier: Apache-2.0
"""History: what is done to a scheduler, decided before anything is asked of it.

A history is drawn by a strategy, read from a scenario file, or taken from a trace. It never depends on answers:
where a step does not fit what the scheduler did meanwhile (a pod to permit that does not wait), it is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import field, frozen

from refsched.trace.reading import Entry
from refsched.trace.records import Advance, Create, Delete, Permit, Reference, Release, Update

Json = dict[str, Any]

DEFAULT_CONFIG: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
}


@frozen
class Schedule:
    """Pop one pod and try to place it; ``times`` such requests at most, until there is none to pop."""

    member: ClassVar[str] = "schedule"
    times: int = 1


@frozen
class Observe:
    """Look at the queues and nodes. The driver also does so after every step once a pod was scheduled."""

    member: ClassVar[str] = "observe"


Step = Create | Update | Delete | Advance | Permit | Release | Schedule | Observe


@frozen
class History:
    """``steps`` from an empty cluster at time 0, under this KubeSchedulerConfiguration."""

    steps: tuple[Step, ...]
    config: Json = field(factory=lambda: dict(DEFAULT_CONFIG))
    feature_gates: Mapping[str, bool] = field(factory=dict)


def asked_before(entry: Entry) -> list[Step]:
    """Of a trace: the requests that left no record of their own, and that this entry tells."""
    return [Schedule()] * (entry.idle + bool(entry.held))


def creating(*objects: Json) -> tuple[Create, ...]:
    return tuple(Create(value) for value in objects)


def deleting(value: Json) -> Delete:
    """The deletion of an object that was created from ``value``."""
    metadata = value["metadata"]
    return Delete(
        Reference(value["kind"], metadata["name"], value["apiVersion"], metadata.get("namespace", ""))
    )


__all__ = [
    "DEFAULT_CONFIG",
    "Advance",
    "Create",
    "Delete",
    "History",
    "Observe",
    "Permit",
    "Release",
    "Schedule",
    "Step",
    "Update",
    "asked_before",
    "creating",
    "deleting",
]
