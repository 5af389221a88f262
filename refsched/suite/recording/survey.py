# SPDX-License-Identifier: Apache-2.0
"""Survey: what recorded traces have covered, counted while the specification follows them.

What a record shows is counted from the record. No record shows the path of a pod through the queue; it is
counted in the specification, which agrees with every recorded state of the queues.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from attrs import Factory, define

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.replay import FirstDisagreement, replay_file
from refsched.records import (
    BOUND,
    ERROR,
    SCHEDULED,
    Advance,
    Attempt,
    Bind,
    Create,
    Delete,
    Nodes,
    Permit,
    Record,
    Release,
    Update,
    Write,
)
from refsched.suite.recording.recorded_calls import asked_of_extenders
from refsched.suite.recording.transitions import count_transitions

AN_EXTENDER = "an extender"
"""This is the name for every extender: traces identify extenders by their URLs."""

LEFT_OVER = 300.0
"""After so many seconds the queue retries a pod that stayed unschedulable."""


@define
class Area:
    traces: int = 0
    attempts: int = 0
    scheduled: int = 0
    unschedulable: int = 0
    error: int = 0
    nodes: int = 0
    """This is the largest number of nodes that one of its traces has shown."""


@define
class Survey:
    """``areas`` by folder and area; ``plugins`` and the other counters by what was seen. ``first`` are the traces
    in which something disagrees."""

    areas: dict[tuple[str, str], Area] = Factory(dict)
    refused_before: Counter[str] = Factory(Counter)
    refused: Counter[str] = Factory(Counter)
    scored: Counter[str] = Factory(Counter)
    separated: Counter[str] = Factory(Counter)
    transitions: Counter[str] = Factory(Counter)
    ways_back: Counter[str] = Factory(Counter)
    happened: Counter[str] = Factory(Counter)
    asked: Counter[str] = Factory(Counter)
    disagreements: dict[str, FirstDisagreement] = Factory(dict)

    @property
    def traces(self) -> int:
        return sum(area.traces for area in self.areas.values())

    @property
    def attempts(self) -> int:
        return sum(area.attempts for area in self.areas.values())


def survey(paths: Iterable[Path]) -> Survey:
    """Counts what the traces cover. Raises InputError if one of the files is no trace."""
    found = Survey()
    for path in paths:
        _look(found, path)
    return found


def _look(found: Survey, path: Path) -> None:
    area = found.areas.setdefault((_folder(path), area_of(path)), Area())
    area.traces += 1
    found.asked.update(asked_of_extenders(path))
    report = replay_file(path, partial(_Counting, found, area))
    if report.first is not None:
        found.disagreements[str(path)] = report.first


def _folder(path: Path) -> str:
    """Returns the folder of ``traces/`` that it is in; the areas of some have folders of their own."""
    folder = path.parent
    return folder.parent.name if folder.name == area_of(path) else folder.name


def area_of(path: Path) -> str:
    """Returns ``pod_affinity`` for ``pod_affinity-003.jsonl.gz``; a scenario is an area of its own."""
    name = path.name.partition(".")[0]
    area, _, number = name.rpartition("-")
    return area if number.isdigit() else name


class _Counting(Checker):
    """A _Counting counts what it is shown, and the transitions of its queue."""

    def __init__(
        self,
        found: Survey,
        area: Area,
        config: Mapping[str, Any],
        gates: Mapping[str, bool],
        *rest: Any,
        **more: Any,
    ) -> None:
        super().__init__(config, gates, *rest, **more)
        self._found = found
        self._area = area
        for gate, is_on in gates.items():
            found.happened[f"feature gate {gate} {'on' if is_on else 'off'}"] += 1
        count_transitions(self.scheduler.state.queue, found.transitions, found.happened)

    def take(self, record: Record) -> list[Disagreement]:
        _count(self._found, self._area, record)
        return super().take(record)

    def idle(self) -> list[Disagreement]:
        self._found.happened["no pod to pop"] += 1
        return super().idle()

    def begin(self, pod: str, coming: Attempt | None = None) -> list[Disagreement]:
        self._found.happened["a scheduling cycle held"] += 1
        return super().begin(pod, coming)


# --- What a record shows -------------------------------------------------------------------------


def _count(found: Survey, area: Area, record: Record) -> None:
    match record:
        case Attempt():
            _count_attempt(found, area, record)
        case Bind(result=result) if result != BOUND:
            found.ways_back[way_back_of_a_bind(record)] += 1
        case Nodes(nodes):
            area.nodes = max(area.nodes, len(nodes))
        case _:
            found.happened.update(_events(record))


def _count_attempt(found: Survey, area: Area, attempt: Attempt) -> None:
    area.attempts += 1
    area.scheduled += attempt.result == SCHEDULED
    area.error += attempt.result == ERROR
    area.unschedulable += attempt.result not in (SCHEDULED, ERROR)
    if attempt.pre_filter is not None and attempt.pre_filter.code != "Success":
        found.refused_before[attempt.pre_filter.plugin or "?"] += 1
    statuses = (attempt.filter or {}).values()
    found.refused.update(status.plugin or "?" for status in statuses if status.code != "Success")
    _count_scores(found, attempt.scores or {})
    if attempt.victims:
        found.happened["preemption: victims chosen"] += 1
    if attempt.node and attempt.result != SCHEDULED:
        found.ways_back[way_back_of_an_attempt(attempt)] += 1


def _count_scores(found: Survey, scores: Mapping[str, Mapping[str, int]]) -> None:
    for name in sorted({name for of_node in scores.values() for name in of_node}):
        plugin = AN_EXTENDER if "://" in name else name
        found.scored[plugin] += 1
        found.separated[plugin] += len({of_node.get(name) for of_node in scores.values()}) > 1


def _events(record: Record) -> Iterator[str]:
    match record:
        case Create({"kind": kind}) | Update({"kind": kind}):
            yield f"{record.member} {kind}"
        case Delete(named):
            yield f"delete {named.kind}"
        case Write(verb, {"kind": kind}):
            yield f"write: {verb} {kind}"
        case Permit(_, decision):
            yield f"permit: {decision}"
        case Release():
            yield "release"
        case Advance(seconds) if seconds > LEFT_OVER:
            yield "the clock moves by more than five minutes"


# --- The way back ---------------------------------------------------------------------------------


def way_back_of_an_attempt(attempt: Attempt) -> str:
    """Returns the point at which a chosen node was given up, Reserve or Permit, and the status there."""
    return f"{_last_point(attempt.calls) or 'reserve, a plugin of its own'}: {attempt.result}"


_RUNNING = re.compile(r'running (\w+) plugin "(\w+)"')
_WHILE_WAITING = {"rejected due to timeout": "timed out", "removed": "deleted", "preempted": "preempted"}


def way_back_of_a_bind(bind: Bind) -> str:
    """Returns the point at which a binding failed, with the plugin's name if it is a default plugin."""
    message = bind.message or ""
    running = _RUNNING.search(message)
    if running is not None and not running[2].startswith("Scripted"):
        return f"{running[1]}, {running[2]}: {bind.result}"
    why = next((way for said, way in _WHILE_WAITING.items() if said in message), "")
    if why == "timed out":
        return f"waiting on Permit: {why}"
    point = _last_point(bind.calls)
    if point:
        return f"{point}: {bind.result}"
    return "bind, an extender: error" if bind.result == ERROR else f"waiting on Permit: {why or 'rejected'}"


def _last_point(calls: tuple[str, ...] | None) -> str:
    """Returns ``bind`` for ``ScriptedA.preBind, ScriptedBinder.bind, ScriptedA.unreserve``."""
    points = [call.partition(".")[2] for call in calls or ()]
    forward = [point for point in points if point != "unreserve"]
    return forward[-1] if forward else ""
