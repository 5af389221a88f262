# SPDX-License-Identifier: Apache-2.0
"""Levels: which rules are promised to everybody, and which are what this version happens to do.

A rule is promised where the documented API or a KEP says so: any scheduler that calls itself compatible must keep
it. The other ones are observed. Each entry says why; the longest beginning of an id that is listed counts.
"""

from __future__ import annotations

PROMISED = "promised"
OBSERVED = "observed"

_LEVELS = {
    "R-": (PROMISED, "this is documented with the API or with kube-scheduler's configuration"),
    "R-WORDS": (OBSERVED, "the wording of reasons and messages is not part of the API"),
    "R-SEARCH": (OBSERVED, "which nodes are looked at, and in which order, is an optimization"),
    "R-SEARCH-03": (PROMISED, "that a nominated node is tried first is documented with preemption"),
    "R-SEARCH-04": (PROMISED, "that the node with the highest total is chosen is documented"),
    "R-QUEUE": (OBSERVED, "how the queue is divided is this version's way to retry in time"),
    "R-QUEUE-07": (PROMISED, "that a rejected pod stays pending and is tried again is documented"),
    "R-HINT": (OBSERVED, "queueing hints may only save attempts (KEP-4247)"),
    "R-CURE": (OBSERVED, "queueing hints may only save attempts (KEP-4247)"),
    "R-CHANGE": (OBSERVED, "how an update is broken into events serves the queueing hints"),
    "R-FLIGHT": (OBSERVED, "what is remembered for pods in flight serves the queueing hints"),
    "R-EVENT": (OBSERVED, "in which order cache and queue are informed is the version's own"),
    "R-BACKOFF-04": (OBSERVED, "that backoffQ orders pods by whole seconds is an optimization"),
    "R-BACKOFF-05": (OBSERVED, "that backoffQ orders pods by whole seconds is an optimization"),
    "R-PREEMPT-09": (OBSERVED, "how many candidates are looked at is an optimization"),
    "R-PREEMPT-10": (OBSERVED, "where dry runs start and end is an optimization"),
    "R-PREEMPT-15": (OBSERVED, "the wording of a message is not part of the API"),
    "R-PREEMPT-18": (OBSERVED, "the order of equally important pods is that of an unstable sort"),
    "R-VOLBIND-55": (OBSERVED, "that volumes cannot name nodes is an accident of v1.19"),
    "R-VOLBIND-29": (OBSERVED, "the order of claims that request equally much is that of an unstable sort"),
    "R-DRA-07": (OBSERVED, "a PostFilter that misses what PreFilter would have left is an accident"),
    "R-DRA-15": (OBSERVED, "a search for devices may be interrupted, and need not be"),
    "R-DRA-16": (OBSERVED, "in which order pools are tried is not part of the API"),
    "R-DRA-44": (OBSERVED, "which pools must be complete for a node to be considered is not part of the API"),
    "R-DRA-55": (OBSERVED, "a scheduler may take another pool if the first one is invalid"),
    "R-DRA-58": (
        OBSERVED,
        "a scheduler may try other devices, alternatives or nodes if a constraint does not hold",
    ),
    "R-DRA-59": (OBSERVED, "how long a search for devices may take is a setting"),
    "R-DRA-85": (
        OBSERVED,
        "what becomes of a device that two claims hold, which they should not, is an accident",
    ),
    "R-BASIC": (OBSERVED, "how a pod whose claim is missing is rejected was changed later"),
    "R-CACHE-03": (OBSERVED, "in which order nodes are listed is not part of the API"),
    "R-FAIL-02": (OBSERVED, "queueing hints may only save attempts (KEP-4247)"),
    "R-FAIL-04": (OBSERVED, "a profile whose Bind plugins bind nothing is one that nobody should have"),
    "R-CACHE-51": (OBSERVED, "how old a node's count of an image may be is not part of the API"),
    **dict.fromkeys(
        ("R-FRAMEWORK-10", "R-FRAMEWORK-11", "R-FRAMEWORK-12"),
        (OBSERVED, "a plugin without one of its earlier points is a configuration that nobody should have"),
    ),
    "R-FRAMEWORK-52": (OBSERVED, "a plugin without its PreFilter is a configuration that nobody should have"),
    "R-FRAMEWORK-54": (OBSERVED, "a plugin without its PreScore is a configuration that nobody should have"),
    "R-PREEMPT-53": (OBSERVED, "on which nodes preemption is tried is an optimization"),
    "R-PREEMPT-60": (OBSERVED, "that preemption asks no extender is a mistake of v1.19"),
    "R-PREEMPT-61": (OBSERVED, "that a pod which was deleted is tried at all is a mistake of v1.19"),
    "R-ALLOC-03": (OBSERVED, "that overhead counts in whole CPUs is an accident of v1.19"),
    "R-REQUEST-51": (
        OBSERVED,
        "that each container's requests are rounded up by themselves was changed later",
    ),
    "R-SVCAFF-03": (OBSERVED, "an error for a pod that is nominated and runs nowhere is an accident"),
    "R-NODENAME-51": (PROMISED, "spec.nodeName is documented"),
    "R-AVOID-02": (OBSERVED, "the API server would refuse such an annotation"),
    "R-SPREAD-52": (OBSERVED, "which nodes' pods v1.19 counts was changed later"),
    "R-SPREAD-55": (OBSERVED, "how a score becomes an integer is not part of the API"),
    "R-SPREAD-56": (OBSERVED, "a score that is the same for every node decides nothing"),
    "R-PODAFF-52": (OBSERVED, "a score that is the same for every node decides nothing"),
    "R-FIT-53": (OBSERVED, "an overcommitted node is an accident"),
    "R-NODEAFF-53": (OBSERVED, "a preference without expressions is not documented"),
    "R-VOLZONE-52": (OBSERVED, "a pod whose claim is missing is rejected before any node is looked at"),
    "R-PREEMPT-17": (OBSERVED, "asynchronous preemption is a feature gate of this version"),
}


_OF_HINTS = (
    *(
        "R-FIT-09",
        "R-FIT-10",
        "R-FIT-11",
        "R-FIT-12",
        "R-TAINT-05",
        "R-TAINT-06",
        "R-CORDON-03",
        "R-CORDON-04",
    ),
    *("R-NODEAFF-07", "R-PORTS-04", "R-PODAFF-14", "R-PODAFF-15", "R-SPREAD-16", "R-SPREAD-17", "R-GATES-02"),
    *(
        "R-VOLRESTR-06",
        "R-VOLRESTR-07",
        "R-VOLZONE-07",
        "R-VOLZONE-08",
        "R-VOLZONE-09",
        "R-DRA-13",
        "R-DRA-14",
    ),
    *("R-VOLLIMIT-10", "R-VOLLIMIT-11", "R-VOLLIMIT-12", "R-VOLLIMIT-13"),
    *("R-VOLBIND-24", "R-VOLBIND-25", "R-VOLBIND-26", "R-VOLBIND-27", "R-VOLBIND-28"),
)
_LEVELS.update(dict.fromkeys(_OF_HINTS, (OBSERVED, "queueing hints may only save attempts (KEP-4247)")))


def level_of(rule: str) -> str:
    return _entry(rule)[0]


def why_level(rule: str) -> str:
    """Why the rule has its level, in one sentence."""
    return _entry(rule)[1]


def _entry(rule: str) -> tuple[str, str]:
    return _LEVELS[max((start for start in _LEVELS if rule.startswith(start)), key=len)]
