# SPDX-License-Identifier: Apache-2.0
"""Runs of pytest and of commands in processes of their own, forked from one that has imported what they need.

A run sees nothing of another one and nothing of ours, as if it were started by a command; but Python, pytest,
Hypothesis and refsched need not start anew for each.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, nullcontext
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from coverage import Coverage

from refsched.tools.cli.main import main

ROOT = Path(__file__).parents[1]
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "pytest",
        "hypothesis.strategies",
        "refsched.reference",
        "refsched.suite.session.standard",
        "refsched.suite.breaking",
        "refsched.mistakes",
        "conformance.strategies",
        "conformance.cases",
        "tests.read_beforehand",
    ]
)
NOT_REWRITTEN = "ignore::pytest.PytestAssertRewriteWarning"
"""Nothing that is imported before has assertions of tests, so that pytest need not rewrite it."""


def run_pytest(
    folder: Path, *options: str, timeout: float = 900.0, is_measured: bool = False
) -> pytest.RunResult:
    """Runs pytest in the folder, with the environment of this process; ``timeout`` is in seconds. If
    ``is_measured``, the run counts for the coverage that is measured here, if any is."""
    measured = Coverage.current() if is_measured else None
    data = None if measured is None else Path(measured.get_data().data_filename()).with_name(".coverage")
    began = time.perf_counter()
    with TemporaryDirectory() as kept:
        printed = [Path(kept) / name for name in ("stdout", "stderr")]
        code = _forked(timeout, _run_pytest, folder, ["-W", NOT_REWRITTEN, *options], printed, data)
        lines = [path.read_text("utf-8").splitlines() for path in printed]
    return pytest.RunResult(code, *lines, time.perf_counter() - began)


def run_refsched(folder: Path, *arguments: str, terminal: Path, timeout: float = 900.0) -> int:
    """Runs the command in the folder, with the terminal as its stdout and stderr, and returns its exit code."""
    return _forked(timeout, _run_refsched, folder, list(arguments), [terminal, terminal])


def _forked(timeout: float, run: Callable[..., None], folder: Path, arguments: list[str], *given: Any) -> int:
    process = FORKS.Process(target=run, args=(folder, arguments, dict(os.environ), *given))
    with chdir(ROOT):  # where conformance/ is found
        process.start()
    try:
        process.join(timeout)
        if process.exitcode is None:
            raise TimeoutError(f"{' '.join(arguments)} took more than {timeout:g} seconds")
        return process.exitcode
    finally:
        process.kill()
        process.join()


def _run_pytest(
    folder: Path, options: list[str], environment: Mapping[str, str], printed: list[Path], data: Path | None
) -> None:
    _settle(folder, environment, printed)
    sys.argv = ["pytest", *options]
    with nullcontext() if data is None else _measuring(data):
        code = int(pytest.main(options))
    sys.exit(code)


def _run_refsched(
    folder: Path, arguments: list[str], environment: Mapping[str, str], printed: list[Path]
) -> None:
    _settle(folder, environment, printed)
    sys.argv = ["refsched", *arguments]
    # Those that were there before believe that they can be read from any place, as a file can.
    with open(1, "w", encoding="utf-8") as sys.stdout, open(2, "w", encoding="utf-8") as sys.stderr:
        main()


def _settle(folder: Path, environment: Mapping[str, str], printed: list[Path]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, path in enumerate([Path(os.devnull), *printed]):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.path.insert(0, str(folder))


@contextmanager
def _measuring(data: Path) -> Iterator[None]:
    """Measures coverage, and writes it beside the file ``data``, for pytest-cov to combine."""
    coverage = Coverage(data_file=data, data_suffix=True, config_file=str(ROOT / "pyproject.toml"))
    coverage.set_option("run:disable_warnings", ["module-not-measured", "no-data-collected"])
    coverage.start()
    try:
        yield
    finally:
        coverage.stop()
        coverage.save()
