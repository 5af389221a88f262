# SPDX-License-Identifier: Apache-2.0
"""The results of kube-scheduler's own mutants, kept as JSON and shown on a page in ``docs/``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from attrs import asdict, frozen

from conformance.wrong.mutating.go_equivalent import EQUIVALENT
from conformance.wrong.mutating.go_mutants import part_of
from conformance.wrong.running.tables import code, share, table

FILE = Path(__file__).parents[3] / "docs" / "evidence" / "go_mutants.json"
PAGE = "docs/go_mutants.md"
"""Under the root of a checkout."""


@frozen
class GoAttack:
    """What became of a mutant. ``end`` is killed, survived, error (it dies, or gives no answer) or unreached;
    ``tried`` of the ``met`` histories in which it makes a difference at once."""

    name: str
    function: str
    text: str
    end: str
    rule: str = ""
    test: str = ""
    tried: int = 0
    met: int = 0
    seconds: float = 0.0

    @property
    def fate(self) -> str:
        """Its end, or that it is argued to be no mutant at all."""
        return "equivalent" if self.end != "killed" and self.name in EQUIVALENT else self.end


def read(path: Path = FILE) -> dict[str, GoAttack]:
    rows = json.loads(path.read_text("utf-8")) if path.exists() else []
    return {row["name"]: GoAttack(**row) for row in rows}


def write(attacks: Iterable[GoAttack], path: Path = FILE) -> None:
    rows = [json.dumps(asdict(one)) for one in sorted(attacks, key=lambda one: one.name)]
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", "utf-8")


# --- The page -------------------------------------------------------------------------------------

_INTRODUCTION = """# Mutants of kube-scheduler

Each mutant is kube-scheduler v1.34.2 itself, changed in one place of its own source (pkg/scheduler, without the
code that only starts and configures it) by `traces/recorder/mutants`: a condition is negated, one of two joined
conditions is dropped, a bound is moved by one, or a call, an assignment, a `continue` or a `break` is left out.
Mutants are tried as any implementation is, over the wire, by the default profile with seed 0. The suite was not
written from this source line by line, so these figures say how much it notices of what kube-scheduler does,
while [mutants.md](mutants.md) says how much it notices of what the specification says.

*Error* means that the scheduler died or gave no answer; a user of the suite learns that, but it does not count
as a kill. *Unreached* means that in no history of the default profile the change makes a difference even to its
own line; most of these lines serve feature gates that are off, errors of the API server that no history causes,
or metrics. *Survived* means that the mutant passed all histories that reach the change, or as many as the limit
allowed. Many survivors change nothing that could be observed (a cache that is built again, a guard that is never
needed, a detail of a log); only those listed under *Argued equivalent* have been examined one by one.

This page is written by
`python -m conformance.wrong.mutating.go_mutants --json docs/evidence/go_mutants.json --page docs/go_mutants.md`,
which needs Go; run again, it goes on with those that the file does not know.
"""

_ENDS = ("killed", "survived", "error", "unreached", "equivalent")


def page(attacks: Mapping[str, GoAttack], of: int) -> str:
    """Survivors first. ``of``: how many mutants there are."""
    rows = sorted(attacks.values(), key=lambda one: one.name)
    parts = [_INTRODUCTION, _figures(rows, of)]
    for heading, end in (("Survivors", "survived"), ("Unreached", "unreached"), ("Errors", "error")):
        parts += [f"## {heading}\n", _listed([one for one in rows if one.fate == end])]
    argued = [
        (code(one.name), code(one.text), EQUIVALENT[one.name]) for one in rows if one.fate == "equivalent"
    ]
    parts += ["## Argued equivalent\n", table(("mutant", "text", "why"), argued)]
    return "\n".join(parts)


def _figures(rows: Sequence[GoAttack], of: int) -> str:
    parts = sorted({part_of(one.name) for one in rows})
    lines = [_line(part, [one for one in rows if part_of(one.name) == part]) for part in parts]
    seconds = [one.seconds for one in rows if one.fate == "killed"]
    shown = (
        f"{len(rows)} of {of} mutants were tried. Of those that a history meets, that answer and are not argued "
        f"equivalent **{_killed(rows)} are killed**. Time to kill: median {median(seconds or [0.0]):.1f} s.\n"
    )
    return (
        shown + "\n" + table(("part", "mutants", *_ENDS, "killed of those met"), [*lines, _line("all", rows)])
    )


def _line(name: str, rows: Sequence[GoAttack]) -> Sequence[object]:
    return (name, len(rows), *(sum(one.fate == end for one in rows) for end in _ENDS), _killed(rows))


def _killed(rows: Sequence[GoAttack]) -> str:
    met = [one for one in rows if one.fate in ("killed", "survived")]
    return share(sum(one.fate == "killed" for one in met), len(met))


def _listed(rows: Sequence[GoAttack]) -> str:
    header = ("mutant", "function", "text", "tried", "of")
    return table(header, [(code(r.name), code(r.function), code(r.text), r.tried, r.met) for r in rows])
