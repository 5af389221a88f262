# SPDX-License-Identifier: Apache-2.0
"""The tests that a change reaches: ``python -m tests.reached [OPTION OF PYTEST]...`` runs them.

They are those that were changed themselves, those that import a changed module, and those that look at every file
or edit any (the planted mistakes).
A change is what differs from the last commit. Exit codes are those of pytest.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OF_EVERY_FILE = ("tests/test_layout.py", "tests/test_words.py", "tests/wrong/test_planted.py")


def main(options: list[str]) -> int:
    reached = reached_by(changed())
    print(f"{len(reached)} files of tests are reached", *reached, sep="\n  ", flush=True)
    return int(pytest.main([*options, *reached]))


def changed() -> list[str]:
    """Returns the paths of the files that differ from the last commit, new ones included, below the root."""
    commands = (("diff", "--name-only", "HEAD"), ("ls-files", "--others", "--exclude-standard"))
    printed = [subprocess.check_output(["git", *command], cwd=ROOT, text=True) for command in commands]
    return sorted({path for text in printed for path in text.splitlines() if (ROOT / path).exists()})


def reached_by(paths: Iterable[str]) -> list[str]:
    """Returns the files of tests that these files reach."""
    modules = {_module(path) for path in paths if path.endswith(".py")}
    tests = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
    return [
        test
        for test in tests
        if test in OF_EVERY_FILE or _module(test) in modules or not modules.isdisjoint(_imported(ROOT / test))
    ]


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(path: Path) -> set[str]:
    """Returns the modules that are imported, and what is imported from them, which may be a module, too. Helpers
    of tests are imported by their last name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    beside = {f"{_module(path.parent.relative_to(ROOT).as_posix())}.{name}" for name in found}
    return found | beside | {f"tests.{name}" for name in found}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
