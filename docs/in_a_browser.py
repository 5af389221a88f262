# SPDX-License-Identifier: Apache-2.0
"""In a browser: the files with which a page of the site runs the specification.

They are Pyodide (CPython for WebAssembly), which npm has, and an archive of refsched and of what it imports.
Browsers let no page of the file system fetch a file, but they let it run a script: so each file is a script that
has it as text.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path

import refsched

VERSION = "0.29.5"
DIGEST = "TkYrUv9m8QmfImADKRmpwZulL48E0uUaBSO+dvRQKyAJc0qh9gu7jn8btyHPh3NZm1r2IH2YrJhIr7Q2B9urAw=="
"""The SHA-512 of npm's archive of this version."""

SCRIPTS = ("pyodide.js", "pyodide.asm.js")
DATA = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")

IMPORTED = ("attrs", "cattrs", "click", "PyYAML", "rich", "typing_extensions")
"""Distributions that `schedule` and `explain` import, each of which runs without what is compiled."""

TIMEOUT = 300
"""Seconds for npm."""


def write_scripts(folder: Path) -> None:
    """Writes the scripts, or says why the page has to do without."""
    try:
        pyodide = _pyodide()
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as problem:
        print(f"the page that runs the specification does without Pyodide: {problem}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCRIPTS:
        (folder / name).write_bytes(pyodide[name])
    for name, content in (*((name, pyodide[name]) for name in DATA), ("refsched.zip", _archive())):
        text = base64.b64encode(content).decode()
        (folder / f"{name}.js").write_text(f'refschedParts[{json.dumps(name)}] = "{text}";\n', "utf-8")


def _pyodide() -> Mapping[str, bytes]:
    """The files of Pyodide by name, from the cache or by npm. Raises ValueError if they are not the ones that are
    meant."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    kept = Path(base, "refsched", f"pyodide-{VERSION}.tgz")
    if not kept.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise ValueError("there is no npm")
        with tempfile.TemporaryDirectory() as folder:
            command = [npm, "pack", "--silent", f"pyodide@{VERSION}", "--pack-destination", folder]
            subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT, cwd=folder)
            [packed] = Path(folder).glob("*.tgz")
            _check(packed.read_bytes())
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(packed, kept)
    content = kept.read_bytes()
    _check(content)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        files = {Path(member.name).name: archive.extractfile(member) for member in archive if member.isfile()}
        return {name: file.read() for name, file in files.items() if file and name in (*SCRIPTS, *DATA)}


def _check(content: bytes) -> None:
    if base64.b64encode(hashlib.sha512(content).digest()).decode() != DIGEST:
        raise ValueError(f"pyodide {VERSION} is not what it was")


def _archive() -> bytes:
    """The modules of refsched and of what it imports, and the licences."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(_files()):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return written.getvalue()


def _files() -> Iterator[tuple[str, Path]]:
    for imported in IMPORTED:
        for file in distribution(imported).files or ():
            if file.suffix in (".py", ".typed") or "licenses" in file.parts:
                yield file.as_posix(), Path(str(file.locate()))
    source = Path(refsched.__path__[0])
    for path in source.rglob("*"):
        if path.suffix in (".py", ".json", ".txt") and "shipped" not in path.parts:
            yield f"refsched/{path.relative_to(source).as_posix()}", path
