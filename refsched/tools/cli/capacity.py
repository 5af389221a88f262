# SPDX-License-Identifier: Apache-2.0
"""``refsched capacity``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refsched.errors import InputError, counted
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.objects.pod import Pod
from refsched.reading.manifests import SUFFIXES
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.cli.given_pods import pods_in
from refsched.tools.cli.inputs import InputOptions, note_absent, read
from refsched.tools.cli.progress import progress
from refsched.tools.planner.cluster import check_is_to_place, pod_called, show
from refsched.tools.planner.explain import without_node
from refsched.tools.planner.fitting import Capacity
from refsched.tools.planner.fitting import capacity as capacity_of
from refsched.tools.planner.pending.answer import PendingAnswer, answer_now
from refsched.tools.planner.pending.words import natural
from refsched.tools.printing import TABLE, Page, show_value, some

MOST_NODES = 20


def capacity(given: InputOptions, named: str, output: str, *, namespace: str = "", at_most: int) -> int:
    """Runs the command and returns its exit code."""
    scheduler, manifests = read(given)
    pod = without_node(_pod(named, namespace, manifests.objects, scheduler))
    check_is_to_place(scheduler, pod)
    note_absent(manifests, [pod.key])
    show(scheduler, manifests.objects)
    with progress("placed", "pods") as shown:
        found = capacity_of(scheduler, pod, at_most, shown)
    why = answer_now(scheduler, found.stopped) if found.stopped is not None else PendingAnswer()
    if output == TABLE:
        page = Page()
        _write(page, found, why)
        page.show()
    else:
        show_value(as_value(found, why), output)
    return AGREED if found.fit else DISAGREED


def _pod(named: str, namespace: str, objects: Sequence[ApiObject], scheduler: Scheduler) -> Pod:
    """Returns the pod of the file, or the one of this name. What ends as a manifest is a file."""
    path = Path(named)
    if path.is_dir() or not (path.exists() or path.suffix in SUFFIXES):
        return pod_called(f"{namespace}/{named}" if namespace and "/" not in named else named, objects)
    pods = pods_in(named, scheduler.kubernetes)
    if len(pods) != 1:
        raise InputError(f"expected one pod, found {len(pods)}", where=named)
    return pods[0]


def as_value(found: Capacity, why: PendingAnswer) -> dict[str, Any]:
    """Returns what docs/schemas/capacity.json describes."""
    return {
        "pod": found.pod,
        "fit": found.fit,
        "nodes": {name: found.nodes[name] for name in sorted(found.nodes, key=natural)},
        "headline": why.headline,
        "message": found.message,
        "stoppedBy": [
            {"plugin": each.plugin, "reason": each.reason, "nodes": list(each.nodes)}
            for each in found.stopped_by
        ],
    }


def _write(page: Page, found: Capacity, why: PendingAnswer) -> None:
    at_least = "" if found.stopped_by else "at least "
    on = f" on {counted(len(found.nodes), 'node')}" if found.nodes else ""
    more = counted(found.fit, "more pod")
    page.line(f"{at_least}{more} like {found.pod} {'fits' if found.fit == 1 else 'fit'}{on}", "bold")
    if why.headline:
        page.line(f"What stops the next one: {why.headline}")
    most_first = sorted(found.nodes, key=lambda name: (-found.nodes[name], natural(name)))
    if most_first:
        page.line()
    rows = [(name, f"{found.nodes[name]:,}") for name in most_first[:MOST_NODES]]
    page.table(("NODE", "PODS"), rows, right=("PODS",))
    if len(most_first) > MOST_NODES:
        page.line(f"and {counted(len(most_first) - MOST_NODES, 'more node')} (-o json lists all)")
    if found.stopped_by:
        page.line()
        stopped = [(each.plugin, each.reason, _on(each.nodes)) for each in found.stopped_by]
        page.table(("REJECTED BY", "REASON", "ON"), stopped)


def _on(nodes: Sequence[str]) -> str:
    return f"{counted(len(nodes), 'node')}: {some(nodes)}" if nodes else ""
