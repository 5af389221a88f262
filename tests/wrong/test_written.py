# SPDX-License-Identifier: Apache-2.0
"""Mistakes that somebody writes into a file are tried as planted ones are."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.wrong import evidence
from conformance.wrong.__main__ import main
from refsched.mistakes.wrong import all_wrong

HEAD = "# Mistakes that were written for a test.\n# Tried on them first: ports\n\n"
NAME = "one-port-for-all-protocols"


def file_of(folder: Path, quoted: str, name: str = NAME) -> Path:
    wrong = all_wrong()[NAME]
    entry = f"{name}: {wrong.says}\nbreaks R-PORTS-02 in {wrong.module}\n- {quoted}\n+ {wrong.after}\n"
    path = folder / "written.txt"
    path.write_text(HEAD + entry, "utf-8")
    return path


def test_what_is_written_into_a_file_is_tried_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept: list[evidence.Evidence] = []
    monkeypatch.setattr(evidence, "write", kept.append)
    monkeypatch.setattr(evidence, "write_weights", lambda _: None)
    monkeypatch.setattr("conformance.wrong.pages.write_pages", lambda _: None)
    path = file_of(tmp_path, all_wrong()[NAME].before, "any-name")
    assert main(["try", "written", "--from", str(path), "--seed", "3", "--keep", "--jobs", "1"]) == 0
    assert "killed" in capsys.readouterr().out
    assert (kept[0].written.tried, kept[0].written.killed) == (1, 1)


@pytest.mark.parametrize(
    ("quoted", "problem"),
    [("nothing that stands there", "expected once, found 0 times"), ("", "expected once")],
)
def test_what_is_not_in_the_specification_cannot_be_changed(
    quoted: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["try", "written", "--from", str(file_of(tmp_path, quoted))]) == 2
    assert problem in capsys.readouterr().err


def test_what_is_no_file_of_mistakes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "written.txt"
    text.write_text("# Nothing.\n", "utf-8")
    assert main(["try", "written", "--from", str(text)]) == 2
    assert "written.txt: no head" in capsys.readouterr().err
    assert main(["try", "written", "--from", str(tmp_path / "none.txt")]) == 2
    assert "none.txt: " in capsys.readouterr().err
