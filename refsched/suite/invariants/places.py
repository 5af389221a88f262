# SPDX-License-Identifier: Apache-2.0
"""Invariants of places: a pod is in one place, nothing is lost, and what was taken is given back.

Promised: that a pod is bound once and stays pending until then is documented with the Pod API.
Shows in: queue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from refsched.records import Attempt, Nodes, Queues
from refsched.suite.findings import Finding
from refsched.suite.invariants.ledger import FINISHED, PodLedger


def bound_once(ledger: PodLedger, attempt: Attempt) -> Iterator[Finding]:
    """R-INV-05: A pod that is bound, or being bound, is not scheduled again."""
    if attempt.pod in ledger.held or attempt.pod in ledger.unclear:
        return
    place = ledger.bound.get(attempt.pod) or ledger.assumed.get(attempt.pod)
    if place is not None:
        yield Finding("R-INV-05", "pod", f"no attempt: it is on {place}", attempt.result, attempt.pod)


def in_one_place(ledger: PodLedger, queues: Queues, doubled: set[str] | None = None) -> Iterator[Finding]:
    """R-INV-06: A pod is in one queue at most, and in none while it is bound, assumed or deleted.

    Without SchedulerPopFromBackoffQ kube-scheduler has it in two for a while (R-QUEUE-52). What takes it out of
    one leaves it in the other, its deletion too: ``PriorityQueue.Delete`` ends at the first queue that has it.
    There ``doubled`` are the pods that were last seen so, which this notes. What is left of them in a queue may be
    popped again."""
    listed = Counter((*queues.active, *queues.backoff, *queues.unschedulable))
    left_over = set(doubled or ()) & listed.keys()
    if doubled is not None:
        doubled.clear()
        doubled.update(left_over, (pod for pod, times in listed.items() if times > 1))
    ledger.note_queued(left_over)
    for pod, times in sorted(listed.items()):
        if pod in ledger.unclear or pod in left_over:
            continue
        place = ledger.bound.get(pod) or ledger.assumed.get(pod)
        if times > 1 and doubled is None:
            yield Finding("R-INV-06", "queues", "in one queue", f"in {times}", pod)
        elif place is not None:
            yield Finding("R-INV-06", "queues", f"in no queue: it is on {place}", "queued", pod)
        elif pod not in ledger.pods:
            yield Finding("R-INV-06", "queues", "in no queue: it is not there", "queued", pod)


def nothing_lost(ledger: PodLedger, queues: Queues) -> Iterator[Finding]:
    """R-INV-07: Each pod of one of the scheduler's profiles that is neither bound nor being deleted is queued, in
    flight, or binding."""
    listed = {*queues.active, *queues.backoff, *queues.unschedulable}
    for key, pod in sorted(ledger.pods.items()):
        ours = pod.spec.scheduler_name in ledger.scheduler_names
        leaving = pod.metadata.deletion_timestamp is not None or pod.status.phase in FINISHED
        placed = any(key in known for known in (ledger.bound, ledger.assumed, ledger.held, ledger.unclear))
        if ours and not leaving and not placed and key not in listed:
            yield Finding("R-INV-07", "queues", "in one of the queues", "in none", key)


def given_back(ledger: PodLedger, nodes: Nodes) -> Iterator[Finding]:
    """R-INV-08 (shows in cache): The pods that count on a node are those that are bound or assumed there, and no
    others."""
    for name, usage in sorted(nodes.nodes.items()):
        for pod in usage.pods:
            place = ledger.bound.get(pod) or ledger.assumed.get(pod)
            if place != name and pod not in ledger.held and pod not in ledger.unclear:
                found = f"counted on {name}"
                yield Finding(
                    "R-INV-08", f"nodes.{name}", f"not on {name}: it is on {place or 'no node'}", found, pod
                )
        if name in ledger.nodes:
            for pod in sorted(set(ledger.on(name)) - set(usage.pods)):
                yield Finding("R-INV-08", f"nodes.{name}", f"counted on {name}", "not counted", pod)
