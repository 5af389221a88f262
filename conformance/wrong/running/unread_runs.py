# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.running.unread_runs`` runs the schedulers that do not read a field.

A history without the field cannot detect such a scheduler, and is not tried. ``--json`` names the file of the
results, and ``--page`` the page that lists them, survivors first.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from multiprocessing import get_context
from pathlib import Path

from attrs import frozen
from cattrs.preconf.json import make_converter

from conformance.wrong.mutating.unread import Unread, all_unread
from conformance.wrong.running.forking import Forked
from conformance.wrong.running.mutant_page import Attack, End
from conformance.wrong.running.mutant_runs import TIMEOUT, attack
from conformance.wrong.running.profile import SuiteTest, histories_of, suite_tests
from conformance.wrong.running.tables import code, table
from refsched.suite.adapters.adapter import Adapter

CHUNK = 10
"""So many histories of a test are tried before those of the next."""


@frozen
class Result:
    """``drawn`` is the number of histories of the default profile in which the field stands."""

    name: str
    drawn: int
    attack: Attack


_CONVERTER = make_converter()


def try_one(unread: Unread, limit: float) -> Result:
    """``limit`` is in CPU seconds."""
    deciding = list(_deciding(unread))
    with Adapter(unread.name, Forked(unread.change, TIMEOUT)) as adapter:
        return Result(unread.name, len(deciding), attack(adapter, deciding, limit))


def _deciding(unread: Unread) -> Iterator[tuple[SuiteTest, int]]:
    by_test = [
        [(test, number) for number, one in enumerate(histories_of(test)) if unread.matters_in(one)]
        for test in suite_tests()
    ]
    while any(by_test):
        for left in by_test:
            yield from left[:CHUNK]
            del left[:CHUNK]


def read(path: Path) -> dict[str, Result]:
    rows = json.loads(path.read_text("utf-8")) if path.exists() else []
    return {row["name"]: _CONVERTER.structure(row, Result) for row in rows}


def write(results: Iterable[Result], path: Path) -> None:
    rows = [json.dumps(_CONVERTER.unstructure(one)) for one in sorted(results, key=lambda one: one.name)]
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", "utf-8")


# --- The page -------------------------------------------------------------------------------------

_INTRODUCTION = """# Fields that are not read

For each field that the specification knows of an object, a scheduler that does not read it; for each kind, one
that does not hear of its updates, and one that does not hear of its deletions. Each is the specification itself,
to which the field is not shown, tried on those histories of the default profile (seed 0) in which the field
stands, up to the first kill. A field on which no rule depends is listed with the reason, and not tried. *Error*
says that the scheduler could not go on without the field and answered so, which fails the suite too, but shows
reach and not power.

This page is written by `python -m conformance.wrong.running.unread_runs --json FILE --page FILE`.
"""


def page(results: Mapping[str, Result]) -> str:
    """Survivors first."""
    known = {one.name: one for one in all_unread()}
    kept = [one for one in results.values() if one.name in known and not known[one.name].of_no_consequence]
    by_end = {end: [one for one in kept if one.attack.end is end] for end in End}
    figures = [("all", len(kept))]
    figures += [(end.value, len(found)) for end, found in by_end.items() if found]
    parts = [_INTRODUCTION, table(("not read", "number"), figures)]
    for end, title in (
        (End.SURVIVED, "Survivors"),
        (End.UNREACHED, "In no history of the default profile"),
        (End.ERROR, "Errors"),
        (End.TIMEOUT, "Timeouts"),
    ):
        if by_end[end]:
            rows = [(code(one.name), one.drawn) for one in by_end[end]]
            parts += [f"## {title}\n", table(("not read", "histories with it"), rows)]
    killed = [
        (code(one.name), one.attack.rule, one.attack.test.rpartition("::")[2], one.attack.tried)
        for one in by_end[End.KILLED]
    ]
    parts += ["## Killed\n", table(("not read", "rule", "test", "histories tried"), killed)]
    reasons = [(code(one.name), one.of_no_consequence) for one in known.values() if one.of_no_consequence]
    parts += ["## Of no consequence\n", table(("field", "why no rule turns on it"), reasons)]
    return "\n".join(parts)


# --- The command ----------------------------------------------------------------------------------


def _options(arguments: list[str]) -> Namespace:
    parser = ArgumentParser("python -m conformance.wrong.running.unread_runs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all fields without any")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--limit", type=float, default=20.0, help="CPU seconds for one (default: 20)")
    parser.add_argument("--json", type=Path, help="keep what became of them here, beside what is there")
    parser.add_argument("--page", type=Path, help="write the results as a page here")
    return parser.parse_args(arguments)


def _try(task: tuple[Unread, float]) -> Result:
    return try_one(*task)


def main(arguments: list[str]) -> int:
    """0 where nothing survives."""
    options = _options(arguments)
    unread = {one.name: one for one in all_unread() if not one.of_no_consequence}
    unknown = sorted(set(options.names) - unread.keys())
    if unknown:
        print(f"there is no such field: {', '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = [unread[name] for name in options.names] or list(unread.values())
    for test in suite_tests():
        histories_of(test)
    known = read(options.json) if options.json is not None else {}
    survivors = 0
    with get_context("fork").Pool(options.jobs) as pool:
        for result in pool.imap_unordered(_try, [(one, options.limit) for one in chosen]):
            known[result.name] = result
            survivors += result.attack.end in (End.SURVIVED, End.UNREACHED)
            print(f"{result.attack.end.value:9} {result.attack.rule:12} {result.name}", flush=True)
            if options.json is not None:
                write(known.values(), options.json)
    if options.page is not None:
        options.page.write_text(page(known), "utf-8")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
