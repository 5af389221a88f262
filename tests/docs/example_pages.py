# SPDX-License-Identifier: Apache-2.0
"""The examples on the pages of the documentation, as Sybil finds them: manifests, commands and Python.

    python tests/docs/example_pages.py docs/surprises.md      # writes under each command what it prints today

A YAML block under ``<!-- example: NAME -->`` is a file. A console block under ``<!-- commands -->`` is run beside
those files, and what a Python block prints stands in the text block that follows it.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner
from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown import CodeBlockParser

from refsched.tools.cli.main import cli

DOCS = Path(__file__).parents[2] / "docs"
WITH_EXAMPLES = ("python.md", "surprises.md", "way_of_a_pod.md")

_FILE = re.compile(r"<!-- example: (\S+) -->\n\Z")
_RUN = re.compile(r"<!-- commands -->\n\Z")


def _before(example: Example) -> str:
    return example.document.text[: example.region.start]


def _write(example: Example) -> None:
    named = _FILE.search(_before(example))
    if named:
        Path(named[1]).write_text(str(example.parsed), "utf-8")


def _differs(example: Example, said: str) -> str | None:
    """What the page should show; the page is made anew with what is kept here."""
    example.document.namespace.setdefault("said", {})[example.region.start] = said
    return None if str(example.parsed) == said else f"it prints\n{said}"


def _run(example: Example) -> str | None:
    if not _RUN.search(_before(example)):
        return None
    said = []
    for part in str(example.parsed).split("$ ")[1:]:
        command = part.partition("\n")[0]
        done = CliRunner().invoke(cli, shlex.split(command, comments=True)[1:])
        said.append(f"$ {command}\n{done.stdout}")
    return _differs(example, "".join(said))


def _call(example: Example) -> None:
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(str(example.parsed), example.path, "exec"), example.namespace)
    example.namespace["printed"] = printed.getvalue()


def _compare(example: Example) -> str | None:
    printed = example.namespace.pop("printed", None)
    return None if printed is None else _differs(example, printed)


SYBIL = Sybil(
    parsers=[
        CodeBlockParser("yaml", _write),
        CodeBlockParser("console", _run),
        CodeBlockParser("python", _call),
        CodeBlockParser("text", _compare),
    ],
    path=str(DOCS),
    patterns=["*.md"],
)


@contextmanager
def examples_of(name: str) -> Iterator[Document]:
    """The page, with its examples, in a folder of their own."""
    here = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield SYBIL.parse(DOCS / name)
        finally:
            os.chdir(here)


def made_anew(name: str) -> str:
    """The page with what its examples print today."""
    with examples_of(name) as document:
        regions: dict[int, Region] = {}
        for example in document.examples():
            regions[example.region.start] = example.region
            try:
                example.evaluate()
            except AssertionError:
                continue
        text = document.text
        for start, said in sorted(document.namespace.get("said", {}).items(), reverse=True):
            block = text[start : regions[start].end]
            head = block.partition("\n")[0]
            text = f"{text[:start]}{head}\n{said}```{text[regions[start].end :]}"
        return text


if __name__ == "__main__":
    for each in sys.argv[1:]:
        (DOCS / Path(each).name).write_text(made_anew(Path(each).name), "utf-8")
