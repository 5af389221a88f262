# SPDX-License-Identifier: Apache-2.0
"""Shadow: beside the scheduler that runs, what the specification would have decided, and where that differs.

When a decision of the other one is seen, the specification attempts the same pod in the cluster as it was known
just before. Then it goes on from what the other one has decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

from attrs import Factory, define, frozen

from refsched.machine.scheduler import Scheduler
from refsched.records import SCHEDULED, Attempt, Bind, NodeStatus
from refsched.suite.catalogue.reasons import rule_of_reason
from refsched.tools.kubernetes_api.client import Client
from refsched.tools.kubernetes_api.decisions import Decision, Results, decision_about
from refsched.tools.kubernetes_api.watching import DELETED, Event
from refsched.tools.running.mirror import Mirror
from refsched.tools.running.running import Running
from refsched.tools.running.setting_up import Options, scheduler_for

HIGHEST_TOTAL = "R-SEARCH-04"


@frozen
class Compared:
    """A Compared is a decision of the other scheduler, and in what it differs from what is allowed."""

    pod: str
    node: str
    differences: tuple[str, ...]

    def __str__(self) -> str:
        placed = f"→ {self.node}" if self.node else "is not scheduled"
        return f"{self.pod} {placed}: {'; '.join(self.differences) or 'the specification agrees'}"


def shadow(
    client: Client,
    options: Options,
    say: Callable[[str], None],
    show: Callable[[Compared], None],
    goes_on: Callable[[], bool],
) -> Shadow:
    """Shows for as long as it goes on what the specification would decide. Nothing is written."""
    scheduler = scheduler_for(options)
    mirror = Mirror(scheduler, say)
    beside = Shadow(scheduler, mirror, show)
    with closing(Running(client, scheduler, mirror)) as running:
        running.wait_for_lists(goes_on)
        say(f"compares the decisions about the pods of {', '.join(scheduler.state.profiles)}")
        running.follow(goes_on, beside.take)
    return beside


@define
class Shadow:
    """A Shadow attempts what another scheduler has attempted, and counts in how many it ``differs``."""

    scheduler: Scheduler
    mirror: Mirror
    show: Callable[[Compared], None]
    compared: int = 0
    differs: int = 0
    _placed: set[str] = Factory(set)

    def take(self, event: Event) -> None:
        """Takes what a watch shows."""
        theirs = decision_about(event.object) if event.kind == "Pod" and event.type != DELETED else None
        metadata = event.object["metadata"]
        if theirs is not None:
            pod = f"{metadata['namespace']}/{metadata['name']}"
            if self.mirror.uid_of(pod) == metadata["uid"]:
                self.decided(pod, theirs)
        self.follow(event)

    def decided(self, pod: str, theirs: Decision) -> list[str] | None:
        """Returns in what their decision differs, or None if the pod does not wait to be attempted."""
        ours = self._attempt(pod)
        if ours is None:
            return None
        if ours.node:
            self._placed.add(pod)
        return self._compare(ours, theirs)

    def follow(self, event: Event) -> None:
        """Goes on from what a watch shows, also where the specification has placed the pod otherwise."""
        metadata = event.object["metadata"]
        pod = f"{metadata.get('namespace', '')}/{metadata['name']}"
        if event.kind == "Pod" and event.type != DELETED and pod in self._placed:
            self.mirror.show_anew(pod, event.object)
        else:
            self.mirror.take(event)
        if event.kind == "Pod":
            self._placed.discard(pod)

    def _attempt(self, pod: str) -> Attempt | None:
        """Attempts a pod, if it waits to be attempted."""
        try:
            self.scheduler.schedule(pod)
        except KeyError:
            return None
        records = self.scheduler.take_records()
        for record in records:
            if isinstance(record, Bind):
                self.mirror.has_bound(record.pod, record.node)
        return next((record for record in records if isinstance(record, Attempt)), None)

    def _compare(self, ours: Attempt, theirs: Decision) -> list[str]:
        self.compared += 1
        differences = list(differences_of(ours, theirs))
        self.differs += bool(differences)
        self.show(Compared(ours.pod, theirs.node, tuple(differences)))
        return differences


def differences_of(ours: Attempt, theirs: Decision) -> Iterator[str]:
    """Yields in what the decision differs from what the specification allows, and by which rule."""
    if theirs.node and theirs.node != ours.node:
        totals = ours.totals or {}
        status = (ours.filter or {}).get(theirs.node)
        if status is not None and status.code != "Success":
            yield _rejected(theirs.node, status)
        elif ours.result != SCHEDULED:
            yield f"the specification finds no node: {ours.message}"
        elif theirs.node not in totals:
            yield f"the specification places it on {ours.node}, and has not looked at {theirs.node}"
        elif totals[theirs.node] < max(totals.values()):
            yield _lower(ours, theirs.node)
    elif not theirs.node and ours.node:
        yield f"the specification places it on {ours.node}, and the other one nowhere: {theirs.message}"
    elif not theirs.node and theirs.nominated != (ours.nominated_node or ""):
        would = f"would nominate {ours.nominated_node}" if ours.nominated_node else "would not"
        yield f"the other one nominates {theirs.nominated or 'no node'}, and the specification {would}"
    yield from _differing_results(ours, theirs.results)


def _differing_results(ours: Attempt, theirs: Results) -> Iterator[str]:
    """Yields what the filters and scores of a node are otherwise. Nodes that only one of them has looked at do not
    count, nor do plugins that only one of them has."""
    for node, status in theirs.filter.items():
        expected = (ours.filter or {}).get(node)
        if expected is not None and _said(expected) != _said(status):
            yield f"{node} is {_said(status)}, and by the specification {_said(expected)}"
    for node, scores in theirs.scores.items():
        for plugin, score in scores.items():
            best = (ours.scores or {}).get(node, {}).get(plugin, score)
            if best != score:
                yield f"{plugin} gives {node} a score of {score}, and by the specification {best}"


def _said(status: NodeStatus) -> str:
    if status.code == "Success":
        return "feasible"
    return f"rejected by {status.plugin}: {', '.join(sorted(', '.join(status.reasons).split(', ')))}"


def _rejected(node: str, status: NodeStatus) -> str:
    rules = sorted({rule for reason in status.reasons if (rule := rule_of_reason(reason))})
    by = f" ({', '.join(rules)})" if rules else ""
    return f"{node} is rejected by {status.plugin}: {', '.join(status.reasons)}{by}"


def _lower(ours: Attempt, node: str) -> str:
    """Returns by how much the node has less than the highest total, and from which plugins."""
    totals, scores = ours.totals or {}, ours.scores or {}
    best = max(totals, key=lambda name: (totals[name], name == ours.node))
    here, there = scores.get(node, {}), scores.get(best, {})
    lost = [
        f"{plugin} {here.get(plugin, 0)} to {score}"
        for plugin, score in there.items()
        if score != here.get(plugin, 0)
    ]
    has = f"{node} has a total of {totals[node]}, and {best} of {totals[best]}"
    return f"{has} ({HIGHEST_TOTAL}): {', '.join(lost)}"
