# SPDX-License-Identifier: Apache-2.0
"""Mutants of kube-scheduler that nobody can tell from it, each with the reason why."""

from __future__ import annotations

from collections.abc import Mapping

_PLUGINS = "framework/plugins"
_DRA = f"{_PLUGINS}/dynamicresources/dynamicresources.go"
_ASSIGNS_THE_SAME = "Where the two are equal, the assignment changes nothing."
_METRICS = "Only metrics hear of it."
_LOG = "Only the log hears of it."
_EMPTY = "To copy, or to go through, what is empty changes nothing."
_BEHIND_A_GATE = "What follows is behind an alpha gate, without which no device has conditions."
_LISTED = "What selectHost lists beside the node is read by the log alone."

EQUIVALENT: Mapping[str, str] = {
    "backend/cache/snapshot.go:191:part:0": "A NodeInfo that is not there has no node either.",
    "backend/queue/unschedulable_pods.go:66:part:0": _METRICS,
    "backend/queue/unschedulable_pods.go:67:omission:0": _METRICS,
    "eventhandlers.go:618:omission:0": "Read only to wait for informers when the scheduler starts.",
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:187:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:190:boundary:0": _ASSIGNS_THE_SAME,
    f"{_DRA}:930:leaving:0": _BEHIND_A_GATE,
    f"{_DRA}:940:part:0": _BEHIND_A_GATE,
    f"{_DRA}:973:part:0": "Without the gate DRAExtendedResource there is nothing that could be put in its place.",
    f"{_DRA}:1137:negated:0": "Read only where no allocation was found, and then Filter has refused the node.",
    f"{_DRA}:1138:omission:0": "Read only where no allocation was found, and then Filter has refused the node.",
    f"{_DRA}:1181:negated:0": "This copy is asked for its allocation alone; what is written is made elsewhere.",
    f"{_DRA}:1486:part:0": "No claim of a user can have the name of the special one.",
    f"{_PLUGINS}/interpodaffinity/filtering.go:353:boundary:0": _EMPTY,
    f"{_PLUGINS}/interpodaffinity/scoring.go:271:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/noderesources/most_allocated.go:58:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/volumerestrictions/volume_restrictions.go:171:leaving:0": "It is set once more.",
    f"{_PLUGINS}/volumerestrictions/volume_restrictions.go:272:leaving:0": "Such a volume is in no conflict.",
    "framework/runtime/framework.go:1124:negated:0": _METRICS,
    "framework/runtime/framework.go:1461:negated:0": _LOG,
    "framework/runtime/framework.go:1487:negated:0": _METRICS,
    "framework/runtime/framework.go:1688:omission:0": "Only who lists the plugins reads the weight there.",
    "framework/types.go:292:boundary:0": _EMPTY,
    "framework/types.go:308:boundary:0": _EMPTY,
    "framework/types.go:414:boundary:0": _EMPTY,
    "framework/types.go:714:boundary:0": "Where nothing is missing, the second sum is the first one.",
    "schedule_one.go:910:negated:0": _LISTED,
    "schedule_one.go:911:leaving:0": _LISTED,
    "schedule_one.go:937:omission:0": _LISTED,
}
