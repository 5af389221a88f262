# SPDX-License-Identifier: Apache-2.0
"""The examples in docs/examples: what their README shows is what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from refsched.tools.cli.main import cli

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
SESSIONS = re.findall(r"```console\n\$ refsched (.*?)\n(.*?)```", (EXAMPLES / "README.md").read_text(), re.S)


@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_the_readme_shows_what_the_command_prints(
    command: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    done = CliRunner().invoke(cli, shlex.split(command))
    assert done.stdout == shown
    assert done.exit_code in (0, 1)


def test_every_example_is_in_the_readme() -> None:
    shown = " ".join(command for command, _ in SESSIONS)
    assert [path.name for path in sorted(EXAMPLES.glob("*.yaml")) if path.name not in shown] == []
