# SPDX-License-Identifier: Apache-2.0
"""Pictures: the queue's places and transitions, and the extension points with their plugins, as SVG.

They are drawn from the tables that the code executes, on a background of their own, light or dark as the
reader's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import cos, hypot, pi, sin

from refsched.queue.transitions import Place, Transitions

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


# --- The queue ------------------------------------------------------------------------------------

_RING = (
    Place.NOWHERE,
    Place.ACTIVE,
    Place.IN_FLIGHT,
    Place.UNSCHEDULABLE,
    Place.GATED,
    Place.BACKOFF,
    Place.ERROR_BACKOFF,
)
_CENTRE, _RADIUS = (250.0, 240.0), (180.0, 185.0)
_BOX = (112.0, 30.0)
_LEGEND = 500


def queue_picture(table: Transitions, title: str) -> str:
    """Draws the places on a ring, an arrow for each transition of a pod, and what happens to the pod then."""
    arrows: dict[tuple[Place, Place], list[str]] = {}
    for row in table:
        if row.place is not row.goes_to:
            arrows.setdefault((row.place, row.goes_to), []).append(str(row.occurrence.value))
    places = [place for place in _RING if any(place in ends for ends in arrows)]
    at = {
        place: (
            _CENTRE[0] + _RADIUS[0] * sin(2 * pi * number / len(places)),
            _CENTRE[1] - _RADIUS[1] * cos(2 * pi * number / len(places)),
        )
        for number, place in enumerate(places)
    }
    drawn: list[str] = []
    y = 30.0
    for number, (ends, happens) in enumerate(arrows.items(), 1):
        drawn += _arrow(at[ends[0]], at[ends[1]], number)
        lines = list(wrapped(f"{ends[0].value} → {ends[1].value}: {' / '.join(happens)}", 66))
        drawn.append(written(_LEGEND, y, f"{number}", "strong"))
        for line in lines:
            drawn.append(written(_LEGEND + 24, y, line))
            y += _LINE - 4
        y += 4
    for place, (x, top) in at.items():
        drawn.append(
            f'<rect class="box" x="{x - _BOX[0] / 2:.0f}" y="{top - _BOX[1] / 2:.0f}" width="{_BOX[0]:.0f}"'
            f' height="{_BOX[1]:.0f}" rx="5"/>'
        )
        drawn.append(written(x, top + 4, place.value, "strong middle"))
    return document(int(max(y + 10, 480)), title, drawn)


def _arrow(begin: tuple[float, float], end: tuple[float, float], number: int) -> Iterator[str]:
    """Draws a curve that bends to its left, so that the one back is another; its number is in the middle."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    long = hypot(dx, dy)
    bend = (begin[0] + dx / 2 - dy / long * 34, begin[1] + dy / 2 + dx / long * 34)
    first, last = _edge(begin, bend), _edge(end, bend)
    middle = ((first[0] + 2 * bend[0] + last[0]) / 4, (first[1] + 2 * bend[1] + last[1]) / 4)
    yield (
        f'<path class="arrow" d="M{first[0]:.0f} {first[1]:.0f}Q{bend[0]:.0f} {bend[1]:.0f}'
        f' {last[0]:.0f} {last[1]:.0f}"/>'
    )
    yield f'<circle class="number" cx="{middle[0]:.0f}" cy="{middle[1]:.0f}" r="10"/>'
    yield written(middle[0], middle[1] + 4, str(number), "middle")


def _edge(of: tuple[float, float], towards: tuple[float, float]) -> tuple[float, float]:
    """Returns where the line from the middle of a box leaves it."""
    dx, dy = towards[0] - of[0], towards[1] - of[1]
    scale = min(
        (_BOX[0] / 2 + 3) / abs(dx) if dx else 1e9,
        (_BOX[1] / 2 + 3) / abs(dy) if dy else 1e9,
    )
    return of[0] + dx * scale, of[1] + dy * scale


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
