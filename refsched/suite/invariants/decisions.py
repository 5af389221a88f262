# SPDX-License-Identifier: Apache-2.0
"""Invariants of a decision: what every attempt that selects a node must satisfy.

Promised: that a pod runs only where it fits and where no filter rejects it is documented with kube-scheduler.
Shows in: score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from refsched.config.resolve import ResolvedProfile, resolve
from refsched.objects.pod import Pod
from refsched.objects.resources import Resource, amount, pod_requests, resource_of
from refsched.reading.configuration.read import read_config
from refsched.records import SCHEDULED, Attempt
from refsched.releases import DEFAULT
from refsched.releases.release import Release
from refsched.suite.findings import Finding
from refsched.suite.invariants.ledger import PodLedger

MAX_SCORE = 100
FIT = "NodeResourcesFit"


@frozen
class Promises:
    """Promises are what a configuration promises of one profile: whether resources are filtered by, which of
    them are ignored, and the weights of the scores; and, by feature gates, whether a pod's own resources and
    what its containers were resized to count."""

    fits: bool
    ignored: frozenset[str]
    ignored_groups: frozenset[str]
    weights: Mapping[str, int]
    may_be_named: bool
    pod_level: bool
    resized: bool

    def asked_by(self, pod: Pod, *, is_placed: bool) -> Resource:
        """Returns what a pod counts with; its status counts only once it has a node."""
        requests = pod_requests(pod, pod_level=self.pod_level, use_status=is_placed and self.resized)
        return resource_of(requests)

    def ignores(self, resource: str) -> bool:
        group = resource.partition("/")[0] if "/" in resource else ""
        return resource in self.ignored or group in self.ignored_groups


def promises_of(
    config: dict[str, Any], gates: Mapping[str, bool], release: Release = DEFAULT
) -> Mapping[str, Promises]:
    """Returns the promises by scheduler name. Resources that only an extender considers are ignored."""
    read = read_config(config, release)
    handed_over = {
        managed.name
        for extender in read.extenders
        for managed in extender.managed_resources
        if managed.ignored_by_scheduler
    }
    may_be_named = any(each.filter_verb and not each.node_cache_capable for each in read.extenders)
    return {
        profile.scheduler_name: _promises(profile, handed_over, may_be_named, gates)
        for profile in resolve(read, release)
    }


def _promises(
    profile: ResolvedProfile, handed_over: set[str], may_be_named: bool, gates: Mapping[str, bool]
) -> Promises:
    fit = profile.args.get(FIT)
    return Promises(
        any(plugin.name == FIT for plugin in profile.points["filter"]),
        frozenset(handed_over.union(getattr(fit, "ignored_resources", ()))),
        frozenset(getattr(fit, "ignored_resource_groups", ())),
        {plugin.name: plugin.weight for plugin in profile.points["score"]},
        may_be_named,
        gates.get("PodLevelResources", True),
        gates.get("InPlacePodVerticalScaling", True),
    )


# --- The invariants -------------------------------------------------------------------------------


def fits(ledger: PodLedger, attempt: Attempt, promises: Promises) -> Iterator[Finding]:
    """R-INV-01 (shows in any record): A pod fits on the node that is chosen for it, in each resource that the pod
    asks for, beside all that is bound or assumed there, unless the configuration ignores that resource or has no
    NodeResourcesFit, or the node has none of it and a DeviceClass serves it."""
    node, pod = ledger.nodes.get(attempt.node or ""), ledger.pods[attempt.pod]
    if (
        node is None
        or not promises.fits
        or attempt.pod in ledger.held | ledger.unclear
        or ledger.is_miscounted
    ):
        return
    others = [ledger.pods[other] for other in ledger.on(node.name) if other != attempt.pod]
    used = Resource()
    for other in others:
        used = used.plus(promises.asked_by(other, is_placed=True))
    asked = promises.asked_by(pod, is_placed=False)
    allocatable = resource_of(node.status.allocatable)
    if len(others) >= allocatable.allowed_pod_number:
        yield Finding("R-INV-01", "node", f"room for one more pod on {node.name}", len(others), attempt.pod)
    for resource in ("cpu", "memory", "ephemeral-storage", *asked.scalar):
        wanted, free = amount(asked, resource), amount(allocatable, resource) - amount(used, resource)
        if resource in ledger.served and not amount(allocatable, resource):
            continue
        if wanted > max(free, 0) and not promises.ignores(resource):
            expected = f"{wanted} of {resource} free on {node.name}"
            yield Finding("R-INV-01", "node", expected, free, attempt.pod)


def passed_every_filter(ledger: PodLedger, attempt: Attempt, promises: Promises) -> Iterator[Finding]:
    """R-INV-02 (shows in filter): A node that is chosen passed every filter, unless an extender that was not asked
    about the node named it."""
    if attempt.filter is None or attempt.node is None or attempt.result != SCHEDULED:
        return
    status = attempt.filter.get(attempt.node)
    if status is None and promises.may_be_named:
        return
    if status is None or status.code != "Success":
        found = status.code if status is not None else "not evaluated"
        yield Finding("R-INV-02", f"filter.{attempt.node}", "Success", found, attempt.pod)


def scores_in_range(ledger: PodLedger, attempt: Attempt, promises: Promises) -> Iterator[Finding]:
    """R-INV-03: A normalized score lies in 0..100 before it is weighted."""
    for node, scores in (attempt.scores or {}).items():
        for plugin, score in scores.items():
            least, highest = sorted((0, MAX_SCORE * promises.weights.get(plugin, 0)))
            if plugin in promises.weights and not least <= score <= highest:
                member = f"scores.{node}.{plugin}"
                yield Finding("R-INV-03", member, f"{least} to {highest}", score, attempt.pod)


def highest_total(ledger: PodLedger, attempt: Attempt, promises: Promises) -> Iterator[Finding]:
    """R-INV-04: The node that is chosen has the highest total, and a total is the sum of the node's scores."""
    totals = attempt.totals or {}
    for node, scores in (attempt.scores or {}).items():
        if node in totals and scores and totals[node] != sum(scores.values()):
            yield Finding("R-INV-04", f"totals.{node}", sum(scores.values()), totals[node], attempt.pod)
    if attempt.node is not None and attempt.node in totals and totals[attempt.node] < max(totals.values()):
        best = sorted(node for node, total in totals.items() if total == max(totals.values()))
        yield Finding("R-INV-04", "node", best, attempt.node, attempt.pod)


DECISION_INVARIANTS = (fits, passed_every_filter, scores_in_range, highest_total)
