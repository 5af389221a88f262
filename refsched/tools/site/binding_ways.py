# SPDX-License-Identifier: Apache-2.0
"""Binding ways: the way of an assumed pod to its node, and every way back, as a table and as a drawing of it.

The tests go each way of the table with a scripted pod, and compare which of its rules are applied.
"""

from __future__ import annotations

from attrs import frozen

from refsched.tools.site.markdown import rule_link, state_diagram, table

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


def ways_drawn() -> str:
    """Returns the stages and what leads from one to another, for Mermaid to lay out."""
    return state_diagram(
        "From the assumed pod to its node, and from each stage back to the queue",
        (*FORWARD, *BACK),
        [(way.at, way.to, way.happens) for way in WAYS],
    )


def ways_table() -> str:
    return table(
        ("from", "if", "to", "by"),
        [(way.at, way.happens, way.to, ", ".join(rule_link(rule, "") for rule in way.rules)) for way in WAYS],
    )
