# SPDX-License-Identifier: Apache-2.0
"""``refsched schedule``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from refsched.errors import counted
from refsched.tools.cli.inputs import Given, note_absent, read
from refsched.tools.cli.main import AGREED, DISAGREED
from refsched.tools.cli.printing import TABLE, Page, show_value, some
from refsched.tools.cli.progress import progress
from refsched.tools.planner.plan import PLACED, Outcome, Plan, plan
from refsched.tools.planner.rejections import Rejection
from refsched.tools.reading.manifests import Manifests


def schedule(given: Given, output: str) -> int:
    scheduler, manifests = read(given)
    with progress("placed", "pods") as show:
        found = plan(scheduler, manifests.objects, show)
    note_absent(manifests, (outcome.pod for outcome in found.outcomes))
    if output == TABLE:
        page = Page()
        _write(page, found, manifests.ignored)
        page.show()
    else:
        show_value(as_value(found, manifests), output)
    return AGREED if found.is_complete else DISAGREED


# --- For programs ---------------------------------------------------------------------------------


def as_value(found: Plan, manifests: Manifests) -> dict[str, Any]:
    return {
        "pods": [_outcome(outcome) for outcome in found.outcomes],
        "preempted": [{"pod": each.pod, "node": each.node, "by": each.by} for each in found.preempted],
        "volumes": [
            {"claim": each.claim, "volume": each.volume, "provisioned": each.provisioned}
            for each in found.volumes
        ],
        "passedOver": dict(found.census.passed_over),
        "finished": found.census.finished,
        "ignored": dict(manifests.ignored),
        "inOpenOrder": found.in_open_order,
        "pending": len(found.outcomes),
        "placed": found.placed,
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    value: dict[str, Any] = {
        "pod": outcome.pod,
        "priority": outcome.priority,
        "result": outcome.result,
        "node": outcome.node,
        "attempts": outcome.attempts,
    }
    if outcome.ties:
        value["ties"] = list(outcome.ties)
    if outcome.result != PLACED:
        value["message"] = outcome.message
        value["refusals"] = [_rejection(rejection) for rejection in outcome.rejections]
    return value


def _rejection(rejection: Rejection) -> dict[str, Any]:
    return {"plugin": rejection.plugin, "reason": rejection.reason, "nodes": list(rejection.nodes)}


# --- For people -----------------------------------------------------------------------------------


def text(found: Plan) -> str:
    """Returns what the command prints, without colours."""
    page = Page(plain=True)
    _write(page, found)
    return page.text()


def _write(page: Page, found: Plan, ignored: Mapping[str, int] = MappingProxyType({})) -> None:
    """``ignored`` are the kinds of objects that were given and are not read."""
    placed = [outcome for outcome in found.outcomes if outcome.result == PLACED]
    page.table(
        ("POD", "PRIORITY", "NODE"),
        [(each.pod, str(each.priority), f"→ {each.node}") for each in placed],
        right=("PRIORITY",),
    )
    for outcome in found.outcomes:
        if outcome.result != PLACED:
            page.line()
            _show_rejected(page, outcome)
    if found.preempted:
        page.line()
        rows = [(each.pod, each.node, each.by) for each in found.preempted]
        page.table(("PREEMPTED", "LEFT", "FOR"), rows)
    if found.volumes:
        page.line()
        rows = [(v.claim, v.volume, "provisioned" if v.provisioned else "bound") for v in found.volumes]
        page.table(("CLAIM", "VOLUME", ""), rows)
    _write_notes(page, found, ignored)


def _show_rejected(page: Page, outcome: Outcome) -> None:
    page.line(f"✗ {outcome.pod}  priority {outcome.priority}  {outcome.result}", "red")
    if outcome.message not in ("", *(rejection.reason for rejection in outcome.rejections)):
        page.line(outcome.message, indent=2)
    rows = [
        (
            each.plugin,
            each.reason,
            f"{counted(len(each.nodes), 'node')}: {some(each.nodes)}" if each.nodes else "",
        )
        for each in outcome.rejections
    ]
    page.table(("PLUGIN", "REASON", "ON"), rows, indent=2)


def _write_notes(page: Page, found: Plan, ignored: Mapping[str, int]) -> None:
    """Writes what was given and is no part of the plan, and the sum."""
    page.line()
    for pod, why in found.census.passed_over.items():
        page.line(f"passed over: {pod} ({why})")
    if found.census.finished:
        page.line(f"passed over: {counted(found.census.finished, 'finished pod')}")
    if ignored:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in ignored.items())
        page.line(f"not read, since scheduling does not depend on it: {kinds}")
    _write_ties(page, found)
    left = len(found.outcomes) - found.placed
    page.line(f"{counted(len(found.outcomes), 'pending pod')}: {found.placed:,} placed, {left:,} not", "bold")


def _write_ties(page: Page, found: Plan) -> None:
    """Writes where kube-scheduler may decide otherwise, so that what follows may be otherwise too."""
    tied = [f"{each.pod} ({', '.join(each.ties)})" for each in found.outcomes if each.ties]
    if tied:
        page.line(f"decided by --seed among equals: {some(tied)}")
    if found.in_open_order:
        pods = counted(found.in_open_order, "pod")
        page.line(f"tried before others of the same priority and age, decided by --seed: {pods}")
