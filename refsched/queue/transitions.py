# SPDX-License-Identifier: Apache-2.0
"""TRANSITIONS: where a pod of the queue goes, by where it is and what happens to it.

The queue takes every step by this table (``SchedulingQueue._step``). Three things are not in it:

* PreEnqueue is run for a pod that is about to enter activeQ or backoffQ. If a plugin rejects the pod, the row
  ``rejected by PreEnqueue`` counts instead of the one that brought it there (R-QUEUE-54 says when it is run).
* An update of an unschedulable or gated pod has no row of its own: the pod waits as it is now, and the update
  is an event, for which the rows of events count (R-QUEUE-46; R-QUEUE-52 if it is more than one event).
* A driver that follows another scheduler may pop a pod that is not the next one (``SchedulingQueue.take``).

Observed: how the queue is divided is this version's way to retry in time. R-QUEUE-07 (promised: that a rejected
pod stays pending and is tried again is documented with the condition PodScheduled).
R-QUEUE-10 (needs scripted or devices). R-QUEUE-17 (needs scripted or devices).
Shows in: queue.
Source: pkg/scheduler/backend/queue/scheduling_queue.go, in the function that each row names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from attrs import frozen


class Place(Enum):
    """A Place is where a pod can be. An observer sees gated pods among the unschedulable ones, and both
    backoffs as one."""

    NOWHERE = "nowhere"
    ACTIVE = "active"
    BACKOFF = "backoff"
    ERROR_BACKOFF = "error backoff"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    IN_FLIGHT = "in flight"


QUEUED = frozenset({Place.ACTIVE, Place.BACKOFF, Place.ERROR_BACKOFF})
"""A pod in one of these places is to be tried. No PreEnqueue plugin rejected it on its way there."""


class Occurrence(Enum):
    """An Occurrence is what can happen to a pod. When a hint says Queue, the pod's backoff may or may not be
    over."""

    ADDED = "added"
    UPDATED = "updated"
    DELETED = "deleted"
    POPPED = "popped"
    DONE = "done"
    NO_HINT = "rejected, no hint"
    HINT_IN_BACKOFF = "rejected, hint: queue, in backoff"
    HINT = "rejected, hint: queue"
    PENDING_HINT = "pending, hint: queue"
    ERROR = "error"
    ERROR_NO_BACKOFF = "error, no backoff"
    BACKOFF_OVER = "backoff over"
    ACTIVATED = "activated"
    NOT_ENQUEUED = "rejected by PreEnqueue"


@frozen
class Transition:
    """A Transition is one row: ``why`` is the rule as a sentence, and ``source`` the function in Kubernetes.
    The occurrence is an ``Occurrence``; a table of another release may have occurrences of its own."""

    rule: str
    place: Place
    occurrence: Enum
    goes_to: Place
    source: str
    why: str


class Transitions:
    """Transitions are looked up by place and occurrence."""

    def __init__(self, rows: Iterable[Transition]) -> None:
        self._rows = {(row.place, row.occurrence): row for row in rows}

    def __iter__(self) -> Iterator[Transition]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, cause: tuple[Place, Enum]) -> bool:
        return cause in self._rows

    def row(self, place: Place, occurrence: Enum) -> Transition:
        """Returns the row that decides. Raises KeyError if this cannot happen to a pod in this place."""
        return self._rows[place, occurrence]


_P, _O = Place, Occurrence
_ADD = "AddUnschedulablePodIfNotPresent"
_MOVE = "moveEntitiesToActiveOrBackoffQueue"

# fmt: off
_ROWS = (
    # rule         where the pod is    what happens           where it goes     function in Kubernetes
    ("R-QUEUE-01", _P.NOWHERE,         _O.ADDED,              _P.ACTIVE,        "Add",
     "A new pod goes to activeQ."),
    ("R-QUEUE-02", _P.NOWHERE,         _O.UPDATED,            _P.ACTIVE,        "Update",
     "An updated pod that is not in the queue goes to activeQ like a new one."),
    ("R-QUEUE-03", _P.NOWHERE,         _O.NOT_ENQUEUED,       _P.GATED,         "moveToActiveQ",
     "A new pod that a PreEnqueue plugin rejects is gated: it waits among the unschedulable pods."),

    ("R-QUEUE-04", _P.ACTIVE,          _O.POPPED,             _P.IN_FLIGHT,     "Pop",
     "A pod that is popped from activeQ is in flight until its attempt is over."),
    ("R-QUEUE-05", _P.BACKOFF,         _O.POPPED,             _P.IN_FLIGHT,     "popBackoff",
     "While activeQ is empty, a pod is popped from backoffQ though its backoff is not over."),
    ("R-QUEUE-06", _P.IN_FLIGHT,       _O.DONE,               _P.NOWHERE,       "Done",
     "A pod is no longer in flight once its attempt has passed Permit, is skipped, or ends while the pod is "
     "deleted or waits in the queue again."),

    ("R-QUEUE-07", _P.IN_FLIGHT,       _O.NO_HINT,            _P.UNSCHEDULABLE, _ADD,
     "A rejected pod waits among the unschedulable pods if no plugin that rejected it says Queue for an event "
     "during its attempt."),
    ("R-QUEUE-08", _P.IN_FLIGHT,       _O.HINT_IN_BACKOFF,    _P.BACKOFF,       _ADD,
     "A rejected pod goes to backoffQ if a plugin that rejected it says Queue for an event during its attempt."),
    ("R-QUEUE-09", _P.IN_FLIGHT,       _O.HINT,               _P.ACTIVE,        _ADD,
     "If backoff is disabled, a rejected pod goes to activeQ if a plugin that rejected it says Queue for an event "
     "during its attempt."),
    ("R-QUEUE-10", _P.IN_FLIGHT,       _O.PENDING_HINT,       _P.ACTIVE,        _ADD,
     "A pod goes to activeQ without a backoff if a plugin that rejected it as Pending says Queue for an event "
     "during its attempt."),
    ("R-QUEUE-11", _P.IN_FLIGHT,       _O.ERROR,              _P.ERROR_BACKOFF, _ADD,
     "A pod whose attempt ends in an error is retried after a backoff, since no event resolves an error."),
    ("R-QUEUE-12", _P.IN_FLIGHT,       _O.ERROR_NO_BACKOFF,   _P.ACTIVE,        _ADD,
     "If backoff is disabled, a pod whose attempt ends in an error goes to activeQ."),
    ("R-QUEUE-13", _P.IN_FLIGHT,       _O.NOT_ENQUEUED,       _P.GATED,         "runPreEnqueuePlugins",
     "A pod that would be requeued after its attempt is gated if a PreEnqueue plugin rejects it, as "
     "DynamicResources does if a claim of the pod was deleted meanwhile."),

    ("R-QUEUE-14", _P.UNSCHEDULABLE,   _O.NO_HINT,            _P.UNSCHEDULABLE, _MOVE,
     "An unschedulable pod stays where it is if no plugin that rejected it says Queue for the event."),
    ("R-QUEUE-15", _P.UNSCHEDULABLE,   _O.HINT_IN_BACKOFF,    _P.BACKOFF,       _MOVE,
     "An unschedulable pod goes to backoffQ if a plugin that rejected it says Queue for the event before the "
     "pod's backoff is over."),
    ("R-QUEUE-16", _P.UNSCHEDULABLE,   _O.HINT,               _P.ACTIVE,        _MOVE,
     "An unschedulable pod goes to activeQ if a plugin that rejected it says Queue for the event after the pod's "
     "backoff is over."),
    ("R-QUEUE-17", _P.UNSCHEDULABLE,   _O.PENDING_HINT,       _P.ACTIVE,        _MOVE,
     "An unschedulable pod goes to activeQ without a backoff if a plugin that rejected it as Pending says Queue "
     "for the event."),
    ("R-QUEUE-18", _P.UNSCHEDULABLE,   _O.ACTIVATED,          _P.ACTIVE,        "Activate",
     "An unschedulable pod goes to activeQ if a plugin activates it by name."),
    ("R-QUEUE-19", _P.UNSCHEDULABLE,   _O.NOT_ENQUEUED,       _P.GATED,         "runPreEnqueuePlugins",
     "An unschedulable pod that would be requeued is gated if a PreEnqueue plugin rejects it."),
    ("R-QUEUE-20", _P.UNSCHEDULABLE,   _O.DELETED,            _P.NOWHERE,       "Delete",
     "A deleted pod is removed from the unschedulable pods."),

    ("R-QUEUE-21", _P.GATED,           _O.NO_HINT,            _P.GATED,         _MOVE,
     "A gated pod stays gated if neither the plugin that gates it nor one that rejected it says Queue for the "
     "event."),
    ("R-QUEUE-22", _P.GATED,           _O.HINT_IN_BACKOFF,    _P.BACKOFF,       _MOVE,
     "A gated pod that PreEnqueue accepts goes to backoffQ if the backoff of an earlier attempt is not over."),
    ("R-QUEUE-23", _P.GATED,           _O.HINT,               _P.ACTIVE,        _MOVE,
     "A gated pod that PreEnqueue accepts goes to activeQ if no backoff of an earlier attempt runs."),
    ("R-QUEUE-24", _P.GATED,           _O.PENDING_HINT,       _P.ACTIVE,        _MOVE,
     "A gated pod that PreEnqueue accepts goes to activeQ without a backoff if a plugin that rejected an earlier "
     "attempt as Pending says Queue for the event."),
    ("R-QUEUE-25", _P.GATED,           _O.ACTIVATED,          _P.ACTIVE,        "Activate",
     "A gated pod that PreEnqueue accepts goes to activeQ if a plugin activates it by name."),
    ("R-QUEUE-26", _P.GATED,           _O.NOT_ENQUEUED,       _P.GATED,         "runPreEnqueuePlugins",
     "A gated pod stays gated if an event or an activation would requeue it and a PreEnqueue plugin still "
     "rejects it."),
    ("R-QUEUE-27", _P.GATED,           _O.DELETED,            _P.NOWHERE,       "Delete",
     "A deleted pod is removed from the gated pods."),

    ("R-QUEUE-28", _P.BACKOFF,         _O.BACKOFF_OVER,       _P.ACTIVE,        "flushBackoffQCompleted",
     "A rejected pod whose backoff is over goes from backoffQ to activeQ with the next flush."),
    ("R-QUEUE-29", _P.BACKOFF,         _O.ACTIVATED,          _P.ACTIVE,        "Activate",
     "A pod in backoffQ goes to activeQ if a plugin activates it by name."),
    ("R-QUEUE-30", _P.BACKOFF,         _O.NOT_ENQUEUED,       _P.GATED,         "runPreEnqueuePlugins",
     "A pod in backoffQ that a plugin activates is gated if a PreEnqueue plugin rejects it."),
    ("R-QUEUE-31", _P.BACKOFF,         _O.UPDATED,            _P.BACKOFF,       "Update",
     "An updated pod in backoffQ stays there until its backoff is over."),
    ("R-QUEUE-32", _P.BACKOFF,         _O.DELETED,            _P.NOWHERE,       "Delete",
     "A deleted pod is removed from backoffQ."),

    ("R-QUEUE-33", _P.ERROR_BACKOFF,   _O.BACKOFF_OVER,       _P.ACTIVE,        "flushBackoffQCompleted",
     "A pod that backs off after an error goes to activeQ when its backoff is over, and is never popped before."),
    ("R-QUEUE-34", _P.ERROR_BACKOFF,   _O.ACTIVATED,          _P.ACTIVE,        "Activate",
     "A pod that backs off after an error goes to activeQ if a plugin activates it by name."),
    ("R-QUEUE-35", _P.ERROR_BACKOFF,   _O.NOT_ENQUEUED,       _P.GATED,         "runPreEnqueuePlugins",
     "A pod that backs off after an error and is activated by a plugin is gated if a PreEnqueue plugin rejects "
     "it."),
    ("R-QUEUE-36", _P.ERROR_BACKOFF,   _O.UPDATED,            _P.ERROR_BACKOFF, "Update",
     "An updated pod that backs off after an error stays there until its backoff is over."),
    ("R-QUEUE-37", _P.ERROR_BACKOFF,   _O.DELETED,            _P.NOWHERE,       "Delete",
     "A deleted pod that backs off after an error is removed."),

    ("R-QUEUE-38", _P.ACTIVE,          _O.UPDATED,            _P.ACTIVE,        "Update",
     "An updated pod in activeQ stays there, sorted by what it is now."),
    ("R-QUEUE-39", _P.ACTIVE,          _O.ACTIVATED,          _P.ACTIVE,        "Activate",
     "A pod in activeQ stays there if a plugin activates it."),
    ("R-QUEUE-40", _P.ACTIVE,          _O.DELETED,            _P.NOWHERE,       "Delete",
     "A deleted pod is removed from activeQ."),

    ("R-QUEUE-41", _P.IN_FLIGHT,       _O.UPDATED,            _P.IN_FLIGHT,     "Update",
     "An update of a pod in flight counts as an event during its attempt."),
    ("R-QUEUE-42", _P.IN_FLIGHT,       _O.ACTIVATED,          _P.IN_FLIGHT,     "Activate",
     "An activation of a pod in flight counts as an event during its attempt."),
    ("R-QUEUE-43", _P.IN_FLIGHT,       _O.DELETED,            _P.IN_FLIGHT,     "Delete",
     "A pod that is deleted in flight stays in flight until its attempt ends."),
    ("R-QUEUE-44", _P.NOWHERE,         _O.ACTIVATED,          _P.NOWHERE,       "Activate",
     "Activating a pod that is not in the queue has no effect."),
    ("R-QUEUE-45", _P.NOWHERE,         _O.DELETED,            _P.NOWHERE,       "Delete",
     "Deleting a pod that is not in the queue, such as an assumed one, has no effect on the queue."),
)
# fmt: on

TRANSITIONS = Transitions(Transition(*row) for row in _ROWS)
