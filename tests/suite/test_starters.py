# SPDX-License-Identifier: Apache-2.0
"""What ``refsched new adapter`` writes: as its README says, it is built and passes, and fails with a mistake."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_partial_schedulers import judged

from refsched.errors import InputError
from refsched.reading.shipped_files import examples_folder
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.scenario import read_history
from refsched.suite.histories.trial import try_history
from refsched.tools.cli.main import cli

TOOLS = {"python": "python", "typescript": "npm", "go": "go", "rust": "cargo", "java": "javac"}
PACKAGES = {"typescript": "npm install", "rust": "cargo fetch"}
MISTAKES = {
    "python": ("scheduler.py", '!= "PreferNoSchedule"', '== "NoExecute"', "R-TAINT-01"),
    "typescript": ("scheduler.ts", 'taint.effect !== "PreferNoSchedule"', "true", "R-TAINT-02"),
    "go": ("scheduler.go", "meet(one.HostIP, other.HostIP)", "one.HostIP == other.HostIP", "R-PORTS-02"),
    "rust": ("src/main.rs", ".chain(sidecars)", "", "R-PORTS-05"),
    "java": ("Scheduler.java", '.equals("Always")', ".isEmpty()", "R-PORTS-05"),
}
"""For each language a file, what is replaced in it and by what, and the rule that this breaks."""


def built(folder: Path) -> str:
    """Does what the README says, and returns what it gives ``--impl``."""
    *build, suite = re.findall("^    (.*)$", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    for command in build:
        subprocess.run(command, shell=True, cwd=folder, check=True, timeout=300, capture_output=True)
    [implementation] = re.findall('--impl="(.*)" --budget 10s$', suite)
    return str(implementation)


def rules_broken(implementation: str, rule: str) -> set[str]:
    """Returns the rules that the scheduler breaks in the smallest cluster that shows this rule."""
    with connect(implementation) as adapter:
        transcript = try_history(adapter, read_history(examples_folder() / f"{rule}.yaml"))
    return {finding.rule for finding in transcript.findings}


@pytest.mark.parametrize("language", TOOLS)
def test_a_scheduler_to_begin_with_passes_and_fails_with_a_mistake(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    if shutil.which(TOOLS[language]) is None:
        pytest.skip(f"{TOOLS[language]} is not on this machine")
    written = CliRunner().invoke(cli, ["new", "adapter", "--language", language])
    assert written.exit_code == 0, written.output
    if language in PACKAGES and subprocess.run(PACKAGES[language], shell=True, check=False).returncode:
        pytest.skip(f"{PACKAGES[language]} finds no packages")
    implementation = built(tmp_path)
    selected = "test_taints_and_cordons or test_host_ports"
    code, report = judged(implementation, selected, folder=tmp_path)
    assert code == 0, report
    assert "none broken" in report

    file, before, after, rule = MISTAKES[language]
    assert not rules_broken(implementation, rule)
    text = (tmp_path / file).read_text("utf-8")
    assert text.count(before) == 1
    (tmp_path / file).write_text(text.replace(before, after), "utf-8")
    assert rules_broken(built(tmp_path), rule) == {rule}


def test_what_is_there_already_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "scheduler.py").write_text("mine")
    arguments = ["new", "adapter", "--language", "python", "--output", str(tmp_path)]
    with pytest.raises(InputError, match=r"scheduler\.py: is there already"):
        CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert [path.name for path in tmp_path.iterdir()] == ["scheduler.py"]
