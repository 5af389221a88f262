# SPDX-License-Identifier: Apache-2.0
"""The cluster of a trace, as it was when a pod was last tried.

It is what the API server had stored then, with the bindings, nominations and writes of the scheduler that was
recorded, and the configuration of the trace. Pods that this scheduler had only assumed count where it did so.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from attrs import Factory, define

from refsched.checking.trace import Entry, Trace, read_trace
from refsched.errors import InputError
from refsched.objects.meta import ApiObject
from refsched.reading.objects import Key, key_named, key_of
from refsched.records import BOUND, SCHEDULED, Attempt, Bind, Create, Delete, Update, Write
from refsched.tools.cluster import Cluster

Json = dict[str, Any]


class RecordedCluster(Cluster):
    """A RecordedCluster is shown what somebody else's scheduler was shown, whatever that was: no API server need
    have stored it."""

    @staticmethod
    def _check(given: Mapping[str, Any], read: ApiObject) -> None:
        """Accepts every object."""


def cluster_of_trace(path: str, pod: str, seed: int = 0) -> Cluster:
    """Returns the cluster right before the last attempt of ``pod``, which is ``namespace/name``. Raises InputError
    if there is no such attempt, or if extenders had a say in it, which answer no more."""
    trace = read_trace(Path(path))
    if trace.header.config.get("extenders"):
        raise InputError("its configuration has extenders, which do not answer any more", where=path)
    before, at = _before_the_last_attempt(trace, path, pod)
    stored = _Stored()
    for entry in before:
        stored.take(entry)
    header = trace.header
    try:
        with warnings.catch_warnings(action="ignore"):
            return RecordedCluster(
                list(stored.objects.values()),
                config=header.config,
                kubernetes=header.release.name,
                feature_gates=header.feature_gates,
                start=header.start + timedelta(seconds=at),
                seed=seed,
            )
    except InputError as error:
        raise error.at(path) from None


def _before_the_last_attempt(trace: Trace, path: str, pod: str) -> tuple[Iterable[Entry], float]:
    """Returns the entries before it, and the seconds since the start."""
    entries = list(trace.entries)
    attempts = {
        entry.record.pod: number for number, entry in enumerate(entries) if isinstance(entry.record, Attempt)
    }
    if pod not in attempts:
        tried = ", ".join(sorted(attempts)) or "none"
        raise InputError(f"has no attempt of this pod, only of: {tried:.200}", where=f"{path}: {pod}")
    return entries[: attempts[pod]], entries[attempts[pod]].at


@define
class _Stored:
    """The _Stored are the objects, by kind, namespace and name, in the order of their creation."""

    objects: dict[Key, Json] = Factory(dict)

    def take(self, entry: Entry) -> None:
        match entry.record:
            case Create(value) | Update(value):
                self._put(value)
            case Delete(named):
                self.objects.pop(key_named(named.kind, named.namespace, named.name), None)
            case Write(verb, value):
                if verb == "delete":
                    self.objects.pop(key_of(value), None)
                else:
                    self._put(value)
            case Attempt() as attempt:
                self._tried(attempt)
            case Bind(pod, node, result):
                self._set(pod, "spec", "nodeName", node if result == BOUND else None)

    def _put(self, value: Json) -> None:
        """Stores an object. An update does not take back the node to which the scheduler has bound the pod."""
        before = self.objects.get(key_of(value), {}) if value.get("kind") == "Pod" else {}
        node = (before.get("spec") or {}).get("nodeName")
        self.objects[key_of(value)] = value
        if node and not (value.get("spec") or {}).get("nodeName"):
            self._set("/".join(key_of(value)[1:]), "spec", "nodeName", node)

    def _tried(self, attempt: Attempt) -> None:
        if attempt.result == SCHEDULED:
            self._set(attempt.pod, "spec", "nodeName", attempt.node)
        elif attempt.nominated_node is not None:
            self._set(attempt.pod, "status", "nominatedNodeName", attempt.nominated_node)

    def _set(self, pod: str, part: str, member: str, value: str | None) -> None:
        namespace, _, name = pod.partition("/")
        stored = self.objects.get(("Pod", namespace, name))
        if stored is not None:
            others = {key: kept for key, kept in (stored.get(part) or {}).items() if key != member}
            changed = others if value is None else others | {member: value}
            self.objects["Pod", namespace, name] = stored | {part: changed}
