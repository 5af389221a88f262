# SPDX-License-Identifier: Apache-2.0
"""Elsewhere: rules that no test of the suite is about, each with the reason and where it is checked instead.

Longest beginning of an id first, as with levels. A rule that is in no test's list must be found here.
"""

from __future__ import annotations

_ELSEWHERE = {
    "R-CONFIG": (
        "a configuration is refused before there is a scheduler to ask: tests/config, which were compared with"
        " kube-scheduler's own loader"
    ),
    "R-ARGS": "the arguments of plugins are refused, or not, before there is a scheduler to ask: tests/config",
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
        " tests/devices/test_fruitless.py"
    ),
    "R-PREEMPT-17": (
        "the victims are deleted before the scheduler is shown any event, so the preemptor is in no queue while"
        " its preemption runs: tests/plugins/test_default_preemption.py"
    ),
    "R-DEFAULTS": (
        "an API server applies them before a scheduler sees an object; they count when what follows is compared:"
        " tests/objects/test_defaults.py"
    ),
}


def why_elsewhere(rule: str) -> str | None:
    """Why no test of the suite names this rule; None where one should."""
    found = [start for start in _ELSEWHERE if rule.startswith(start)]
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
        "A device that is given twice while one binding cycle takes back what another one just wrote",
        "the order of events in which this happens needs two cycles between the same two writes",
    ),
    (
        "The exact cost of a CEL expression",
        "what is counted is a lower bound: an evaluation that is stopped here is stopped by kube-scheduler too",
    ),
    (
        "CEL functions for URLs, addresses, formats and times, macros of two variables, and how cel-go words it"
        " where an expression cannot be compiled",
        "what is not followed is refused by its name (R-FEATURE-06); only that one cannot be compiled is compared",
    ),
    (
        "Feature gates whose other setting changes a rule that is stated here",
        "a configuration that sets one is refused with the name of the gate (R-FEATURE-02), not followed halfway",
    ),
    (
        "Admission: what the API server refuses, quota, and mutation by webhooks",
        "it is over when an object reaches the scheduler; only what is defaulted is done here (R-DEFAULTS)",
    ),
    ("Events for people, metrics, logs and the debugger", "nothing is decided by them"),
    (
        "Leader election, restarts, and lists that are relisted",
        "a scheduler that starts anew receives all objects again: a history may begin so",
    ),
)
"""What is deliberately left open, and why."""
