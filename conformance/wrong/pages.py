# SPDX-License-Identifier: Apache-2.0
"""The pages on wrong schedulers, which ``python -m conformance.wrong pages`` makes from the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from conformance.wrong.configured import all_configured
from conformance.wrong.evidence import Evidence, Row, Rows, Sample
from conformance.wrong.kinds import parts_of
from refsched.mistakes.wrong import all_wrong, areas

ROOT = Path(__file__).parents[2]


def write_pages(evidence: Evidence, root: Path = ROOT) -> None:
    for path, page in pages(evidence).items():
        (root / path).write_text(page, "utf-8")


def pages(evidence: Evidence) -> Mapping[str, str]:
    """Returns the text of each page, by its path below the root of a checkout."""
    return {
        "docs/kill_matrix.md": kill_matrix(evidence),
        "docs/mutants.md": _MUTANTS + "\n" + of_sample(evidence.mutants),
        "docs/go_mutants.md": _GO_MUTANTS + "\n" + of_sample(evidence.go),
    }


# --- Planted and configured -----------------------------------------------------------------------

_KILL_MATRIX = """# The kill matrix

Each row is a wrong scheduler: the specification with one edit of `refsched/mistakes/planted`, served by `python
-m conformance.wrong NAME` and judged by the specification without the edit. The default profile is run against
it with seed 0, beginning with the tests that are nearest to the edit, until something is found wrong. Those of
the areas *earlier queue*, *earlier cycle* and *earlier plugins* decide by v1.19, and are judged by it.

The figures of each area also say how many are found within the first hundred histories of the nearest tests by
the **invariants** alone, which use no specification, and by the **recordings** of kube-scheduler alone. A crash
or a timeout does not count as a kill.

With any other seed the default profile finds them, too: each is shown by a case or by one of the chosen
histories, which are the same with every seed (`python -m conformance.wrong choose`).

This page is made from `docs/evidence.json`; `python -m conformance.wrong try planted --keep` measures it anew.
"""

_CONFIGURED = """## The real one, configured otherwise

These are not planted in the specification. Each was kube-scheduler v1.34.2 itself, with one setting in its
configuration that the history does not have. `python -m conformance.wrong try configured --keep` tries that of the
default release, and needs Go.
"""

_PARTS = """## As parts of schedulers

Judged with `--only PROFILE`, as an implementation of a part is ([partial](partial.md)). A wrong scheduler can
be such a part if its mistake, and every rule that it breaks, can show in what the part reports; of those a
random sample was tried (`python -m conformance.wrong try planted --part PROFILE --sample N --keep`).
"""

_REPORTS = """## Reports that are not planted

A planted scheduler cites the report of a scheduler with its mistake. These reports were read too, and are not
planted. Numbers are of kubernetes/kubernetes unless a repository is named.
"""


def kill_matrix(evidence: Evidence) -> str:
    """Returns the page, with the survivors first."""
    rows = evidence.planted
    says = {name: wrong.says for name, wrong in all_wrong().items()}
    parts = [_KILL_MATRIX, _figures(rows), "## Survivors\n", _survivors(rows, says)]
    for name, area in areas().items():
        tried = {wrong.name: rows[wrong.name] for wrong in area.planted if wrong.name in rows}
        parts += [f"## {name.replace('_', ' ').capitalize()}\n", _killed(tried, says)]
    parts += [_PARTS, _as_parts(evidence.parts), _CONFIGURED]
    parts += [_killed(evidence.configured, {name: each.says for name, each in all_configured().items()})]
    return "\n".join([*parts, _REPORTS, table(("report", "reason"), evidence.not_planted.items())])


def _figures(rows: Rows) -> str:
    lines = []
    for name, area in areas().items():
        tried = [rows[wrong.name] for wrong in area.planted if wrong.name in rows]
        lines.append((name.replace("_", " "), *_counts(tried)))
    header = ("area", "tried", "killed", "by invariants alone", "by recordings alone", "median seconds")
    return table(header, [*lines, ("all", *_counts(list(rows.values())))])


def _counts(rows: Sequence[Row]) -> Sequence[object]:
    killed = [row.seconds for row in rows if row.rule]
    by = (sum(bool(row.invariants) for row in rows), sum(bool(row.recordings) for row in rows))
    return len(rows), len(killed), *by, f"{median(killed or [0.0]):.1f}"


def _survivors(rows: Rows, says: Mapping[str, str]) -> str:
    alive = [(code(name), says[name], row.examples) for name, row in rows.items() if not row.rule]
    return table(("name", "what it does", "examples"), alive) if alive else "None.\n"


def _killed(rows: Rows, says: Mapping[str, str]) -> str:
    killed = (
        (code(name), says[name], row.rule, row.test.rpartition("::")[2], row.examples)
        for name, row in rows.items()
        if row.rule
    )
    return table(("name", "what it does", "rule", "by", "examples"), killed)


def _as_parts(parts: Mapping[str, Rows]) -> str:
    figures, alive = [], []
    for profile, rows in parts.items():
        survivors = [name for name, row in rows.items() if not row.rule]
        killed = len(rows) - len(survivors)
        figures.append((code(profile), len(parts_of(profile)), len(rows), killed, share(killed, len(rows))))
        alive += [(code(profile), code(name), all_wrong()[name].says) for name in survivors]
    shown = table(("profile", "can be one", "tried", "killed", "share"), figures)
    return shown + ("\n" + table(("profile", "survivor", "what it does"), alive) if alive else "")


# --- Mutants --------------------------------------------------------------------------------------

_MUTANTS = """# Mutants

Each mutant is the specification changed in one place by an operator of `refsched/mistakes/operators.py`. It
runs in a process of its own, and is judged by the specification without the change. The sample is drawn evenly
from the parts below, with a fixed seed. The histories of the default profile with seed 0 are tried, those of
the nearest areas first, until the first kill and for twenty seconds. That is less than the whole profile, so
the figures are a lower bound.

*Error* means that the mutant could not be imported, answered with an error, or gave no answer in ten seconds,
and that nothing else was found soon after. That shows that the suite reaches the line, not that it notices the
change.

Mutants that are judged by the specification measure how far the suite reaches, and not whether the
specification is true. So three figures are given: killed by anything, killed by the **invariants** alone, which
use no specification, and killed by the **recordings** of kube-scheduler alone, each by the first hundred
histories of the nearest areas.

This page is made from `docs/evidence.json`; `python -m conformance.wrong try mutants --sample 504 --keep`
measures it anew, and `python -m conformance.wrong NAME` serves a mutant.
"""

_GO_MUTANTS = """# Mutants of kube-scheduler

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
allowed. Many survivors change nothing that could be observed (a cache that is built again, a guard that is
never needed, a detail of a log); only those under *Argued equivalent* have been examined one by one.

This page is made from `docs/evidence.json`. Since then v1.37 has become the default release,
and `python -m conformance.wrong try go --sample 1702 --keep` measures mutants of v1.37.2; it needs Go. A smaller
sample of these is in [measured.md](measured.md).
"""

_ENDS = ("killed", "survived", "error", "unreached", "equivalent")


def of_sample(sample: Sample) -> str:
    """Returns the figures, those that survived, and the arguments why others are equivalent."""
    total: dict[str, int] = {}
    for counts in sample.ends.values():
        for end, count in counts.items():
            total[end] = total.get(end, 0) + count
    tried = sum(total.get(end, 0) for end in _ENDS)
    shown = (
        f"Measured on {sample.measured}, on the source of that day: {tried} of {sample.of} mutants were tried. Of"
        f" those that a history reaches, that answer and are not argued equivalent **{_share(total)} are killed**."
        f" Time to kill: median {sample.seconds:.1f} s.\n"
    )
    lines = [_line(part, counts) for part, counts in sample.ends.items()]
    header = ("part", "mutants", *_ENDS, "killed of those that count", "invariants alone", "recordings alone")
    survivors = [(code(name), code(text)) for name, (end, text) in sample.alive.items() if end == "survived"]
    equivalent = {name for name, (end, _) in sample.alive.items() if end == "equivalent"}
    argued = [
        (why, ", ".join(code(name) for name in names if name in equivalent))
        for why, names in sample.argued.items()
        if not equivalent.isdisjoint(names)
    ]
    return "\n".join(
        [
            shown,
            table(header, [*lines, _line("all", total)]),
            "## Survivors\n",
            table(("mutant", "change"), survivors) if survivors else "None.\n",
            "## Argued equivalent\n",
            table(("why", "mutants"), argued),
        ]
    )


def _line(part: str, counts: Mapping[str, int]) -> Sequence[object]:
    ends = [counts.get(end, 0) for end in _ENDS]
    alone = [counts.get(by, "") for by in ("invariants", "recordings")]
    return part, sum(ends), *ends, _share(counts), *alone


def _share(counts: Mapping[str, int]) -> str:
    killed = counts.get("killed", 0)
    return share(killed, killed + counts.get("survived", 0))


# --- Tables ---------------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Returns a Markdown table, which ends with a line feed. A cell is one line, however it was written."""
    lines = [_cells(header), _cells("---" for _ in header), *map(_cells, rows)]
    return "\n".join(lines) + "\n"


def _cells(cells: Iterable[object]) -> str:
    return "| " + " | ".join(" ".join(str(cell).split()).replace("|", "\\|") for cell in cells) + " |"


def code(text: str) -> str:
    """Returns the text as Markdown code, with its backticks replaced, since they would end it."""
    return f"`{text.replace('`', '´')}`"


def share(some: int, of: int) -> str:
    """Returns a percentage, or a hyphen for a share of none."""
    return f"{100 * some / of:.1f} %" if of else "-"
