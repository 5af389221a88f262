# SPDX-License-Identifier: Apache-2.0
"""Answers: reads the JSON that an implementation answers into checked values.

Every deviation from docs/protocol.md is an InputError that names the member, and so is an answer that
contradicts itself. Whether a well-formed answer is correct is not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import field, frozen

from refsched.errors import InputError
from refsched.framework.status import Code
from refsched.objects.reading import read_as
from refsched.processes.serving import PROTOCOL
from refsched.reading.optional_fields import check_optional
from refsched.reading.record_json import read_record
from refsched.records import (
    BOUND,
    ERROR,
    SCHEDULED,
    UNSCHEDULABLE,
    Attempt,
    Bind,
    Create,
    Delete,
    Nodes,
    NodeStatus,
    Queues,
    Record,
    Update,
    Write,
)
from refsched.releases import DEFAULT, release_of

R = TypeVar("R", bound=Record)

HAS_A_GATE = "has a scheduling gate and must not be attempted"
"""An error that ends so says that this was done to a pod."""
CAPABILITIES: Mapping[str, str] = {
    "filter": "attempts report the Filter status of each node",
    "score": "attempts report the scores of nodes",
    "preemption": "pods are evicted to make room for pods of higher priority",
    "nominations": "pods count on the node to which their status nominates them; preemption implies it",
    "queue": "it chooses the next pod itself, and observations carry queues",
    "cache": "observations carry nodes",
    "api": "it has an API server of its own, and reports what that does",
    "scripted": "it registers the scripted plugins",
    "hold": "scripted plugins can hold a pod",
    "volumes": "it binds volumes",
    "devices": "it allocates devices, and reports each write into a claim unless it claims api",
    "extenders": "it calls extenders",
    "config": "it reads its configuration, though it has only some of the plugins",
    "validation": "it refuses a configuration that kube-scheduler refuses",
}

OBJECT_INPUTS = ("create", "update", "delete")
"""These requests say what becomes of an object. An implementation may take fewer than all three."""

NOT_SHOWN = ("filter", "scores")
"""An implementation that claims these members of an attempt, by ``filter`` and ``score``, may be unable to show
them. Then the node that it chooses shows what they were."""

_NEEDS_INPUT = (("preemption", "delete"), ("volumes", "update"), ("devices", "update"))
"""Each row has a capability, and what the API server answers to what such an implementation writes."""


def with_implied(capabilities: Collection[str]) -> frozenset[str]:
    """Returns the capabilities, and those that they imply: who preempts reads nominations."""
    return frozenset(capabilities) | ({"nominations"} if "preemption" in capabilities else frozenset())


# --- Hello ----------------------------------------------------------------------------------------


@frozen
class Hello:
    """A Hello says which implementation answers, and what it can be judged by. Without a capability it cannot be
    judged at all.

    ``plugins`` are the plugins that it has, including its own, or None if it does not say; ``inputs`` are those of
    ``OBJECT_INPUTS`` that it takes; ``fields_not_taken`` the paths of fields (``Pod.spec.overhead``) that no
    object that it is sent may have; ``not_shown`` the members of ``NOT_SHOWN`` by which it decides, and that
    cannot be seen; ``has_default_config`` says that it decides by the default configuration, whatever it is sent.
    """

    name: str
    version: str
    kubernetes: str
    capabilities: frozenset[str] = field(converter=with_implied)
    plugins: frozenset[str] | None = None
    inputs: frozenset[str] = frozenset(OBJECT_INPUTS)
    fields_not_taken: frozenset[str] = frozenset()
    not_shown: frozenset[str] = frozenset()
    has_default_config: bool = False

    def claims(self, capability: str) -> bool:
        return capability in self.capabilities


@frozen
class _Hello:
    name: str
    version: str
    kubernetes: str
    capabilities: tuple[str, ...]
    plugins: tuple[str, ...] | None = None
    inputs: tuple[str, ...] = OBJECT_INPUTS
    fields_not_taken: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    has_default_config: bool = False
    protocol: int = PROTOCOL
    unsupported: str | None = None
    error: str | None = None


def read_hello(value: Any) -> Hello:
    """Reads the answer to hello. Raises InputError if it is not as docs/protocol.md says."""
    _refuse_refusal(value)
    said = read_as(_Hello, _object(value))
    for index, capability in enumerate(said.capabilities):
        _one_of(CAPABILITIES, capability, f"capabilities[{index}]")
    if said.protocol != PROTOCOL:
        raise InputError(f"the suite speaks protocol {PROTOCOL}, not {said.protocol}", "protocol")
    if not re.fullmatch(r"[0-9]+\.[0-9]+", said.kubernetes):
        raise InputError(
            f'expected a minor version as "{DEFAULT.name}", found {said.kubernetes!r:.60}', "kubernetes"
        )
    if "hold" in said.capabilities and "scripted" not in said.capabilities:
        raise InputError("claims hold, and not scripted: only scripted plugins can hold", "capabilities")
    try:
        release_of(said.kubernetes)
    except InputError as unknown:
        raise InputError(unknown.problem, "kubernetes") from None
    _check_inputs(said)
    for index, path in enumerate(said.fields_not_taken):
        try:
            check_optional(path)
        except InputError as problem:
            raise problem.under(f"fieldsNotTaken[{index}]") from None
    for index, member in enumerate(said.not_shown):
        _one_of(NOT_SHOWN, member, f"notShown[{index}]")
    return Hello(
        said.name,
        said.version,
        said.kubernetes,
        frozenset(said.capabilities),
        frozenset(said.plugins) if said.plugins is not None else None,
        frozenset(said.inputs),
        frozenset(said.fields_not_taken),
        frozenset(said.not_shown),
        said.has_default_config,
    )


def _check_inputs(said: _Hello) -> None:
    for index, name in enumerate(said.inputs):
        _one_of(OBJECT_INPUTS, name, f"inputs[{index}]")
    if "create" not in said.inputs:
        raise InputError("without create there is nothing to schedule", "inputs")
    for capability, needed in _NEEDS_INPUT:
        if capability in said.capabilities and needed not in said.inputs and "api" not in said.capabilities:
            raise InputError(f"{capability} is claimed, and needs {needed}", "inputs")


def _refuse_refusal(value: Any) -> None:
    refusal = _object(value).get("error", value.get("unsupported"))
    if refusal is not None:
        raise InputError(f"hello must be answered, and not refused: {refusal!r:.200}")


# --- Answers --------------------------------------------------------------------------------------


@frozen
class Held:
    """A Held says where a scripted plugin began to hold a pod."""

    pod: str
    point: str
    plugin: str = ""


@frozen
class Answer:
    """An Answer is one of: what the request caused (and whether a pod is held since), idle, unsupported, or an
    error."""

    records: tuple[Record, ...] = ()
    idle: bool = False
    held: Held | None = None
    unsupported: str | None = None
    error: str | None = None

    @property
    def attempt(self) -> Attempt | None:
        return next(iter(self.of(Attempt)), None)

    def of(self, kind: type[R]) -> tuple[R, ...]:
        """Returns the records of one kind."""
        return tuple(record for record in self.records if isinstance(record, kind))


@frozen
class _Outcome:
    """An _Outcome has the members of an answer except its records."""

    idle: bool = False
    held: Held | None = None
    unsupported: str | None = None
    error: str | None = None

    @property
    def named(self) -> list[str]:
        said = {"idle": self.idle, "held": self.held, "unsupported": self.unsupported, "error": self.error}
        return [name for name, value in said.items() if value is not None and value is not False]


def read_answer(request: Mapping[str, Any], value: Any, capabilities: Collection[str]) -> Answer:
    """Reads the answer to a request other than hello. Raises InputError if it is not as docs/protocol.md says."""
    [(verb, body)] = request.items()
    said = read_as(_Outcome, _object(value))
    records = _records(value.get("records"))
    named = said.named
    if len(named) > 1 or (records and named not in ([], ["held"])):
        found = [*(["records"] if records else []), *named]
        raise InputError(f"expected one member, found {' and '.join(found)}")
    _check_outcome(verb, said, capabilities)
    if not named and verb != "reset" and value.get("records") is None:
        raise InputError("is required and missing", "records")
    _check_kinds(verb, records, capabilities)
    answer = Answer(records, said.idle, said.held, said.unsupported, said.error)
    if said.unsupported is None and said.error is None:
        _check_agrees_with_itself(verb, body, answer, capabilities)
    return answer


def _check_outcome(verb: str, said: _Outcome, capabilities: Collection[str]) -> None:
    for name in ("unsupported", "error"):
        if getattr(said, name) == "":
            raise InputError("must say what", name)
    if said.idle and verb != "schedule":
        raise InputError(f"only schedule may be answered with idle, not {verb}", "idle")
    if said.held is not None:
        _pod_name(said.held.pod, "held.pod")
        if "hold" not in capabilities:
            raise InputError("nothing can hold a pod, unless hold is claimed", "held")


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"expected a JSON object, found {value!r:.60}")
    return value


def _records(value: Any) -> tuple[Record, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InputError(f"expected a list, found {value!r:.60}", "records")
    records = []
    for index, members in enumerate(value):
        try:
            record = read_record(_object(members))
            _check_values(record)
        except InputError as problem:
            raise problem.under(f"records[{index}]") from None
        records.append(record)
    return tuple(records)


# --- Values ---------------------------------------------------------------------------------------

CODES = frozenset(code.value for code in Code)
_POD = re.compile(r"[^/\s]+/[^/\s]+")


def _check_values(record: Record) -> None:
    """Checks what the type of a member leaves open: names of pods, and words of a list."""
    match record:
        case Attempt():
            _check_attempt(record)
        case Bind():
            _pod_name(record.pod, "bind.pod")
            _one_of((BOUND, UNSCHEDULABLE, ERROR), record.result, "bind.result")
        case Write():
            _one_of(("create", "update", "delete"), record.verb, "write.verb")
            _check_object(record.object, "write.object")
        case Create() | Update():
            _check_object(record.object, record.member)
        case Queues():
            for name in ("active", "backoff", "unschedulable"):
                _check_pods(getattr(record, name), f"queues.{name}")
        case Nodes():
            for node, usage in record.nodes.items():
                _check_pods(usage.pods, f"nodes.{node}.pods")


def _check_attempt(attempt: Attempt) -> None:
    _pod_name(attempt.pod, "attempt.pod")
    _one_of((SCHEDULED, UNSCHEDULABLE, ERROR), attempt.result, "attempt.result")
    if attempt.pre_filter is not None:
        _one_of(CODES, attempt.pre_filter.code, "attempt.preFilter.code")
    statuses: Mapping[str, NodeStatus] = attempt.filter or {}
    for node, status in statuses.items():
        _one_of(CODES, status.code, f"attempt.filter.{node}.code")
    _check_pods(attempt.victims or (), "attempt.victims")


def _one_of(words: Iterable[str], found: str, where: str) -> None:
    if found not in words:
        raise InputError(f"expected one of {', '.join(sorted(words))}; found {found!r:.60}", where)


def _pod_name(found: str, where: str) -> None:
    if not _POD.fullmatch(found):
        raise InputError(f"expected namespace/name, found {found!r:.60}", where)


def _check_pods(pods: Sequence[str], where: str) -> None:
    for index, pod in enumerate(pods):
        _pod_name(pod, f"{where}[{index}]")
    if list(pods) != sorted(pods):
        raise InputError("expected a sorted list", where)


def _check_object(value: Mapping[str, Any], where: str) -> None:
    for name in ("apiVersion", "kind"):
        if not isinstance(value.get(name), str):
            raise InputError(f"expected a string, found {value.get(name)!r:.60}", f"{where}.{name}")
    metadata = value.get("metadata")
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str):
        raise InputError("is required and missing", f"{where}.metadata.name")


# --- Contradictions -------------------------------------------------------------------------------

_OUTPUTS = (Attempt, Bind, Write)
_OF_API_SERVER = (Create, Update, Delete)
_OBSERVED = {"queue": Queues.member, "cache": Nodes.member}
_ANSWERED: Mapping[str, tuple[type[Record], ...]] = {"reset": (), "observe": (Queues, Nodes)}


def _check_kinds(verb: str, records: Sequence[Record], capabilities: Collection[str]) -> None:
    """Checks that observations answer only observe, and outputs only other requests. Inputs may only be
    answered by an implementation that plays the API server."""
    for index, record in enumerate(records):
        where = f"records[{index}].{record.member}"
        if isinstance(record, _OF_API_SERVER) and "api" not in capabilities:
            raise InputError("is the driver's to say, unless api is claimed", where)
        if not isinstance(record, _ANSWERED.get(verb, _OUTPUTS + _OF_API_SERVER)):
            raise InputError(f"does not answer {verb}", where)


def _check_agrees_with_itself(verb: str, body: Any, answer: Answer, capabilities: Collection[str]) -> None:
    members = [record.member for record in answer.records]
    for single in (Attempt.member, Queues.member, Nodes.member):
        if members.count(single) > 1:
            raise InputError(
                f"an answer has one {single} at most, this has {members.count(single)}", "records"
            )
    if verb == "observe":
        for capability, member in _OBSERVED.items():
            if capability in capabilities and member not in members:
                raise InputError(f"{capability} is claimed, and there is no {member}", "records")
    if verb == "schedule":
        _check_scheduled(body, answer)


def _check_scheduled(body: Mapping[str, Any], answer: Answer) -> None:
    asked, attempt = body.get("pod"), answer.attempt
    if asked is not None and attempt is not None and attempt.pod != asked:
        raise InputError(f"{asked} was to be scheduled, not {attempt.pod}", "records")
    if not (attempt or answer.held or answer.idle):
        raise InputError("a pod was neither attempted nor held, and yet it is not idle", "records")
