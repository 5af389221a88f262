# SPDX-License-Identifier: Apache-2.0
"""Parts of a scheduler, in three languages: right ones are green, and wrong ones fail by a rule of theirs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "partial"
SERVE = f"{sys.executable} -c 'import ports; from refsched.tools.serving import serve; import sys;"
SERVE += " serve(ports.create, sys.stdin.buffer, sys.stdout.buffer)'"


def judged(impl: str, selected: str, *options: str, folder: Path = ROOT) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", str(ROOT / "conformance"), "-q", "-n", "0"]
    command += ["-p", "no:cacheprovider", "--examples", "12", "-k", selected, f"--impl={impl}", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout


def built(language: str, folder: Path, edits: Sequence[tuple[str, str]] = ()) -> str:
    """What ``--impl`` names, of a copy with these edits."""
    name, tool = {"js": ("fits.js", "node"), "py": ("ports.py", sys.executable), "go": ("taints.go", "go")}[
        language
    ]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not on this machine")
    text = (EXAMPLES / name).read_text("utf-8")
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    (folder / name).write_text(text, "utf-8")
    if language == "go":
        subprocess.run(["go", "build", "-o", "taints", name], cwd=folder, check=True, timeout=300)
        return f"exec:{folder / 'taints'}"
    return f"exec:node {folder / name}" if language == "js" else f"exec:{SERVE}"


SELECTED = {"js": "resources or taints or node_affinity", "py": "ports or cordon", "go": "taints"}


@pytest.mark.parametrize("language", SELECTED)
def test_a_part_that_is_right_about_what_it_says_it_does_is_green(language: str, tmp_path: Path) -> None:
    code, report = judged(built(language, tmp_path), SELECTED[language], folder=tmp_path)
    assert code == 0, report
    assert "none broken" in report


@pytest.mark.parametrize(
    ("language", "before", "after", "rule"),
    [
        ("js", 'values.includes(labels[key]);\n    case "NotIn"', 'true;\n    case "NotIn"', "R-SELECTOR-0"),
        ("js", "total = combine(total, largest, larger);", "", "R-REQUEST-0"),
        ("py", "return one[1:] == other[1:] and (", "return one[1:] != other[1:] and (", "R-PORTS-0"),
        (
            "py",
            'return rejected("NodeUnschedulable",',
            'return FREE or rejected("NodeUnschedulable",',
            "R-CORDON-0",
        ),
        ("go", 'other.Effect == "PreferNoSchedule"', 'other.Effect != "NoSchedule"', "R-TAINT-0"),
    ],
)
def test_a_part_that_is_wrong_fails_by_a_rule_of_its_own(
    language: str, before: str, after: str, rule: str, tmp_path: Path
) -> None:
    impl = built(language, tmp_path, [(before, after)])
    code, report = judged(impl, SELECTED[language], "-x", folder=tmp_path)
    assert code == 1, report
    assert f"FAILED  {rule}" in report


def test_only_narrows_what_is_judged_to_what_it_names(tmp_path: Path) -> None:
    wrong = built("js", tmp_path, [("total = combine(total, largest, larger);", "")])
    code, report = judged(wrong, SELECTED["js"], "--only=predicates,TaintToleration", folder=tmp_path)
    assert code == 0, report
    assert "needs NodeResourcesFit" in report
