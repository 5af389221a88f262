# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong try``: wrong schedulers of one kind are run, on one machine or on many."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from cattrs.preconf.json import make_converter

from conformance.machines import Each, machines
from conformance.wrong import evidence, pages
from conformance.wrong.go_mutants import build
from conformance.wrong.go_running import try_all
from conformance.wrong.kinds import KINDS, TryOptions, WrongResult, parts_of
from conformance.wrong.options import check_names
from conformance.wrong.profile import histories_of, suite_tests
from conformance.wrong.trying import End
from conformance.wrong.written import written

_CONVERTER = make_converter()
_SECONDS_FOR_GO = 20.0
FEW = 8
"""For this many names each process draws for itself what it tries, which is not all that there is."""


@contextmanager
def shared(options: Namespace, names: Sequence[str]) -> Iterator[Each]:
    """Shares work as ``--jobs`` and ``--scheduler`` say. On this machine the processes are forked from this one,
    which draws before that what all of them need."""
    if options.scheduler is not None:
        with machines(options.jobs, options.scheduler) as each:
            yield each
        return
    for test in suite_tests() if len(names) > FEW else ():
        histories_of(test)
    with get_context("fork").Pool(options.jobs) as pool:
        yield pool.imap_unordered


def main(options: Namespace) -> int:
    """Returns 0, or 1 where one survives. Raises InputError if there is no such one, and AdapterUnavailable if it
    cannot be built."""
    if options.command == "pages":
        pages.write_pages(evidence.read())
        return 0
    results, of = _try_go(options) if options.kind == "go" else _try_kind(options)
    if options.keep:
        kept = evidence.with_results(evidence.read(), options.kind, results, of, options.part)
        evidence.write(kept)
        evidence.write_weights(kept)
        pages.write_pages(kept)
    return 1 if any(result.suite.end in (End.SURVIVED, End.UNREACHED) for result in results) else 0


def chosen(options: Namespace, names: Sequence[str]) -> list[str]:
    """Returns those that are named, or all, or a sample of them. Raises InputError if there is none of a name."""
    check_names(options.names, names)
    last = None if options.sample is None else options.skip + options.sample
    return list((options.names or names)[options.skip : last])


def _try_kind(options: Namespace) -> tuple[list[WrongResult], int]:
    kind = written(options.file, options.seed) if options.kind == "written" else KINDS[options.kind]
    names = parts_of(options.part) if options.part else kind.names()
    attempt = partial(kind.attempt, asked=TryOptions(options.limit or kind.limit, options.part))
    known = read_rows(options.rows)
    left = [name for name in chosen(options, names) if name not in known]
    with shared(options, left) as each:
        return [*known.values(), *_kept(each(attempt, left), options.rows)], len(names)


def _try_go(options: Namespace) -> tuple[list[WrongResult], int]:
    mutated = build()
    mutants = {mutant.name: mutant for mutant in mutated.sample()}
    known = read_rows(options.rows)
    left = [mutants[name] for name in chosen(options, list(mutants)) if name not in known]
    results = try_all(mutated, left, options.limit or _SECONDS_FOR_GO)
    return [*known.values(), *_kept(results, options.rows)], len(mutants)


def read_rows(path: Path | None) -> dict[str, WrongResult]:
    """Returns the results that an earlier run has kept, by name."""
    lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else ()
    results = (_CONVERTER.structure(json.loads(line), WrongResult) for line in lines)
    return {result.name: result for result in results}


def _kept(results: Iterable[WrongResult], path: Path | None) -> Iterator[WrongResult]:
    for result in results:
        suite = result.suite
        by = (
            f"{suite.rule} ({suite.member}) by {suite.test.rpartition('::')[2]}"
            if suite.rule
            else suite.problem
        )
        print(
            f"{suite.end.value:9} {suite.tried:4} tried {suite.seconds:6.1f} s  {result.name}  {by}",
            flush=True,
        )
        if path is not None:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(_CONVERTER.unstructure(result)) + "\n")
        yield result
