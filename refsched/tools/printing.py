# SPDX-License-Identifier: Apache-2.0
"""Printing: tables and lines for people, JSON and YAML for programs.

In a terminal text is coloured and folded to its width; anywhere else it is plain, and each row is one line however
long. What comes from the user's objects is never taken for markup, nor for control characters.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from refsched.errors import LONGEST_LINE, one_line, printable, shortened

TABLE, JSON, YAML = "table", "json", "yaml"
UNBOUNDED = 100_000
"""So many columns are wider than any row."""


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
        self._console.print(Text(" " * indent + shortened(printable(text), LONGEST_LINE), style))

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        right: Sequence[str] = (),
        indent: int = 0,
    ) -> None:
        """Adds a table, of which ``right`` names the columns of numbers. Nothing is printed if there is no row."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
        table.add_column(" " * indent + header[0] if indent else header[0], overflow="fold")
        for name in header[1:]:
            table.add_column(name, justify="right" if name in right else "left", overflow="fold")
        for row in rows:
            first, *others = (shortened(printable(cell), LONGEST_LINE) for cell in row)
            table.add_row(Text(" " * indent + first), *(Text(cell, _style(cell)) for cell in others))
        if table.row_count:
            self._console.print(table)

    def show(self) -> None:
        click.echo(self.text(), color=self._is_terminal)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._text.getvalue().splitlines())


def show_value(value: Any, output: str) -> None:
    """Prints the value as JSON or as YAML."""
    if output == JSON:
        click.echo(_escaped(json.dumps(value, indent=2, ensure_ascii=False)))
    else:
        click.echo(_escaped(_as_yaml(value)), nl=False)


def note(text: str) -> None:
    """Prints a warning, beside what is printed."""
    click.echo(f"refsched: warning: {one_line(text)}", err=True)


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
