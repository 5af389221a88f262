# SPDX-License-Identifier: Apache-2.0
"""One seed gives one report of a wrong scheduler, in one process or spread over two."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

from forked_pytest import run_pytest

ROOT = Path(__file__).parents[2]
WRONG = f"exec:{shlex.quote(sys.executable)} -m conformance.wrong lets-no-execute-pass"
TESTS = ("conformance/test_plugins.py", "-k", "taints", "--examples=6")


def reported(folder: Path, impl: str, *options: str) -> tuple[int, str, str, str]:
    """The exit code, what stands on the terminal but for pytest's own lines, and the two report files."""
    reports = [folder / f"report.{suffix}" for suffix in ("json", "html")]
    asked = (*TESTS, f"--impl={impl}", *(f"--report={path}" for path in reports), *options)
    ran = run_pytest(ROOT, "-q", "-p", "no:cacheprovider", *asked)
    _, _, shown = ran.stdout.str().partition("= conformance =")
    assert shown, ran.stdout.str() + ran.stderr.str()
    lines = [line for line in shown.splitlines() if not re.search(r" in [\d.]+s", line)]
    return int(ran.ret), "\n".join(lines), *(path.read_text("utf-8") for path in reports)


def test_two_processes_and_one_say_the_same_of_a_wrong_scheduler(tmp_path: Path) -> None:
    """Of the specification: tests/suite/test_same_bytes.py."""
    alone = reported(tmp_path, WRONG)
    assert alone[0] == 1
    assert json.loads(alone[2])["run"]["examples"] > 0
    assert reported(tmp_path, WRONG, "-n2") == alone
