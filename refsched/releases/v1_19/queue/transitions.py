# SPDX-License-Identifier: Apache-2.0
"""TRANSITIONS: where a pod of v1.19's queue goes, by where it is and what happens to it.

The queues are activeQ, podBackoffQ and unschedulableQ, and there are no hints. The queue does not know which
pods are in flight: a pod that was popped is in none of its queues, so that an update puts it into activeQ a
second time while its attempt goes on. A *move request* is an event that moves pods from unschedulableQ,
whether it holds any or not.
Observed: how the queue is divided is this version's way to retry in time.
Shows in: queue.
Source: pkg/scheduler/internal/queue/scheduling_queue.go, in the function that each row names.
"""

from __future__ import annotations

from enum import Enum

from refsched.queue.transitions import Occurrence, Place, Transition, Transitions


class Happened(Enum):
    """Happened is what can happen to a pod in v1.19 only."""

    STATUS_UPDATED = "status updated"
    FAILED = "failed"
    FAILED_AND_MOVED = "failed after a move request"
    MOVED_IN_BACKOFF = "move request, in backoff"
    MOVED = "move request"


_P, _O, _H = Place, Occurrence, Happened
_ADD = "AddUnschedulableIfNotPresent"
_MOVE = "movePodsToActiveOrBackoffQueue"

# fmt: off
_ROWS = (
    # rule         where the pod is    what happens           where it goes     function in Kubernetes
    ("R-QUEUE-61", _P.NOWHERE,         _O.ADDED,              _P.ACTIVE,        "Add",
     "In v1.19 a new pod goes to activeQ."),
    ("R-QUEUE-62", _P.NOWHERE,         _O.UPDATED,            _P.ACTIVE,        "Update",
     "In v1.19 an updated pod that is in none of the queues goes to activeQ like a new one, even while "
     "an attempt to schedule it goes on."),
    ("R-QUEUE-63", _P.NOWHERE,         _H.STATUS_UPDATED,     _P.ACTIVE,        "Update",
     "In v1.19 a pod whose status alone is updated, and that is in none of the queues, goes to activeQ "
     "like a new one."),
    ("R-QUEUE-64", _P.NOWHERE,         _O.DELETED,            _P.NOWHERE,       "Delete",
     "In v1.19 deleting a pod that is in none of the queues has no effect on them."),

    ("R-QUEUE-65", _P.ACTIVE,          _O.POPPED,             _P.IN_FLIGHT,     "Pop",
     "In v1.19 a pod is popped from activeQ, and from no other queue."),
    ("R-QUEUE-66", _P.ACTIVE,          _O.UPDATED,            _P.ACTIVE,        "Update",
     "In v1.19 an updated pod in activeQ stays there, sorted by what it is now."),
    ("R-QUEUE-67", _P.ACTIVE,          _H.STATUS_UPDATED,     _P.ACTIVE,        "Update",
     "In v1.19 a pod in activeQ whose status is updated stays there."),
    ("R-QUEUE-68", _P.ACTIVE,          _O.DELETED,            _P.NOWHERE,       "Delete",
     "In v1.19 a deleted pod is removed from activeQ."),

    ("R-QUEUE-69", _P.IN_FLIGHT,       _H.FAILED,             _P.UNSCHEDULABLE, _ADD,
     "In v1.19 a pod whose attempt failed, for whatever reason, goes to unschedulableQ if there was no "
     "move request since the last Pop."),
    ("R-QUEUE-70", _P.IN_FLIGHT,       _H.FAILED_AND_MOVED,   _P.BACKOFF,       _ADD,
     "In v1.19 a pod whose attempt failed goes to podBackoffQ if there was a move request since the last Pop, "
     "even one that moved no pod."),

    ("R-QUEUE-71", _P.UNSCHEDULABLE,   _H.MOVED_IN_BACKOFF,   _P.BACKOFF,       _MOVE,
     "In v1.19 a move request brings a pod from unschedulableQ to podBackoffQ if its backoff is not over."),
    ("R-QUEUE-72", _P.UNSCHEDULABLE,   _H.MOVED,              _P.ACTIVE,        _MOVE,
     "In v1.19 a move request brings a pod from unschedulableQ to activeQ if its backoff is over."),
    ("R-QUEUE-73", _P.UNSCHEDULABLE,   _O.UPDATED,            _P.ACTIVE,        "Update",
     "In v1.19 an update of anything but its status brings a pod from unschedulableQ to activeQ, though its "
     "backoff may not be over."),
    ("R-QUEUE-74", _P.UNSCHEDULABLE,   _H.STATUS_UPDATED,     _P.UNSCHEDULABLE, "Update",
     "In v1.19 a pod in unschedulableQ stays there if its status alone is updated."),
    ("R-QUEUE-75", _P.UNSCHEDULABLE,   _O.DELETED,            _P.NOWHERE,       "Delete",
     "In v1.19 a deleted pod is removed from unschedulableQ."),

    ("R-QUEUE-76", _P.BACKOFF,         _O.BACKOFF_OVER,       _P.ACTIVE,        "flushBackoffQCompleted",
     "In v1.19 a pod whose backoff is over goes from podBackoffQ to activeQ with the next flush."),
    ("R-QUEUE-77", _P.BACKOFF,         _O.UPDATED,            _P.ACTIVE,        "Update",
     "In v1.19 an update brings a pod from podBackoffQ to activeQ, though its backoff is not over."),
    ("R-QUEUE-78", _P.BACKOFF,         _H.STATUS_UPDATED,     _P.ACTIVE,        "Update",
     "In v1.19 even an update of its status alone, such as the scheduler's own, brings a pod from podBackoffQ to "
     "activeQ."),
    ("R-QUEUE-79", _P.BACKOFF,         _O.DELETED,            _P.NOWHERE,       "Delete",
     "In v1.19 a deleted pod is removed from podBackoffQ."),
)
# fmt: on

TRANSITIONS = Transitions(Transition(*row) for row in _ROWS)
