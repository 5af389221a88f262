# SPDX-License-Identifier: Apache-2.0
"""Spread: a run of the suite in parts, which the workers of a Dask scheduler do.

A part whose worker dies is done by another one. The report is that of all parts together, which does not depend on
how many there are, or on who did them (refsched/suite/session/run_data.py).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

import click
from attrs import frozen

from refsched.errors import InputError
from refsched.suite.session.run_data import MEMBER
from refsched.tools.cli.report import merge

if TYPE_CHECKING:
    from distributed import Client, Future

Result = TypeVar("Result")

OPTION = "--scheduler"
NOT_INSTALLED = "takes distributed, on this machine, too: python -m pip install 'refsched[campaigns]'"
PARTS_OF_A_WORKER = 4
"""There are this many parts for each thread of a worker: a slow worker, or one that dies, holds up no more than
its share."""

CONNECTING = 30.0
"""The scheduler has to answer within this many seconds, and then to have a worker, at any time: one may just be
starting."""


@frozen
class ShardTask:
    """A ShardTask is what a worker runs: ``refsched conformance`` with these arguments, as part ``number`` of
    ``of``."""

    arguments: tuple[str, ...]
    number: int
    of: int


@frozen
class ShardDone:
    """A ShardDone has the JSON report of a part, and what was printed. There is no report if the run could not
    begin."""

    report: str
    printed: str
    exit_code: int


def done(part: ShardTask) -> ShardDone:
    """Runs the part in a process of its own, in the folder of the worker."""
    from refsched.tools.cli.conformance import pytest_command

    with TemporaryDirectory() as folder:
        report = Path(folder) / "part.json"
        command = pytest_command([*part.arguments, f"--shard={part.number}/{part.of}", f"--report={report}"])
        ran = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
        text = report.read_text("utf-8") if report.exists() else ""
    return ShardDone(text, ran.stdout + ran.stderr, ran.returncode)


def spread(arguments: Sequence[str], scheduler: str) -> int:
    """Spreads the run over the workers that are connected to this scheduler, ``tcp://HOST:PORT``; prints its
    report, writes those that ``--report`` names, and returns its exit code. Raises InputError if this cannot be
    done."""
    others, outputs = _without_reports(arguments)
    try:
        from distributed import Client
    except ImportError:
        raise InputError(NOT_INSTALLED, where=OPTION) from None
    try:
        client = Client(scheduler, timeout=CONNECTING)
    except (OSError, ValueError) as problem:
        raise InputError(f"{scheduler!r:.80}: {problem or 'does not answer'}", where=OPTION) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECTING)
        except TimeoutError:
            raise InputError(f"{scheduler!r:.80} has no workers", where=OPTION) from None
        of = PARTS_OF_A_WORKER * sum(client.nthreads().values())
        parts = [ShardTask(others, number, of) for number in range(1, of + 1)]
        found = list(results(client, client.map(done, parts, pure=False)))
    return _merged(found, outputs)


def results(client: Client, futures: Iterable[Future[Result]]) -> Iterator[Result]:
    """Yields what workers compute, in the order of the futures. Raises InputError if no worker is left, and if one
    after the other ends while it computes the same."""
    from distributed import KilledWorker, wait

    for future in futures:
        while not future.done():
            with suppress(TimeoutError):
                wait([future], timeout=CONNECTING)
            try:
                client.wait_for_workers(1, timeout=CONNECTING)
            except TimeoutError:
                if not future.done():  # it may have ended the last worker meanwhile
                    raise InputError("no worker is left", where=OPTION) from None
        try:
            yield future.result()
        except KilledWorker as problem:
            raise InputError(
                f"each worker ended that was given the same part: {problem}", where=OPTION
            ) from None


def _merged(found: Sequence[ShardDone], outputs: Sequence[str]) -> int:
    without = next((each for each in found if not _is_evidence(each.report)), None)
    if without is not None:
        click.echo(without.printed, err=True)
        raise InputError(f"a part could not be run (exit code {without.exit_code})", where=OPTION)
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.json" for number, _ in enumerate(found, 1)]
        for path, each in zip(paths, found, strict=True):
            path.write_text(each.report, "utf-8")
        return merge([str(path) for path in paths], outputs)


def _is_evidence(report: str) -> bool:
    return bool(report) and MEMBER in json.loads(report)


def _without_reports(arguments: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the other arguments, and the files that ``--report`` names."""
    others, outputs = [], []
    left = iter(arguments)
    for each in left:
        option, equals, value = each.partition("=")
        if option != "--report":
            others.append(each)
        elif equals:
            outputs.append(value)
        elif (following := next(left, None)) is not None:
            outputs.append(following)
    return tuple(others), tuple(outputs)
