# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/traces.md, as they follow from the traces.

    python -m refsched.suite.recording.table

writes them anew; nothing else in the file is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from refsched.checking.replay import trace_files
from refsched.errors import InputError
from refsched.reading.shipped_files import data_folder
from refsched.releases import DEFAULT, RELEASES
from refsched.releases.release import Release
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.recording import unreached
from refsched.suite.recording.survey import Survey, survey
from refsched.suite.recording.unreached import OFTEN

KINDS = ("kube-scheduler", "recorded", "scenarios")
"""These folders of ``traces/``, each with the tag of a release, have what was recorded from kube-scheduler."""

BEGIN = "<!-- tables: python -m refsched.suite.recording.table -->\n"
END = "<!-- end of tables -->\n"
DOCUMENT = Path("docs", "traces.md")
NEWEST_FIRST = tuple(reversed(tuple(RELEASES)))
"""The releases in the order in which the page has them. There are recordings of each."""


def all_traces(release: Release = DEFAULT) -> list[Path]:
    """Returns all recordings of kube-scheduler of this release."""
    folders = (data_folder() / f"{kind}-{release.tag}" for kind in KINDS)
    return list(trace_files([folder for folder in folders if folder.is_dir()]))


def tables(found: Survey, release: Release = DEFAULT) -> str:
    """Returns the tables in Markdown."""
    parts = (
        f"## Of {release.tag}\n",
        f"{found.traces:,} traces with {found.attempts:,} attempts.\n",
        _areas(found),
        _transitions(found, release),
    )
    return "\n".join(parts)


def _areas(found: Survey) -> str:
    rows = [
        (
            folder,
            name,
            area.traces,
            area.attempts,
            area.scheduled,
            area.unschedulable,
            area.error,
            area.nodes,
        )
        for (folder, name), area in sorted(found.areas.items())
    ]
    head = ("folder", "area", "traces", "attempts", "scheduled", "unschedulable", "error", "most nodes")
    return _table("Areas", head, rows)


def rare_rules(found: Survey, release: Release = DEFAULT) -> Mapping[str, int]:
    """Returns the rules of the release that the recordings apply fewer than ten times, and how often they do."""
    return {
        rule.id: found.applied[rule.id]
        for rule in all_rules().values()
        if release.name in rule.releases
        and not rule.module.startswith("refsched.suite.")
        and found.applied[rule.id] < OFTEN
    }


def _transitions(found: Survey, release: Release) -> str:
    """Returns the table of the transitions of the queue that are rare, with the reasons."""
    rows = [
        (row.rule, found.applied[row.rule], unreached.TRANSITIONS.get(row.rule, ""))
        for row in release.queue.transitions
        if found.applied[row.rule] < OFTEN
    ]
    return _table(f"Transitions that are taken fewer than {OFTEN} times", ("rule", "times", "why not"), rows)


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join(_lines(title, head, rows))


def _lines(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"### {title}\n\n"
    yield _row(head)
    yield _row(["---"] * len(head))
    for row in rows:
        yield _row([f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def with_tables(text: str, found: Mapping[str, Survey]) -> str:
    """Returns the document with its tables as they should be: those of each release, in the order of ``found``.
    Raises InputError if it has no place for them."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InputError(f"expected {BEGIN.strip()!r} and {END.strip()!r}", where=str(DOCUMENT))
    all_tables = "\n".join(tables(of_one, RELEASES[release]) for release, of_one in found.items())
    return f"{before}{BEGIN}\n{all_tables}\n{END}{after}"


def main() -> None:
    path = data_folder().parent / DOCUMENT
    found = {name: survey(all_traces(RELEASES[name])) for name in NEWEST_FIRST}
    path.write_text(with_tables(path.read_text("utf-8"), found), "utf-8")


if __name__ == "__main__":
    main()
