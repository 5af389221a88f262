# SPDX-License-Identifier: Apache-2.0
"""Without example: the rules that no history or configuration of the suite shows, and why. Of the beginnings of an
id the longest counts. What the suite does not ask at all, and what no recording can see, says why in a table of
its own (refsched/suite/catalogue/untestable_rules.py, refsched/suite/recording/unreached.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from refsched.suite.catalogue.untestable_rules import why_elsewhere
from refsched.suite.recording.unreached import TRANSITIONS

_NO_NODE_NAMED = (
    "a pod that names its node counts as one that runs there and never comes into a queue, so that the NodeName"
    " plugin of a scheduler that is fed by an API server rejects nothing"
)
_SHOWN_AT_ONCE = (
    "it takes an API server that binds a pod and does not show it bound for a while, and the one of the suite"
    " shows what it has written at once; tests/cache/test_cache_of_v1_19.py has the rule"
)
_THE_LIST = "it is the list of the default plugins itself, with which every example is decided"

_NONE_FOUND = (
    "the histories and cases of the suite were searched, and none is decided otherwise without it; recordings of"
    " kube-scheduler or tests/ have it"
)
_NOT_SEARCHED = (
    "no history has been searched for it since extended resources that devices serve are drawn;"
    " tests/plugins/test_dynamic_resources_extended.py has the rule"
)

WITHOUT_EXAMPLE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *(
                "R-BATCH-23",
                "R-BATCH-26",
                "R-BATCH-51",
                "R-BATCH-52",
            ),
            *("R-DRA-68", "R-DRA-98", "R-DRA-100", "R-DRA-101", "R-DRA-102", "R-DRA-103", "R-DRA-104"),
            *("R-DRA-105", "R-DRA-106", "R-DRA-107", "R-DRA-111", "R-DRA-112", "R-DRA-121", "R-DRA-122"),
            *("R-DRA-123", "R-FAIL-07", "R-FEATURE-07", "R-IMAGE-06", "R-IMAGE-07", "R-NOM-03"),
            *("R-NOM-04", "R-PREEMPT-PREP-02"),
            *("R-PREEMPT-PREP-05", "R-PREEMPT-PREP-09", "R-PREEMPT-PREP-10"),
            *("R-PREEMPT-PREP-11", "R-QUEUE-80", "R-VOLBIND-31"),
            *("R-VOLBIND-32", "R-VOLBIND-33", "R-VOLBIND-35", "R-VOLLIMIT-14", "R-WORDS-54", "R-WORDS-55"),
            "R-CURE-NodeResourcesFit-DeviceClass-Add+Update",
        ),
        _NONE_FOUND,
    ),
    **dict.fromkeys(
        (
            *(
                "R-DRA-90",
                "R-DRA-91",
                "R-DRA-92",
                "R-DRA-93",
                "R-DRA-94",
                "R-DRA-95",
                "R-DRA-96",
                "R-DRA-157",
            ),
            *("R-FIT-13", "R-FIT-14", "R-FIT-15", "R-FIT-16", "R-BALANCED-07"),
        ),
        _NOT_SEARCHED,
    ),
    **dict.fromkeys(
        ("R-VOLLIMIT-15", "R-VOLLIMIT-16"),
        "no history of the suite has a Portworx volume; tests/plugins/test_node_volume_limits.py has the rule",
    ),
    "R-CACHE-53": _SHOWN_AT_ONCE,
    "R-CACHE-54": _SHOWN_AT_ONCE,
    "R-SEARCH-07": "it says that either of two errors may be reported, and an example shows only one of them",
    "R-DRA-51": (
        "the API server refuses a constraint without matchAttribute, since the only other kind that there is,"
        " distinctAttribute, is behind an alpha feature gate"
    ),
    "R-FEATURE-03": "it says that nothing is decided otherwise, which no single example can show",
    "R-FEATURE-51": (
        "the suite leaves out the fields that a release does not know before the scheduler is shown an object, so"
        " that no example has one"
    ),
    "R-CONFIG-10": _THE_LIST,
    "R-CONFIG-53": _THE_LIST,
    "R-NODENAME": _NO_NODE_NAMED,
    "R-CURE-NodeName": _NO_NODE_NAMED,
    "R-BACKOFF-03": (
        "a configuration without backoff is refused (R-CONFIG-04), so that no scheduler that is configured by a"
        " file can have one"
    ),
    "R-HINT-01": "a pod whose attempt ended in an error backs off, and is not among those that events requeue",
    "R-CURE-DefaultPreemption-Pod-Delete": (
        "it is about a pod that waits for the last of its victims, and R-PREEMPT-17 keeps that one out of the"
        " queue"
    ),
}


NOT_COMPUTED = "it was not computed; `python -m conformance.wrong examples {}` tries to"


def why_without_example(rule: str) -> str:
    """Returns why the rule has no example, if it has none."""
    found = [start for start in WITHOUT_EXAMPLE if rule.startswith(start)]
    if found:
        return WITHOUT_EXAMPLE[max(found, key=len)]
    return TRANSITIONS.get(rule) or why_elsewhere(rule) or NOT_COMPUTED.format(rule)
