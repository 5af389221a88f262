# SPDX-License-Identifier: Apache-2.0
"""Learning which fields an implementation does not take, where it does not say so itself.

Once a history has ended because something was unsupported, the implementation is asked for each field of pods and
nodes: a plain cluster has one object with this field, and whoever answers that this is unsupported does not take
the field. The history is then run again without those fields. So what becomes of it depends on the seed and these
fields alone, and neither on which test was first nor on how the tests were shared out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve

from refsched.objects.kinds import KINDS
from refsched.reading.api_fields import api_fields, type_of
from refsched.reading.without_fields import without_fields
from refsched.suite.histories.history import Create, History, Schedule, Step, Update, creating
from refsched.suite.histories.judgement import Judgement
from refsched.suite.session.bench import Bench
from refsched.suite.session.drawing import collected

Json = dict[str, Any]

EXAMPLES = 4
"""This many histories of each area are drawn, in whose objects the fields are looked for."""

SAMPLES = 3
"""A field is tried with this many values at most, the shortest first."""

_NODE: Json = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1", "labels": {"kubernetes.io/hostname": "n1"}},
    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
}
_POD: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p1", "namespace": "default"},
    "spec": {"containers": [{"name": "c"}]},
}
_PLAIN: Mapping[str, Json] = {"Node": _NODE, "Pod": _POD}
_ALWAYS = frozenset(
    {
        *("Node.status.allocatable", "Pod.spec.containers", "Pod.spec.containers[].name"),
        *("Pod.spec.nodeName", "Pod.spec.schedulerName"),
    }
)
"""These stand in a plain object already, or make another pod of it."""


def fields_not_taken(judge: Callable[[History], Judgement], histories: Iterable[History]) -> tuple[str, ...]:
    """Returns the paths of the fields of pods and nodes, as these histories have them, that the implementation
    does not take. There are none if a plain cluster is unsupported already."""
    if judge(_history_of(_NODE, _POD)).is_unsupported:
        return ()
    tried = {
        path: any(judge(_history_of(node, pod)).is_unsupported for node, pod in clusters)
        for path, clusters in sorted(_clusters(histories).items())
    }
    whole = {
        above
        for above in {_above(path) for path in tried}
        if above.count(".") > 1 and all(refused for path, refused in tried.items() if _above(path) == above)
    } - _ALWAYS
    refused = {_above(path) if _above(path) in whole else path for path, refuses in tried.items() if refuses}
    return tuple(sorted(refused))


def drawn_from(bench: Bench, seed: str) -> Iterator[History]:
    """Yields some histories of each area, which depend on the seed alone."""
    for name, area in bench.areas.items():
        yield from collected(area(), examples=EXAMPLES, seed=seed, name=f"fields of {name}")


def without(history: History, fields: Iterable[str]) -> tuple[History, tuple[str, ...]]:
    """Returns the history without these fields, and those of them that it has."""
    had: dict[str, None] = {}

    def kept(value: Json) -> Json:
        for path in fields:
            less = without_fields(value, [path])
            if less != value:
                had[path] = None
                value = less
        return value

    steps: list[Step] = [
        evolve(step, object=kept(step.object)) if isinstance(step, Create | Update) else step
        for step in history.steps
    ]
    return evolve(history, steps=tuple(steps)), tuple(had)


# --- Samples --------------------------------------------------------------------------------------


def _history_of(node: Json, pod: Json) -> History:
    return History((*creating(node, pod), Schedule()))


def _above(path: str) -> str:
    return path.rpartition(".")[0].removesuffix("[]")


def _clusters(histories: Iterable[History]) -> dict[str, Sequence[tuple[Json, Json]]]:
    """Returns by field the clusters, a node and a pod each, in which it stands alone."""
    found: dict[str, dict[str, Json]] = {}
    for history in histories:
        for step in history.steps:
            if isinstance(step, Create) and step.object["kind"] in _PLAIN:
                for path, value in _alone(step.object):
                    found.setdefault(path, {})[json.dumps(value, sort_keys=True)] = value
    return {
        path: [
            (value, _POD) if value["kind"] == "Node" else (_NODE, value)
            for _, value in sorted(values.items(), key=lambda item: (len(item[0]), item[0]))[:SAMPLES]
        ]
        for path, values in found.items()
    }


def _alone(value: Json) -> Iterator[tuple[str, Json]]:
    """Yields each field of the object, with a plain object that has only this one besides."""
    kind = value["kind"]
    plain, types = _PLAIN[kind], api_fields()
    of_kind = types[next(type_of(each) for each in KINDS if each.name == kind)]
    for part in ("spec", "status"):
        for name, held in (value.get(part) or {}).items():
            path = f"{kind}.{part}.{name}"
            inside = types.get(of_kind[part], {}).get(name, "")
            if path == "Pod.spec.containers":
                for member, inner in held[0].items() if held else ():
                    if f"{path}[].{member}" not in _ALWAYS:
                        one = {"name": "c", member: inner}
                        yield f"{path}[].{member}", {**plain, part: {"containers": [one]}}
            elif isinstance(held, dict) and inside in types:
                for member, inner in held.items():
                    yield f"{path}.{member}", _with(plain, part, name, {member: inner})
            elif path not in _ALWAYS:
                yield path, _with(plain, part, name, held)


def _with(plain: Json, part: str, name: str, held: Any) -> Json:
    return {**plain, part: {**plain.get(part, {}), name: held}}
