# SPDX-License-Identifier: Apache-2.0
"""Audit: the log in which a kube-apiserver has written what it was asked and what it answered.

An answer that is an object shows this object, also where it was only read. Of level Request there is only what was
asked: a whole object, a binding or the condition of a pod is read; any other patch is left out, since a log does
not say how the lists of a patch are merged.
Source: apiserver/pkg/apis/audit/v1/types.go, Event; registry/generic/registry/store.go, Delete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from attrs import Factory, define, evolve, frozen

from refsched.checking.trace import json_lines
from refsched.errors import InputError
from refsched.objects.kinds import KINDS, ApiKind
from refsched.objects.pod import DEFAULT_SCHEDULER_NAME
from refsched.processes.kubernetes_api.client import plural
from refsched.processes.kubernetes_api.watching import DELETED, MODIFIED, Event
from refsched.reading.objects import Key, key_of
from refsched.tools.importing.importing import (
    Json,
    ObservedChange,
    check_object,
    created_at,
    kind_of_object,
    read_time,
)
from refsched.tools.running.event_recorder import REPORTED

API_GROUP = "audit.k8s.io/"
_ENDED = "ResponseComplete"
_CHANGING = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_READING = frozenset({"get", "list"})
_BY_RESOURCE = {(kind.group, plural(kind.name)): kind for kind in (*KINDS, REPORTED)}
_BINDING = ("binding", "bindings")


@frozen
class Request:
    """A Request is one that the API server has fulfilled: it was ``received``, and had its effect ``at`` the
    latest. ``shown`` are the objects of its answer. ``is_certain`` says that it was fulfilled: after an error of
    the server it may have been."""

    where: str
    received: datetime
    at: datetime
    verb: str
    kind: ApiKind
    namespace: str
    name: str
    subresource: str
    asked: Json
    shown: tuple[Json, ...]
    is_certain: bool = True

    @property
    def key(self) -> Key:
        return self.kind.name, self.namespace, self.name

    @property
    def version(self) -> int:
        """Returns the version that was written, or 0 if this is not known."""
        is_written = self.verb not in _READING and len(self.shown) == 1 and self.kind != REPORTED
        return _version(self.shown[0]) if is_written else 0


# --- Reading --------------------------------------------------------------------------------------


def read_requests(paths: Sequence[str]) -> list[Request]:
    """Returns the requests about objects that scheduling reads, in their order. Raises
    InputError, which names the file, the line and the field."""
    found = [
        request
        for path in paths
        for number, event in json_lines(path)
        if (request := _read(event, f"{path}: line {number}")) is not None
    ]
    return sorted(_before_what_followed(found), key=lambda request: (request.at, request.version))


def _before_what_followed(requests: Sequence[Request]) -> Iterator[Request]:
    """Yields the requests, each at a time at which it had had its effect: a request may be logged after others
    that followed from it. An object was created before anything else was asked about it, and an earlier version
    was written before a later one."""
    asked: dict[Key, list[datetime]] = {}
    for request in requests:
        asked.setdefault(request.key, []).append(request.received)
    latest = datetime.max.replace(tzinfo=UTC)
    for request in sorted(requests, key=lambda request: request.version, reverse=True):
        at = request.at
        if request.verb == "create":
            at = min([at, *(received for received in asked[request.key] if received > request.received)])
        if request.version:
            latest = at = min(at, latest)
        yield evolve(request, at=at)


def _read(event: Json, where: str) -> Request | None:
    version = event.get("apiVersion")
    if event.get("kind") != "Event" or not str(version).startswith(API_GROUP):
        raise InputError(f"expected an Event of {API_GROUP}v1, found {version!r:.60}", "apiVersion", where)
    verb, asked_for = event.get("verb"), _object(event, "objectRef", where)
    kind = _BY_RESOURCE.get((asked_for.get("apiGroup", ""), str(asked_for.get("resource"))))
    if asked_for.get("resource") == "bindings":
        kind = _BY_RESOURCE["", "pods"]
    code = _code(event, where)
    is_certain = 200 <= code < 300
    is_wanted = event.get("stage") == _ENDED and (is_certain or (code >= 500 and verb in _CHANGING))
    if kind is None or verb not in _CHANGING | _READING or not is_wanted:
        return None
    at = read_time(event.get("stageTimestamp"), "stageTimestamp", where)
    received = read_time(event.get("requestReceivedTimestamp"), "requestReceivedTimestamp", where)
    shown = tuple(_shown(_object(event, "responseObject", where), where))
    asked = _object(event, "requestObject", where)
    name = asked_for.get("name") or _name(asked) or next((_name(value) for value in shown), "")
    subresource = asked_for.get("subresource") or asked_for.get("resource", "")
    namespace = asked_for.get("namespace", "")
    return Request(
        where, received, at, str(verb), kind, namespace, name, str(subresource), asked, shown, is_certain
    )


def _object(event: Json, field: str, where: str) -> Json:
    """Returns a member that is an object. A patch may be a list, which is none."""
    value = event.get(field)
    if field == "requestObject" and isinstance(value, list):
        return {}
    if value is not None and not isinstance(value, dict):
        raise InputError(f"expected an object, found {value!r:.60}", field, where)
    return value or {}


def _code(event: Json, where: str) -> int:
    """Returns the status of the answer, or 0 if nothing was to be changed."""
    asked = event.get("requestObject")
    is_dry = "dryRun=All" in str(event.get("requestURI")) or (isinstance(asked, dict) and asked.get("dryRun"))
    code = _object(event, "responseStatus", where).get("code", 200)
    return code if isinstance(code, int) and not is_dry else 0


def _name(value: Json) -> str:
    metadata = value.get("metadata")
    return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""


def _shown(answer: Json, where: str) -> Iterator[Json]:
    kind = str(answer.get("kind", ""))
    listed = answer.get("items") if kind.endswith("List") else None
    of = {"apiVersion": answer.get("apiVersion"), "kind": kind.removesuffix("List")}
    for value in (
        [answer] if listed is None else [{**of, **value} for value in listed if isinstance(value, dict)]
    ):
        if kind_of_object(value) is not None:
            check_object(value, where)
            yield value


# --- What the requests show -----------------------------------------------------------------------


@define
class AuditLog:
    """An AuditLog follows what is known of a cluster. ``missing`` are objects of which it is known only that they
    exist; ``unread`` are requests of which it is not known what they have changed, by verb and kind."""

    before: Iterable[Event]
    unread: Counter[str] = Factory(Counter)
    missing: dict[Key, None] = Factory(dict)
    first_missing: tuple[Key, ...] = ()
    _known: dict[Key, Json] = Factory(dict)
    _deleted: set[str] = Factory(set)

    def changes(self, requests: Sequence[Request]) -> Iterator[ObservedChange]:
        for event in self.before:
            self._known[key_of(event.object)] = event.object
        start = requests[0].at if requests else None
        for request in requests:
            for value in request.shown if request.verb != "create" and request.kind != REPORTED else ():
                created = created_at(value)
                if key_of(value) not in self._known and created and start and created < start:
                    self.missing[key_of(value)] = None
        self.first_missing = tuple(self.missing)
        for request in requests:
            is_whole = not self.missing
            for event in self._events(request):
                is_first = event.type != DELETED and key_of(event.object) in self.missing
                self.missing.pop(key_of(event.object), None)
                is_created = request.verb == "create" and request.subresource not in _BINDING
                yield ObservedChange(request.at, event, is_whole, is_first or is_created)

    def _events(self, request: Request) -> Iterator[Event]:
        if not request.is_certain:
            self._is_not_known(request)
            self.missing[request.key] = None
            return
        if request.kind == REPORTED:
            yield from (Event(MODIFIED, REPORTED.name, value) for value in request.shown)
            return
        if request.subresource in _BINDING:
            found = [self._bound(request)]
        elif request.shown:
            found = [self._seen(value) for value in request.shown]
        elif request.verb in _CHANGING:
            found = [self._asked(request)]
        else:
            return
        yield from (event for event in found if event is not None)

    def _seen(self, value: Json) -> Event | None:
        """Takes an object as an answer shows it, unless more recent ones have shown it otherwise."""
        key, metadata = key_of(value), value["metadata"]
        known = self._known.get(key)
        if metadata["uid"] in self._deleted:
            return None
        if _is_deleted(value):
            return self._delete(key, value)
        if known is not None:
            has_lost_its_node = _node(known) and not _node(value)
            is_the_same = known["metadata"]["uid"] == metadata["uid"]
            if _version(value) < _version(known) or (is_the_same and has_lost_its_node) or value == known:
                return None
        self._known[key] = value
        return Event(MODIFIED, value["kind"], value)

    def _delete(self, key: Key, value: Json) -> Event | None:
        self.missing.pop(key, None)
        self._deleted.add(value["metadata"]["uid"])
        return Event(DELETED, key[0], value) if self._known.pop(key, None) is not None else None

    def _bound(self, request: Request) -> Event | None:
        pod = self._known.get(request.key)
        target = request.asked.get("target")
        node = target.get("name") if isinstance(target, dict) else None
        if pod is None or not isinstance(node, str):
            self._is_not_known(request)
            return None
        self._known[request.key] = bound = {**pod, "spec": {**pod["spec"], "nodeName": node}}
        return Event(MODIFIED, "Pod", bound)

    def _asked(self, request: Request) -> Event | None:
        """Takes what was asked, where the answer is not in the log or no object."""
        known = self._known.get(request.key)
        if request.verb == "delete" and known is not None and _is_deleted_at_once(known, request.asked):
            return self._delete(request.key, known)
        value = _as_asked(request, known)
        if value is None or kind_of_object(value) != request.kind:
            self._is_not_known(request)
            return None
        check_object(value, request.where)
        return self._seen(value)

    def _is_not_known(self, request: Request) -> None:
        self.unread[f"{request.verb} {plural(request.kind.name)}"] += 1
        if request.verb == "delete":
            self.missing.pop(request.key, None)
        elif request.name and request.key not in self._known and request.kind.name in ("Node", "Pod"):
            self.missing[request.key] = None


def _as_asked(request: Request, known: Json | None) -> Json | None:
    """Returns the object as it is after a request whose answer is not known, or None if this is not known."""
    asked, subresource = request.asked, request.subresource
    if request.verb == "patch" and known is not None and subresource == "status" and known["kind"] == "Pod":
        return _with_condition(known, asked)
    if request.verb not in ("create", "update") or not isinstance(asked.get("metadata"), dict):
        return None
    if known is not None and subresource == "status":
        return {**known, "status": asked.get("status") or {}}
    of = {"namespace": request.namespace} if request.namespace else {}
    uid = asked["metadata"].get("uid") or (known["metadata"]["uid"] if known else request.where)
    whole = {**asked, "metadata": {**asked["metadata"], **of, "name": request.name, "uid": uid}}
    if known is not None:
        whole["status"] = known.get("status") or {}
    if request.kind.name == "Pod" and isinstance(whole.get("spec"), dict):
        whole["spec"] = {"schedulerName": DEFAULT_SCHEDULER_NAME, **whole["spec"]}
    return whole


def _with_condition(pod: Json, patch: Json) -> Json | None:
    """Returns the pod with the conditions and the nomination of a patch: with each of them merged by its type,
    as kube-scheduler asks for."""
    status = patch.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    if not isinstance(status, dict) or not isinstance(conditions, list):
        return None
    before = pod.get("status") or {}
    by_type = {
        each["type"]: each for each in (*(before.get("conditions") or ()), *conditions) if "type" in each
    }
    merged = {**before, "conditions": list(by_type.values())}
    if "nominatedNodeName" in status:
        merged["nominatedNodeName"] = status["nominatedNodeName"] or ""
    return {**pod, "status": merged}


def _is_deleted(value: Json) -> bool:
    """Returns whether this is an object as it was last: nothing waits any more for it to end."""
    metadata = value["metadata"]
    has_to_wait = metadata.get("finalizers") or (
        value["kind"] == "Pod" and metadata.get("deletionGracePeriodSeconds")
    )
    return bool(metadata.get("deletionTimestamp")) and not has_to_wait


def _is_deleted_at_once(known: Json, options: Json) -> bool:
    if known["metadata"].get("finalizers"):
        return False
    return known["kind"] != "Pod" or not _node(known) or options.get("gracePeriodSeconds") == 0


def _node(value: Json) -> str:
    return str((value.get("spec") or {}).get("nodeName") or "")


def _version(value: Json) -> int:
    text = str(value["metadata"].get("resourceVersion", ""))
    return int(text) if text.isdecimal() else 0
