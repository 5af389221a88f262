# SPDX-License-Identifier: Apache-2.0
"""Corners of configurations: what a profile or an extender is told makes a difference for one pod.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    container,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.extender_server import ANNOTATION
from refsched.suite.histories.extenders_at_hand import EXTENDERS
from refsched.suite.histories.history import History

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}

# --- Plugins --------------------------------------------------------------------------------------


def _not_counted(amount: str) -> History:
    """Resources that a profile says are none of its business, one by its name and one by its group."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9", "x.y/a": "1", "z.w/b": "1"}))
    for resource in ("x.y/a", "z.w/b", "v.u/c"):
        resources = {"requests": {resource: amount}, "limits": {resource: amount}}
        cluster.add_pod(pod("", containers=[{"name": "c", "image": "i", "resources": resources}]))
    cluster.schedule()
    args = {"ignoredResources": ["x.y/a"], "ignoredResourceGroups": ["z.w"]}
    return cluster.history(profile_config(default_profile(("NodeResourcesFit", args))))


def _named_twice(point: str, names: list[str]) -> History:
    """Plugins that are enabled everywhere, and at one point once more: there they come first, and once."""
    config = deepcopy(SCRIPTED)
    config["profiles"][0]["plugins"][point] = {"enabled": [{"name": name} for name in names]}
    cluster = HistoryBuilder()
    for _ in range(2):
        cluster.add_node(node(""))
    cluster.add_pod(pod("", cpu("1")))
    cluster.add_pod(pod("", cpu("1"), script=script(("ScriptedA", point, "Unschedulable"))))
    cluster.schedule()
    return cluster.history(config)


def _weighed_anew(weight: int) -> History:
    """A default plugin that is given another weight scores once, with that weight."""
    scored = {"enabled": [{"name": "NodeResourcesFit", "weight": weight}, {"name": "ImageLocality"}]}
    cluster = HistoryBuilder()
    for cores in ("4", "2"):
        cluster.add_node(
            node("", {"cpu": cores, "memory": "8Gi", "pods": "9"}, images=[_IMAGE] if cores == "2" else [])
        )
    cluster.add_pod(pod("", containers=[container("c", {"cpu": "1"}, image="large:1")]))
    cluster.schedule()
    return cluster.history(profile_config(default_profile(plugins={"score": scored})))


_IMAGE: Json = {"names": ["large:1"], "sizeBytes": 900 * 1024 * 1024}


def _configured() -> Iterator[History]:
    yield from (_not_counted(amount) for amount in ("2", "1"))
    for point in ("reserve", "permit", "preBind"):
        yield _named_twice(point, ["ScriptedB"])
        yield _named_twice(point, ["ScriptedB", "ScriptedA"])
    yield from (_weighed_anew(weight) for weight in (1, 5))


# --- Extenders ------------------------------------------------------------------------------------


def _binding(first: Json, second: Json, told: Json) -> History:
    """Whether an extender binds, and whether it may fail to."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(with_metadata(pod("", cpu("1")), annotations={ANNOTATION: json.dumps(told)}))
    cluster.schedule()
    named = [{"urlPrefix": f"{EXTENDERS}/{name}", **verbs} for name, verbs in (("a", first), ("b", second))]
    return cluster.history(profile_config(extenders=named))


def _binders() -> Iterator[History]:
    filters, binds = {"filterVerb": "filter"}, {"bindVerb": "bind", "filterVerb": "filter"}
    for binder in (binds, {**binds, "ignorable": True}):
        for told in ({}, {"a": {"bind": "Fail"}, "b": {"bind": "Fail"}}):
            yield _binding(binder, filters, told)
            yield _binding(filters, binder, told)


# --- Who has to leave -----------------------------------------------------------------------------

_BUDGET: Json = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "b"},
    "spec": {"selector": {"matchLabels": _A}},
    "status": {"disruptionsAllowed": 0},
}


def _one_unprotected(candidates: int, nodes: int) -> History:
    """All victims but one are protected: the search goes on until it has met the one, however few it needs."""
    cluster = HistoryBuilder()
    cluster.add(_BUDGET)
    for number in range(nodes):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1"), labels=_B if number == 1 else _A), number)
    cluster.add_pod(pod("", cpu("1"), priority=10))
    cluster.schedule()
    args = {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": candidates}
    profile = default_profile(("DefaultPreemption", args))
    return cluster.history(profile_config(profile, parallelism=1))


def _nobody_is_left() -> History:
    """The first extender leaves no victim: the second one, which would fail, is not asked."""
    cluster = HistoryBuilder()
    for home in range(2):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1")), home)
    told = {"a": {"preempt": {"n1": "Refuse", "n2": "Refuse"}}, "b": {"preempt": "Fail"}}
    coming = pod("", cpu("1"), priority=10)
    cluster.add_pod(with_metadata(coming, annotations={ANNOTATION: json.dumps(told)}))
    cluster.schedule()
    extenders = [{"urlPrefix": f"{EXTENDERS}/{name}", "preemptVerb": "preempt"} for name in "ab"]
    return cluster.history(profile_config(extenders=extenders))


_HISTORIES: tuple[History, ...] = (
    *_configured(),
    *_binders(),
    *(_one_unprotected(candidates, nodes) for candidates, nodes in ((1, 6), (2, 7), (1, 4))),
    _nobody_is_left(),
)


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_HISTORIES)
