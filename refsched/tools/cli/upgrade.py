# SPDX-License-Identifier: Apache-2.0
"""``refsched upgrade``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsched.errors import InputError, counted
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.cli.inputs import Given, read
from refsched.tools.cli.progress import progress
from refsched.tools.planner.upgrade import Change, Compared, Placement, compare
from refsched.tools.printing import TABLE, Page, show_value, some
from refsched.tools.reading.manifests import STANDARD_INPUT


def upgrade(before: Given, after: Given, output: str) -> int:
    if STANDARD_INPUT in before.files:
        raise InputError("is read once for each release; give a file", where="standard input")
    with progress("comparing", "pods") as show:
        found = compare(_cluster(before), _cluster(after), show)
    if output == TABLE:
        page = Page()
        _write(page, found, before.kubernetes, after.kubernetes)
        page.show()
    else:
        show_value(as_value(found), output)
    return DISAGREED if found.changes else AGREED


def _cluster(given: Given) -> tuple[Scheduler, Sequence[ApiObject]]:
    scheduler, manifests = read(given)
    return scheduler, manifests.objects


def as_value(found: Compared) -> dict[str, Any]:
    return {
        "pods": found.pods,
        "changes": [
            {
                "pod": change.pod,
                "from": _placement(change.before),
                "to": _placement(change.after),
                "gains": dict(change.gains),
            }
            for change in found.changes
        ],
    }


def _placement(placement: Placement) -> dict[str, Any]:
    return {
        "nodes": list(placement.nodes),
        "message": placement.message,
        "rejections": dict(placement.rejections),
    }


def _write(page: Page, found: Compared, before: str, after: str) -> None:
    rows = [
        (change.pod, _nodes(change.before), _nodes(change.after), _why(change, before, after))
        for change in found.changes
    ]
    page.table(("POD", f"BY {before}", f"BY {after}", "WHY"), rows)
    if rows:
        page.line()
    page.line(f"{counted(found.pods, 'pod')}: {len(found.changes):,} placed differently by {after}", "bold")


def _why(change: Change, before: str, after: str) -> str:
    """Returns the nodes that only one release rejects, or else the plugins whose scores decide."""
    sides = ((before, change.before, change.after), (after, change.after, change.before))
    reasons = [
        f"{release} rejects {node} ({rejecting.rejections[node]})"
        for release, rejecting, other in sides
        for node in other.nodes
        if node in rejecting.rejections
    ]
    if reasons:
        return some(reasons, most=2)
    if change.gains:
        return "scores: " + ", ".join(f"{plugin} +{gain}" for plugin, gain in change.gains.items())
    messages = [f"{release}: {placement.message}" for release, placement, _ in sides if placement.message]
    return "; ".join(messages) or "other nodes are among the equals"


def _nodes(placement: Placement) -> str:
    return some(placement.nodes) if placement.nodes else "nowhere"
