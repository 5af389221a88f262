# SPDX-License-Identifier: Apache-2.0
"""The picture of docs/architecture.md: the packages in layers, each with the first line of its docstring.

A layer imports those below it, and never one above it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from refsched.tools.shipped_files import tests_folder

PACKAGE = Path(__file__).parents[2]

LAYERS: Mapping[str, Sequence[str]] = {
    "what pytest collects": ("conformance.cases", "conformance.strategies", "conformance.wrong"),
    "around the specification": (
        "refsched.suite",
        "refsched.mistakes",
        "refsched.tools",
        "refsched.checking",
        "refsched.remembering",
    ),
    "the specification, as a pod meets it": (
        "refsched.releases",
        "refsched.oddities",
        "refsched.config",
        "refsched.machine",
        "refsched.queue",
        "refsched.cache",
        "refsched.cycle",
        "refsched.framework",
        "refsched.plugins",
        "refsched.volumes",
        "refsched.devices",
        "refsched.cel",
        "refsched.extenders",
        "refsched.preemption",
        "refsched.objects",
    ),
}

_WIDTH, _ROW, _MARGIN, _GAP, _NAMES = 1000, 26, 16, 34, 200
_STYLE = """<style>
text { font: 13px sans-serif; fill: #1f2328 }
.layer { font-weight: bold }
.name { font-family: monospace }
rect { fill: #f6f8fa; stroke: #8c959f }
path { stroke: #57606a; fill: none; marker-end: url(#head) }
.tip { fill: #57606a; marker-end: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } rect { fill: #161b22; stroke: #8b949e }
  path { stroke: #8b949e } .tip { fill: #8b949e }
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">\
<path d="M0 0 8 4 0 8z" class="tip"/></marker></defs>"""


def layout_picture() -> str:
    """Returns an SVG document."""
    drawn: list[str] = []
    top = _MARGIN
    for title, packages in LAYERS.items():
        if drawn:
            drawn.append(f'<path d="M{_WIDTH // 2} {top - _GAP + 2}V{top - 3}"/>')
            drawn.append(_text(_WIDTH // 2 + 10, top - _GAP // 2 + 5, "imports"))
        height = _ROW * (len(packages) + 1) + _MARGIN
        drawn.append(
            f'<rect x="{_MARGIN}" y="{top}" width="{_WIDTH - 2 * _MARGIN}" height="{height}" rx="6"/>'
        )
        drawn.append(_text(2 * _MARGIN, top + _ROW - 4, title, "layer"))
        for row, package in enumerate(packages, 2):
            y = top + row * _ROW - 4
            drawn.append(_text(2 * _MARGIN, y, package, "name"))
            drawn.append(_text(2 * _MARGIN + _NAMES, y, first_line(package)))
        top += height + _GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top - _GAP + _MARGIN}">'
    return "\n".join([head, _STYLE, *drawn, "</svg>", ""])


def first_line(package: str) -> str:
    """Returns what the package says of itself, after its name where that comes first."""
    top, _, name = package.partition(".")
    folder = (PACKAGE if top == PACKAGE.name else tests_folder()) / name
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    line = text.partition("\n")[0]
    return line.partition(": ")[2] or line


def _text(x: int, y: int, text: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x}" y="{y}"{kind}>{escape(text)}</text>'
