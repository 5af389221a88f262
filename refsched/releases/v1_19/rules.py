# SPDX-License-Identifier: Apache-2.0
"""Rules that later releases have and v1.19 does not, where none of its own stands for them.

In no recording, case or drawn history of v1.19 is one of these rules applied, as
``tests/releases/test_rules_that_hold.py`` holds. An area (``R-HINT``) stands for all of its rules.
"""

from __future__ import annotations

_NO_HINTS = (
    "R-HINT R-FLIGHT-01 R-FLIGHT-02 R-CHANGE-01 R-CHANGE-02 R-CHANGE-03 R-CHANGE-04 R-CHANGE-05 R-FAIL-02"
    " R-EVENT-01 R-EVENT-03 R-EVENT-04 R-EVENT-10 R-QUEUE-46 R-QUEUE-48 R-QUEUE-51 R-QUEUE-52 R-TAINT-05"
    " R-TAINT-06 R-CORDON-03 R-CORDON-04 R-NODEAFF-07 R-PORTS-04 R-PODAFF-14 R-PODAFF-15 R-SPREAD-16 R-SPREAD-17"
    " R-FIT-09 R-FIT-10 R-FIT-11 R-FIT-12 R-VOLRESTR-06 R-VOLRESTR-07 R-VOLZONE-07 R-VOLZONE-08 R-VOLZONE-09"
    " R-VOLLIMIT-10 R-VOLLIMIT-11 R-VOLLIMIT-12 R-VOLLIMIT-13 R-VOLBIND-24 R-VOLBIND-25 R-VOLBIND-26"
    " R-VOLBIND-27 R-VOLBIND-28"
)
"""Every event moves every pod."""

_NO_POP_FROM_BACKOFF = "R-QUEUE-47 R-QUEUE-54 R-BACKOFF-03 R-BACKOFF-04 R-BACKOFF-06 R-GATES"
"""There is no PreEnqueue, and no pod is popped from the backoff queue."""

_NO_BATCHES = "R-BATCH R-SEARCH-15"
"""No pod is tried first where one like it has left a node."""

_NO_SKIP = (
    "R-NODEAFF-01 R-NODEAFF-02 R-NODEAFF-05 R-SPREAD-06 R-VOLBIND-01 R-VOLBIND-22 R-VOLRESTR-01 R-VOLRESTR-02"
    " R-VOLRESTR-04 R-VOLZONE-01 R-VOLZONE-04 R-VOLZONE-06 R-VOLLIMIT-01 R-SEARCH-09"
)
"""These plugins have no PreFilter and no PreScore, and PreFilter excludes no single nodes."""

_OTHER_VOLUMES = (
    "R-VOLBIND-02 R-VOLBIND-06 R-VOLBIND-15 R-VOLBIND-19 R-VOLLIMIT-03 R-VOLLIMIT-05 R-VOLLIMIT-07"
    " R-VOLLIMIT-09 R-VOLLIMIT-15"
)
"""Volumes are looked up for each node; capacity and attachments are not."""

_OTHER_SCORES = "R-BALANCED-01 R-BALANCED-02 R-BALANCED-03 R-BALANCED-04 R-FIT-05 R-NODEAFF-09"
"""Balance and requests are scored otherwise."""

_OTHER_PREEMPTION = (
    "R-PREEMPT-09 R-PREEMPT-10 R-PREEMPT-13 R-PREEMPT-14 R-PREEMPT-17 R-PREEMPT-PREP-02 R-PREEMPT-PREP-03"
    " R-EXTENDER-06"
)
"""Preemption tries every node and asks no extender, and what it does is done before it returns."""

_NO_SUCH_FIELDS = (
    "R-DRA R-REQUEST-03 R-REQUEST-05 R-REQUEST-06 R-REQUEST-07 R-REQUEST-11 R-REQUEST-12 R-REQUEST-13"
    " R-REQUEST-14 R-REQUEST-15 R-REQUEST-16 R-REQUEST-17 R-WORDS-54 R-PODAFF-05 R-SPREAD-03 R-SPREAD-19"
    " R-FEATURE-03 R-FEATURE-06 R-FEATURE-07 R-DEFAULTS-05 R-DEFAULTS-06 R-DEFAULTS-09 R-FAIL-04"
)
"""The API has no claims, no sidecars, no pod-level requests, no resizing, no selector of namespaces, no
minDomains and no matchLabelKeys; a binding that every Bind plugin skips is an error like another."""

_OTHER_CONFIGURATION = (
    "R-CONFIG-23 R-CONFIG-24 R-PODAFF-10 R-NODEAFF-03 R-ARGS-01 R-ARGS-02 R-ARGS-03 R-ARGS-04 R-ARGS-10"
    " R-ARGS-11 R-ARGS-12 R-ARGS-13 R-ARGS-14 R-ARGS-15 R-ARGS-16 R-ARGS-17 R-ARGS-20"
)
"""v1beta1 has no multiPoint, and plugins have other arguments or none."""

LACKS = frozenset(
    " ".join(
        (
            _NO_HINTS,
            _NO_POP_FROM_BACKOFF,
            _NO_BATCHES,
            _NO_SKIP,
            _OTHER_VOLUMES,
            _OTHER_SCORES,
            _OTHER_PREEMPTION,
            _NO_SUCH_FIELDS,
            _OTHER_CONFIGURATION,
        )
    ).split()
)
