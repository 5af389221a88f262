# SPDX-License-Identifier: Apache-2.0
"""Untestable rules: those that no test of the suite is about, each with the reason and where it is checked.

Of the beginnings of an id the longest counts. A rule that no test names must be found here.
"""

from __future__ import annotations

_ELSEWHERE = {
    **dict.fromkeys(
        (
            *("R-CONFIG-02", "R-CONFIG-10", "R-CONFIG-11", "R-CONFIG-12", "R-CONFIG-21", "R-CONFIG-23"),
            *("R-CONFIG-24", "R-CONFIG-26", "R-CONFIG-27", "R-CONFIG-28", "R-CONFIG-53"),
            *("R-ARGS-01", "R-ARGS-03", "R-ARGS-04", "R-ARGS-05", "R-ARGS-18"),
        ),
        "what a configuration means shows in what is decided by it, and not by itself: tests/config, which were"
        " compared with kube-scheduler's own loader",
    ),
    "R-FEATURE": "which gates are known is the specification's own limit: tests/config",
    "R-NODENAME": (
        "a pod that names its node counts as one that runs there, and never comes into a queue:"
        " tests/plugins/test_small_plugins.py"
    ),
    "R-CURE-NodeName": "NodeName rejects no pod that is scheduled, and so is asked about no event",
    "R-DRA-15": (
        "only a scheduler that filters nodes in parallel is interrupted, and only by chance; the specification"
        " follows it, and is not interrupted itself: tests/checking/test_search.py"
    ),
    "R-DRA-59": (
        "a search that takes ten seconds on any machine would take ten seconds in every run:"
        " tests/devices/test_search_memory.py"
    ),
    "R-PREEMPT-17": (
        "the victims are deleted before the scheduler is shown any event, so the preemptor is in no queue while"
        " its preemption runs: tests/plugins/test_default_preemption.py"
    ),
    "R-DEFAULTS": (
        "an API server applies them before a scheduler sees an object; they count when what follows is compared:"
        " tests/reading/test_defaults.py"
    ),
}


def why_elsewhere(rule: str) -> str | None:
    """Returns why no test of the suite names this rule, or None if one should."""
    found = [start for start in _ELSEWHERE if f"{rule}-".startswith(f"{start}-")]
    return _ELSEWHERE[max(found, key=len)] if found else None


NOT_SPECIFIED = (
    (
        "How many devices kube-scheduler can try before filterTimeout ends a search (R-DRA-59)",
        "it depends on the machine",
    ),
    (
        "Which of two binding cycles that run at the same moment writes first",
        "a cycle runs until something holds it up, so that every interleaving can be reached by scripts that hold"
        " it; races within one call cannot be driven from outside",
    ),
    (
        "A device that is allocated twice because one binding cycle takes back what another one has just written",
        "the order of events in which this happens needs two cycles between the same two writes",
    ),
    (
        "The exact cost of a CEL expression",
        "what is counted is a lower bound: an evaluation that is stopped here is stopped by kube-scheduler too",
    ),
    (
        "CEL functions for URLs, addresses, formats and times, macros of two variables, and how cel-go words it"
        " that an expression cannot be compiled",
        "a function or macro that is not followed is refused by its name (R-FEATURE-06); of an expression that"
        " cannot be compiled only that is compared, and not how it is worded",
    ),
    (
        "Feature gates whose other setting changes a rule that is stated here",
        "a configuration that sets such a gate otherwise is refused with its name (R-FEATURE-02), and not followed"
        " halfway",
    ),
    (
        "Admission: what the API server refuses, quota, and mutation by webhooks",
        "admission is over when an object reaches the scheduler; of it only defaulting is done here (R-DEFAULTS)",
    ),
    (
        "Scores of a resource of which a node has so much that a hundred times as much exceeds 64 bits (82Pi of"
        " memory)",
        "kube-scheduler's integers overflow there, and those of the specification do not; no such node is drawn",
    ),
    ("Events, metrics, logs and the debugger", "they decide nothing"),
    (
        "Leader election, restarts, and informers that list again",
        "a scheduler that starts anew receives all objects again: a history may begin so",
    ),
)
"""What is deliberately left open, and why."""
