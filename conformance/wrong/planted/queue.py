# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in the scheduling queue: who is tried next, and who waits where."""

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
        "a refused pod that no event cures is never tried again",
        _QUEUE,
        "        if overdue:\n",
        "        if False:\n",
        cites="kubernetes #72122",
    ),
    Wrong(
        "flushes-after-a-minute",
        "a refused pod is tried again after one minute, not five",
        "refsched.releases.v1_34",
        "max_in_unschedulable_pods=300.0",
        "max_in_unschedulable_pods=60.0",
    ),
    Wrong(
        "forgets-what-happened-in-flight",
        "what happens during an attempt is not asked for a cure",
        _REQUEUEING,
        "for happening in in_flight.since_pop(pod.pod.uid):",
        "for happening in ():",
        cites="kubernetes #119784",
    ),
    Wrong(
        "remembers-what-happened-before",
        "what happened before a pod was popped may cure it too",
        _IN_FLIGHT,
        "self._first_of[pod.pod.uid] = self._dropped + len(self._happenings)",
        "self._first_of[pod.pod.uid] = self._dropped",
    ),
    Wrong(
        "done-is-not-called-for-who-is-skipped",
        "a pod that is popped and skipped stays in flight for ever",
        _SCHEDULER,
        "            queue.done(popped.pod.uid)\n        return False\n",
        "        return False\n",
        cites="kubernetes #126962",
    ),
    Wrong(
        "keeps-the-first-timestamp",
        "pods that fail keep their place in the queue, so that later ones starve",
        _QUEUE,
        "            timestamp=self._clock(),\n",
        "",
        cites="scheduler-plugins #110",
    ),
    Wrong(
        "last-in-first-out",
        "of pods of equal priority the one that came last is tried first",
        _SORT,
        "return (-a.pod.priority, a.timestamp) < (-b.pod.priority, b.timestamp)",
        "return (-a.pod.priority, -a.timestamp) < (-b.pod.priority, -b.timestamp)",
        cites="kubernetes #83834",
    ),
    Wrong(
        "sorts-without-priority",
        "pods are tried in the order in which they came",
        _SORT,
        "return (-a.pod.priority, a.timestamp) < (-b.pod.priority, b.timestamp)",
        "return a.timestamp < b.timestamp",
    ),
    Wrong(
        "one-gate-is-no-gate",
        "a pod with one scheduling gate left is queued",
        _GATES,
        "if not pod.spec.scheduling_gates:",
        "if len(pod.spec.scheduling_gates) < 2:",
    ),
    Wrong(
        "gated-pods-hear-nothing",
        "a pod that a plugin holds back is not looked at again when other objects change",
        _QUEUE,
        "if not pod.is_gated or pod.gating_plugin in interested:",
        "if not pod.is_gated:",
        cites="kubernetes #125527, #139162",
    ),
    Wrong(
        "waits-out-the-backoff",
        "while activeQ is empty nobody is taken from backoffQ",
        _REQUEUEING,
        "return backoff.first()",
        "return ()",
    ),
    Wrong(
        "errors-need-not-wait",
        "a pod whose attempt failed with an error may be popped before its backoff is over",
        _ROWS,
        "_P.IN_FLIGHT,       _O.ERROR,              _P.ERROR_BACKOFF,",
        "_P.IN_FLIGHT,       _O.ERROR,              _P.BACKOFF,",
    ),
    Wrong(
        "an-event-ends-the-backoff",
        "a refused pod that an event may cure is active at once, though it backs off",
        _ROWS,
        "_P.UNSCHEDULABLE,   _O.HINT_IN_BACKOFF,    _P.BACKOFF,",
        "_P.UNSCHEDULABLE,   _O.HINT_IN_BACKOFF,    _P.ACTIVE,",
    ),
    Wrong(
        "retries-who-is-not-cured",
        "a refused pod goes to backoffQ though nothing would change the answer",
        _ROWS,
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.UNSCHEDULABLE,",
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.BACKOFF,",
    ),
    Wrong(
        "refused-pods-are-lost",
        "a refused pod is in no queue any more",
        _ROWS,
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.UNSCHEDULABLE,",
        "_P.IN_FLIGHT,       _O.NO_HINT,            _P.NOWHERE,",
    ),
    Wrong(
        "keeps-deleted-pods",
        "a pod that is deleted while it is refused stays in the queue",
        _QUEUE,
        "        self._go(found, place, Occurrence.DELETED)\n",
        "        return\n",
        cites="kubernetes #106102",
    ),
    Wrong(
        "an-update-ends-the-backoff",
        "a pod in backoffQ that changes in any way is active at once",
        _ROWS,
        "_P.BACKOFF,         _O.UPDATED,            _P.BACKOFF,",
        "_P.BACKOFF,         _O.UPDATED,            _P.ACTIVE,",
    ),
    Wrong(
        "any-update-is-a-cure",
        "a refused pod that changes in any way is active at once",
        _QUEUE,
        "        self._hear_update(updated, changes)\n",
        "        self._go(updated, place, Occurrence.ACTIVATED)\n",
    ),
    Wrong(
        "a-cure-in-flight-ends-the-backoff",
        "a refused pod that an event during its attempt may have cured need not back off",
        _ROWS,
        "_P.IN_FLIGHT,       _O.HINT_IN_BACKOFF,    _P.BACKOFF,",
        "_P.IN_FLIGHT,       _O.HINT_IN_BACKOFF,    _P.ACTIVE,",
    ),
    Wrong(
        "the-awaited-backs-off-too",
        "a pod that waited for something, which came, backs off like one that was refused",
        _REQUEUEING,
        "    if strategy is Strategy.IMMEDIATELY:\n",
        "    if False:\n",
    ),
    Wrong(
        "flushes-one-pod-at-a-time",
        "of several pods that waited for five minutes only one is tried again",
        _QUEUE,
        "self._hear_all(overdue, Happening(events.UNSCHEDULABLE_TIMEOUT))",
        "self._hear_all(overdue[:1], Happening(events.UNSCHEDULABLE_TIMEOUT))",
    ),
    Wrong(
        "ends-one-backoff-at-a-time",
        "of several pods whose backoff is over one becomes active each second",
        _QUEUE,
        "                for pod in heads:\n"
        "                    self._move(pod, place, Occurrence.BACKOFF_OVER)\n",
        "                self._move(heads[0], place, Occurrence.BACKOFF_OVER)\n                break\n",
    ),
    Wrong(
        "tries-who-is-being-deleted",
        "a pod that is being deleted is tried like any other when its turn comes",
        _HANDLERS,
        "return pod.metadata.deletion_timestamp is not None or scheduler",
        "return scheduler",
    ),
)
