# SPDX-License-Identifier: Apache-2.0
"""TRANSITIONS: where a pod of the queue goes, by where it is and what happens to it.

The queue asks this table and does nothing that is not in it. PreEnqueue is asked of every pod that is on its
way to activeQ or backoffQ, except of one whose backoff is over; where it refuses, the row ``held`` counts
instead.
Source: pkg/scheduler/backend/queue/scheduling_queue.go (v1.34.2), in the function that each row names.
"""

from __future__ import annotations

from enum import Enum

from attrs import frozen


class Place(Enum):
    """Where a pod can be. An observer sees gated pods among the unschedulable, and both backoffs as one."""

    NOWHERE = "nowhere"
    ACTIVE = "active"
    BACKOFF = "backoff"
    ERROR_BACKOFF = "error backoff"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    IN_FLIGHT = "in flight"


class Occurrence(Enum):
    """What can happen to a pod."""

    ADDED = "added"
    UPDATED = "updated"
    DELETED = "deleted"
    POPPED = "popped"
    DONE = "done"
    NO_CURE = "refused, no cure"
    CURED_EARLY = "refused, cured, still backing off"
    CURED = "refused, cured, not backing off"
    AWAITED = "refused, what was pending has come"
    FAILED = "error, still backing off"
    FAILED_FREE = "error, no backoff"
    BACKOFF_OVER = "backoff over"
    ACTIVATED = "activated"
    HELD = "held by PreEnqueue"


@frozen
class Transition:
    rule: str
    place: Place
    occurrence: Occurrence
    goes_to: Place
    source: str
    why: str


_P, _O = Place, Occurrence
_ADD = "AddUnschedulableIfNotPresent"
_MOVE = "movePodsToActiveOrBackoffQueue"

# fmt: off
_ROWS = (
    # rule         where the pod is    what happens     where it goes
    ("R-QUEUE-01", _P.NOWHERE,         _O.ADDED,        _P.ACTIVE,        "Add",
     "a new pod is tried at once"),
    ("R-QUEUE-02", _P.NOWHERE,         _O.UPDATED,      _P.ACTIVE,        "Update",
     "an unknown pod that changes is as good as new"),
    ("R-QUEUE-03", _P.NOWHERE,         _O.HELD,         _P.GATED,         "moveToActiveQ",
     "it waits at the gate until the plugin that holds it lets it in"),

    ("R-QUEUE-04", _P.ACTIVE,          _O.POPPED,       _P.IN_FLIGHT,     "Pop",
     "its turn has come"),
    ("R-QUEUE-05", _P.BACKOFF,         _O.POPPED,       _P.IN_FLIGHT,     "popBackoff",
     "while activeQ is empty nobody is served before it, so it need not wait"),
    ("R-QUEUE-06", _P.IN_FLIGHT,       _O.DONE,         _P.NOWHERE,       "Done",
     "it is bound, or gone"),

    ("R-QUEUE-07", _P.IN_FLIGHT,       _O.NO_CURE,      _P.UNSCHEDULABLE, _ADD,
     "nothing that happened during the attempt would change the answer"),
    ("R-QUEUE-08", _P.IN_FLIGHT,       _O.CURED_EARLY,  _P.BACKOFF,       _ADD,
     "an event during the attempt may have cured it, and it just had its turn"),
    ("R-QUEUE-09", _P.IN_FLIGHT,       _O.CURED,        _P.ACTIVE,        _ADD,
     "an event during the attempt may have cured it, and backoff is turned off"),
    ("R-QUEUE-10", _P.IN_FLIGHT,       _O.AWAITED,      _P.ACTIVE,        _ADD,
     "it waited for something, and the wait is no reason for a backoff"),
    ("R-QUEUE-11", _P.IN_FLIGHT,       _O.FAILED,       _P.ERROR_BACKOFF, _ADD,
     "no event cures an error; the API server is given time"),
    ("R-QUEUE-12", _P.IN_FLIGHT,       _O.FAILED_FREE,  _P.ACTIVE,        _ADD,
     "no event cures an error, and backoff is turned off"),
    ("R-QUEUE-13", _P.IN_FLIGHT,       _O.HELD,         _P.GATED,         "runPreEnqueuePlugins",
     "a plugin holds it since its attempt, as preemption does while victims are being deleted"),

    ("R-QUEUE-14", _P.UNSCHEDULABLE,   _O.NO_CURE,      _P.UNSCHEDULABLE, _MOVE,
     "the event cures none of those who refused it"),
    ("R-QUEUE-15", _P.UNSCHEDULABLE,   _O.CURED_EARLY,  _P.BACKOFF,       _MOVE,
     "an event may have cured it, and its backoff goes on"),
    ("R-QUEUE-16", _P.UNSCHEDULABLE,   _O.CURED,        _P.ACTIVE,        _MOVE,
     "an event may have cured it, and it has waited long enough"),
    ("R-QUEUE-17", _P.UNSCHEDULABLE,   _O.AWAITED,      _P.ACTIVE,        _MOVE,
     "what it waited for has come"),
    ("R-QUEUE-18", _P.UNSCHEDULABLE,   _O.ACTIVATED,    _P.ACTIVE,        "Activate",
     "a plugin asks for it by name"),
    ("R-QUEUE-19", _P.UNSCHEDULABLE,   _O.HELD,         _P.GATED,         "runPreEnqueuePlugins",
     "it may be cured, but a plugin holds it"),
    ("R-QUEUE-20", _P.UNSCHEDULABLE,   _O.DELETED,      _P.NOWHERE,       "Delete",
     "it is gone"),

    ("R-QUEUE-21", _P.GATED,           _O.NO_CURE,      _P.GATED,         _MOVE,
     "the event is not one that the plugin at the gate waits for"),
    ("R-QUEUE-22", _P.GATED,           _O.CURED_EARLY,  _P.BACKOFF,       _MOVE,
     "the gate is open, and the backoff of an earlier attempt goes on"),
    ("R-QUEUE-23", _P.GATED,           _O.CURED,        _P.ACTIVE,        _MOVE,
     "the gate is open"),
    ("R-QUEUE-24", _P.GATED,           _O.AWAITED,      _P.ACTIVE,        _MOVE,
     "the gate is open, and what an earlier attempt waited for has come"),
    ("R-QUEUE-25", _P.GATED,           _O.ACTIVATED,    _P.ACTIVE,        "Activate",
     "a plugin asks for it by name, and the gate is open"),
    ("R-QUEUE-26", _P.GATED,           _O.HELD,         _P.GATED,         "runPreEnqueuePlugins",
     "the event looked like a key, and the gate, or another one, is closed all the same"),
    ("R-QUEUE-27", _P.GATED,           _O.DELETED,      _P.NOWHERE,       "Delete",
     "it is gone"),

    ("R-QUEUE-28", _P.BACKOFF,         _O.BACKOFF_OVER, _P.ACTIVE,        "flushBackoffQCompleted",
     "it has waited long enough"),
    ("R-QUEUE-29", _P.BACKOFF,         _O.ACTIVATED,    _P.ACTIVE,        "Activate",
     "a plugin asks for it by name"),
    ("R-QUEUE-30", _P.BACKOFF,         _O.HELD,         _P.GATED,         "runPreEnqueuePlugins",
     "a plugin asks for it by name, and another holds it"),
    ("R-QUEUE-31", _P.BACKOFF,         _O.UPDATED,      _P.BACKOFF,       "Update",
     "it will be tried anyway"),
    ("R-QUEUE-32", _P.BACKOFF,         _O.DELETED,      _P.NOWHERE,       "Delete",
     "it is gone"),

    ("R-QUEUE-33", _P.ERROR_BACKOFF,   _O.BACKOFF_OVER, _P.ACTIVE,        "flushBackoffQCompleted",
     "it has waited long enough; unlike a refused pod it is never popped before"),
    ("R-QUEUE-34", _P.ERROR_BACKOFF,   _O.ACTIVATED,    _P.ACTIVE,        "Activate",
     "a plugin asks for it by name"),
    ("R-QUEUE-35", _P.ERROR_BACKOFF,   _O.HELD,         _P.GATED,         "runPreEnqueuePlugins",
     "a plugin asks for it by name, and another holds it"),
    ("R-QUEUE-36", _P.ERROR_BACKOFF,   _O.UPDATED,      _P.ERROR_BACKOFF, "Update",
     "it will be tried anyway"),
    ("R-QUEUE-37", _P.ERROR_BACKOFF,   _O.DELETED,      _P.NOWHERE,       "Delete",
     "it is gone"),

    ("R-QUEUE-38", _P.ACTIVE,          _O.UPDATED,      _P.ACTIVE,        "Update",
     "it will be tried anyway, in the order of what it is now"),
    ("R-QUEUE-39", _P.ACTIVE,          _O.ACTIVATED,    _P.ACTIVE,        "Activate",
     "it is there already"),
    ("R-QUEUE-40", _P.ACTIVE,          _O.DELETED,      _P.NOWHERE,       "Delete",
     "it is gone"),

    ("R-QUEUE-41", _P.IN_FLIGHT,       _O.UPDATED,      _P.IN_FLIGHT,     "Update",
     "the update is an event of the attempt, and counts when it comes back"),
    ("R-QUEUE-42", _P.IN_FLIGHT,       _O.ACTIVATED,    _P.IN_FLIGHT,     "Activate",
     "the activation is an event of the attempt, and counts when it comes back"),
    ("R-QUEUE-43", _P.IN_FLIGHT,       _O.DELETED,      _P.IN_FLIGHT,     "Delete",
     "its attempt goes to the end"),
    ("R-QUEUE-44", _P.NOWHERE,         _O.ACTIVATED,    _P.NOWHERE,       "Activate",
     "an unknown pod cannot be asked for"),
    ("R-QUEUE-45", _P.NOWHERE,         _O.DELETED,      _P.NOWHERE,       "Delete",
     "an assumed pod, say, is not the queue's"),
)
# fmt: on

TRANSITIONS = tuple(Transition(*row) for row in _ROWS)
_BY_CAUSE = {(row.place, row.occurrence): row.goes_to for row in TRANSITIONS}


def destination(place: Place, occurrence: Occurrence) -> Place:
    """Where the table sends the pod. KeyError: such a thing does not happen to a pod that is there."""
    return _BY_CAUSE[place, occurrence]
