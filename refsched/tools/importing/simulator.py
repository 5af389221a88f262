# SPDX-License-Identifier: Apache-2.0
"""Simulator: what kube-scheduler-simulator has written: of each attempt its results, as annotations of the pod.

They are in two kinds of files: in what its recorder has written, change by change, and in a snapshot: an export,
or what kubectl prints. A snapshot shows when a pod was bound by the second, and nothing of what is no more.
Source: kube-scheduler-simulator, simulator/recorder/recorder.go; scheduler/plugin/annotation/annotation.go;
scheduler/plugin/resultstore/store.go.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import evolve, frozen

from refsched.checking.trace import json_lines
from refsched.errors import InputError
from refsched.objects.kinds import KINDS
from refsched.processes.kubernetes_api.decisions import Results
from refsched.processes.kubernetes_api.watching import ADDED, DELETED, MODIFIED, Event
from refsched.reading.documents import read_documents, read_text
from refsched.reading.dumps import items_of, read_bytes
from refsched.reading.files import open_file
from refsched.reading.objects import Key, key_of
from refsched.records import NodeStatus
from refsched.tools.importing.importing import (
    Json,
    ObservedChange,
    check_object,
    created_at,
    kind_of_object,
    read_time,
)

PREFIXES = ("kube-scheduler-simulator.sigs.k8s.io/", "scheduler-simulator/")
"""The annotations are called so, and were before."""

PASSED = "passed"
_TYPES = {"Add": ADDED, "Update": MODIFIED, "Delete": DELETED}
_EXPORTED = {
    "pods": "Pod",
    "nodes": "Node",
    "pvs": "PersistentVolume",
    "pvcs": "PersistentVolumeClaim",
    "storageClasses": "StorageClass",
    "priorityClasses": "PriorityClass",
    "namespaces": "Namespace",
}
_API_VERSIONS = {kind.name: kind.api_version for kind in KINDS}


# --- The annotations ------------------------------------------------------------------------------


def results_of(pod: Json, where: str) -> Results | None:
    """Returns the results of the last attempt, or None if the pod has none. Raises InputError if they are not
    written as the simulator writes them."""
    filtered = _table(pod, "filter-result", where)
    if filtered is None:
        return None
    statuses = {node: _status(answers) for node, answers in filtered.items()}
    scored = _table(pod, "finalscore-result", where) or {}
    try:
        scores = {
            node: {plugin: int(score) for plugin, score in answers.items()}
            for node, answers in scored.items()
        }
    except ValueError as problem:
        raise InputError(
            str(problem), f"metadata.annotations[{PREFIXES[0]}finalscore-result]", where
        ) from None
    return Results(statuses, scores)


def _status(answers: Mapping[str, str]) -> NodeStatus:
    rejected = next(((plugin, said) for plugin, said in answers.items() if said != PASSED), None)
    if rejected is None:
        return NodeStatus("Success")
    plugin, said = rejected
    return NodeStatus("", plugin, tuple(said.split(", ")))


def _annotation(pod: Json, name: str) -> tuple[str, str]:
    annotations = pod["metadata"].get("annotations") or {}
    return next(
        ((prefix + name, annotations[prefix + name]) for prefix in PREFIXES if prefix + name in annotations),
        ("", ""),
    )


def _table(pod: Json, name: str, where: str) -> dict[str, dict[str, str]] | None:
    """Reads node → plugin → answer."""
    called, text = _annotation(pod, name)
    if not called:
        return None
    field = f"metadata.annotations[{called}]"
    try:
        read = json.loads(text)
    except (TypeError, ValueError):
        raise InputError(f"is not JSON: {text!r:.60}", field, where) from None
    if not isinstance(read, dict) or not all(
        isinstance(answers, dict) and all(isinstance(said, str) for said in answers.values())
        for answers in read.values()
    ):
        raise InputError(f"expected node, plugin and answer, found {text!r:.60}", field, where)
    return read


# --- What the recorder writes ---------------------------------------------------------------------


def is_recorded(path: str) -> bool:
    """Returns whether a file is one of the recorder: it has a change on each line."""
    try:
        return {"time", "event", "resource"} <= next(iter(json_lines(path)), (0, {}))[1].keys()
    except InputError:
        return False


def recorded_changes(paths: Sequence[str]) -> list[ObservedChange]:
    """Returns the changes in their order. Raises InputError, which names the file, the line and the field."""
    read = sorted((change for path in paths for change in _recorded(path)), key=lambda change: change.at)
    found: list[ObservedChange] = []
    results: dict[str, list[tuple[int, Results | None]]] = {}
    for index, change in enumerate(read):
        created = created_at(change.event.object)
        is_old = change.event.type == ADDED and created is not None and created < read[0].at
        found.append(evolve(change, is_old=is_old))
        if change.event.kind == "Pod" and change.event.type != DELETED:
            uid = change.event.object["metadata"]["uid"]
            results.setdefault(uid, []).append((index, change.results))
    for versions in results.values():
        for place, (index, _) in enumerate(versions):
            before = versions[place - 1][1] if place else None
            after = (later for _, later in versions[place:] if later != before)
            found[index] = evolve(found[index], results=next(after, None))
    return found


def _recorded(path: str) -> Iterator[ObservedChange]:
    uids: dict[Key, str] = {}
    for number, record in json_lines(path):
        where = f"{path}: line {number}"
        type, value = _TYPES.get(str(record.get("event"))), record.get("resource")
        if type is None:
            raise InputError(
                f"expected Add, Update or Delete, found {record.get('event')!r:.60}", "event", where
            )
        if not isinstance(value, dict):
            raise InputError(f"expected an object, found {value!r:.60}", "resource", where)
        kind = kind_of_object(value)
        if kind is None:
            continue
        if type == DELETED and isinstance(value.get("metadata"), dict):
            known = uids.get(key_of(value))
            value = {**value, "spec": {}, "metadata": {**value["metadata"], "uid": known or where}}
        check_object(value, where)
        uids[key_of(value)] = value["metadata"]["uid"]
        at = read_time(record.get("time"), "time", where)
        results = results_of(value, where) if kind.name == "Pod" else None
        yield ObservedChange(at, Event(type, kind.name, value), results=results)


# --- Snapshots ------------------------------------------------------------------------------------


@frozen
class InitialCluster:
    """An InitialCluster has what was ``there`` when the first pod was scheduled, as far as it shows, and the
    ``changes`` since then. ``unknown`` counts why attempts are left out."""

    there: list[Event]
    changes: list[ObservedChange]
    unknown: Counter[str]


def read_snapshot(paths: Sequence[str]) -> InitialCluster:
    """Reads an export, or what kubectl prints. A pod is attempted when it was bound, or if it waits and was
    attempted once, when it was created; pods of which this was in the same second are not attempted, since it is
    not known in which order. Raises InputError, which names the file, the object and the field."""
    there, timed = [], []
    for path in paths:
        with open_file(path) as file:
            text = read_text(read_bytes(file, path), path, is_dump=True)
        for document in read_documents(text, path):
            for where, value in _objects(document.where, document.value):
                kind = kind_of_object(value)
                if kind is None:
                    continue
                check_object(value, where)
                event = Event(ADDED, kind.name, value)
                results = results_of(value, where) if kind.name == "Pod" else None
                at = _attempted_at(value, where) if kind.name == "Pod" else None
                if at is None:
                    there.append(event)
                else:
                    timed.append(ObservedChange(at, event, results=results))
    return _in_order(there, timed)


def _objects(where: str, value: Any) -> Iterator[tuple[str, Json]]:
    is_export = isinstance(value, dict) and "kind" not in value and isinstance(value.get("pods"), list)
    if not is_export:
        yield from ((place, each) for place, each in items_of(where, value) if isinstance(each, dict))
        return
    for member, kind in _EXPORTED.items():
        for index, each in enumerate(value.get(member) or ()):
            place = f"{where}: {member}[{index}]"
            if not isinstance(each, dict):
                raise InputError(f"expected an object, found {each!r:.60}", where=place)
            yield place, {"apiVersion": _API_VERSIONS[kind], "kind": kind, **each}


def _attempted_at(pod: Json, where: str) -> datetime | None:
    """Returns when the last attempt was, or None if this is not known."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "True":
            return read_time(condition.get("lastTransitionTime"), "status.conditions", where)
    return None if pod["spec"].get("nodeName") else created_at(pod)


def _in_order(there: list[Event], timed: list[ObservedChange]) -> InitialCluster:
    unknown: Counter[str] = Counter()
    in_second = Counter(change.at for change in timed)
    changes = []
    for change in sorted(timed, key=lambda change: change.at):
        why = _why_unknown(change, in_second[change.at])
        if why:
            unknown[why] += 1
            changes.append(evolve(change, is_old=True))
            continue
        changes.append(
            ObservedChange(change.at, evolve(change.event, object=_as_created(change.event.object)))
        )
        changes.append(evolve(change, event=evolve(change.event, type=MODIFIED)))
    return InitialCluster(there, changes, unknown)


def _why_unknown(change: ObservedChange, in_second: int) -> str:
    """Returns why it is not known in which cluster the pod was attempted, or ""."""
    pod = change.event.object
    if change.results is None:
        return "without results"
    if in_second > 1:
        return "scheduled in the same second as another one"
    _, history = _annotation(pod, "result-history")
    if not pod["spec"].get("nodeName") and history.count("filter-result") != 1:
        return "waiting, and attempted more than once"
    return ""


def _as_created(pod: Json) -> Json:
    spec = {name: value for name, value in pod["spec"].items() if name != "nodeName"}
    return {name: value for name, value in pod.items() if name != "status"} | {"spec": spec}
