# SPDX-License-Identifier: Apache-2.0
"""Progress is shown on a terminal, after a second, and nowhere else."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import cluster, node, pod, run

from refsched.tools.cli import progress as module
from refsched.tools.cli.progress import progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    made = _Terminal()
    monkeypatch.setattr("sys.stderr", made)
    return made


def _clock(monkeypatch: pytest.MonkeyPatch, *times: float) -> None:
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=iter(times).__next__))


def test_what_takes_longer_than_a_second_says_so_and_clears_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = _terminal(monkeypatch)
    _clock(monkeypatch, 0.0, 0.9, 1.1, 1.1, 1.2, 1.4, 1.4)
    with progress("reading", "objects") as show:
        for done in (1, 2000, 3000, 4000):
            show(done)
    assert terminal.getvalue() == (
        "\r\x1b[Krefsched: reading 2,000 objects …\r\x1b[Krefsched: reading 4,000 objects …\r\x1b[K"
    )


def test_what_is_done_within_a_second_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    _clock(monkeypatch, 0.0, 0.9)
    with progress("reading", "objects") as show:
        show(1)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_shown_where_standard_error_is_no_terminal(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(module, "PATIENCE", -1.0)
    with progress("reading", "objects") as show:
        show(1)
    assert stream is None or stream.getvalue() == ""


@pytest.mark.parametrize("command", [["schedule"], ["explain", "p"]], ids=["schedule", "explain"])
def test_commands_on_clusters_show_how_far_they_are(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []

    def show(doing: str, of_what: str) -> object:
        shown.append(f"{doing} {of_what}")
        return progress(doing, of_what)

    monkeypatch.setattr("refsched.tools.cli.inputs.progress", show)
    monkeypatch.setattr("refsched.tools.cli.schedule.progress", show)
    assert run(*command, "-f", cluster(tmp_path, node("n"), pod("p"))).exit_code == 0
    assert shown == ["reading objects", "placed pods"][: 2 if command == ["schedule"] else 1]
