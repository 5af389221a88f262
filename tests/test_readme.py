# SPDX-License-Identifier: Apache-2.0
"""The README: what it shows is what is printed. Its two set-up commands are run by .ci/run."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.M | re.S)
SESSIONS = [
    (command, shown)
    for language, text in BLOCKS
    if language == "console"
    for command, shown in re.findall(r"^\$ refsched (.*)\n((?:(?!\$ ).*\n)*)", text, re.M)
]
LINK = re.compile(r"\]\((?!https?://)([^)#]+)")


def test_the_python_of_the_readme_prints_what_it_shows() -> None:
    [place] = [number for number, (language, _) in enumerate(BLOCKS) if language == "python"]
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(BLOCKS[place][1], "README.md", "exec"), {})
    assert BLOCKS[place + 1] == ("text", printed.getvalue())


@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_a_command_of_the_readme_prints_what_it_shows(command: str, shown: str) -> None:
    """``...`` stands for what is left out."""
    arguments = [sys.executable, "-m", "refsched", *shlex.split(command)]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        arguments,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert OutputChecker().check_output(shown, done.stdout, ELLIPSIS), done.stdout


def test_every_other_block_is_a_command_that_ci_runs() -> None:
    languages = [language for language, _ in BLOCKS]
    assert languages.count("python") == languages.count("text") == 1
    section = TEXT.partition("\n## Two commands\n")[2].partition("\n## ")[0]
    others = [text for language, text in BLOCKS if language == "console" and not text.startswith("$ ")]
    assert len(others) == 2
    assert all(text.count("\n") == 1 and f"```console\n{text}```" in section for text in others)


def test_what_the_readme_links_to_is_there() -> None:
    assert [target for target in LINK.findall(TEXT) if not (ROOT / target).exists()] == []
