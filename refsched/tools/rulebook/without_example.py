# SPDX-License-Identifier: Apache-2.0
"""Without example: the rules that no history or configuration of the suite shows, and why.

Longest beginning of an id first. What the suite does not ask at all, and what no recording can see, says why in a
table of its own (refsched/suite/catalogue/elsewhere.py, refsched/suite/recording/unreached.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from refsched.suite.catalogue.elsewhere import why_elsewhere
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

_NO_IMAGE_VOLUME = (
    "no history has been searched for it since image volumes are drawn; tests/plugins/test_small_plugins.py has"
    " the rule"
)
_NO_EXTENDED_RESOURCE_OF_DEVICES = (
    "no history has been searched for it since extended resources that devices serve are drawn;"
    " tests/plugins/test_dynamic_resources_extended.py has the rule"
)
_NEWER = (
    "no history has been searched for it since the release that has it is the default one; recordings of that"
    " release were compared with it"
)
_BATCHES = (
    "no history has been searched for it since batches are drawn; tests/cycle/test_batching.py has the rule"
)
_NOT_SEARCHED = "no history has been searched for it since devices are specified for more than one release"
_NOT_SCORED_YET = (
    "no history has been searched for it since the default release scores volumes;"
    " tests/plugins/test_volume_binding.py has the rule"
)

_NEW_IN_THE_DEFAULT_RELEASE = (
    "no history has been searched for it since the release that has it is the default one; tests/plugins or"
    " tests/releases has it"
)

_OF_VICTIMS_AND_NOMINATIONS = (
    "no history has been searched for it since nominations and victims are specified for more than one release;"
    " recordings show it"
)

WITHOUT_EXAMPLE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("R-BIND-06", "R-BIND-09", "R-FAIL-05", "R-FAIL-07"),
            *("R-POSTFILTER-03",),
            *("R-PREEMPT-PREP-02", "R-PREEMPT-PREP-04", "R-PREEMPT-PREP-05"),
            *("R-PREEMPT-PREP-07", "R-PREEMPT-PREP-09", "R-PREEMPT-PREP-10"),
        ),
        _OF_VICTIMS_AND_NOMINATIONS,
    ),
    **dict.fromkeys(
        (
            *(
                "R-PREEMPT-19",
                "R-PREEMPT-20",
                "R-PREEMPT-21",
                *("R-CHANGE-08", "R-FEATURE-07", "R-QUEUE-80", "R-WORDS-55"),
                "R-PODAFF-16",
                "R-PODAFF-17",
                "R-SPREAD-18",
                "R-DECLARED",
            ),
            *("R-CURE-NodeDeclaredFeatures", "R-SEARCH-15"),
        ),
        _NEW_IN_THE_DEFAULT_RELEASE,
    ),
    **dict.fromkeys(
        (
            *("R-DRA-18", "R-DRA-19", "R-DRA-28", "R-DRA-29", "R-DRA-31", "R-DRA-33"),
            *("R-DRA-34", "R-DRA-35", "R-DRA-36", "R-DRA-38", "R-DRA-39", "R-DRA-46", "R-DRA-47", "R-DRA-48"),
            *("R-DRA-49", "R-DRA-63", "R-DRA-64", "R-DRA-65", "R-DRA-66", "R-DRA-67", "R-DRA-68"),
            *(
                "R-DRA-86",
                "R-DRA-87",
                "R-DRA-88",
                "R-DRA-89",
                *("R-DRA-98", "R-DRA-100", "R-DRA-124"),
                "R-DRA-101",
                "R-DRA-102",
                "R-DRA-103",
                "R-DRA-105",
            ),
            *("R-DRA-106", "R-DRA-107", "R-DRA-123"),
            *("R-WORDS-04", "R-CURE-DynamicResources-ResourceClaim-All"),
            "R-CURE-NodeResourcesFit-DeviceClass-Add+Update",
        ),
        _NEWER,
    ),
    **dict.fromkeys(
        (
            *("R-DRA-06", "R-DRA-42", "R-DRA-104", "R-DRA-111", "R-DRA-112", "R-DRA-121", "R-DRA-122"),
            "R-WORDS-54",
        ),
        _NOT_SEARCHED,
    ),
    **dict.fromkeys(
        (
            *("R-DRA-90", "R-DRA-91", "R-DRA-92", "R-DRA-93", "R-DRA-94", "R-DRA-95", "R-DRA-96"),
            *("R-FIT-13", "R-FIT-14", "R-FIT-15"),
        ),
        _NO_EXTENDED_RESOURCE_OF_DEVICES,
    ),
    **dict.fromkeys(("R-IMAGE-05", "R-IMAGE-06", "R-IMAGE-07"), _NO_IMAGE_VOLUME),
    **dict.fromkeys(
        ("R-VOLBIND-30", "R-VOLBIND-31", "R-VOLBIND-32", "R-VOLBIND-33", "R-VOLBIND-35"), _NOT_SCORED_YET
    ),
    "R-VOLLIMIT-14": (
        "no driver of a history of the suite has preventPodSchedulingIfMissing;"
        " tests/plugins/test_node_volume_limits.py has the rule"
    ),
    **dict.fromkeys(
        ("R-VOLLIMIT-15", "R-VOLLIMIT-16"),
        "no history of the suite has a Portworx volume; tests/plugins/test_node_volume_limits.py has the rule",
    ),
    "R-BATCH": _BATCHES,
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
