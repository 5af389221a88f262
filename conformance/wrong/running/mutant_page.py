# SPDX-License-Identifier: Apache-2.0
"""The results of the specification's mutants, kept as JSON and shown on a page in ``docs/``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from attrs import frozen
from cattrs.preconf.json import make_converter

from conformance.wrong.mutating.equivalent import EQUIVALENT
from conformance.wrong.mutating.mutants import all_mutants
from conformance.wrong.running.tables import code, share, table

FILE = Path(__file__).parents[3] / "docs" / "evidence" / "mutants.json"
PAGE = "docs/mutants.md"
"""Under the root of a checkout."""


class End(Enum):
    KILLED = "killed"
    ERROR = "error"
    TIMEOUT = "timeout"
    BROKEN = "broken"
    UNREACHED = "unreached"
    SURVIVED = "survived"


@frozen
class Attack:
    """``tried`` histories, the last of which, of ``test``, showed that ``rule`` is broken if it was killed.
    ``seconds`` are of the CPU; ``problem`` is the first error or fault."""

    end: End
    test: str = ""
    rule: str = ""
    member: str = ""
    tried: int = 0
    seconds: float = 0.0
    problem: str = ""


@frozen
class Result:
    """What became of a mutant: by the whole default profile, the invariants alone, the recordings alone."""

    name: str
    group: str
    diff: str
    suite: Attack
    invariants: Attack
    recordings: Attack


_CONVERTER = make_converter()


def read(path: Path = FILE) -> dict[str, Result]:
    rows: list[Any] = json.loads(path.read_text("utf-8")) if path.exists() else []
    return {row["name"]: _CONVERTER.structure(row, Result) for row in rows}


def write(results: Iterable[Result], path: Path = FILE) -> None:
    rows = [json.dumps(_CONVERTER.unstructure(one)) for one in sorted(results, key=lambda one: one.name)]
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", "utf-8")


# --- The page -------------------------------------------------------------------------------------

_INTRODUCTION = """# Mutants

Each mutant is the specification changed in one place by an operator of
`refsched/mistakes/operators.py`. It runs in a process of its own, and is judged by the specification
without the change. The sample is drawn evenly from the parts below, with a fixed seed. The histories are those
of the default profile with seed 0 in which the mutated line is known to run, or else those of the nearest areas;
they are tried until the first kill, and for as many CPU seconds as `--limit` says. That is less than the whole
profile, so the figures are a lower bound.

*Error* means that the mutant answered with an error, which breaks R-ANSWER-01, and that nothing else was found
soon after. That shows that the suite reaches the line, not that it notices the change, and is counted separately.
*Broken* mutants could not be imported, and *timeout* mutants gave no answer in ten seconds; neither is a kill.
*Unreached* are mutants of lines that none of these histories runs.

Mutants that are judged by the specification measure how far the suite reaches, and not whether the specification
is true. So three figures are given: killed by anything, killed by the **invariants** alone, which use no
specification, and killed by the **recordings** of kube-scheduler alone. The latter two were given less than one
CPU second each, and only for mutants that something kills, so they are lower bounds too.

This page is written by
`python -m conformance.wrong.mutating.mutants --run --json docs/evidence/mutants.json --page docs/mutants.md`;
run again, it goes on with those that the file does not know.
`python -m conformance.wrong.mutating.mutants NAME` serves a mutant.
"""


def page(results: Mapping[str, Result]) -> str:
    """Survivors first."""
    rows = list(results.values())
    parts = [_INTRODUCTION, _figures(rows), "## Survivors\n", _alive(rows, End.SURVIVED)]
    parts += ["## Unreached\n", _alive(rows, End.UNREACHED)]
    parts += ["## Argued equivalent\n", _argued(rows)]
    parts += ["## Errors and timeouts\n", _alive(rows, End.ERROR), _alive(rows, End.TIMEOUT), "## Killed\n"]
    return "\n".join([*parts, _killed(rows)])


def _figures(rows: Sequence[Result]) -> str:
    groups = sorted({one.group for one in rows})
    header = (
        "part",
        "mutants",
        "killed",
        "error",
        "timeout",
        "broken",
        "equivalent",
        "survived",
        "unreached",
    )
    lines = [_row_of(group, [one for one in rows if one.group == group]) for group in groups]
    killed = [one for one in rows if one.suite.end is End.KILLED]
    seconds = [one.suite.seconds for one in killed]
    deciles = quantiles(seconds, n=10) if len(seconds) > 1 else [0.0] * 9
    errors = sum(one.suite.end is End.ERROR for one in rows)
    shown = (
        f"{len(rows)} of {len(all_mutants())} mutants were tried. "
        f"Of those that could be imported, answered, and are not argued equivalent ({_counted(rows)}) "
        f"**{share(len(killed), _counted(rows))} are killed** by what they answer; with the errors, of "
        f"{_counted(rows) + errors}, {share(len(killed) + errors, _counted(rows) + errors)}. Time to kill: "
        f"median {median(seconds) if seconds else 0:.1f} CPU seconds, 90th percentile {deciles[8]:.1f}.\n"
    )
    more = (*header, "killed of all that count", "invariants alone", "recordings alone")
    return shown + "\n" + table(more, [*lines, _row_of("all", rows)])


def _row_of(name: str, rows: Sequence[Result]) -> Sequence[object]:
    def count(end: End) -> int:
        return sum(one.suite.end is end and not _is_argued(one) for one in rows)

    def alone(attacks: Iterable[Attack]) -> str:
        return share(sum(attack.end is End.KILLED for attack in attacks), _counted(rows))

    kinds = (End.KILLED, End.ERROR, End.TIMEOUT, End.BROKEN)
    counts = [count(end) for end in kinds]
    return (
        name,
        len(rows),
        *counts,
        sum(map(_is_argued, rows)),
        count(End.SURVIVED),
        count(End.UNREACHED),
        share(counts[0], _counted(rows)),
        alone(one.invariants for one in rows),
        alone(one.recordings for one in rows),
    )


def _counted(rows: Iterable[Result]) -> int:
    """What could have been killed: those that survived, by whatever luck, are counted."""
    could = (End.KILLED, End.SURVIVED, End.UNREACHED)
    return sum(one.suite.end in could and not _is_argued(one) for one in rows)


def _is_argued(result: Result) -> bool:
    return result.name in EQUIVALENT and result.suite.end is not End.KILLED


def _alive(rows: Iterable[Result], end: End) -> str:
    found = [one for one in rows if one.suite.end is end and not _is_argued(one)]
    if not found:
        return f"None {end.value}.\n"
    header = ("mutant", "change", "histories tried", "problem")
    return table(
        header, [(code(one.name), code(one.diff), one.suite.tried, one.suite.problem) for one in found]
    )


def _argued(rows: Iterable[Result]) -> str:
    found = [one for one in rows if _is_argued(one)]
    if not found:
        return "None.\n"
    return table(
        ("mutant", "change", "why"), [(code(r.name), code(r.diff), EQUIVALENT[r.name]) for r in found]
    )


def _killed(rows: Iterable[Result]) -> str:
    header = ("mutant", "change", "rule", "test", "tried", "CPU s", "invariants", "recordings")
    found = [one for one in rows if one.suite.end is End.KILLED]
    return table(
        header,
        [
            (
                code(one.name),
                code(one.diff),
                one.suite.rule,
                one.suite.test.rpartition("::")[2],
                one.suite.tried,
                f"{one.suite.seconds:.1f}",
                one.invariants.rule,
                one.recordings.rule,
            )
            for one in found
        ],
    )
