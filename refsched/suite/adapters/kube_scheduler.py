# SPDX-License-Identifier: Apache-2.0
"""The real kube-scheduler: the program of traces/recorder/, built when it is first needed.

It is kept in the user's cache, in a folder named by a hash of its sources and by the Go release: a change of
either makes a new one. Two processes that need it at once build it once. Without Go, one that was built before
is used.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from refsched.errors import InputError
from refsched.reading.shipped_files import data_folder
from refsched.releases import DEFAULT
from refsched.suite.adapters.faults import AdapterUnavailable

Log = Callable[[str], None]

LATEST = f"v{DEFAULT.name}"
COMMAND = "./cmd/kube-scheduler-recorder"
SOURCES = (".go", ".s", ".mod", ".sum")

BUILD_TIMEOUT = 3600.0
"""A build may take this many seconds: a cold one takes five minutes on two idle cores, and must first fetch its
modules."""

GO_TIMEOUT = 120.0
"""``go version`` may take this many seconds, since it may first fetch the release that go.mod requires."""

REPORT_EVERY = 15.0
"""The progress of a build is reported every so many seconds."""


def kube_scheduler(version: str = LATEST, log: Log | None = None) -> Path:
    """Returns the program, built if necessary. Raises AdapterUnavailable, which says why it is not available."""
    what, name = f"kube-scheduler:{version}", f"kube-scheduler-{version}"
    return GoProgram(what, _folder(version), name, COMMAND, log).program()


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class GoProgram:
    """A GoProgram is built from the package ``command`` of the module in the folder ``sources``. ``what`` is its
    name for who reads messages, and ``name`` that of its file."""

    def __init__(self, what: str, sources: Path, name: str, command: str, log: Log | None = None) -> None:
        self.what = what
        self.log = log or _to_stderr
        self.sources = sources
        self.name = name
        self.command = command
        self.digest = _digest(sources)

    def program(self) -> Path:
        """Returns the program, built if necessary. Raises AdapterUnavailable if it cannot be had here."""
        go = shutil.which("go")
        if go is None:
            return self._built_before()
        program = cache_folder() / f"{self.digest}-{self._release(go)}" / self.name
        if not program.exists():
            self._build_once(go, program)
        return program

    def built_before(self) -> Path | None:
        """Returns the program if it need not be built, by whichever release of Go it was."""
        found = sorted(cache_folder().glob(f"{self.digest}-*/{self.name}"))
        return found[-1] if found else None

    def _built_before(self) -> Path:
        found = self.built_before()
        if found is None:
            raise self.unavailable(
                "it must be built, and there is no Go toolchain (`go` is not on the PATH; "
                "https://go.dev/dl/, 1.24 or newer)"
            )
        return found

    def _release(self, go: str) -> str:
        """Returns a release, such as ``go1.26.8-linux-amd64``: go.mod may not name the installed one."""
        try:
            said = subprocess.check_output(
                [go, "version"], cwd=self.sources, stderr=subprocess.STDOUT, text=True, timeout=GO_TIMEOUT
            )
        except (OSError, subprocess.SubprocessError) as error:
            output = (getattr(error, "output", "") or "").strip()
            raise self.unavailable(f"`go version` fails: {output or error}") from error
        found = re.search(r"^go version (\S+) (\S+)/(\S+)$", said, re.MULTILINE)
        if found is None:
            raise self.unavailable(f"`go version` says {said.strip()!r:.200}")
        return "-".join(found.groups())

    # --- Building -------------------------------------------------------------------------------------

    def _build_once(self, go: str, program: Path) -> None:
        try:
            program.parent.mkdir(parents=True, exist_ok=True)
            with self._alone(program.parent / "lock"):
                if not program.exists():
                    self._build(go, program)
        except OSError as error:
            raise self.unavailable(f"cannot be built: {error}") from error

    @contextmanager
    def _alone(self, path: Path) -> Iterator[None]:
        """Waits until no other process builds the same. The lock ends with the process that holds it."""
        deadline = time.monotonic() + BUILD_TIMEOUT
        announced = False
        with path.open("w") as lock:
            while not _try_lock(lock):
                if not announced:
                    self.log(f"refsched: another process builds {self.what}; waiting for it")
                    announced = True
                if time.monotonic() >= deadline:
                    raise self.unavailable(f"another process has held {path} for too long")
                time.sleep(0.1)
            yield

    def _build(self, go: str, program: Path) -> None:
        for left_over in program.parent.glob("building-*"):
            shutil.rmtree(left_over)
        with tempfile.TemporaryDirectory(prefix="building-", dir=program.parent) as folder:
            built = Path(folder) / self.name
            self.log(f"refsched: building {self.what}: once, some minutes ({program})")
            began = time.monotonic()
            self._run([go, "build", "-v", "-trimpath", "-buildvcs=false", "-o", str(built), self.command])
            built.replace(program)
        self.log(f"refsched: built {self.what} in {time.monotonic() - began:.0f} s")

    def _run(self, command: list[str]) -> None:
        """Runs the compiler, which names each package that it has compiled on stderr."""
        with subprocess.Popen(
            command,
            cwd=self.sources,
            env=os.environ | {"GOWORK": "off"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as child:
            killer = threading.Timer(BUILD_TIMEOUT, child.kill)
            killer.start()
            try:
                said = self._follow(child.stderr or [])
            except BaseException:
                child.kill()
                raise
            finally:
                killer.cancel()
        if child.returncode:
            raise self.unavailable("cannot be built:\n" + "\n".join(f"  {line}" for line in said))

    def _follow(self, lines: Iterable[str]) -> deque[str]:
        said: deque[str] = deque(maxlen=15)
        next_word = time.monotonic() + REPORT_EVERY
        for count, line in enumerate(lines, 1):
            said.append(line.rstrip())
            if time.monotonic() >= next_word:
                self.log(f"refsched: building {self.what}: {count} packages so far")
                next_word = time.monotonic() + REPORT_EVERY
        return said

    def unavailable(self, problem: str) -> AdapterUnavailable:
        return AdapterUnavailable(self.what, problem)


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# --- Folders --------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Returns ``$XDG_CACHE_HOME/refsched``, or ``~/.cache/refsched``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "refsched"


def _folder(version: str) -> Path:
    recorders = data_folder() / "recorder"
    known = sorted(path.name for path in recorders.glob("v*") if (path / "go.mod").is_file())
    if version not in known:
        raise InputError(f"there is no kube-scheduler {version!r:.60} here, but {', '.join(known)}")
    return recorders / version


def _digest(sources: Path) -> str:
    """Returns a hash of the program's sources: file names and contents, without tests. What it is made of besides
    its own folder is said in its go.mod."""
    digest = hashlib.sha256()
    shared = re.findall(r"=> \.\./(\w+)$", (sources / "go.mod").read_text("utf-8"), re.MULTILINE)
    for name in (sources.name, *sorted(shared)):
        for path in sorted((sources.parent / name).rglob("*")):
            inside = path.relative_to(sources.parent)
            if (
                path.suffix in SOURCES
                and not path.name.endswith("_test.go")
                and "example" not in inside.parts
            ):
                digest.update(f"{inside.as_posix()} {path.stat().st_size}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
