# SPDX-License-Identifier: Apache-2.0
"""What nobody expects of a file, a stream or a user: one line, and exit code 2."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commands import CONFIG, cluster, node, pod, refusal

from refsched.tools.cli import main as entry

HEADER = {
    "trace": "refsched.trace/v1",
    "scheduler": {"name": "s", "version": "1"},
    "config": CONFIG,
}


def _run(*args: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "refsched", *args],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **more,
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("schedule -f", "holds no object"),
        ("explain a/b -f", "is empty"),
        ("schedule -f - --config", "expected one KubeSchedulerConfiguration, found 0 documents"),
        ("replay", "is empty"),
    ],
)
def test_a_pipe_without_a_writer_is_like_an_empty_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    message: str,
) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    said = refusal(monkeypatch, capsys, *option.split(), str(tmp_path / "pipe.jsonl"))
    assert said.endswith(f"pipe.jsonl: {message}")


def test_a_pipe_is_read_as_a_file_but_not_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    node = '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}'
    script = f"{sys.executable} -m refsched schedule -o json -f <(echo '{node}')"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout)["pods"] == []
    os.mkfifo(tmp_path / "pipe")
    options = ("upgrade", "--from", "1.34", "--to", "1.37", "-f", str(tmp_path / "pipe"))
    assert "is read more than once; give a file" in refusal(monkeypatch, capsys, *options)


def test_a_device_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(monkeypatch, capsys, "schedule", "-f", "/dev/zero")
    assert said == "/dev/zero: is neither a regular file nor a pipe"


def test_a_name_of_5000_characters_is_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(refusal(monkeypatch, capsys, "schedule", "-f", "x" * 5000)) < 400


def test_a_name_with_control_characters_is_shown_by_escapes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(monkeypatch, capsys, "schedule", "-f", "a\x1b[31mb").startswith("a\\x1b[31mb: ")


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n"), pod("a"))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "refsched", "schedule", "-f", path],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "refsched: No space left on device\n")


@pytest.mark.parametrize(
    ("closed", "message"), [(0, "standard input: is closed"), (1, "standard output is closed")]
)
def test_a_closed_stream_is_one_line(closed: int, message: str) -> None:
    command = f"exec {sys.executable} -m refsched schedule -f - {closed}>&-"
    done = subprocess.run(
        ["sh", "-c", command], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, f"refsched: {message}\n")


def test_a_reader_that_goes_away_ends_the_command_without_a_word(tmp_path: Path) -> None:
    path = cluster(tmp_path, node("n"), *(pod(f"p{i}") for i in range(20)))
    command = f"{sys.executable} -m refsched schedule -o json -f {path} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in (0, 2)


def test_an_interrupted_command_is_exit_code_2() -> None:
    command = [sys.executable, "-m", "refsched", "schedule", "-f", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        time.sleep(2)
        run.send_signal(signal.SIGINT)
        _, message = run.communicate(timeout=30)
    assert (run.returncode, message.strip()) == (2, "refsched: interrupted")


def test_a_defect_of_refsched_is_said_to_be_one_and_never_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(**_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(entry.cli, "main", fails)
    message = refusal(monkeypatch, capsys, "schedule")
    assert message.startswith("refsched itself fails, which it never should: ZeroDivisionError: by zero (")


def test_a_trace_that_is_a_bomb_of_blank_lines_is_refused_soon(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(json.dumps(HEADER).encode() + b"\n")
        for _ in range(50):
            file.write(b"\n" * 1_000_000)
    began = time.monotonic()
    done = _run("replay", str(path))
    assert done.returncode == 2
    assert "holds more than 1,048,576 bytes of blank lines" in done.stderr
    assert time.monotonic() - began < 30
