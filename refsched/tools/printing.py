# SPDX-License-Identifier: Apache-2.0
"""Printing: tables and lines for people, JSON and YAML for programs.

In a terminal text is coloured and folded to its width, between words; anywhere else it is plain, and each row is
one line however long. What comes from the user's objects is never taken for markup, nor for control characters.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from refsched.errors import LONGEST_LINE, one_line, printable, shortened

TABLE, JSON, YAML = "table", "json", "yaml"
UNBOUNDED = 100_000
"""No row is as wide as this."""

GAP = 2
"""This many spaces stand between two columns of a table."""


class Page:
    """A Page collects what is printed, and prints it at once: all of it, or after an error nothing."""

    def __init__(self, *, plain: bool = False) -> None:
        self._is_terminal = not plain and sys.stdout.isatty()
        self._text = io.StringIO()
        self._console = Console(
            file=self._text,
            width=Console().width if self._is_terminal else UNBOUNDED,
            color_system="auto" if self._is_terminal else None,
            force_terminal=self._is_terminal,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        self._indented(Text(_shown(text), style), indent)

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        right: Sequence[str] = (),
        indent: int = 0,
    ) -> None:
        """Adds a table, of which ``right`` names the columns of numbers. Cells at the end of a row may be left
        out. Nothing is printed if there is no row. Where the columns have no room for a name, the cells of a row
        stand below each other."""
        shown = [[*map(_shown, row), *[""] * (len(header) - len(row))] for row in rows]
        if not shown:
            return
        widths = column_widths([*zip(header, *shown, strict=True)], self._console.width - indent)
        if not widths:
            self._blocks(header, shown, indent)
            return
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold", show_edge=False)
        for name, width in zip(header, widths, strict=True):
            table.add_column(name, justify="right" if name in right else "left", overflow="fold", width=width)
        for first, *others in shown:
            table.add_row(Text(first), *(Text(cell, _style(cell)) for cell in others))
        self._indented(table, indent)

    def _blocks(self, header: Sequence[str], rows: Iterable[Sequence[str]], indent: int) -> None:
        self._indented(Text(header[0], "bold"), indent)
        for first, *others in rows:
            self._indented(Text(first), indent)
            for name, cell in zip(header[1:], others, strict=True):
                if cell:
                    self._indented(
                        Text(f"{name.lower()}: {cell}" if name else cell, _style(cell)), indent + GAP
                    )

    def _indented(self, what: Text | Table, indent: int) -> None:
        self._console.print(Padding(what, (0, 0, 0, indent), expand=False) if indent else what)

    def show(self) -> None:
        click.echo(self.text(), color=self._is_terminal)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._text.getvalue().splitlines())


def column_widths(columns: Sequence[Sequence[str]], room: int) -> list[int]:
    """Returns how wide each column is so that together they have room and no word is broken, the widest ones
    folded most; none if there is not so much room."""
    widths = [max(map(cell_len, column)) for column in columns]
    least = [
        max((cell_len(word) for cell in column for word in cell.split()), default=0) for column in columns
    ]
    for _ in range(sum(widths) + GAP * (len(widths) - 1) - room):
        foldable = [at for at, width in enumerate(widths) if width > least[at]]
        if not foldable:
            return []
        widths[max(foldable, key=lambda at: widths[at])] -= 1
    return widths


def show_value(value: Any, output: str) -> None:
    """Prints the value as JSON or as YAML."""
    if output == JSON:
        click.echo(_escaped(json.dumps(value, indent=2, ensure_ascii=False)))
    else:
        click.echo(_escaped(_as_yaml(value)), nl=False)


def note(text: str) -> None:
    """Prints a warning, beside what is printed."""
    click.echo(folded(f"refsched: warning: {one_line(text)}"), err=True)


def folded(text: str) -> str:
    """Returns a line for stderr, folded between words where that is a terminal."""
    if not sys.stderr.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def _shown(text: str) -> str:
    return shortened(printable(text), LONGEST_LINE)


def _escaped(text: str) -> str:
    """Returns JSON or YAML without a character that a terminal obeys, except for the ends of lines. Such
    characters only occur in quotes."""
    return "\n".join(
        line if line.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in line)
        for line in text.split("\n")
    )


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 1 << 16 else json.dumps(char)[1:-1]


def _as_yaml(value: Any) -> str:
    """Returns the value as YAML. A Reason is its text."""
    import yaml  # tables do without it

    class Dumper(yaml.SafeDumper):
        pass

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = None if text.isprintable() else '"'  # where escapes are read
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent)
    Dumper.add_multi_representer(str, represent)
    dumped: str = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=UNBOUNDED)
    return dumped


def _style(cell: str) -> str:
    return {"✓": "green", "✗": "red"}.get(cell[:1], "")


def some(names: Sequence[str], most: int = 5) -> str:
    """Returns ``a, b, c``, or the first of many, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"
