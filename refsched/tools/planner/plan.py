# SPDX-License-Identifier: Apache-2.0
"""Plan: where each pending pod of a cluster goes, or why it goes nowhere, and how that is printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from refsched.errors import counted, did_you_mean
from refsched.tools.planner.cluster import Census
from refsched.tools.planner.controllers import VolumeBound
from refsched.tools.planner.rejections import Rejection
from refsched.tools.printing import Page, some

PLACED = "placed"


@frozen
class PodOutcome:
    """A PodOutcome is what happened to one pending pod.

    ``result`` is placed, unschedulable, error, gated, or preempted by a pod that came after it. ``node`` is also
    reported if binding the pod to it failed. ``message`` is what its FailedScheduling event says, ``rejections``
    the same by plugin. ``ties`` are the questions of its attempts that kube-scheduler may answer otherwise:
    ``node`` (among the highest totals), ``candidate`` (of preemption) and whatever else it may choose.
    """

    pod: str
    priority: int
    result: str
    node: str = ""
    attempts: int = 0
    message: str = ""
    rejections: tuple[Rejection, ...] = ()
    ties: tuple[str, ...] = ()


@frozen
class Preempted:
    """A Preempted says that ``pod`` was evicted from ``node`` for the pod ``by``."""

    pod: str
    node: str
    by: str


@frozen
class Plan:
    """A Plan says what becomes of each pending pod. ``outcomes`` are by namespace and name; what else happened is
    in its order. ``in_open_order`` is how many pods were tried before another one of the same priority and age
    that waited as well. ``headlines`` say in a sentence why a pod fits nowhere."""

    outcomes: tuple[PodOutcome, ...]
    preempted: tuple[Preempted, ...]
    volumes: tuple[VolumeBound, ...]
    census: Census
    in_open_order: int = 0
    headlines: Mapping[str, str] = field(factory=dict)

    @property
    def placed(self) -> int:
        return sum(outcome.result == PLACED for outcome in self.outcomes)

    @property
    def is_complete(self) -> bool:
        return self.placed == len(self.outcomes)

    def __str__(self) -> str:
        """Returns what ``refsched schedule`` prints."""
        page = Page(plain=True)
        write_plan(page, self)
        return page.text()


# --- For programs ---------------------------------------------------------------------------------


def as_value(found: Plan, ignored: Mapping[str, int]) -> dict[str, Any]:
    return {
        "pods": [_outcome(outcome, found.headlines.get(outcome.pod, "")) for outcome in found.outcomes],
        "preempted": [{"pod": each.pod, "node": each.node, "by": each.by} for each in found.preempted],
        "volumes": [
            {"claim": each.claim, "volume": each.volume, "provisioned": each.provisioned}
            for each in found.volumes
        ],
        "passedOver": dict(found.census.passed_over),
        "finished": found.census.finished,
        "ignored": dict(ignored),
        "inOpenOrder": found.in_open_order,
        "pending": len(found.outcomes),
        "placed": found.placed,
    }


def _outcome(outcome: PodOutcome, headline: str) -> dict[str, Any]:
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
        if headline:
            value["headline"] = headline
        value["refusals"] = [_rejection(rejection) for rejection in outcome.rejections]
    return value


def _rejection(rejection: Rejection) -> dict[str, Any]:
    return {"plugin": rejection.plugin, "reason": rejection.reason, "nodes": list(rejection.nodes)}


# --- For people -----------------------------------------------------------------------------------


def write_plan(
    page: Page, found: Plan, ignored: Mapping[str, int] = MappingProxyType({}), namespace: str = ""
) -> None:
    """Writes the plan. ``ignored`` are the kinds of objects that were given and are not read. With ``namespace``
    only its pods are listed."""
    left = len(found.outcomes) - found.placed
    page.line(f"{counted(len(found.outcomes), 'pending pod')}: {found.placed:,} placed, {left:,} not", "bold")
    shown = [each for each in found.outcomes if not namespace or each.pod.startswith(f"{namespace}/")]
    if namespace and not shown:
        spaces = sorted({each.pod.partition("/")[0] for each in found.outcomes})
        page.line(f"none is in the namespace {namespace}{did_you_mean(namespace, spaces)}")
    placed = [outcome for outcome in shown if outcome.result == PLACED]
    if placed:
        page.line()
    page.table(
        ("POD", "PRIORITY", "NODE"),
        [(each.pod, str(each.priority), f"→ {each.node}") for each in placed],
        right=("PRIORITY",),
    )
    for alike in failed_alike(shown, found.headlines):
        page.line()
        _show_rejected(page, alike, found.headlines.get(alike[0].pod, ""))
    if found.preempted:
        page.line()
        rows = [(each.pod, each.node, each.by) for each in found.preempted]
        page.table(("PREEMPTED", "LEFT", "FOR"), rows)
    if found.volumes:
        page.line()
        rows = [(v.claim, v.volume, "provisioned" if v.provisioned else "bound") for v in found.volumes]
        page.table(("CLAIM", "VOLUME", ""), rows)
    _write_notes(page, found, ignored)


def failed_alike(
    outcomes: Sequence[PodOutcome], headlines: Mapping[str, str] = MappingProxyType({})
) -> list[Sequence[PodOutcome]]:
    """Returns the pods that were not placed, those together that failed alike, the most frequent failure first."""
    groups: dict[object, list[PodOutcome]] = {}
    for each in outcomes:
        if each.result == PLACED:
            continue
        alone = each.message if not each.rejections else ""
        headline = headlines.get(each.pod, "")
        groups.setdefault((each.result, each.rejections, alone, headline), []).append(each)
    return sorted(groups.values(), key=lambda alike: -len(alike))


def _show_rejected(page: Page, alike: Sequence[PodOutcome], headline: str) -> None:
    """Writes why these pods were not placed, which ``headline`` says of each of them."""
    first = alike[0]
    if len(alike) == 1:
        page.line(f"✗ {first.pod}  priority {first.priority}  {first.result}", "red")
    else:
        page.line(
            f"✗ {counted(len(alike), 'pod')}  {first.result}: {some([each.pod for each in alike])}", "red"
        )
    if headline:
        page.line(headline, indent=2)
    said = {each.message for each in alike} - {"", *(rejection.reason for rejection in first.rejections)}
    if len(said) == 1 and first.message in said:
        page.line(first.message, indent=2)
    rows = [
        (
            each.plugin,
            each.reason,
            f"{counted(len(each.nodes), 'node')}: {some(each.nodes)}" if each.nodes else "",
        )
        for each in first.rejections
    ]
    page.table(("PLUGIN", "REASON", "ON"), rows, indent=2)


def _write_notes(page: Page, found: Plan, ignored: Mapping[str, int]) -> None:
    """Writes what was given and is no part of the plan, and where kube-scheduler may decide otherwise."""
    notes = [f"passed over: {pod} ({why})" for pod, why in found.census.passed_over.items()]
    if found.census.finished:
        notes.append(f"passed over: {counted(found.census.finished, 'finished pod')}")
    if ignored:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in ignored.items())
        notes.append(f"not read, since scheduling does not depend on it: {kinds}")
    notes += _ties(found)
    if notes:
        page.line()
    for note in notes:
        page.line(note)


def _ties(found: Plan) -> Iterator[str]:
    """Yields where kube-scheduler may decide otherwise, so that what follows may be otherwise too."""
    tied = [f"{each.pod} ({', '.join(each.ties)})" for each in found.outcomes if each.ties]
    if tied:
        yield f"decided by --seed among equals: {some(tied)}"
    if found.in_open_order:
        pods = counted(found.in_open_order, "pod")
        yield f"tried before others of the same priority and age, decided by --seed: {pods}"
