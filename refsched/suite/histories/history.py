# SPDX-License-Identifier: Apache-2.0
"""History: the steps that are applied to a scheduler, decided before the first request.

A history is drawn by a strategy, read from a scenario file, or taken from a trace. It never depends on answers:
a step that does not fit what the scheduler did meanwhile (a pod to permit that does not wait) is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from attrs import field, frozen

from refsched.checking.trace import Entry
from refsched.records import (
    Advance,
    Attempt,
    Create,
    Delete,
    Input,
    Nodes,
    Permit,
    Queues,
    Reference,
    Release,
    Update,
)

Json = dict[str, Any]

DEFAULT_CONFIG: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
}


@frozen
class Schedule:
    """Schedule pops one pod and tries to place it; there are at most ``times`` such requests, until there is no
    pod to pop."""

    member: ClassVar[str] = "schedule"
    times: int = 1


@frozen
class Observe:
    """Observe reads the queues and nodes. The driver also does so after every step once a pod was scheduled."""

    member: ClassVar[str] = "observe"


Step = Create | Update | Delete | Advance | Permit | Release | Schedule | Observe


@frozen(repr=False)
class History:
    """A History has ``steps`` from an empty cluster at time 0, under this KubeSchedulerConfiguration."""

    steps: tuple[Step, ...]
    config: Json = field(factory=lambda: dict(DEFAULT_CONFIG))
    feature_gates: Mapping[str, bool] = field(factory=dict)

    @property
    def configures(self) -> bool:
        """Returns whether the scheduler is configured otherwise than by default."""
        return self.config != DEFAULT_CONFIG

    def __repr__(self) -> str:
        """Returns a short text, because it is printed for every history that fails, and the report shows the
        steps."""
        return f"<History of {len(self.steps)} steps>"


def steps_by_entry(entries: Iterable[Entry]) -> Iterator[tuple[Entry, list[Step]]]:
    """Returns each record of a trace, with the steps that lead to it: requests that left no record of their own,
    and then the input itself, or what was asked for. The attempt of a pod that was held is no request of its
    own."""
    held = ""
    for entry in entries:
        steps: list[Step] = [Schedule()] * (entry.idle + bool(entry.held))
        held = entry.held or held
        match entry.record:
            case Attempt(pod) if pod == held:
                held = ""
            case Attempt():
                steps.append(Schedule())
            case Queues() | Nodes():
                steps.append(Observe())
            case record if isinstance(record, Input):
                steps.append(record)
        yield entry, steps


def creating(*objects: Json) -> tuple[Create, ...]:
    return tuple(Create(value) for value in objects)


def deleting(value: Json) -> Delete:
    """Returns the deletion of an object that was created from ``value``."""
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
    "creating",
    "deleting",
    "steps_by_entry",
]
