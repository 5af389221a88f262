# SPDX-License-Identifier: Apache-2.0
"""``refsched schedule``."""

from __future__ import annotations

from typing import Any

from refsched.objects.manifests import Manifests
from refsched.tools.cli.inputs import Given, read
from refsched.tools.cli.main import AGREED, DISAGREED
from refsched.tools.cli.printing import TABLE, Page, counted, show_value, some
from refsched.tools.planner.plan import PLACED, Outcome, Plan, plan
from refsched.tools.planner.refusals import Refusal


def schedule(given: Given, output: str) -> int:
    scheduler, manifests = read(given)
    found = plan(scheduler, manifests.objects)
    if output == TABLE:
        _show(found, manifests)
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
    if outcome.result != PLACED:
        value["message"] = outcome.message
        value["refusals"] = [_refusal(refusal) for refusal in outcome.refusals]
    return value


def _refusal(refusal: Refusal) -> dict[str, Any]:
    return {"plugin": refusal.plugin, "reason": refusal.reason, "nodes": list(refusal.nodes)}


# --- For people -----------------------------------------------------------------------------------


def _show(found: Plan, manifests: Manifests) -> None:
    page = Page()
    placed = [outcome for outcome in found.outcomes if outcome.result == PLACED]
    page.table(
        ("POD", "PRIORITY", "NODE"),
        [(each.pod, str(each.priority), f"→ {each.node}") for each in placed],
        right=("PRIORITY",),
    )
    for outcome in found.outcomes:
        if outcome.result != PLACED:
            page.line()
            _show_refused(page, outcome)
    if found.preempted:
        page.line()
        rows = [(each.pod, each.node, each.by) for each in found.preempted]
        page.table(("PREEMPTED", "LEFT", "FOR"), rows)
    if found.volumes:
        page.line()
        rows = [(v.claim, v.volume, "provisioned" if v.provisioned else "bound") for v in found.volumes]
        page.table(("CLAIM", "VOLUME", ""), rows)
    _show_notes(page, found, manifests)
    page.show()


def _show_refused(page: Page, outcome: Outcome) -> None:
    page.line(f"✗ {outcome.pod}  priority {outcome.priority}  {outcome.result}", "red")
    if outcome.message not in ("", *(refusal.reason for refusal in outcome.refusals)):
        page.line(outcome.message, indent=2)
    rows = [
        (
            each.plugin,
            each.reason,
            f"{counted(len(each.nodes), 'node')}: {some(each.nodes)}" if each.nodes else "",
        )
        for each in outcome.refusals
    ]
    page.table(("PLUGIN", "REASON", "ON"), rows, indent=2)


def _show_notes(page: Page, found: Plan, manifests: Manifests) -> None:
    """What was given and is no part of the plan, and the sum."""
    page.line()
    for pod, why in found.census.passed_over.items():
        page.line(f"passed over: {pod} ({why})")
    if found.census.finished:
        page.line(f"passed over: {counted(found.census.finished, 'finished pod')}")
    if manifests.ignored:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in manifests.ignored.items())
        page.line(f"not read, since scheduling does not: {kinds}")
    left = len(found.outcomes) - found.placed
    page.line(f"{counted(len(found.outcomes), 'pending pod')}: {found.placed:,} placed, {left:,} not", "bold")
