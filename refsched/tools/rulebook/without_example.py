# SPDX-License-Identifier: Apache-2.0
"""Without example: the rules that no history or configuration of the suite shows, and why.

Longest beginning of an id first. What the suite does not ask at all, and what no recording can see, says why in a
table of its own (refsched/suite/catalogue/elsewhere.py, refsched/suite/recording/unreached.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from refsched.suite.catalogue.elsewhere import why_elsewhere
from refsched.suite.recording.unreached import TRANSITIONS

_ONE_FEASIBLE = "it says what a search that stops early may have seen, which needs more than 100 nodes"
_EXTENDER = "it needs an extender that gives an answer which that of the suite never gives"
_NO_HISTORY = "it was looked for, and no history of the tests that name the rule applies it"

WITHOUT_EXAMPLE: Mapping[str, str] = {
    "R-SEARCH-02": _ONE_FEASIBLE,
    "R-CACHE-53": _NO_HISTORY,
    "R-CACHE-54": _NO_HISTORY,
    "R-SVCAFF-03": _NO_HISTORY,
    "R-SVCAFF-04": _NO_HISTORY,
    "R-SEARCH-07": "it allows either of two errors, so that no answer shows it alone",
    "R-EXTENDER-04": _EXTENDER,
    "R-EXTENDER-08": _EXTENDER,
    "R-ASSUME-02": _EXTENDER,
    "R-SPREAD-58": _EXTENDER,
    "R-EXTENDER-52": "its message has the address of the extender, which differs in every run",
    "R-DRA-22": "the API server refuses a ResourceSlice that names a device twice",
    "R-DRA-51": "the API server refuses a constraint that has neither matchAttribute nor distinctAttribute",
    "R-DRA-55": "it needs an invalid pool that is reached after others, which no history draws",
    "R-FEATURE-03": "it says that nothing is decided otherwise",
    "R-FEATURE-05": "an object that is refused is in no history",
    "R-FEATURE-06": "an object that is refused is in no history",
    "R-CONFIG-10": "it is the list of the default plugins, which every example uses",
    "R-REQUEST-10": "the API server refuses such a name",
    "R-BACKOFF-03": "a configuration without backoff is refused (R-CONFIG-04)",
    "R-HINT-01": "a pod whose attempt ended in an error backs off, and is not among those that events requeue",
    "R-CURE-DefaultPreemption-Pod-Delete": "it is about a pod that R-PREEMPT-17 keeps out of the queue",
}


NOT_COMPUTED = "it was not computed; `python -m conformance.wrong.smallest {}` tries to"


def why_without_example(rule: str) -> str:
    """Returns why the rule has no example, if it has none."""
    found = [start for start in WITHOUT_EXAMPLE if rule.startswith(start)]
    if found:
        return WITHOUT_EXAMPLE[max(found, key=len)]
    return TRANSITIONS.get(rule) or why_elsewhere(rule) or NOT_COMPUTED.format(rule)
