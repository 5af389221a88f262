# SPDX-License-Identifier: Apache-2.0
"""``refsched new adapter``: a small scheduler in a language, to begin with."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from refsched.errors import InputError, printable
from refsched.reading.shipped_files import starters_folder

README = "README.md"


def adapter(language: str, output: Path) -> None:
    """Writes the scheduler, and prints its README. Raises InputError if one of its files is there already."""
    source = starters_folder() / language
    files = [
        path.relative_to(source)
        for path in sorted(source.rglob("*"))
        if path.is_file() and path.parent.name != "__pycache__"
    ]
    if output.exists() and not output.is_dir():
        raise InputError("is not a folder", where=f"--output: {output}")
    for file in files:
        if (output / file).exists():
            raise InputError("is there already", where=str(output / file))
    for file in files:
        (output / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / file, output / file)
        click.echo(f"wrote {printable(str(output / file))}")
    click.echo("\n" + (source / README).read_text("utf-8"), nl=False)
