# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas hold of what is recorded, exchanged and reported, and refuse what the readers refuse."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from jsonschema_rs import Draft202012Validator, meta
from toy_suite import Suite

from refsched.checking.trace import Exchange, Header, SchedulerName, read_trace
from refsched.errors import InputError
from refsched.objects.reading import json_name
from refsched.processes.serving import Server, no_config
from refsched.records import (
    Attempt,
    Bind,
    NodeStatus,
    NodeUsage,
    Permit,
    PreFilter,
    Queues,
    Reference,
    Release,
    Write,
)
from refsched.reference import create
from refsched.suite.adapters.answers import (
    CAPABILITIES,
    CODES,
    OBJECT_INPUTS,
    Held,
    Hello,
    read_answer,
    read_hello,
)
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.history import History
from refsched.suite.histories.scenario import read_steps, trace_lines
from refsched.suite.session.baseline import read_baseline

ROOT = Path(__file__).parents[3]
FOLDERS = sorted(path for path in (ROOT / "traces").iterdir() if any(path.glob("*.jsonl.gz")))
SCHEMAS: dict[str, dict[str, Any]] = {
    name: json.loads((ROOT / "docs/schemas" / name).read_text("utf-8"))
    for name in ("request.json", "answer.json", "trace.json", "report.json")
}
READ = (
    *(Attempt, Bind, Exchange, Header, Held, Hello, NodeStatus, NodeUsage, Permit, PreFilter, Queues),
    *(Reference, Release, SchedulerName, Write),
)
"""The classes by which messages are read, each a definition of the same name where it is used."""
NOT_READ = {"protocol", "steps"}
"""Members that the readers take apart before they read the rest."""

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "1", "pods": "9"}},
}


def pod(name: str, cpu: str) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container]},
    }


def schema(name: str, definition: str = "") -> Draft202012Validator:
    whole = SCHEMAS[name]
    part = {"$ref": f"#/$defs/{definition}", "$defs": whole["$defs"]} if definition else whole
    return Draft202012Validator(part)


# --- The files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    meta.validate(SCHEMAS[name])


@pytest.mark.parametrize("kind", READ, ids=lambda kind: kind.__name__)
def test_a_schema_has_the_members_of_the_class_by_which_they_are_read(kind: type[Any]) -> None:
    members = {json_name(member.name): member.default is attrs.NOTHING for member in attrs.fields(kind)}
    found = [each["$defs"][kind.__name__] for each in SCHEMAS.values() if kind.__name__ in each["$defs"]]
    assert found
    for definition in found:
        assert definition["properties"].keys() - NOT_READ == members.keys() - NOT_READ
        assert definition["required"] == [name for name, is_required in members.items() if is_required]


def test_a_schema_lists_the_words_that_the_readers_know() -> None:
    hello = SCHEMAS["answer.json"]["$defs"]["Hello"]["properties"]
    assert hello["capabilities"]["items"]["enum"] == list(CAPABILITIES)
    assert hello["inputs"]["items"]["enum"] == list(OBJECT_INPUTS)
    assert SCHEMAS["answer.json"]["$defs"]["NodeStatus"]["properties"]["code"]["enum"] == sorted(CODES)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_linked_from_the_protocol(name: str) -> None:
    assert f"](schemas/{name})" in (ROOT / "docs/protocol.md").read_text("utf-8")


# --- Traces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_schema_holds_of_every_line_of_every_recording(folder: Path) -> None:
    line_of_a_trace = schema("trace.json")
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                value = json.loads(line)
                if not line_of_a_trace.is_valid(value):
                    problem = next(line_of_a_trace.iter_errors(value))
                    pytest.fail(f"{path.name}: line {number}: {problem}")


HEADER = {"trace": "refsched.trace/v1", "scheduler": {"name": "mine", "version": "1"}, "config": no_config()}
WRONG_LINES: dict[str, list[Any]] = {
    "a header of another format": [{**HEADER, "trace": "refsched.trace/v2"}],
    "a header without a configuration": [{"trace": HEADER["trace"], "scheduler": HEADER["scheduler"]}],
    "a header whose gates are words": [{**HEADER, "featureGates": {"A": "yes"}}],
    "a record without a time": [HEADER, {"advance": 1}],
    "a time before the start": [HEADER, {"at": -1, "advance": 1}],
    "two records": [HEADER, {"at": 0, "advance": 1, "release": {"pod": "default/a"}}],
    "no record": [HEADER, {"at": 0, "attempts": {}}],
    "a text for a number": [HEADER, {"at": 0, "attempt": {"pod": "a/b", "result": "error", "feasible": "1"}}],
    "a status without a code": [
        HEADER,
        {"at": 0, "attempt": {"pod": "a/b", "result": "error", "filter": {"n": {}}}},
    ],
    "a write without a kind": [HEADER, {"at": 0, "write": {"verb": "update", "object": {}}}],
    "a held pod without a namespace": [HEADER, {"at": 0, "advance": 1, "held": "a"}],
    "idle that is a number": [HEADER, {"at": 0, "advance": 1, "idle": 1}],
    "a call of an extender without its verb": [
        HEADER,
        {"at": 0, "advance": 1, "asked": [{"extender": "http://e", "request": {}}]},
    ],
}


@pytest.mark.parametrize("what", WRONG_LINES)
def test_a_wrong_line_is_refused_by_the_schema_and_by_the_reader(what: str, tmp_path: Path) -> None:
    *right, wrong = WRONG_LINES[what]
    line_of_a_trace = schema("trace.json")
    assert all(line_of_a_trace.is_valid(line) for line in right)
    assert not line_of_a_trace.is_valid(wrong)
    path = tmp_path / "wrong.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (*right, wrong)), "utf-8")
    with pytest.raises(InputError):
        list(read_trace(path).entries)


STEPS: list[Any] = [
    {"create": NODE},
    {"create": pod("a", "1")},
    {"schedule": 2},
    {"observe": True},
    {"advance": 10},
    {"permit": {"pod": "default/a", "decision": "allow"}},
    {"release": {"pod": "default/a"}},
    {"delete": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "a"}},
]
WRONG_STEPS: list[Any] = [
    {"schedule": 1},
    [{"schedule": 0}],
    [{"schedule": True}],
    [{"observe": True, "schedule": 1}],
    [{"attempt": {"pod": "a/b", "result": "error"}}],
    [{}],
]


def test_the_schema_holds_of_the_trace_of_a_failure() -> None:
    history = History(tuple(read_steps(STEPS)), no_config())
    [header] = trace_lines(history, (), {"name": "mine", "version": "1"}).splitlines()
    assert json.loads(header)["steps"] == STEPS
    schema("trace.json").validate(json.loads(header))


@pytest.mark.parametrize("steps", WRONG_STEPS, ids=str)
def test_wrong_steps_are_refused_by_the_schema_and_by_the_reader(steps: Any) -> None:
    assert not schema("trace.json").is_valid({**HEADER, "steps": steps})
    with pytest.raises(InputError):
        list(read_steps(steps))


# --- The wire -------------------------------------------------------------------------------------

SESSION: list[tuple[dict[str, Any], str]] = [
    ({"hello": {"protocol": 1}}, "ToHello"),
    ({"reset": {"config": no_config(), "start": "2026-01-01T00:00:00Z"}}, "ToReset"),
    ({"create": NODE}, "ToInput"),
    ({"create": pod("a", "1")}, "ToInput"),
    ({"create": pod("b", "1")}, "ToInput"),
    ({"schedule": {}}, "ToSchedule"),
    ({"schedule": {}}, "ToSchedule"),
    ({"schedule": {}}, "ToSchedule"),
    ({"observe": {}}, "ToObserve"),
    ({"delete": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "a"}}, "ToInput"),
    ({"advance": 30}, "ToInput"),
    ({"update": NODE}, "ToInput"),
    ({"schedule": {"pod": "default/b"}}, "ToSchedule"),
    ({"permit": {"pod": "default/b", "decision": "allow"}}, "ToInput"),
    ({"release": {"pod": "default/b"}}, "ToInput"),
    ({"reset": {"config": {"kind": "no configuration"}}}, "ToReset"),
]


def test_the_schemas_hold_of_a_session() -> None:
    server = Server(create)
    answers = []
    for request, definition in SESSION:
        schema("request.json").validate(request)
        answer = json.loads(json.dumps(server.answer(request)))
        schema("answer.json", definition).validate(answer)
        schema("answer.json").validate(answer)
        answers.append(answer)
    members = {member for answer in answers for record in answer.get("records", ()) for member in record}
    assert members >= {"attempt", "bind", "queues", "nodes"}
    assert {"idle", "error"} <= {member for answer in answers for member in answer}


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"hello": {}},
        {"hello": {"protocol": 2}},
        {"reset": {}},
        {"schedule": {}, "observe": {}},
        {"schedule": {"pod": "a"}},
        {"create": {"kind": "Pod"}},
        {"permit": {"pod": "default/a", "decision": "perhaps"}},
        {"advance": "1s"},
        {"queues": {}},
    ],
    ids=str,
)
def test_what_is_no_request_is_refused(request_: dict[str, Any]) -> None:
    assert not schema("request.json").is_valid(request_)


ATTEMPT = {"attempt": {"pod": "default/a", "result": "scheduled", "node": "n"}}
HELLO = {"name": "mine", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}


@pytest.mark.parametrize(
    ("request_", "definition", "answer"),
    [
        ({"hello": {}}, "ToHello", {**HELLO, "capabilities": ["all"]}),
        ({"hello": {}}, "ToHello", {**HELLO, "kubernetes": "v1.34.2"}),
        ({"hello": {}}, "ToHello", {**HELLO, "protocol": 2}),
        ({"hello": {}}, "ToHello", {"name": "mine"}),
        ({"reset": {}}, "ToReset", {"records": [ATTEMPT]}),
        ({"create": {}}, "ToInput", {}),
        ({"create": {}}, "ToInput", {"idle": True}),
        ({"create": {}}, "ToInput", {"records": [{"queues": {"active": []}}]}),
        ({"schedule": {}}, "ToSchedule", {"records": [ATTEMPT], "idle": True}),
        ({"schedule": {}}, "ToSchedule", {"records": [ATTEMPT], "error": "it failed"}),
        ({"schedule": {}}, "ToSchedule", {"records": [{"attempt": {"pod": "a", "result": "scheduled"}}]}),
        ({"schedule": {}}, "ToSchedule", {"records": [{"attempt": {"pod": "d/a", "result": "ok"}}]}),
        ({"schedule": {}}, "ToSchedule", {"records": [{"bind": {"pod": "default/a", "result": "bound"}}]}),
        ({"schedule": {}}, "ToSchedule", {"idle": True, "held": {"pod": "default/a", "point": "bind"}}),
        ({"schedule": {}}, "ToSchedule", {"error": ""}),
        ({"schedule": {}}, "ToSchedule", {"unsupported": ["it"]}),
        ({"observe": {}}, "ToObserve", {"records": [ATTEMPT]}),
        ({"observe": {}}, "ToObserve", {"records": [{"nodes": {"n": {}}}]}),
    ],
    ids=str,
)
def test_a_wrong_answer_is_refused_by_the_schema_and_by_the_reader(
    request_: dict[str, Any], definition: str, answer: dict[str, Any]
) -> None:
    assert not schema("answer.json", definition).is_valid(answer)
    with pytest.raises(InputError):
        read_hello(answer) if "hello" in request_ else read_answer(request_, answer, CAPABILITIES)


@pytest.mark.parametrize(
    ("request_", "definition", "answer"),
    [
        ({"reset": {}}, "ToReset", {"records": []}),
        ({"schedule": {}}, "ToSchedule", {"records": [ATTEMPT], "idle": False, "mine": 1}),
        ({"schedule": {}}, "ToSchedule", {"records": [], "held": {"pod": "d/a", "point": "permit"}}),
        ({"schedule": {}}, "ToSchedule", {"records": [], "idle": True}),
        ({"create": {}}, "ToInput", {"records": [{"create": NODE}]}),
        ({"create": {}}, "ToInput", {"unsupported": "volumes"}),
    ],
    ids=str,
)
def test_an_unusual_answer_is_accepted_by_the_schema_and_by_the_reader(
    request_: dict[str, Any], definition: str, answer: dict[str, Any]
) -> None:
    schema("answer.json", definition).validate(answer)
    read_answer(request_, answer, CAPABILITIES.keys() - {"queue", "cache"})


# --- Reports and baselines ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("impl", "options", "verdict"),
    [
        ("right", ("--baseline=known",), "failed"),
        ("wrong", (), "failed"),
        ("dies", ("--shard=1/1",), "not judged"),
    ],
)
def test_the_schema_holds_of_the_report_of_a_run(
    suite: Suite, impl: str, options: tuple[str, ...], verdict: str
) -> None:
    suite.add("known", "R-TOY-01\n")
    suite("--report=report.json", "--examples=5", *options, impl=impl)
    report = json.loads((suite.path / "report.json").read_text("utf-8"))
    schema("report.json").validate(report)
    assert report["verdict"] == verdict
    assert bool(report["staleBaseline"]) == (impl == "right")
    assert any("failure" in rule for rule in report["rules"]) == (impl == "wrong")
    assert bool(report["faults"]) == ("evidence" in report) == (impl == "dies")
    for member in sorted(report.keys() - {"evidence"}):
        assert not schema("report.json").is_valid({**report, member: -1})


LINES = [
    "",
    "# all of it",
    "R-FIT-01",
    "  R-TAINT-01   # since 2.3",
    "fit",
    "R-FIT-01 R-TAINT-01",
    "- R-FIT-01",
]


@pytest.mark.parametrize("line", LINES)
def test_the_schema_reads_a_line_of_a_baseline_as_the_suite_does(line: str, tmp_path: Path) -> None:
    path = tmp_path / "known"
    path.write_text(line + "\n", "utf-8")
    try:
        read_baseline(path, all_rules())
    except InputError:
        assert not schema("report.json", "baselineLine").is_valid(line)
    else:
        schema("report.json", "baselineLine").validate(line)


def test_every_rule_can_stand_in_a_baseline() -> None:
    line = schema("report.json", "baselineLine")
    assert not [rule for rule in all_rules() if not line.is_valid(rule)]
