# SPDX-License-Identifier: Apache-2.0
"""JSON Schemas (2020-12) of what is exchanged and written: requests, answers, lines of a trace, the JSON report.

    python -m refsched.tools.rulebook.schemas [FOLDER]

writes them to ``docs/schemas``; a test compares those with what is made. Members and their types come from the
classes by which messages are read; what a type leaves open (names of pods, words out of a list) is added here.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs

from refsched.checking.trace import FORMAT, MAX_SECONDS, Exchange, Header
from refsched.objects.reading import json_name
from refsched.records import (
    BOUND,
    ERROR,
    SCHEDULED,
    UNSCHEDULABLE,
    Advance,
    Attempt,
    Bind,
    Create,
    Delete,
    Nodes,
    NodeStatus,
    Permit,
    PreFilter,
    Queues,
    Release,
    Update,
    Write,
)
from refsched.suite.adapters.answers import CAPABILITIES, CODES, OBJECT_INPUTS, PROTOCOL, Held, Hello
from refsched.tools.rulebook.report_schema import REPORT

COMMAND = "python -m refsched.tools.rulebook.schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

INPUTS = (Create, Update, Delete, Advance, Permit, Release)
OUTPUTS = (Attempt, Bind, Write)
OBSERVATIONS = (Queues, Nodes)
_BY_API_SERVER = (Create, Update, Delete)
_BARE = {Create: "object", Update: "object", Delete: "object", Advance: "seconds", Nodes: "nodes"}
"""Records whose member is the value itself (refsched/records.py)."""

_POD: Schema = {"type": "string", "pattern": r"^[^/\s]+/[^/\s]+$", "description": "namespace/name"}
_PODS: Schema = {"type": "array", "items": _POD}
_OBJECT: Schema = {
    "type": "object",
    "description": "An object of the Kubernetes API, as `kubectl get -o json` gives it.",
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
    "required": ["apiVersion", "kind", "metadata"],
}
_CODE: Schema = {"enum": sorted(CODES)}
_WHY: Schema = {"type": "string", "minLength": 1}

_NARROWER: Mapping[tuple[type[Any], str], Schema] = {
    (Create, "object"): _OBJECT,
    (Update, "object"): _OBJECT,
    (Write, "object"): _OBJECT,
    (Write, "verb"): {"enum": ["create", "update", "delete"]},
    (Permit, "pod"): _POD,
    (Permit, "decision"): {"enum": ["allow", "reject"]},
    (Release, "pod"): _POD,
    (Attempt, "pod"): _POD,
    (Attempt, "result"): {"enum": [SCHEDULED, UNSCHEDULABLE, ERROR]},
    (Attempt, "victims"): _PODS,
    (NodeStatus, "code"): _CODE,
    (PreFilter, "code"): _CODE,
    (Bind, "pod"): _POD,
    (Bind, "result"): {"enum": [BOUND, UNSCHEDULABLE, ERROR]},
    (Queues, "active"): _PODS,
    (Queues, "backoff"): _PODS,
    (Queues, "unschedulable"): _PODS,
    (Held, "pod"): _POD,
    (Hello, "kubernetes"): {"type": "string", "pattern": r"^[0-9]+\.[0-9]+$"},
    (Hello, "capabilities"): {"type": "array", "items": {"enum": list(CAPABILITIES)}},
    (Hello, "inputs"): {
        "type": "array",
        "items": {"enum": list(OBJECT_INPUTS)},
        "contains": {"const": "create"},
    },
    (Header, "trace"): {"const": FORMAT},
}
"""What the type of an attribute leaves open."""

_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    dict: {"type": "object"},
    Any: {},
}


class Definitions:
    """Definitions are the ``$defs`` of one schema: each class that is referred to, once."""

    def __init__(self) -> None:
        self.made: dict[str, Schema] = {}

    def of(self, kind: type[Any]) -> Schema:
        """Returns a reference to what a class describes."""
        name = kind.__name__
        if name not in self.made:
            self.made[name] = {}
            self.made[name] = self._described(kind)
        return _ref(name)

    def records(self, name: str, kinds: tuple[type[Any], ...]) -> Schema:
        """Returns a reference to an object with exactly one member of these kinds."""
        if name not in self.made:
            self.made[name] = self.one_of(kinds)
        return _ref(name)

    def one_of(self, kinds: tuple[type[Any], ...]) -> Schema:
        return {
            "type": "object",
            "properties": {kind.member: self._record(kind) for kind in kinds},
            "oneOf": [{"required": [kind.member]} for kind in kinds],
        }

    def _record(self, kind: type[Any]) -> Schema:
        if kind not in _BARE:
            return self.of(kind)
        [attribute] = attrs.fields(kind)
        return {"description": _summary(kind), **self._value(kind, attribute)}

    def _described(self, kind: type[Any]) -> Schema:
        members = attrs.fields(kind)
        summary = _summary(kind)
        return {
            **({"description": summary} if summary else {}),
            "type": "object",
            "properties": {json_name(member.name): self._value(kind, member) for member in members},
            "required": [json_name(member.name) for member in members if member.default is attrs.NOTHING],
        }

    def _value(self, kind: type[Any], member: attrs.Attribute[Any]) -> Schema:
        return _NARROWER.get((kind, member.name)) or self._typed(get_type_hints(kind)[member.name])

    def _typed(self, hint: Any) -> Schema:
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (types.UnionType, Union):
            return self._typed(inner[0])
        if hint in _PLAIN or origin is dict:
            return _PLAIN[dict if origin is dict else hint]
        if origin in (tuple, frozenset):
            return {"type": "array", "items": self._typed(inner[0])}
        if origin is Mapping:
            return {"type": "object", "additionalProperties": self._typed(inner[1])}
        return self.of(hint)


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _summary(kind: type[Any]) -> str:
    """Returns the first sentence of the class's docstring; attrs writes one of its own where there is none."""
    text = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    return "" if text.startswith("Method generated by attrs") else text.partition(". ")[0].rstrip(".") + "."


def _schema(title: str, description: str, body: Schema, definitions: Mapping[str, Schema]) -> Schema:
    more = {"$defs": dict(sorted(definitions.items()))} if definitions else {}
    return {"$schema": DIALECT, "title": title, "description": description, **body, **more}


# --- The wire -------------------------------------------------------------------------------------


def request_schema() -> Schema:
    made = Definitions()
    inputs = made.one_of(INPUTS)
    requests: dict[str, Schema] = {
        "hello": _members({"protocol": {"const": PROTOCOL}, "kubernetes": {"type": "string"}}, "protocol"),
        "reset": _members(
            {
                "config": {"type": "object", "description": "A KubeSchedulerConfiguration."},
                "featureGates": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "start": {"type": "string", "format": "date-time"},
            },
            "config",
        ),
        "schedule": _members({"pod": _POD}),
        "observe": {"type": "object"},
    }
    body: Schema = {
        "type": "object",
        "properties": {**requests, **inputs["properties"]},
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
    }
    return _schema("A request", "One line that the driver sends (docs/protocol.md).", body, made.made)


def answer_schema() -> Schema:
    """Describes each answer by a definition of its own: which one is meant depends on the request."""
    made = Definitions()
    hello = made.of(Hello)
    made.made["Hello"]["properties"]["protocol"] = {"const": PROTOCOL}
    observed = made.records("Observation", OBSERVATIONS)
    caused = made.records("Caused", (*OUTPUTS, *_BY_API_SERVER))
    held = made.of(Held)
    refused = {
        "Unsupported": {**_alone({"unsupported": _WHY}), "required": ["unsupported"]},
        "Error": {**_alone({"error": _WHY}), "required": ["error"]},
    }
    made.made |= {
        **refused,
        "Records": {
            **_alone({"records": {"type": "array", "items": caused}, "held": held}),
            "required": ["records"],
        },
        "Observed": {**_alone({"records": {"type": "array", "items": observed}}), "required": ["records"]},
        "Idle": {**_alone({"idle": {"const": True}}), "required": ["idle"]},
        "Done": _alone({}),
        "ToInput": _any("Records", *refused),
        "ToSchedule": _any("Records", "Idle", *refused),
        "ToReset": _any("Done", *refused),
        "ToObserve": _any("Observed", *refused),
        "ToHello": hello,
    }
    described = (
        "One line that a scheduler answers (docs/protocol.md). Members that are not known are ignored. Which of"
        " ToHello, ToReset, ToInput, ToSchedule and ToObserve it must be depends on the request."
    )
    body = {"type": "object", **_any("ToHello", "ToReset", "ToInput", "ToSchedule", "ToObserve")}
    return _schema("An answer", described, body, made.made)


def _members(properties: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


_ABSENT: Schema = {
    "records": {"maxItems": 0},
    "idle": {"const": False},
    "held": False,
    "unsupported": False,
    "error": False,
}


def _alone(properties: Schema) -> Schema:
    """Allows these outcomes and no others."""
    return {"type": "object", "properties": {**_ABSENT, **properties}}


def _any(*names: str) -> Schema:
    return {"anyOf": [_ref(name) for name in names]}


# --- Traces ---------------------------------------------------------------------------------------


def trace_schema() -> Schema:
    made = Definitions()
    header = made.of(Header)
    made.made["Header"]["properties"]["steps"] = {"type": "array", "items": _step(made)}
    record = made.one_of((*INPUTS, *OUTPUTS, *OBSERVATIONS))
    record["properties"] = {
        "at": {
            "type": "number",
            "minimum": 0,
            "maximum": MAX_SECONDS,
            "description": "Seconds since the start, never fewer than the line before.",
        },
        "held": {**_POD, "description": "The pod whose scheduling cycle began before this record."},
        "idle": {"type": "boolean", "description": "A pod was asked for before this record: none was ready."},
        "asked": {"type": "array", "items": made.of(Exchange)},
        **record["properties"],
    }
    made.made["Entry"] = {**record, "required": ["at"]}
    body: Schema = {
        "type": "object",
        "if": {"required": ["trace"]},
        "then": header,
        "else": _ref("Entry"),
    }
    described = (
        "One line of a trace (docs/protocol.md): the first is the header, every other one is a record."
    )
    return _schema("A line of a trace", described, body, made.made)


def _step(made: Definitions) -> Schema:
    """Returns a reference to what the suite does in one step of a history: an input, or one of the driver's
    requests."""
    inputs = made.one_of(INPUTS)
    asked: dict[str, Schema] = {
        "schedule": {
            "type": "integer",
            "minimum": 1,
            "description": "Pods are asked for this many times at most, until there is none.",
        },
        "observe": {"const": True, "description": "Queues and nodes are looked at."},
    }
    made.made["Step"] = {
        "description": "A Step is what the suite did before a failure; ``--replay`` does it again.",
        "type": "object",
        "properties": {**asked, **inputs["properties"]},
        "oneOf": [*({"required": [name]} for name in asked), *inputs["oneOf"]],
    }
    return _ref("Step")


# --- Files ----------------------------------------------------------------------------------------

SCHEMAS: Mapping[str, Schema] = {
    "request.json": request_schema(),
    "answer.json": answer_schema(),
    "trace.json": trace_schema(),
    "report.json": {"$schema": DIALECT, **REPORT},
}


def text_of(name: str) -> str:
    return json.dumps(SCHEMAS[name], indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0] if arguments else "docs/schemas")
    if not folder.is_dir():
        sys.stderr.write(f"there is no folder {folder} to write to\n")
        return 2
    for name in SCHEMAS:
        (folder / name).write_text(text_of(name), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
