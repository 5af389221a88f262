# SPDX-License-Identifier: Apache-2.0
"""Extenders, for recordings alone: victims that they drop, and calls that come to nothing.

A call that is not answered takes the second of real time that the extender is given, which a suite has not.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import START_TIMES, cpu, node, pod, profile_config, with_metadata
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.extender_server import ANNOTATION
from refsched.suite.histories.history import History

Json = dict[str, Any]

_NODES = ("n1", "n2", "n3")
_TIMEOUT = "1s"


def _config(draw: DrawFn, verbs: tuple[Json, ...]) -> Json:
    extenders = []
    for name in ("a", "b")[: draw(st.sampled_from([1, 2, 2]))]:
        extender = {
            "urlPrefix": f"{EXTENDERS}/{name}",
            "httpTimeout": _TIMEOUT,
            "weight": draw(st.sampled_from([1, 2, 5])),
            **draw(st.sampled_from(verbs)),
        }
        for member in ("nodeCacheCapable", "ignorable"):
            if draw(st.booleans()):
                extender[member] = True
        if draw(st.sampled_from([False, False, True])):
            ignored = {"ignoredByScheduler": True} if draw(st.booleans()) else {}
            extender["managedResources"] = [{"name": f"x.y/{name}", **ignored}]
        extenders.append(extender)
    return profile_config(extenders=extenders)


def _asking(draw: DrawFn, value: Json, script: Json) -> Json:
    """Draws the pod, now and then with a resource that an extender manages, and what extenders say about it."""
    managed = draw(st.sampled_from(["", "a", "", "b"]))
    if managed:
        resources = value["spec"]["containers"][0]["resources"]
        resources["requests"] = {**resources["requests"], f"x.y/{managed}": "1"}
        resources["limits"] = {f"x.y/{managed}": "1"}
    return with_metadata(value, annotations={ANNOTATION: json.dumps(script, sort_keys=True)})


def _node(draw: DrawFn) -> Json:
    return node(
        "", {"cpu": "2", "pods": "5", "x.y/a": "2", **({"x.y/b": "1"} if draw(st.booleans()) else {})}
    )


# --- Preemption -----------------------------------------------------------------------------------

_SPARING = (
    {"preemptVerb": "preempt"},
    {"preemptVerb": "preempt", "filterVerb": "filter"},
    {"preemptVerb": "preempt", "prioritizeVerb": "prioritize"},
)


@st.composite
def sparing(draw: DrawFn) -> History:
    """Draws full nodes and pods of higher priorities; extenders reject nodes, drop victims, or do not answer."""
    cluster = HistoryBuilder()
    if draw(st.booleans()):
        cluster.add(_budget(draw(st.integers(0, 1))))
    for _ in range(draw(st.integers(2, 3))):
        cluster.add_node(_node(draw))
    for home in range(len(cluster.nodes)):
        for amount in draw(st.sampled_from([["1", "1"], ["2"], ["1", "500m", "500m"]])):
            status = {"startTime": draw(st.sampled_from(START_TIMES))}
            priority = draw(st.sampled_from([0, 5]))
            cluster.add_pod(pod("", cpu(amount), priority=priority, labels={"app": "a"}, status=status), home)
    for _ in range(draw(st.integers(2, 4))):
        answers: Json = {}
        for name in ("a", "b"):
            fewer = st.dictionaries(st.sampled_from(_NODES), st.sampled_from(["Refuse", 1, 2, 0]), max_size=2)
            failing = st.sampled_from(["Error", "Fail", "Drop"])
            answers[name] = {"preempt": draw(st.one_of(fewer, failing))}
            if draw(st.booleans()):
                refusals = st.sampled_from(["Unschedulable", "UnschedulableAndUnresolvable"])
                answers[name]["filter"] = draw(st.dictionaries(st.sampled_from(_NODES), refusals, max_size=1))
        amount = draw(st.sampled_from(["1", "2", "1500m"]))
        cluster.add_pod(
            _asking(draw, pod("", cpu(amount), priority=draw(st.sampled_from([10, 20]))), answers)
        )
        cluster.schedule(draw(st.integers(1, 2)))
    cluster.wait()
    cluster.schedule()
    return cluster.history(_config(draw, _SPARING))


def _budget(disruptions: int) -> Json:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}},
        "status": {"disruptionsAllowed": disruptions},
    }


# --- Calls that come to nothing -------------------------------------------------------------------

_ANSWERING = (
    {"filterVerb": "filter", "prioritizeVerb": "prioritize"},
    {"filterVerb": "filter"},
    {"prioritizeVerb": "prioritize"},
)
_FAILING = ("Drop", "Fail", "Hang", "Error", "Drop")


@st.composite
def silent(draw: DrawFn) -> History:
    """Draws extenders that do not answer, or not with what was asked for: those that may be ignored, and
    others."""
    cluster = HistoryBuilder()
    for _ in range(draw(st.integers(2, 3))):
        cluster.add_node(_node(draw))
    for _ in range(draw(st.integers(3, 5))):
        verb = draw(st.sampled_from(["filter", "prioritize", "bind", "bind"]))
        scores = st.dictionaries(st.sampled_from(_NODES), st.sampled_from([10, 4, 1]), min_size=1)
        answers: Json = {name: {"prioritize": draw(scores)} for name in ("a", "b")}
        answers[draw(st.sampled_from(["a", "b"]))][verb] = draw(st.sampled_from(_FAILING))
        cluster.add_pod(_asking(draw, pod("", cpu(draw(st.sampled_from(["500m", "1"])))), answers))
        cluster.schedule(1)
    cluster.wait(1)
    cluster.schedule(2)
    config = _config(draw, _ANSWERING)
    config["extenders"][draw(st.integers(0, 1)) % len(config["extenders"])]["bindVerb"] = "bind"
    return cluster.history(config)
