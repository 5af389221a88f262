# SPDX-License-Identifier: Apache-2.0
"""Mutants of kube-scheduler, each changed in one place of its own source.

Mutants of the specification show how far the suite reaches in what the specification says. These show how far
it reaches in what kube-scheduler does. All mutants are compiled into one program, each behind a switch
(traces/recorder/mutants/).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from conformance.wrong.sampling import drawn_evenly
from refsched.reading.shipped_files import data_folder
from refsched.releases import DEFAULT
from refsched.suite.adapters.faults import AdapterUnavailable
from refsched.suite.adapters.kube_scheduler import BUILD_TIMEOUT, COMMAND, SOURCES, cache_folder

VERSION = f"v{DEFAULT.name}"
SCHEDULER = "pkg/scheduler"
MUTATED = (
    "*.go",
    "backend/queue/*.go",
    "backend/cache/*.go",
    "framework/events.go",
    "framework/types.go",
    "framework/preemption/*.go",
    "framework/runtime/framework.go",
    "framework/runtime/waiting_pods_map.go",
    "framework/plugins/*/*.go",
    "util/utils.go",
)
NOT_MUTATED = (
    "_test.go",
    "testing.go",
    "test_util",
    "fake_",
    "scheduler.go",
    "/metrics.go",
    "plugins/feature/",
)
"""Files that are for tests, or only put the scheduler together."""

PARTS = {
    "framework/plugins/volume": "volumes",
    "framework/plugins/nodevolumelimits": "volumes",
    "framework/plugins/dynamicresources": "dra",
    "framework/plugins/defaultpreemption": "preemption",
    "framework/plugins/defaultbinder": "cycle",
    "framework/preemption": "preemption",
    "framework/plugins": "plugins",
    "framework/events.go": "queue",
    "backend/queue": "queue",
    "backend/cache": "cache",
    "framework/types.go": "cache",
    "eventhandlers.go": "queue",
    "": "cycle",
}
"""The parts that are sampled evenly, by the beginning of a file's name; the first one that fits counts."""


@frozen
class GoMutant:
    """``name`` is the file, the line, the kind, and its place among its like; ``number`` its switch."""

    name: str
    number: int
    function: str
    text: str


def part_of(name: str) -> str:
    """Returns the part of kube-scheduler to which the mutant of this name belongs."""
    return next(part for beginning, part in PARTS.items() if name.startswith(beginning))


@frozen
class Mutated:
    """``program`` has all ``mutants`` in it."""

    program: Path
    mutants: tuple[GoMutant, ...]

    def sample(self) -> list[GoMutant]:
        """Returns all mutants in the order of which a sample takes the first."""
        return drawn_evenly(self.mutants, sorted(set(PARTS.values())), part_of)


# --- Building -------------------------------------------------------------------------------------


def build() -> Mutated:
    """Builds the program with all mutants in it, which takes some minutes the first time. Raises
    AdapterUnavailable where there is no Go, or it cannot be built."""
    recorder = data_folder() / "recorder"
    folder = cache_folder() / f"mutants-{_digest(recorder)}"
    program, listed = folder / "kube-scheduler-mutants", folder / "mutants.json"
    if not (program.exists() and listed.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="building-", dir=folder) as scratch:
            _build(recorder, Path(scratch), program, listed)
    return Mutated(program, tuple(named(json.loads(listed.read_text("utf-8")))))


def _build(recorder: Path, scratch: Path, program: Path, listed: Path) -> None:
    sources = recorder / VERSION
    original = _go(["list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"], sources).strip()
    copy = shutil.copytree(original, scratch / "kubernetes", copy_function=_copy)
    _make_writable(copy)
    shutil.copytree(recorder, scratch / "recorder", copy_function=_copy)
    names = sorted(_files(copy / SCHEDULER))
    _go(["run", ".", str(copy / SCHEDULER), str(scratch / "mutants.json"), *names], recorder / "mutants")
    embedding = scratch / "recorder" / VERSION
    _make_writable(embedding)
    _go(["mod", "edit", "-replace", f"k8s.io/kubernetes={copy}"], embedding)
    _go(["build", "-trimpath", "-o", str(program), COMMAND], embedding)
    shutil.copyfile(scratch / "mutants.json", listed)


def _copy(source: str, target: str) -> None:
    shutil.copyfile(source, target)


def _make_writable(folder: Path) -> None:
    """Makes folders writable, since Go keeps its modules read-only."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


def _files(folder: Path) -> Iterator[str]:
    for pattern in MUTATED:
        for path in folder.glob(pattern):
            name = path.relative_to(folder).as_posix()
            if not any(word in name for word in NOT_MUTATED):
                yield name


def _go(arguments: Sequence[str], folder: Path) -> str:
    go = shutil.which("go")
    if go is None:
        raise AdapterUnavailable(
            "kube-scheduler's mutants", "there is no Go toolchain (`go` is not on the PATH)"
        )
    try:
        return subprocess.run(
            [go, *arguments],
            cwd=folder,
            env=os.environ | {"GOWORK": "off"},
            check=True,
            capture_output=True,
            text=True,
            timeout=BUILD_TIMEOUT,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", "") or error)[-2000:]
        raise AdapterUnavailable("kube-scheduler's mutants", f"`go {arguments[0]}` fails:\n{said}") from error


def _digest(recorder: Path) -> str:
    digest = hashlib.sha256(" ".join((*MUTATED, *NOT_MUTATED)).encode())
    for path in sorted(recorder.rglob("*")):
        if path.suffix in (*SOURCES, ".txt") and not path.name.endswith("_test.go"):
            digest.update(path.relative_to(recorder).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def named(rows: Sequence[dict[str, str | int]]) -> Iterator[GoMutant]:
    """Yields the mutants that ``traces/recorder/mutants`` has listed, each with a name of its own."""
    seen: Counter[str] = Counter()
    for row in rows:
        place = f"{row['file']}:{row['line']}:{row['kind']}"
        yield GoMutant(f"{place}:{seen[place]}", int(row["number"]), str(row["function"]), str(row["text"]))
        seen[place] += 1
