# SPDX-License-Identifier: Apache-2.0
"""The invariant of liveness: a pod that can be scheduled is scheduled, once nothing else happens.

Promised: that a pending pod is scheduled once it fits on a node is documented with the Pod API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import Factory, define

from refsched.objects.node import Node
from refsched.objects.pod import Container, Pod, PodSpec
from refsched.objects.resources import Resource, amount, resource_of
from refsched.objects.selectors import compile_selector
from refsched.records import BOUND, Advance, Attempt, Bind, Nodes, Queues, Record
from refsched.suite.findings import Finding
from refsched.suite.invariants.decisions import Promises
from refsched.suite.invariants.ledger import FINISHED, PodLedger

LONG_ENOUGH = 341.0
"""These are the seconds after which a pod must have been tried: five minutes after which a rejected pod is tried
in any case, half a minute between flushes, ten seconds of backoff, and one for the clocks that are read by the
second."""
MAX_BACKOFF = 10
"""This is the default in seconds, which a configuration may change."""

FINDING = ("preFilter", "filter", "preScore", "score")
"""At these points plugins find a node."""


@define
class QuietTime:
    """A QuietTime counts the ``seconds`` for which nothing has happened that could make a pod fit: a pod that
    takes a node, or fails to before the next one is tried, does not. ``nominated`` are the pods for which room is
    kept."""

    seconds: float = 0.0
    nominated: set[str] = Factory(set)

    def take(self, record: Record) -> None:
        match record:
            case Advance(seconds):
                self.seconds += seconds
            case Queues() | Nodes():
                pass
            case Attempt():
                self._attempted(record)
            case Bind() if record.result == BOUND:
                self.nominated.discard(record.pod)
            case _:
                self.seconds = 0.0

    def _attempted(self, attempt: Attempt) -> None:
        if attempt.victims:
            self.seconds = 0.0
        if attempt.nominated_node:
            self.nominated.add(attempt.pod)
        elif attempt.nominated_node is not None:
            self.nominated.discard(attempt.pod)


def waits_in_vain_are_seen(config: dict[str, Any]) -> bool:
    """Returns whether fitting is all that counts under this configuration, as it does by default. Where a plugin
    is at some of its points alone, an attempt may end in an error."""
    is_patient = config.get("podMaxBackoffSeconds", MAX_BACKOFF) > MAX_BACKOFF
    profiles = config.get("profiles") or ()
    is_partial = any(_leaves_out(each.get("plugins") or {}) for each in profiles)
    has_arguments = any(each.get("pluginConfig") for each in profiles)
    return not (is_patient or config.get("extenders") or is_partial or has_arguments)


def _leaves_out(plugins: dict[str, Any]) -> bool:
    """Returns whether a plugin may be left out of one of the points that find a node, and be at another one."""
    somewhere = [plugins.get(point) or {} for point in FINDING]
    everywhere = plugins.get("multiPoint") or {}
    is_put_together = everywhere.get("disabled") and any(each.get("enabled") for each in somewhere)
    return bool(is_put_together or any(each.get("disabled") for each in somewhere))


def left_behind(ledger: PodLedger, promises: Mapping[str, Promises], quiet: QuietTime) -> Iterator[Finding]:
    """R-INV-09 (shows in queue): A pod that fits on a node is scheduled within its backoff and the time after
    which unschedulable pods are flushed, as long as nothing else happens and no other pod competes."""
    unbound = {key: pod for key, pod in sorted(ledger.pods.items()) if key not in ledger.bound}
    kept_for_others = any(pod.status.nominated_node_name for pod in unbound.values())
    if kept_for_others or not quiet.nominated.isdisjoint(unbound):
        return  # also for a pod that is being deleted: it stays nominated until it does not exist any more
    if any(map(_keeps_away_who_has_no_labels, ledger.pods.values())):
        return
    for key, pod in unbound.items():
        if pod.metadata.deletion_timestamp is not None or pod.status.phase in FINISHED:
            continue
        promised = promises.get(pod.spec.scheduler_name)
        if promised is None or not promised.fits or not _is_plain(pod):
            continue
        for name, node in ledger.nodes.items():
            if _is_open(node) and _fits(ledger, pod, node, promised):
                yield Finding("R-INV-09", "pod", f"scheduled: it fits on {name}", "not to be tried", key)
                break


def _is_plain(pod: Pod) -> bool:
    """Returns whether the pod only requests resources, and has no labels by which others would select it."""
    spec = pod.spec
    plain = PodSpec(
        scheduler_name=spec.scheduler_name,
        priority=spec.priority,
        preemption_policy=spec.preemption_policy,
        priority_class_name=spec.priority_class_name,
        containers=spec.containers,
    )
    has_metadata = pod.metadata.labels or pod.metadata.annotations
    return spec == plain and not has_metadata and all(map(_only_requests, spec.containers))


def _keeps_away_who_has_no_labels(pod: Pod) -> bool:
    """Returns whether the pod has a required anti-affinity that selects pods without labels, too."""
    affinity = pod.spec.affinity.pod_anti_affinity if pod.spec.affinity is not None else None
    terms = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else ()
    return any(compile_selector(term.label_selector).matches({}) for term in terms)


def _only_requests(container: Container) -> bool:
    """Returns whether the container needs nothing of a node but resources."""
    return container == Container(container.name, image=container.image, resources=container.resources)


def _is_open(node: Node) -> bool:
    return not (node.spec.taints or node.spec.unschedulable)


def _fits(ledger: PodLedger, pod: Pod, node: Node, promises: Promises) -> bool:
    """Returns whether the pod fits on the node in any release: in v1.19 none does on one that is overcommitted."""
    used, number = Resource(), 0
    for other in ledger.on(node.metadata.name):
        used, number = used.plus(promises.asked_by(ledger.pods[other], is_placed=True)), number + 1
    asked, allocatable = promises.asked_by(pod, is_placed=False), resource_of(node.status.allocatable)
    return number < allocatable.allowed_pod_number and all(
        amount(asked, resource) + amount(used, resource) <= amount(allocatable, resource)
        for resource in ("cpu", "memory", "ephemeral-storage", *asked.scalar)
    )
