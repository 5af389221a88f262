# SPDX-License-Identifier: Apache-2.0
"""Binding picture: the way of an assumed pod to its node, and every way back, from the table below.

The tests go each way of the table with a scripted pod, and compare which of its rules are applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from refsched.tools.site.pictures import document, written

ASSUMED, BOUND, QUEUE = "assumed", "bound", "the queue"
_RESERVE, _PERMIT, _WAIT, _PRE_BIND = "Reserve", "Permit", "Wait on Permit", "PreBind"
_BIND, _POST_BIND, _UNRESERVE, _FORGET = "Bind", "PostBind", "Unreserve", "Forget"


@frozen
class StageTransition:
    """A StageTransition leads from one stage to another if this happens there, by these rules."""

    at: str
    happens: str
    to: str
    rules: tuple[str, ...] = ()


WAYS = (
    StageTransition(ASSUMED, "the pod counts on the node", _RESERVE, ("R-ASSUME-01",)),
    StageTransition(_RESERVE, "all succeed", _PERMIT),
    StageTransition(_RESERVE, "one fails", _UNRESERVE, ("R-RESERVE-01", "R-ROLLBACK-02")),
    StageTransition(_PERMIT, "none rejects the pod", _WAIT, ("R-PERMIT-01",)),
    StageTransition(_PERMIT, "one rejects the pod", _UNRESERVE, ("R-PERMIT-01", "R-ROLLBACK-02")),
    StageTransition(_WAIT, "none asked to wait", _PRE_BIND, ("R-PERMIT-05",)),
    StageTransition(_WAIT, "all allow the pod", _PRE_BIND, ("R-PERMIT-02",)),
    StageTransition(_WAIT, "one rejects the pod", _UNRESERVE, ("R-PERMIT-03", "R-ROLLBACK-03")),
    StageTransition(_WAIT, "a timeout ends", _UNRESERVE, ("R-PERMIT-04", "R-ROLLBACK-03")),
    StageTransition(_PRE_BIND, "all succeed", _BIND),
    StageTransition(_PRE_BIND, "one fails", _UNRESERVE, ("R-BIND-01", "R-ROLLBACK-03")),
    StageTransition(_BIND, "the API server takes the binding", _POST_BIND),
    StageTransition(_BIND, "the first that does not skip fails", _UNRESERVE, ("R-BIND-04", "R-ROLLBACK-03")),
    StageTransition(_POST_BIND, "cannot reject the pod", BOUND, ("R-BIND-03",)),
    StageTransition(_UNRESERVE, "in reverse order", _FORGET, ("R-ROLLBACK-01",)),
    StageTransition(_FORGET, "the pod no longer counts on the node", QUEUE, ("R-FAIL-01",)),
)
"""These are the ways of the default release. What comes first in a stage is its way on."""

FORWARD = (ASSUMED, _RESERVE, _PERMIT, _WAIT, _PRE_BIND, _BIND, _POST_BIND, BOUND)
BACK = (_UNRESERVE, _FORGET, QUEUE)
_CYCLES: Mapping[str, str] = {ASSUMED: "the scheduling cycle", _WAIT: "the binding cycle"}

_LEFT, _BOX, _HIGH, _STEP = 20, 330, 34, 84
_RAIL, _RIGHT, _LAST = 640, 680, 150


def binding_picture(plugins: Mapping[str, Sequence[str]], title: str) -> str:
    """Draws the stages from top to bottom, with the plugins by stage, and the ways back on the right."""
    drawn: list[str] = []
    tops = {stage: 34 + number * _STEP for number, stage in enumerate(FORWARD)}
    for stage, y in tops.items():
        if stage in _CYCLES:
            drawn.append(written(_LEFT + 26, y - 8, _CYCLES[stage], "strong"))
        drawn += _box(_LEFT, y, stage)
        drawn.append(written(_LEFT + 130, y + 22, ", ".join(plugins.get(stage, ())), "small"))
    for stage, y in tops.items():
        ways = [way for way in WAYS if way.at == stage]
        drawn += _on([way for way in ways if way.to in tops], y)
        for number, way in enumerate(way for way in ways if way.to == _UNRESERVE):
            drawn += _away(way, y + 4 + 28 * number)
    backs = {stage: tops[_PRE_BIND] + number * (_STEP + 20) for number, stage in enumerate(BACK)}
    first, last = (
        min(tops[way.at] for way in WAYS if way.to == _UNRESERVE) + 4,
        backs[_UNRESERVE] + _HIGH // 2,
    )
    drawn.append(f'<path class="rail" d="M{_RAIL} {first}V{max(last, tops[_BIND] + 4)}"/>')
    drawn.append(f'<path class="back" d="M{_RAIL} {last}H{_RIGHT}"/>')
    for stage, y in backs.items():
        drawn += _box(_RIGHT, y, stage, _LAST)
        drawn += _on([way for way in WAYS if way.at == stage], y, _RIGHT, _STEP + 20)
    return document(tops[BOUND] + _HIGH + 16, title, drawn)


def _box(x: int, y: int, name: str, width: int = _BOX) -> Iterator[str]:
    yield f'<rect class="box" x="{x}" y="{y}" width="{width}" height="{_HIGH}" rx="5"/>'
    yield written(x + 12, y + 22, name, "strong")


def _on(ways: Sequence[StageTransition], y: int, x: int = _LEFT, step: int = _STEP) -> Iterator[str]:
    """Draws the way to the stage below, with all that leads there."""
    if ways:
        yield f'<path class="arrow" d="M{x + 16} {y + _HIGH}V{y + step - 1}"/>'
    for number, way in enumerate(ways):
        lines = [" ".join((way.happens, *way.rules))] if x == _LEFT else [way.happens, *way.rules]
        for line, text in enumerate(lines):
            yield written(x + 26, y + _HIGH + 15 + 14 * (number + line), text, "small")


def _away(way: StageTransition, y: int) -> Iterator[str]:
    start = _LEFT + _BOX
    yield f'<path class="rail" d="M{start} {y}H{_RAIL}"/>'
    yield written(start + 10, y - 3, way.happens, "small")
    yield written(start + 10, y + 12, ", ".join(way.rules), "small")
