# SPDX-License-Identifier: Apache-2.0
"""Scenario: a history as a file that can be read, applied with kubectl, and run again.

The YAML form consists of the objects that the history creates, in order, and a ConfigMap with the steps;
``kubectl apply -f`` accepts it unchanged. A trace has its history in its header. Either repeats a failure
(``--replay``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from types import MappingProxyType
from typing import Any

from refsched.checking.trace import FORMAT, SUFFIXES, json_lines, read_trace
from refsched.errors import InputError, one_line
from refsched.machine.state import MAX_SECONDS
from refsched.reading.api_fields import check_fields
from refsched.reading.documents import read_documents, read_text
from refsched.reading.manifests import SCENARIO, is_scenario
from refsched.reading.record_json import read_record, to_json
from refsched.reading.short_yaml import documents, short_yaml
from refsched.records import Advance, Input, Permit, Update
from refsched.releases import DEFAULT
from refsched.suite.findings import Seen
from refsched.suite.histories.history import (
    DEFAULT_CONFIG,
    Create,
    History,
    Observe,
    Schedule,
    Step,
    steps_by_entry,
)

Json = dict[str, Any]

DECISIONS = ("allow", "reject")
"""What a step may decide about a pod that waits on Permit."""

IMAGE = "registry.k8s.io/pause:3.10"
"""The API server requires an image of each container; no node reports this one."""

# --- Histories as JSON ----------------------------------------------------------------------------


def history_as_json(history: History) -> Json:
    """Returns the steps, and the configuration and the feature gates where they are not the default ones."""
    value: Json = {"steps": steps_as_json(history)}
    if history.configures:
        value["config"] = history.config
    if history.feature_gates:
        value["featureGates"] = dict(history.feature_gates)
    return value


def history_from_json(value: Mapping[str, Any]) -> History:
    """Reads what ``history_as_json`` returns. Raises InputError if one of the steps is not a step."""
    config = value.get("config") or dict(DEFAULT_CONFIG)
    return History(tuple(read_steps(value.get("steps"))), config, value.get("featureGates") or {})


def steps_as_json(history: History) -> list[Json]:
    return [_step_as_json(step) for step in history.steps]


def _step_as_json(step: Step) -> Json:
    match step:
        case Schedule(times):
            return {"schedule": times}
        case Observe():
            return {"observe": True}
        case _:
            return to_json(step)


def read_steps(steps: object) -> Iterator[Step]:
    """Yields the steps. Raises InputError if one of them is not a step."""
    if not isinstance(steps, list):
        raise InputError("expected a list of steps", "steps")
    for number, step in enumerate(steps):
        try:
            yield _read_step(step)
        except InputError as problem:
            raise problem.under(f"steps[{number}]") from None


def _read_step(step: object) -> Step:
    if not isinstance(step, Mapping):
        raise InputError(f"expected an object, found {step!r:.60}")
    if len(step) != 1:
        raise InputError(f"expected one member, found {', '.join(map(str, step)) or 'none'}")
    if "schedule" in step:
        times = step["schedule"]
        if not isinstance(times, int) or isinstance(times, bool) or times < 1:
            raise InputError(f"expected a number from 1, found {times!r:.60}", "schedule")
        return Schedule(times)
    if "observe" in step:
        return Observe()
    record = read_record(step)
    if not isinstance(record, Input):
        raise InputError(f"{record.member} is what a scheduler does, not a step")
    try:
        _check_input(record)
    except InputError as problem:
        raise problem.under(record.member) from None
    return record


def _check_input(step: Input) -> None:
    match step:
        case Create(object) | Update(object):
            _check_name(object)
        case Advance(seconds) if not 0 <= seconds <= MAX_SECONDS:
            raise InputError(f"expected seconds from 0 to {MAX_SECONDS:,}, found {seconds:g}")
        case Permit(_, decision) if decision not in DECISIONS:
            raise InputError(f"expected {' or '.join(DECISIONS)}, found {decision!r:.60}", "decision")


def _check_name(object: Json) -> None:
    """Refuses an object that no step could name."""
    metadata = object.get("metadata")
    members = {
        "apiVersion": object.get("apiVersion"),
        "kind": object.get("kind"),
        "metadata.name": metadata.get("name") if isinstance(metadata, dict) else None,
    }
    for member, value in members.items():
        if not (isinstance(value, str) and value):
            problem = f"expected a string, found {value!r:.60}"
            raise InputError("is required and missing" if value is None else problem, member)


# --- Traces ---------------------------------------------------------------------------------------


def trace_lines(
    history: History, seen: Sequence[Seen], scheduler: Mapping[str, str], kubernetes: str = DEFAULT.name
) -> str:
    """Returns the transcript as a trace, with the history in its header. ``kubernetes`` is the release by which
    the scheduler decides."""
    header: Json = {
        "trace": FORMAT,
        "scheduler": dict(scheduler),
        "kubernetes": kubernetes,
        "config": history.config,
    }
    if history.feature_gates:
        header["featureGates"] = dict(history.feature_gates)
    header["steps"] = steps_as_json(history)
    entries = ({"at": entry.at, **to_json(entry.record)} for entry in seen)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (header, *entries))


def _from_trace(path: Path) -> History:
    """Returns the history of a recording without steps: its inputs, and a request for each attempt."""
    trace = read_trace(path)
    steps = tuple(step for _, led_here in steps_by_entry(trace.entries) for step in led_here)
    recorded = _recorded_steps(path)
    return History(
        steps if recorded is None else recorded, trace.header.config, dict(trace.header.feature_gates)
    )


def _recorded_steps(path: Path) -> tuple[Step, ...] | None:
    """Returns the steps in the header, if it has any."""
    line, header = next(json_lines(path))
    try:
        return tuple(read_steps(header["steps"])) if "steps" in header else None
    except InputError as problem:
        raise problem.at(f"{path}: line {line}") from None


# --- Scenarios ------------------------------------------------------------------------------------


def scenario_text(
    history: History, *, title: str, image: str = IMAGE, more: Mapping[str, object] = MappingProxyType({})
) -> str:
    """Returns documents that ``kubectl apply -f`` accepts: the created objects in their order, and the steps.
    Objects that no step creates are there before the first step. ``more`` stands beside the steps, and
    containers without an image have this one."""
    created = [isinstance(step, Create) for step in history.steps]
    steps = steps_as_json(history)
    if all(created[: sum(created)]):
        steps = steps[sum(created) :]
    else:
        steps = [
            {"create": _named(step["create"])} if is_new else step
            for step, is_new in zip(steps, created, strict=True)
        ]
    data = {**history_as_json(history), "steps": steps, **more}
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "refsched-scenario", "labels": {SCENARIO: "steps"}},
        "data": {name: short_yaml(value) for name, value in data.items()},
    }
    objects = [_appliable(step.object, image) for step in history.steps if isinstance(step, Create)]
    return f"# {title}\n" + documents([*objects, config_map])


def as_people_write(value: Json) -> Json:
    """Returns the object with apiVersion, kind and name first, and then the rest."""
    value = deepcopy(value)
    metadata = value.pop("metadata", {})
    first = {"name": metadata.pop("name", "")}
    head = {"apiVersion": value.pop("apiVersion"), "kind": value.pop("kind"), "metadata": first | metadata}
    return {**head, **value}


def _appliable(value: Json, image: str) -> Json:
    value = as_people_write(value)
    for member in ("initContainers", "containers"):
        for container in value.get("spec", {}).get(member, ()) if value.get("kind") == "Pod" else ():
            container.setdefault("image", image)
    return value


def _named(value: Json) -> str:
    metadata = value["metadata"]
    name = "/".join(part for part in (metadata.get("namespace", ""), metadata["name"]) if part)
    return f"{value['kind']} {name}"


def scenario_data(path: Path) -> tuple[Json, list[Any]]:
    """Returns the data of the ConfigMap of a scenario, and the other documents of the file. Raises InputError if
    there is not one such ConfigMap."""
    where = str(path)
    values = [document.value for document in read_documents(read_text(path.read_bytes(), where), where)]
    scenarios = [value for value in values if is_scenario(value)]
    if len(scenarios) != 1:
        raise InputError(f"expected one ConfigMap labelled {SCENARIO}, found {len(scenarios)}", where=where)
    data = {
        name: next((document.value for document in read_documents(text, f"{where}: data.{name}")), None)
        for name, text in scenarios[0].get("data", {}).items()
    }
    return data, [value for value in values if not is_scenario(value)]


def _from_scenario(path: Path) -> History:
    data, created = scenario_data(path)
    steps = data.get("steps")
    if isinstance(steps, list) and any(isinstance(step, dict) and "create" in step for step in steps):
        objects = iter(created)
        steps = [_with_object(step, objects, f"steps[{at}]", path) for at, step in enumerate(steps)]
    elif isinstance(steps, list):
        steps = [*({"create": value} for value in created), *steps]
    try:
        history = history_from_json({**data, "steps": steps})
        for step in history.steps:
            _check_fields(step, path)
        return history
    except InputError as problem:
        raise problem.at(str(path)) from None


def _check_fields(step: Step, path: Path) -> None:
    """Refuses a member that is no field, or warns of it if a cluster printed the object."""
    for unknown in check_fields(step.object) if isinstance(step, Create | Update) else ():
        text = f"refsched: warning: {path}: {unknown} is not a known field, and is ignored"
        print(one_line(text), file=sys.stderr)


def _with_object(step: object, objects: Iterator[Json], at: str, path: Path) -> object:
    """Returns the step ``at`` with its object: a creation takes the next of the objects beside the steps."""
    if not (isinstance(step, dict) and isinstance(step.get("create"), str)):
        return step
    created = next(objects, None)
    found = "no more object" if created is None else _named(created)
    if created is None or found != step["create"]:
        expected = f"expected {step['create']}, found {found}"
        problem = f"the file's objects come in the order of their creation: {expected}"
        raise InputError(problem, f"{at}.create", str(path))
    return {"create": created}


def read_history(path: Path) -> History:
    """Reads a trace or a scenario. Raises InputError if the file is neither."""
    return _from_trace(path) if path.name.endswith(SUFFIXES) else _from_scenario(path)
