# SPDX-License-Identifier: Apache-2.0
"""What long runs came to, in ``docs/evidence.json``, from which the pages are made (pages.py).

Of planted and of configured schedulers each has a row; of mutants only figures are kept, and those that were not
killed. An argument why a mutant is equivalent is written into the file by hand, and kept by later runs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from attrs import asdict, astuple, evolve, frozen

from conformance.wrong.kinds import WrongResult
from conformance.wrong.profile import suite_tests
from conformance.wrong.trying import End, TrialSummary
from refsched.mistakes.wrong import all_wrong
from refsched.suite.results.statistics import Unseen
from refsched.suite.session.budget import TABLE

FILE = Path(__file__).parents[2] / "docs" / "evidence.json"

Json = dict[str, Any]


@frozen
class Row:
    """A Row is what became of one wrong scheduler. If it was killed, ``rule`` is broken in the last of
    ``examples`` of ``test``; else ``rule`` is empty, and this many examples were tried. ``invariants`` and
    ``recordings`` are the rules by which these alone kill it."""

    rule: str
    test: str
    examples: int
    seconds: float
    invariants: str = ""
    recordings: str = ""


@frozen
class Sample:
    """A Sample is what became of ``of`` mutants, on the day ``measured``.

    ``ends`` counts how they ended, by part; ``seconds`` is the median of those that were killed. ``alive`` has
    for each that was not killed, unless it is only counted, its end and what it changes; ``argued`` has for
    each argument the mutants that are equivalent by it."""

    measured: str
    of: int
    seconds: float
    ends: Mapping[str, Mapping[str, int]]
    alive: Mapping[str, tuple[str, str]]
    argued: Mapping[str, Sequence[str]]


Rows = Mapping[str, Row]


@frozen
class Evidence:
    """``parts`` are planted schedulers that were judged as parts of schedulers, by profile. ``not_planted`` has
    for each report of a scheduler with a mistake that is not planted the reason."""

    planted: Rows
    parts: Mapping[str, Rows]
    configured: Rows
    mutants: Sample
    go: Sample
    not_planted: Mapping[str, str]
    written: Unseen


def read(path: Path = FILE) -> Evidence:
    """Reads what ``write`` has written."""
    value = json.loads(path.read_text("utf-8"))
    parts = {profile: _rows(rows) for profile, rows in value["parts"].items()}
    mutants, go = (_sample(value[kind]) for kind in ("mutants", "go"))
    return Evidence(
        _rows(value["planted"]),
        parts,
        _rows(value["configured"]),
        mutants,
        go,
        value["not_planted"],
        Unseen(**value["written"]),
    )


def _rows(value: Json) -> Rows:
    return {name: Row(*row) for name, row in value.items()}


def _sample(value: Json) -> Sample:
    alive = {name: (end, text) for name, (end, text) in value["alive"].items()}
    return Sample(**(value | {"alive": alive}))


def write(evidence: Evidence, path: Path = FILE) -> None:
    parts = {profile: _values(rows) for profile, rows in evidence.parts.items()}
    value = {
        "planted": _values(evidence.planted),
        "parts": parts,
        "configured": _values(evidence.configured),
        "mutants": asdict(evidence.mutants),
        "go": asdict(evidence.go),
        "not_planted": evidence.not_planted,
        "written": asdict(evidence.written),
    }
    path.write_text(_text(value) + "\n", "utf-8")


def _values(rows: Rows) -> Json:
    return {name: list(astuple(row)) for name, row in rows.items()}


def _text(value: object, indent: str = "") -> str:
    """Returns JSON in which each member of an object has a line of its own, and each list one line."""
    if not isinstance(value, Mapping) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = f"{indent} "
    lines = (
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_text(each, inner)}" for key, each in value.items()
    )
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


# --- What a run adds ------------------------------------------------------------------------------


def with_results(
    evidence: Evidence, kind: str, results: Sequence[WrongResult], of: int, profile: str = ""
) -> Evidence:
    """Returns the evidence with the results of a run. Rows of others stay; a sample takes the place of the one
    before. ``of`` is the number of wrong schedulers of this kind. Raises ValueError if nothing is kept about the
    kind."""
    rows = {result.name: _row(result) for result in results}
    match kind:
        case "planted" if profile:
            return evolve(evidence, parts={**evidence.parts, profile: rows})
        case "planted":
            known = {**evidence.planted, **rows}
            return evolve(evidence, planted={name: known[name] for name in all_wrong() if name in known})
        case "configured":
            return evolve(evidence, configured={**evidence.configured, **rows})
        case "written":
            killed = sum(result.suite.end is End.KILLED for result in results)
            return evolve(evidence, written=Unseen(date.today().isoformat(), len(results), killed))
        case "mutants":
            return evolve(evidence, mutants=sample_of(results, of, evidence.mutants.argued))
        case "go":
            return evolve(evidence, go=sample_of(results, of, evidence.go.argued))
    raise ValueError(f"there is no evidence about {kind}")


def _row(result: WrongResult) -> Row:
    suite = result.suite
    test = suite.test.removeprefix("conformance.")
    examples = suite.examples if suite.end is End.KILLED else suite.tried
    return Row(suite.rule, test, examples, suite.seconds, result.invariants.rule, result.recordings.rule)


def sample_of(results: Sequence[WrongResult], of: int, argued: Mapping[str, Sequence[str]]) -> Sample:
    """Returns what became of a sample of ``of`` mutants, today. One that was not killed and is
    argued to be equivalent counts as that, however it ended."""
    equivalent = {name for names in argued.values() for name in names}
    ends: dict[str, Counter[str]] = {}
    alive: dict[str, tuple[str, str]] = {}
    for result in sorted(results, key=lambda one: one.name):
        end = _end(result.suite, result.name in equivalent)
        counts = ends.setdefault(result.part, Counter())
        counts[end] += 1
        counts["invariants"] += result.invariants.end is End.KILLED
        counts["recordings"] += result.recordings.end is End.KILLED
        if end in ("survived", "equivalent"):
            alive[result.name] = (end, result.says)
    seconds = [result.suite.seconds for result in results if result.suite.end is End.KILLED]
    by_part = {part: dict(ends[part]) for part in sorted(ends)}
    return Sample(date.today().isoformat(), of, round(median(seconds or [0.0]), 1), by_part, alive, argued)


def _end(attack: TrialSummary, is_argued: bool) -> str:
    return "equivalent" if is_argued and attack.end is not End.KILLED else attack.end.value


# --- What each test is worth ----------------------------------------------------------------------

SECONDS = 0.05
"""The cost of one example of a test that was never measured."""


def write_weights(evidence: Evidence, path: Path = TABLE) -> None:
    """Writes what each test is worth, by which ``--budget`` chooses. A wrong scheduler counts for the test that
    killed it, at the example that did; what an example costs stays as it was measured."""
    known = _never_measured() | json.loads(path.read_text("utf-8"))["tests"]
    of_the_newest = [row for name, row in evidence.planted.items() if not all_wrong()[name].kubernetes]
    parts = {
        profile: [_of_a_part(all_wrong()[name].breaks, row) for name, row in rows.items()]
        for profile, rows in evidence.parts.items()
    }
    value = {
        "planted": len(of_the_newest),
        "written": asdict(evidence.written),
        "tests": worth(of_the_newest, known),
        "parts": parts,
    }
    path.write_text(_weights_text(value), "utf-8")


def _never_measured() -> Json:
    """Returns a row for each test of the suite. A test without one would count as if it killed somebody."""
    return {test.name.partition("[")[0]: {"seconds": SECONDS} for test in suite_tests()}


def worth(rows: Iterable[Row], known: Json) -> Json:
    """Returns for each test what one of its examples costs, in seconds, and at which of them it killed."""
    at: dict[str, list[int]] = {name: [] for name in known}
    for row in rows:
        if row.rule:
            at.setdefault(f"conformance.{row.test}", []).append(row.examples)
    return {
        name: {"seconds": _seconds(name, known), "kills": len(killed), "at": sorted(killed)}
        for name, killed in sorted(at.items())
    }


def _of_a_part(breaks: Collection[str], row: Row) -> Json:
    value: Json = {"breaks": list(breaks)}
    return value | {"test": f"conformance.{row.test}", "at": row.examples} if row.rule else value


def _seconds(name: str, known: Json) -> float:
    """Returns the cost of an example: a test with parameters costs the same with each, unless it was
    measured."""
    row: Json = known.get(name) or known.get(name.partition("[")[0]) or {"seconds": SECONDS}
    return float(row["seconds"])


def _weights_text(table: Json) -> str:
    """Returns JSON with a line for each row."""
    rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in table["tests"].items())
    tried = ",\n".join(
        f"    {json.dumps(profile)}: [\n{_lines(part)}\n    ]" for profile, part in table["parts"].items()
    )
    head = f'"planted": {table["planted"]},\n  "written": {json.dumps(table["written"])}'
    return f'{{\n  {head},\n  "tests": {{\n{rows}\n  }},\n  "parts": {{\n{tried}\n  }}\n}}\n'


def _lines(rows: Iterable[Json]) -> str:
    return ",\n".join(f"      {json.dumps(row)}" for row in rows)
