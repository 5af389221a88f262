# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the scheduling queue: the order of pods and their queues."""

from conformance.wrong.planted.table import Wrong

_QUEUE = "refsched.queue.scheduling_queue"
_ROWS = "refsched.queue.transitions"
_REQUEUEING = "refsched.queue.requeueing"
_SORT = "refsched.plugins.priority_sort"
_GATES = "refsched.plugins.scheduling_gates"
_IN_FLIGHT = "refsched.queue.in_flight"
_SCHEDULER = "refsched.machine.scheduler"
_HANDLERS = "refsched.machine.event_handlers"

WRONG = (
    Wrong(
        "never-flushes",
        "A pod is never flushed from unschedulablePods.",
        _QUEUE,
        "        if overdue:\n",
        "        if False:\n",
        cites="kubernetes #72122",
    ),
    Wrong(
        "flushes-after-a-minute",
        "A pod is flushed from unschedulablePods after one minute, not five.",
        "refsched.releases.v1_34",
        "max_in_unschedulable_pods=300.0",
        "max_in_unschedulable_pods=60.0",
    ),
    Wrong(
        "forgets-what-happened-in-flight",
        "Events during an attempt are not checked when the pod returns to the queue.",
        _REQUEUEING,
        "for happening in in_flight.since_pop(pod.pod.uid):",
        "for happening in ():",
        cites="kubernetes #119784",
    ),
    Wrong(
        "remembers-what-happened-before",
        "Events from before a pod was popped can requeue it.",
        _IN_FLIGHT,
        "self._first_of[pod.pod.uid] = self._dropped + len(self._happenings)",
        "self._first_of[pod.pod.uid] = self._dropped",
    ),
    Wrong(
        "done-is-not-called-for-who-is-skipped",
        "A pod that is popped and skipped stays in flight for ever.",
        _SCHEDULER,
        "            queue.done(popped.pod.uid)\n        return False\n",
        "        return False\n",
        cites="kubernetes #126962",
    ),
    Wrong(
        "keeps-the-first-timestamp",
        "A pod that failed keeps its timestamp in the queue, so that later pods starve.",
        _QUEUE,
        "            timestamp=self._clock(),\n",
        "",
        cites="scheduler-plugins #110",
    ),
    Wrong(
        "last-in-first-out",
        "Of pods of equal priority the one queued last is popped first.",
        _SORT,
        "return (-a.pod.priority, a.timestamp) < (-b.pod.priority, b.timestamp)",
        "return (-a.pod.priority, -a.timestamp) < (-b.pod.priority, -b.timestamp)",
        cites="kubernetes #83834",
    ),
    Wrong(
        "sorts-without-priority",
        "Pods are popped in the order of their timestamps, whatever their priority.",
        _SORT,
        "return (-a.pod.priority, a.timestamp) < (-b.pod.priority, b.timestamp)",
        "return a.timestamp < b.timestamp",
    ),
    Wrong(
        "one-gate-is-no-gate",
        "A pod with one remaining scheduling gate is queued.",
        _GATES,
        "if not pod.spec.scheduling_gates:",
        "if len(pod.spec.scheduling_gates) < 2:",
    ),
    Wrong(
        "gated-pods-hear-nothing",
        "Events do not requeue a pod that a PreEnqueue plugin rejected.",
        _QUEUE,
        "if not pod.is_gated or pod.gating_plugin in interested:",
        "if not pod.is_gated:",
        cites="kubernetes #125527, #139162",
    ),
    Wrong(
        "waits-out-the-backoff",
        "If activeQ is empty, no pod is popped from backoffQ.",
        _REQUEUEING,
        "return backoff.first()",
        "return ()",
    ),
    Wrong(
        "errors-need-not-wait",
        "A pod whose attempt ended in an error may be popped before its backoff is complete.",
        _ROWS,
        "_P.IN_FLIGHT,       _O.ERROR,              _P.ERROR_BACKOFF,",
        "_P.IN_FLIGHT,       _O.ERROR,              _P.BACKOFF,",
    ),
    Wrong(
        "an-event-ends-the-backoff",
        "A pod that an event requeues enters activeQ even if its backoff is not complete.",
        _ROWS,
        "_P.UNSCHEDULABLE,   _O.HINT_IN_BACKOFF,    _P.BACKOFF,",
        "_P.UNSCHEDULABLE,   _O.HINT_IN_BACKOFF,    _P.ACTIVE,",
    ),
    Wrong(
        "requeues-on-any-event",
        "A pod is requeued by an event that cannot make it schedulable.",
        _ROWS,
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.UNSCHEDULABLE,",
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.BACKOFF,",
    ),
    Wrong(
        "refused-pods-are-lost",
        "An unschedulable pod is in no queue.",
        _ROWS,
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.UNSCHEDULABLE,",
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.NOWHERE,",
    ),
    Wrong(
        "keeps-deleted-pods",
        "An unschedulable pod that is deleted stays in the queue.",
        _QUEUE,
        "        self._go(found, place, Occurrence.DELETED)\n",
        "        return\n",
        cites="kubernetes #106102",
    ),
    Wrong(
        "an-update-ends-the-backoff",
        "A pod in backoffQ enters activeQ on any update.",
        _ROWS,
        "_P.BACKOFF,         _O.UPDATED,            _P.BACKOFF,",
        "_P.BACKOFF,         _O.UPDATED,            _P.ACTIVE,",
    ),
    Wrong(
        "any-update-requeues",
        "An unschedulable pod enters activeQ on any update.",
        _QUEUE,
        "        self._hear_update(updated, changes)\n",
        "        self._go(updated, place, Occurrence.ACTIVATED)\n",
    ),
    Wrong(
        "an-event-in-flight-ends-the-backoff",
        "A pod that an event during its attempt requeues has no backoff.",
        _ROWS,
        "_P.IN_FLIGHT,       _O.HINT_IN_BACKOFF,    _P.BACKOFF,",
        "_P.IN_FLIGHT,       _O.HINT_IN_BACKOFF,    _P.ACTIVE,",
    ),
    Wrong(
        "the-awaited-backs-off-too",
        "A pod whose Pending status is ended by an event backs off like a pod that was rejected.",
        _REQUEUEING,
        "    if strategy is Strategy.IMMEDIATELY:\n",
        "    if False:\n",
    ),
    Wrong(
        "flushes-one-pod-at-a-time",
        "Of the pods that waited for five minutes only one is flushed at a time.",
        _QUEUE,
        "self._hear_all(overdue, Happening(events.UNSCHEDULABLE_TIMEOUT))",
        "self._hear_all(overdue[:1], Happening(events.UNSCHEDULABLE_TIMEOUT))",
    ),
    Wrong(
        "ends-one-backoff-at-a-time",
        "Of the pods whose backoff is complete only one enters activeQ each second.",
        _QUEUE,
        "                for pod in heads:\n"
        "                    self._move(pod, place, Occurrence.BACKOFF_OVER)\n",
        "                self._move(heads[0], place, Occurrence.BACKOFF_OVER)\n                break\n",
    ),
    Wrong(
        "tries-who-is-being-deleted",
        "A pod that is being deleted is scheduled when it is popped.",
        _HANDLERS,
        "return pod.metadata.deletion_timestamp is not None or scheduler",
        "return scheduler",
    ),
)
