# SPDX-License-Identifier: Apache-2.0
"""PodLedger: what follows from the records alone about nodes and pods, for the invariants to look up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from attrs import Factory, define

from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.plugins.dynamic_resources_extended import OF_A_CLASS
from refsched.reading.defaults import defaulted
from refsched.reading.inputs import known_fields, read_known
from refsched.records import SCHEDULED, Attempt, Bind, Create, Delete, Queues, Record, Update
from refsched.releases.release import Release
from refsched.suite.scripts import PoppedScripts

FINISHED = ("Succeeded", "Failed")


@define
class PodLedger:
    """``bound`` and ``assumed`` are pods (``namespace/name``) with their nodes, ``held`` those whose cycle began
    and has not been reported yet. It reads objects as the release does, and decides nothing."""

    scheduler_names: frozenset[str]
    release: Release
    forgets_the_deleted: bool = False
    """An assumed pod counts no longer once its deletion begins."""
    takes_off_as_bound: bool = False
    """What is taken off a node when a pod leaves may be another amount than what was counted for it."""
    is_miscounted: bool = False
    """This has happened, or will: a pod was changed in mid-cycle or while it was assumed."""
    nodes: dict[str, Node] = Factory(dict)
    pods: dict[str, Pod] = Factory(dict)
    bound: dict[str, str] = Factory(dict)
    assumed: dict[str, str] = Factory(dict)
    held: set[str] = Factory(set)
    served: set[str] = Factory(set)
    """A DeviceClass has served these extended resources."""
    unclear: set[str] = Factory(set)
    """Later records do not say enough of these pods: those that were deleted in mid-cycle, since what is
    reported of them may be about their successors, those that were queued although they had a node or did
    not exist, and those that were changed in mid-cycle or while they were assumed, which count as they were until
    they are bound."""
    _popped: PoppedScripts = Factory(lambda self: PoppedScripts(self._annotations), takes_self=True)

    def take(self, record: Record) -> None:
        match record:
            case Create(value) | Update(value):
                self._show(value)
            case Delete(named) if named.kind == "Node":
                self.nodes.pop(named.name, None)
            case Delete(named) if named.kind == "Pod":
                self._forget(f"{named.namespace or 'default'}/{named.name}")
            case Attempt():
                self.held.discard(record.pod)
                self._popped.attempt(record)
                if record.result == SCHEDULED and record.node and record.pod in self.pods:
                    self.assumed[record.pod] = record.node
            case Bind() if record.pod in self.pods:
                self.assumed.pop(record.pod, None)
                shown = self.pods[record.pod].metadata
                refused = record.pod in self.bound or shown.deletion_timestamp is not None
                if self._popped.took_the_binding(record, refused=refused):
                    self.bound[record.pod] = record.node

    def begin(self, pod: str) -> None:
        """Notes that the cycle of a pod has begun, which is reported later."""
        self.held.add(pod)
        self._popped.begin(pod)

    def _annotations(self, pod: str) -> Mapping[str, str]:
        return self.pods[pod].metadata.annotations if pod in self.pods else {}

    def note_requeued(self, record: Record) -> None:
        """Marks a pod as unclear if it is queued or tried although it has a node, or does not exist."""
        match record:
            case Queues():
                requeued = {*record.active, *record.backoff, *record.unschedulable}
            case Attempt():
                requeued = {record.pod} - self.held
            case _:
                return
        self.note_queued(requeued)

    def note_queued(self, queued: Set[str]) -> None:
        """Marks those of these queued pods as unclear that have a node, or do not exist."""
        self.unclear |= queued - (self.pods.keys() - self.bound.keys() - self.assumed.keys())

    def on(self, node: str) -> Iterator[str]:
        """Yields the pods that are bound or assumed there, without finished ones."""
        for pod, place in (self.bound | self.assumed).items():
            if place == node and pod not in self.unclear and self.pods[pod].status.phase not in FINISHED:
                yield pod

    def _show(self, value: dict[str, Any]) -> None:
        if value["kind"] == "DeviceClass":
            named = value.get("spec", {}).get("extendedResourceName")
            self.served |= {named or "", f"{OF_A_CLASS}{value['metadata']['name']}"}
        if value["kind"] not in ("Node", "Pod"):
            return
        read = read_known(known_fields(value, self.release), self.release)
        before = (
            self.pods.get(f"{read.namespace or 'default'}/{read.name}") if isinstance(read, Pod) else None
        )
        shown = defaulted(read, before, release=self.release)
        if isinstance(shown, Node):
            self.nodes[shown.metadata.name] = shown
        elif isinstance(shown, Pod):
            known = self.pods.get(shown.key)
            is_placed = shown.key in self.held or shown.key in self.assumed
            if is_placed and known is not None and (known.spec, known.status) != (shown.spec, shown.status):
                self.unclear.add(shown.key)
                self.is_miscounted |= self.takes_off_as_bound
            self.pods[shown.key] = shown
            if self.forgets_the_deleted and shown.metadata.deletion_timestamp is not None:
                self.assumed.pop(shown.key, None)
                if shown.key in self.held:
                    self.unclear.add(shown.key)
            if shown.spec.node_name:
                self.assumed.pop(shown.key, None)
                self.bound[shown.key] = shown.spec.node_name

    def _forget(self, pod: str) -> None:
        self._popped.forget(pod)
        if pod in self.held or pod in self.assumed:
            self.unclear.add(pod)
        for known in (self.pods, self.bound, self.assumed):
            known.pop(pod, None)
