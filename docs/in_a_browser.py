# SPDX-License-Identifier: Apache-2.0
"""In a browser: the files with which a page of the site runs the specification.

They are Pyodide (CPython for WebAssembly), which npm has, and an archive of refsched and of what it imports.
Browsers let no page of the file system fetch a file, but they let it run a script: so each file is a script that
has it as text.
"""

from __future__ import annotations

import base64
import io
import json
import subprocess
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from from_npm import Package

import refsched

PYODIDE = Package(
    "pyodide",
    "0.29.5",
    "TkYrUv9m8QmfImADKRmpwZulL48E0uUaBSO+dvRQKyAJc0qh9gu7jn8btyHPh3NZm1r2IH2YrJhIr7Q2B9urAw==",
)

SCRIPTS = ("pyodide.js", "pyodide.asm.js")
DATA = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")

IMPORTED = ("attrs", "cattrs", "click", "PyYAML", "rich", "typing_extensions")
"""Distributions that `schedule` and `explain` import, each of which runs without what is compiled."""


def write_scripts(folder: Path) -> None:
    """Writes the scripts, or says why the page has to do without."""
    try:
        pyodide = PYODIDE.files((*SCRIPTS, *DATA))
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as problem:
        print(f"the page that runs the specification does without Pyodide: {problem}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCRIPTS:
        (folder / name).write_bytes(pyodide[name])
    for name, content in (*((name, pyodide[name]) for name in DATA), ("refsched.zip", _archive())):
        text = base64.b64encode(content).decode()
        (folder / f"{name}.js").write_text(f'refschedParts[{json.dumps(name)}] = "{text}";\n', "utf-8")


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
