# SPDX-License-Identifier: Apache-2.0
"""Building the real kube-scheduler: with a ``go`` that only pretends."""

from __future__ import annotations

import fcntl
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from refsched.suite.adapters import kube_scheduler as module
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.adapters.kube_scheduler import cache_folder, kube_scheduler

VERSION = "go version go1.99.0 linux/amd64"
BUILD = 'echo "$@" >> "$HOME/built"; echo k8s.io/one >&2; echo program > "$6"'
Pretend = Callable[..., None]


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Puts a ``go`` in place whose two commands run what they are told to."""
    tools = tmp_path / "bin"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def put(version: str = f"echo {VERSION}", build: str = BUILD) -> None:
        go = tools / "go"
        go.write_text(f'#!/bin/sh\ncase "$1" in\nversion) {version};;\nbuild) {build};;\nesac\n')
        go.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")

    return put


def _builds(tmp_path: Path) -> int:
    noted = tmp_path / "built"
    return len(noted.read_text().splitlines()) if noted.exists() else 0


def _problem() -> str:
    with pytest.raises(AdapterUnavailable) as unavailable:
        kube_scheduler(log=lambda line: None)
    return str(unavailable.value)


def test_it_is_built_once_and_kept_in_the_users_cache(pretend: Pretend, tmp_path: Path) -> None:
    pretend()
    logged: list[str] = []
    program = kube_scheduler(log=logged.append)
    assert kube_scheduler(log=logged.append) == program
    assert program.read_text() == "program\n"
    assert program.name == "kube-scheduler-v1.37"
    assert program.parent.parent == tmp_path / "cache" / "refsched"
    assert program.parent.name.endswith("-go1.99.0-linux-amd64")
    assert sorted(path.name for path in program.parent.iterdir()) == ["kube-scheduler-v1.37", "lock"]
    assert _builds(tmp_path) == 1
    assert [line.split(":")[0] for line in logged] == ["refsched"] * 2
    assert "once, some minutes" in logged[0]


def test_another_go_release_builds_anew(pretend: Pretend, tmp_path: Path) -> None:
    pretend()
    first = kube_scheduler(log=lambda line: None)
    pretend(version="echo go: downloading go2.0 >&2; echo go version go2.0 linux/amd64")
    assert kube_scheduler(log=lambda line: None) != first
    assert _builds(tmp_path) == 2


def test_a_change_of_the_sources_builds_anew_and_a_change_of_a_test_does_not(
    pretend: Pretend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend()
    traces = tmp_path / "traces"
    shutil.copytree(module.data_folder() / "recorder", traces / "recorder")
    monkeypatch.setattr(module, "data_folder", lambda: traces)
    first = kube_scheduler(log=lambda line: None)
    for unused in ("kubernetes/recorder_test.go", "v1.34/example/main.go", "v1.19/recorder.go", "README.md"):
        (traces / "recorder" / unused).write_text("changed")
        assert kube_scheduler(log=lambda line: None) == first
    for used in ("v1.37/minor.go", "kubernetes/scheduler.go", "harness/settle.go", "wire/serve.go"):
        (traces / "recorder" / used).write_text("changed")
        before, first = first, kube_scheduler(log=lambda line: None)
        assert first != before


def test_two_that_ask_at_once_build_it_once(pretend: Pretend, tmp_path: Path) -> None:
    other_waits = tmp_path / "other-waits"
    pretend(build=f"until [ -e {other_waits} ]; do sleep 0.02; done; {BUILD}")
    logged: list[str] = []
    programs: list[Path] = []

    def log(line: str) -> None:
        logged.append(line)
        if line == "refsched: another process builds kube-scheduler:v1.37; waiting for it":
            other_waits.touch()

    def ask() -> None:
        programs.append(kube_scheduler(log=log))

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(programs) == 2
    assert len(set(programs)) == 1
    assert _builds(tmp_path) == 1
    assert [line.split()[1] for line in logged].count("another") == 1


def test_a_builder_that_never_ends_is_not_waited_for_forever(
    pretend: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend()
    program = kube_scheduler(log=lambda line: None)
    program.unlink()
    monkeypatch.setattr(module, "BUILD_TIMEOUT", 0.0)
    with (program.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another process has held" in _problem()


def test_what_a_build_left_behind_that_was_killed_is_removed(pretend: Pretend) -> None:
    pretend()
    program = kube_scheduler(log=lambda line: None)
    program.unlink()
    left_over = program.parent / "building-abc"
    left_over.mkdir()
    assert kube_scheduler(log=lambda line: None) == program
    assert not left_over.exists()


def test_a_build_that_fails_reports_what_the_compiler_said_and_leaves_nothing(
    pretend: Pretend, tmp_path: Path
) -> None:
    pretend(build="echo 'recorder.go:1: no such thing' >&2; exit 1")
    assert _problem() == "kube-scheduler:v1.37: cannot be built:\n  recorder.go:1: no such thing"
    assert not list((tmp_path / "cache").rglob("kube-scheduler-v1.37"))
    assert not list((tmp_path / "cache").rglob("building-*"))


def test_a_build_that_takes_too_long_is_ended(pretend: Pretend, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(build="exec sleep 60")
    monkeypatch.setattr(module, "BUILD_TIMEOUT", 0.2)
    assert "cannot be built" in _problem()


def test_a_build_that_is_interrupted_ends_the_compiler(
    pretend: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(build="echo k8s.io/one >&2; exec sleep 60")
    monkeypatch.setattr(module, "REPORT_EVERY", 0.0)

    def interrupt(line: str) -> None:
        if "so far" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kube_scheduler(log=interrupt)


def test_progress_goes_to_stderr(
    pretend: Pretend, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend()
    monkeypatch.setattr(module, "REPORT_EVERY", 0.0)
    kube_scheduler()
    logged = capsys.readouterr().err.splitlines()
    assert logged[1] == "refsched: building kube-scheduler:v1.37: 1 packages so far"
    assert logged[2].startswith("refsched: built kube-scheduler:v1.37 in ")


def test_without_go_it_says_what_is_missing(pretend: Pretend) -> None:
    assert _problem() == (
        "kube-scheduler:v1.37: it must be built, and there is no Go toolchain"
        " (`go` is not on the PATH; https://go.dev/dl/, 1.24 or newer)"
    )


def test_without_go_one_that_was_built_before_is_taken(
    pretend: Pretend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend()
    program = kube_scheduler(log=lambda line: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert kube_scheduler() == program


def test_a_go_that_does_not_work_is_reported(pretend: Pretend) -> None:
    pretend(version="echo go: cannot find GOROOT >&2; exit 2")
    assert _problem() == "kube-scheduler:v1.37: `go version` fails: go: cannot find GOROOT"
    pretend(version="echo hello")
    assert _problem() == "kube-scheduler:v1.37: `go version` says 'hello'"


def test_a_cache_that_cannot_be_written_is_reported(pretend: Pretend, tmp_path: Path) -> None:
    pretend()
    (tmp_path / "cache").write_text("a file")
    assert "cannot be built: [Errno 20] Not a directory" in _problem()


def test_the_cache_is_in_the_home_directory_where_nothing_else_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for base in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", base)
        assert cache_folder() == tmp_path / ".cache" / "refsched"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "refsched"
