# SPDX-License-Identifier: Apache-2.0
"""Wording: a history, and what came of it, in the words of a transcript.

Short for the eye, and nothing left out: what no known field of an object says is shown by its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from refsched.checking.following import NO_NODE
from refsched.objects.reading import json_name
from refsched.records import BOUND, SCHEDULED, Attempt, Bind, NodeStatus, PreFilter, Record
from refsched.suite.findings import Finding, Seen
from refsched.suite.histories.history import (
    DEFAULT_CONFIG,
    Advance,
    Create,
    Delete,
    History,
    Observe,
    Permit,
    Release,
    Schedule,
    Step,
    Update,
)
from refsched.suite.scripts import SCRIPT

Json = dict[str, Any]
DEFAULT_PROFILE = "default-scheduler"
MARGIN = 18
"""This many columns stand before the text of expected and got, as before the outcome of a step."""

# --- Values ---------------------------------------------------------------------------------------


def said(value: object) -> str:
    """Returns a value that was expected or came, as a reader would say it."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case NodeStatus() | PreFilter():
            return _status(value)
        case Bind():
            return f"{_pod(value.pod)} on {value.node}: {value.result}"
        case str():
            return value or "none"
        case Mapping():
            return ", ".join(f"{key} {said(member)}" for key, member in sorted(value.items())) or "none"
        case Sequence():
            return ", ".join(said(member) for member in value) or "none"
        case _ if attrs.has(type(value)):
            return said({name: member for name, member in _named_members(value) if member not in (None, ())})
        case _:
            return str(value)


def what_came(finding: Finding, history: History) -> str:
    """Returns what came instead of what was expected. A node that was chosen may not exist, which is said."""
    text = said(finding.got)
    if finding.member != "node" or finding.got in ("", NO_NODE) or not isinstance(finding.got, str):
        return text
    nodes: set[str] = set()
    for step in history.steps[: finding.step]:
        match step:
            case Create(value) if value["kind"] == "Node":
                nodes.add(value["metadata"]["name"])
            case Delete(named) if named.kind == "Node":
                nodes.discard(named.name)
    return text if finding.got in nodes else f"{text}, a node that does not exist"


def _named_members(value: Any) -> Iterator[tuple[str, object]]:
    for attribute in attrs.fields(type(value)):
        yield json_name(attribute.name), getattr(value, attribute.name)


def _status(status: NodeStatus | PreFilter) -> str:
    reasons = f" ({', '.join(status.reasons)})" if status.reasons else ""
    nodes = status.nodes if isinstance(status, PreFilter) else None
    narrowed = "" if nodes is None else f" narrowed to {said(nodes)}"
    if status.code == "Unschedulable" and status.plugin:
        return f"{status.plugin}{reasons}"
    return " ".join(part for part in (status.code, status.plugin) if part) + reasons + narrowed


def _pod(key: str) -> str:
    """Returns ``a`` for ``default/a``."""
    return key.removeprefix("default/")


# --- Objects --------------------------------------------------------------------------------------


def described(value: Json) -> str:
    """Returns what distinguishes an object from an empty one of its kind."""
    return "  ".join(member for member in _members(value) if member)


def _members(value: Json) -> Iterator[str]:
    metadata = value.get("metadata") or {}
    spec = dict(value.get("spec") or {})
    status = dict(value.get("status") or {})
    if value.get("kind") == "Node":
        yield _amounts(status.pop("allocatable", None) or status.get("capacity") or {})
        status.pop("capacity", None)
    containers = spec.pop("containers", None)
    yield from _containers(containers or [], "")
    yield from _containers(spec.pop("initContainers", None) or [], "init ")
    if "priority" in spec:
        yield f"priority {spec.pop('priority')}"
    if "nodeName" in spec:
        yield f"on {spec.pop('nodeName')}"
    if labels := metadata.get("labels"):
        yield f"labels {flow(labels)}"
    yield from _others(spec)
    yield from _others(status)
    rest = {key: member for key, member in value.items() if key not in _SHOWN_BEFORE}
    yield from _others(rest)
    shown = {"name", "namespace", "labels", "annotations"}
    yield from _others({key: member for key, member in metadata.items() if key not in shown})
    yield from _annotations(metadata.get("annotations") or {})


_SHOWN_BEFORE = {"apiVersion", "kind", "metadata", "spec", "status"}


def _containers(containers: Sequence[Json], which: str) -> Iterator[str]:
    for container in containers:
        rest = {key: member for key, member in container.items() if key != "name"}
        resources = dict(rest.pop("resources", None) or {})
        asked = _amounts(resources.pop("requests", None) or {})
        if asked or rest or resources:
            limits = _amounts(resources.pop("limits", None) or {})
            parts = [asked, f"limits {limits}" if limits else "", *_others(resources), *_others(rest)]
            yield which + " ".join(part for part in parts if part)


def _amounts(amounts: Mapping[str, object]) -> str:
    return " ".join(f"{name} {amount}" for name, amount in amounts.items())


def _others(members: Mapping[str, object]) -> Iterator[str]:
    for name, member in members.items():
        if member not in ({}, [], None, ""):
            yield f"{name} {flow(member)}"


def _annotations(annotations: Mapping[str, str]) -> Iterator[str]:
    others = {name: text for name, text in annotations.items() if name != SCRIPT}
    if others:
        yield f"annotations {flow(others)}"
    if SCRIPT in annotations:
        yield f"script {annotations[SCRIPT]}"


def flow(value: object) -> str:
    """Returns the value as YAML would write it in one line, without quotes that nobody needs."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(member) for member in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value != "" else '""'


# --- Steps ----------------------------------------------------------------------------------------


def described_steps(
    history: History, seen: Iterable[Seen], wrong: int, usual: Mapping[str, Any] = DEFAULT_CONFIG
) -> tuple[list[str], int]:
    """Returns one line for each step, and under it what else came of it; and which line is the last of step
    ``wrong``. What is configured otherwise than in ``usual`` stands above them."""
    width = len(str(len(history.steps)))
    names = _NameColumn.of(history)
    lines = [f"{'':{width}}  {line}" for line in _configured(history, usual)]
    last = max(len(lines) - 1, 0)
    for index, step in enumerate(history.steps):
        caused = [entry.record for entry in seen if entry.step == index]
        first, *others = list(_outcomes(step, caused)) or [""]
        head = f"{index + 1:>{width}}  {names.line(step)}"
        lines.append(f"{head}  →  {first}" if first else head)
        lines += [f"{'':{width}}  {'':8}  →  {other}" for other in others]
        if index == wrong:
            last = len(lines) - 1
    return lines, last


def _configured(history: History, usual: Mapping[str, Any]) -> Iterator[str]:
    others = {name: set_to for name, set_to in history.config.items() if set_to != usual.get(name)}
    [usual_profile] = usual.get("profiles") or [{"schedulerName": DEFAULT_PROFILE}]
    match others.get("profiles"):
        case [profile]:
            others["profiles"] = [
                {key: value for key, value in profile.items() if value != usual_profile.get(key)}
            ]
    if others:
        yield f"configuration  {flow(others)}"
    if history.feature_gates:
        yield f"feature gates  {flow(dict(history.feature_gates))}"


@attrs.frozen
class _NameColumn:
    """A _NameColumn has the widths of kinds and names, so that what follows stands in one column."""

    kind: int
    name: int

    @classmethod
    def of(cls, history: History) -> _NameColumn:
        named = [
            (_kind(step.object), _name(step.object))
            for step in history.steps
            if isinstance(step, Create | Update)
        ]
        return cls(
            max((len(kind) for kind, _ in named), default=0), max((len(name) for _, name in named), default=0)
        )

    def line(self, step: Step) -> str:
        match step:
            case Create(value):
                return self._object(value).rstrip()
            case Update(value):
                return f"update {self._object(value)}".rstrip()
            case Delete(named):
                return f"delete {named.kind.lower()} {_joined(named.namespace, named.name)}"
            case Advance(seconds):
                return f"{seconds:g} s pass"
            case Permit(pod, decision, plugin):
                return f"{decision} {_pod(pod)}" + (f", by {plugin}" if plugin else "")
            case Release(pod):
                return f"release {_pod(pod)}"
            case Schedule(times):
                return "schedule" if times == 1 else f"schedule, up to {times} times"
            case Observe():
                return "observe"

    def _object(self, value: Json) -> str:
        return f"{_kind(value):{self.kind}}  {_name(value):{self.name}}  {described(value)}"


def _kind(value: Json) -> str:
    return str(value.get("kind", "")).lower()


def _name(value: Json) -> str:
    metadata = value.get("metadata") or {}
    return _joined(metadata.get("namespace", ""), str(metadata.get("name", "")))


def _joined(namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if namespace not in ("", "default") else name


def _outcomes(step: Step, records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        match record:
            case Attempt():
                yield _attempted(record)
            case Bind():
                yield _bound(record)
            case Delete(named) if not isinstance(step, Delete):
                yield f"{_joined(named.namespace, named.name)} is deleted"
            case _:
                continue
    if isinstance(step, Schedule) and not any(isinstance(record, Attempt) for record in records):
        yield "no pod"


def _attempted(attempt: Attempt) -> str:
    pod = _pod(attempt.pod)
    if attempt.result == SCHEDULED:
        return f"{pod} on {attempt.node}" + (", waits" if attempt.waiting else "")
    why = [
        f"{node}: {_status(status)}"
        for node, status in sorted((attempt.filter or {}).items())
        if status.code != "Success"
    ]
    if not why and attempt.pre_filter is not None:
        why = [_status(attempt.pre_filter)]
    if attempt.victims:
        why.append(f"makes room on {attempt.nominated_node}: {', '.join(map(_pod, attempt.victims))}")
    where = f" (chosen: {attempt.node})" if attempt.node else ""
    return f"{pod}: {attempt.result}{where}" + "".join(f", {reason}" for reason in why)


def _bound(bind: Bind) -> str:
    if bind.result == BOUND:
        return f"{_pod(bind.pod)} is bound to {bind.node}"
    return f"{_pod(bind.pod)}: not bound to {bind.node}: {bind.result}"
