# SPDX-License-Identifier: Apache-2.0
"""Pictures: the extension points with their plugins, as SVG.

They are drawn from the tables that the code executes, on a background of their own, light or dark as the
reader's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

WIDTH = 960
_LINE = 20
_STYLE = """<style>
text { font: 13px sans-serif; fill: #1f2328 }
.strong { font-weight: bold } .middle { text-anchor: middle }
.ground { fill: #ffffff } .box { fill: #f6f8fa; stroke: #57606a }
.arrow { stroke: #57606a; fill: none; marker-end: url(#head) } .tip { fill: #57606a }
.back { stroke: #bc4c00; fill: none; marker-end: url(#head) }
.rail { stroke: #bc4c00; fill: none }
.number { fill: #ffffff; stroke: #57606a }
.small { font-size: 11px } .heat { fill: #1f6feb; stroke: none }
.clock { stroke: #57606a; stroke-dasharray: 3 3 }
.place { stroke: #57606a; stroke-width: 0.5; fill-opacity: 0.75 }
.active { fill: #54aeff } .backoff { fill: #d4a72c } .unschedulable { fill: #e5534b }
.assumed { fill: #a475f9 } .bound { fill: #46954a }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .ground { fill: #0d1117 } .box { fill: #161b22; stroke: #8b949e }
  .arrow { stroke: #8b949e } .tip { fill: #8b949e } .back, .rail { stroke: #ffa657 }
  .number { fill: #0d1117; stroke: #8b949e } .clock, .place { stroke: #8b949e }
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">\
<path d="M0 0 8 4 0 8z" class="tip"/></marker></defs>"""


def document(height: int, title: str, drawn: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{escape(title)}">'
    )
    ground = f'<rect class="ground" width="{WIDTH}" height="{height}"/>'
    return "\n".join((head, f"<title>{escape(title)}</title>", _STYLE, ground, *drawn, "</svg>", ""))


def written(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{style}">{escape(text)}</text>'


def wrapped(text: str, width: int) -> Iterator[str]:
    """Yields the text in lines of fewer characters than ``width``, one more word where it is longer."""
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


# --- The extension points -------------------------------------------------------------------------

_CYCLES: Mapping[str, tuple[str, ...]] = {
    "before the queue": ("preEnqueue", "queueSort"),
    "the scheduling cycle": ("preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit"),
    "the binding cycle": ("preBind", "bind", "postBind"),
}
_BACK: Mapping[str, str] = {
    "preEnqueue": "rejected: the pod is gated",
    "preFilter": "rejected: PostFilter, and back to the queue",
    "filter": "on every node: PostFilter, and back to the queue",
    "postFilter": "back to the queue, perhaps nominated to a node",
    "reserve": "Unreserve, Forget, and back to the queue",
    "permit": "Unreserve, Forget, and back to the queue",
    "preBind": "Unreserve, Forget, and back to the queue",
    "bind": "Unreserve, Forget, and back to the queue",
}
"""This says where a pod goes from a point at which it is rejected."""


def points_picture(plugins: Mapping[str, Sequence[str]], title: str) -> str:
    """Draws the points from top to bottom, each with its plugins, and an arrow back from those at which a pod
    may be rejected."""
    drawn: list[str] = []
    y = 20
    for cycle, points in _CYCLES.items():
        drawn.append(written(20, y + 14, cycle, "strong"))
        y += 28
        for point in points:
            lines = list(wrapped(", ".join(plugins.get(point, ())) or "no default plugin", 62))
            height = 12 + _LINE * len(lines)
            drawn.append(f'<rect class="box" x="20" y="{y}" width="580" height="{height}" rx="5"/>')
            drawn.append(written(34, y + 21, point, "strong"))
            drawn += [written(140, y + 21 + _LINE * number, line) for number, line in enumerate(lines)]
            if point in _BACK:
                drawn.append(f'<path class="back" d="M600 {y + height // 2}H630"/>')
                drawn.append(written(638, y + height // 2 + 4, _BACK[point]))
            y += height
            drawn.append(f'<path class="arrow" d="M74 {y}V{y + 14}"/>')
            y += 16
        y += 6
    return document(y, title, drawn[:-1])
