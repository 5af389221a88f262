# SPDX-License-Identifier: Apache-2.0
"""Claimed: a history without what an implementation does not claim to do, and what it must tell of the rest.

The specification beside it runs the same history, so that nobody is asked for what only one of them does.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from typing import Any

from attrs import evolve

from refsched.records import SCHEDULED, Attempt, Bind, NodeStatus
from refsched.suite.histories.api_server import SCRIPT, script_of
from refsched.suite.histories.history import Create, History, Step, Update

Json = dict[str, Any]

WITHOUT_PREEMPTION = {"postFilter": {"disabled": [{"name": "*"}]}}
SCRIPTED = ("ScriptedA", "ScriptedB", "ScriptedBinder")

#   area        is decided in sight of who claims
_SEEN_WITH: Mapping[str, str] = {
    **dict.fromkeys(
        ("SORT", "GATES", "QUEUE", "BACKOFF", "FLIGHT", "HINT", "CURE", "CHANGE", "FAIL"), "queue"
    ),
    **dict.fromkeys(("POSTFILTER", "PREEMPT"), "preemption"),
    **dict.fromkeys(("VOLBIND", "VOLLIMIT", "VOLRESTR", "VOLZONE"), "volumes"),
    **dict.fromkeys(("RESERVE", "PERMIT"), "scripted"),
    "DRA": "devices",
    "EXTENDER": "extenders",
}

_TOLD_BY: tuple[tuple[str, str, str], ...] = (
    ("filter", "filter", "filter"),
    ("score", "scores", "scores"),
    ("preemption", "victims", "victims"),
    ("preemption", "nominated_node", "nominatedNode"),
    ("scripted", "calls", "calls"),
)
"""Who claims the first tells the second, a member of ``Attempt``, which is the third on the wire."""

OF_PREEMPTION = ("victims", "nominatedNode")
"""Left out also by those who did not preempt: then it is not what they tell that is wrong."""


# --- Verdicts -------------------------------------------------------------------------------------


def can_be_seen(rule: str, capabilities: Collection[str]) -> bool:
    """Whether what this rule decides shows in anything that such an implementation tells."""
    needed = _SEEN_WITH.get(rule.split("-")[1])
    return needed is None or needed in capabilities


def left_untold(
    record: Attempt | Bind, specified: Attempt | Bind, capabilities: Collection[str]
) -> Iterator[tuple[str, object]]:
    """Members that the record lacks and the specification has, where what is claimed is that they are told; and
    in any case the node of a pod that was scheduled, without which nothing else can be compared."""
    if isinstance(record, Attempt) and record.result == SCHEDULED and not record.node:
        yield "node", "the node that was selected"
        return
    for capability, attribute, member in _TOLD_BY:
        expected = getattr(specified, attribute, None)
        if member == "filter" and not _refuses_any(expected or {}):
            continue
        if capability in capabilities and expected and getattr(record, attribute, None) is None:
            yield member, expected


def _refuses_any(statuses: Mapping[str, NodeStatus]) -> bool:
    """Where there is nobody to ask, there is nothing to tell: a profile may do without filters."""
    return any(status.code != "Success" for status in statuses.values())


# --- Histories ------------------------------------------------------------------------------------


def for_what_is_claimed(history: History, capabilities: frozenset[str]) -> History:
    """No PostFilter without ``preemption``, no scripted plugins without ``scripted``."""
    config = deepcopy(history.config)
    if "preemption" not in capabilities:
        profiles = config.get("profiles") or [{"schedulerName": "default-scheduler"}]
        config["profiles"] = [_without_preemption(profile) for profile in profiles]
    if "scripted" not in capabilities:
        for profile in config.get("profiles") or ():
            profile["plugins"] = _without_scripted(profile.get("plugins") or {})
    return evolve(history, config=config)


def step_for_what_is_claimed(step: Step, capabilities: frozenset[str]) -> Step:
    """A pod without its script where scripted plugins are not claimed, and without those of its answers that hold
    where ``hold`` is not."""
    if capabilities >= {"scripted", "hold"} or not isinstance(step, Create | Update):
        return step
    if SCRIPT not in _annotations(step.object):
        return step
    return evolve(step, object=_without_script(step.object, keep="scripted" in capabilities))


def _without_preemption(profile: Json) -> Json:
    return {**profile, "plugins": {**(profile.get("plugins") or {}), **WITHOUT_PREEMPTION}}


def _without_scripted(plugins: Json) -> Json:
    def left(listed: list[Json]) -> list[Json]:
        return [plugin for plugin in listed if plugin["name"] not in SCRIPTED]

    return {point: {name: left(listed) for name, listed in sets.items()} for point, sets in plugins.items()}


def _without_script(pod: Json, *, keep: bool) -> Json:
    pod = deepcopy(pod)
    annotations = pod["metadata"]["annotations"]
    script = script_of(annotations) if keep else {}
    del annotations[SCRIPT]
    if script:
        annotations[SCRIPT] = json.dumps({plugin: _going_on(points) for plugin, points in script.items()})
    return pod


def _going_on(points: Any) -> dict[str, str]:
    return {point: answer for point, answer in points.items() if not answer.startswith("Hold")}


def _annotations(value: Json) -> Json:
    annotations: Json = (value.get("metadata") or {}).get("annotations") or {}
    return annotations
