# SPDX-License-Identifier: Apache-2.0
"""Extenders: up to three of them, which filter, score, spare victims and bind as each pod tells them to.

What they answer stands in the pod (conformance/extender_server.py), so that whoever asks is answered the same.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.extender_server import ANNOTATION, REFUSES, SCORE
from conformance.extenders_at_hand import EXTENDERS
from conformance.history import History
from conformance.strategies import spared
from conformance.strategies.objects import (
    START_TIMES,
    combinations,
    cpu,
    node,
    pod,
    profile_config,
    with_metadata,
)
from conformance.strategies.scenes import (
    courses,
    nodes_changed,
    nodes_created,
    pods_created,
    pods_removed,
    pods_running,
)

Json = dict[str, Any]

_NAMES = ("a", "b", "c")
_NODES_NAMED = ("n1", "n2", "n3")
_PLAIN, _FOR_GOOD = "Unschedulable", "UnschedulableAndUnresolvable"

# --- Configuration --------------------------------------------------------------------------------

_VERBS: tuple[Json, ...] = (
    {"filterVerb": "filter", "prioritizeVerb": "prioritize", "preemptVerb": "preempt"},
    {"prioritizeVerb": "prioritize", "preemptVerb": "preempt"},
    {"filterVerb": "filter"},
    {"prioritizeVerb": "prioritize"},
    {"filterVerb": "filter", "preemptVerb": "preempt"},
    {},
)


def _extender(verbs: Json, by_name: bool, ignorable: bool, weight: int, managed: Json | None) -> Json:
    return {
        "weight": weight,
        **verbs,
        **({"nodeCacheCapable": True} if by_name else {}),
        **({"ignorable": True} if ignorable else {}),
        **({"managedResources": [managed]} if managed is not None else {}),
    }


_EXTENDERS = combinations(
    _extender,
    _VERBS,
    (True, False),
    (False, True, False),
    (1, 3),
    (None, None, {}, {"ignoredByScheduler": True}),
)
_BINDERS = st.sampled_from([None, 1, 0, 2, None])


def _config(extenders: list[Json], binder: int | None) -> Json:
    """One of them may bind, and only one. Each manages a resource of its own, if any."""
    configured: list[Json] = []
    for number, (name, extender) in enumerate(zip(_NAMES, extenders, strict=False)):
        made = {"urlPrefix": f"{EXTENDERS}/{name}", **extender}
        if binder is not None and number == binder % len(extenders):
            made["bindVerb"] = "bind"
        if "managedResources" in made:
            made["managedResources"] = [{"name": f"x.y/{name}", **told} for told in made["managedResources"]]
        configured.append(made)
    return profile_config(extenders=configured)


_CONFIGS = st.builds(_config, st.lists(_EXTENDERS, min_size=1, max_size=3), _BINDERS)

# --- Pods and what they tell ----------------------------------------------------------------------


def _of_nodes(*answers: object) -> SearchStrategy[Json]:
    return st.dictionaries(st.sampled_from(_NODES_NAMED), st.sampled_from(answers), max_size=3)


_REFUSALS = _of_nodes(_PLAIN, _FOR_GOOD)
_SCORES = _of_nodes(10, 7, 1, 0)
_SPARED = _of_nodes("Refuse", 1, 0, 2)


def _rarely(told: SearchStrategy[Json], *failures: str) -> SearchStrategy[Json | str]:
    return st.one_of(told, told, told, told, st.sampled_from(failures))


_TOLD = st.fixed_dictionaries(
    {},
    optional={
        "filter": _rarely(_REFUSALS, "Error", "Fail"),
        "prioritize": _rarely(_SCORES, "Fail"),
        "preempt": _rarely(_SPARED, "Fail"),
    },
)


def _script(told: Json, bind: str) -> Json:
    """Whichever of them binds this pod, ``bind`` is how that fails."""
    return {name: {**told.get(name, {}), "bind": bind} for name in _NAMES} if bind else told


_SCRIPTS = st.builds(
    _script,
    st.dictionaries(st.sampled_from(_NAMES), _TOLD, max_size=3),
    st.sampled_from(["", "", "Error", "Fail"]),
)


def _pod(amount: str, priority: int, managed: str, script: Json) -> Json:
    """``managed`` names the extender whose resource it asks for."""
    asked = {f"x.y/{managed}": "1"} if managed else {}
    resources = {"requests": {**cpu(amount), **asked}, **({"limits": asked} if asked else {})}
    made = pod("", containers=[{"name": "c", "image": "i", "resources": resources}], priority=priority)
    return (
        with_metadata(made, annotations={ANNOTATION: json.dumps(script, sort_keys=True)}) if script else made
    )


_PODS = st.builds(
    _pod,
    st.sampled_from(["1", "2", "500m"]),
    st.sampled_from([0, 10, 10]),
    st.sampled_from(["", "", "a", "b"]),
    _SCRIPTS,
)
_RUNNING = combinations(
    lambda amount, priority, start: pod("", cpu(amount), priority=priority, status={"startTime": start}),
    ("2", "1", "500m"),
    (0, 5),
    START_TIMES,
)


def _node(cores: str, labels: Json, managed: str) -> Json:
    return node("", {"cpu": cores, "pods": "4", **({f"x.y/{managed}": "1"} if managed else {})}, labels)


_NODES = combinations(
    _node,
    ("2", "4"),
    ({}, {}, {SCORE: "9"}, {SCORE: "3"}, {SCORE: "1"}, {REFUSES: _PLAIN}, {REFUSES: _FOR_GOOD}),
    ("", "a", "b"),
)


def histories() -> SearchStrategy[History]:
    anything = courses(
        pods_created(_PODS),
        pods_created(_PODS),
        pods_created(_PODS),
        pods_running(_RUNNING),
        pods_removed(),
        nodes_changed(_NODES),
        nodes_created(_NODES),
        nodes=st.lists(_NODES, min_size=2, max_size=3),
        pods=st.lists(st.tuples(_RUNNING, st.integers(0, 2)), max_size=4),
        config=_CONFIGS,
        most=12,
    )
    return st.one_of(anything, anything, spared.histories())
