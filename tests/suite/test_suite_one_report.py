# SPDX-License-Identifier: Apache-2.0
"""One seed gives one report, of the specification and of a wrong scheduler, in one process or spread over two."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRONG = f"exec:{shlex.quote(sys.executable)} -m conformance.wrong lets-no-execute-pass"
TESTS = ("conformance/test_plugins.py", "-k", "taints or ports", "--examples=10")


def reported(folder: Path, impl: str, *options: str) -> tuple[int, str, str, str]:
    """The exit code, what stands on the terminal but for pytest's own lines, and the two report files."""
    reports = [folder / f"report.{suffix}" for suffix in ("json", "html")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, f"--impl={impl}"]
    ran = subprocess.run(
        [*command, *(f"--report={path}" for path in reports), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    _, _, shown = ran.stdout.partition("= conformance =")
    assert shown, ran.stdout + ran.stderr
    lines = [line for line in shown.splitlines() if not re.search(r" in [\d.]+s", line)]
    return ran.returncode, "\n".join(lines), *(path.read_text("utf-8") for path in reports)


@pytest.mark.parametrize(("impl", "code"), [("refsched.reference", 0), (WRONG, 1)])
def test_two_processes_and_one_say_the_same(impl: str, code: int, tmp_path: Path) -> None:
    alone = reported(tmp_path, impl)
    assert alone[0] == code
    assert json.loads(alone[2])["run"]["examples"] > 0
    assert reported(tmp_path, impl, "-n2") == alone
