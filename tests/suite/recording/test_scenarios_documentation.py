# SPDX-License-Identifier: Apache-2.0
"""docs/scenarios.md: its example is recorded and replayed, and prints what is printed there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from refsched.tools.cli.main import cli

TEXT = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text("utf-8")


def test_the_example_of_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [(name, scenario)] = re.findall(r"<!-- example: (\S+) -->\n```yaml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / name).write_text(scenario, "utf-8")
    monkeypatch.chdir(tmp_path)
    [console] = re.findall(r"<!-- commands -->\n```console\n(.*?)```", TEXT, re.DOTALL)
    for said in console.split("$ ")[1:]:
        command, _, expected = said.partition("\n")
        done = CliRunner().invoke(cli, shlex.split(command)[1:])
        assert (done.exit_code, done.output) == (0, expected)
