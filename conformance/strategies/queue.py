# SPDX-License-Identifier: Apache-2.0
"""The queue: which pod is popped next, what the others wait for, and which event requeues which pod.

Each pod waits for something that one of the events gives: an amount, a label, a toleration, another pod.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import (
    label_changes,
    nodes_changed,
    nodes_created,
    nodes_removed,
    placed,
    pod_changes,
    pods_created,
    pods_removed,
    pods_running,
    with_many_changes,
)
from conformance.strategies.drawn import combinations, sometimes, switched
from conformance.strategies.requeueing import pod_updates
from conformance.vocabulary.builder import AFTER_ALL_BACKOFF, Change, HistoryBuilder, nth
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    REQUIRED,
    ZONE,
    container,
    cpu,
    node,
    pod,
    profile_config,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import DEFAULT_CONFIG, History
from refsched.suite.scripts import SCRIPT

Json = dict[str, Any]


# --- Nodes ----------------------------------------------------------------------------------------


def _node(cores: str, labels: Json, taints: list[Json], cordoned: bool, ready: str, note: str) -> Json:
    made = node("", {"cpu": cores, "pods": "3"}, labels, taints=taints, unschedulable=cordoned)
    if ready:
        made = with_status(made, conditions=[{"type": "Ready", "status": ready}])
    return with_metadata(made, annotations={"note": note}) if note else made


_NODES = combinations(
    _node,
    ("1", "2", "4"),
    ({ZONE: "a"}, {ZONE: "a", "disk": "ssd"}, {ZONE: "b"}, {}),
    ((), (), [{"key": "k", "effect": "NoSchedule"}]),
    (False, False, False, True),
    ("", "True", "False"),
    ("", "x"),
)

# --- Pods -----------------------------------------------------------------------------------------

_BESIDE_A: list[Json] = [{"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": ZONE}]
_WANTS: tuple[Json, ...] = (
    {"requests": cpu("1")},
    {"requests": cpu("2")},
    {"requests": cpu("4")},
    {"nodeSelector": {"disk": "ssd"}},
    {"affinity": {"podAffinity": {REQUIRED: _BESIDE_A}}},
    {"affinity": {"podAntiAffinity": {REQUIRED: _BESIDE_A}}},
    {
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": ZONE,
                "whenUnsatisfiable": "DoNotSchedule",
                "nodeTaintsPolicy": "Honor",
                "labelSelector": {"matchLabels": {"app": "a"}},
            }
        ]
    },
    {"containers": [{**container("c"), "ports": [{"containerPort": 80, "hostPort": 80}]}]},
    {"schedulingGates": [{"name": "g"}]},
    {"schedulingGates": [{"name": "g"}, {"name": "h"}], "requests": cpu("2")},
    {"nodeName": "n9"},
    {
        "affinity": {
            "nodeAffinity": {
                REQUIRED: {
                    "nodeSelectorTerms": [
                        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}
                    ]
                }
            }
        }
    },
    {"nodeSelector": {HOSTNAME: "n2"}},
)


def _pod(want: Json, priority: int, labels: Json, scheduler: str, uid: str) -> Json:
    return pod("", labels=labels, priority=priority, schedulerName=scheduler, uid=uid, **want)


_LABELS = st.sampled_from([{"app": "a"}, {}, {"app": "b"}])
_PODS = combinations(
    _pod,
    _WANTS,
    (0, 0, 0, 10, -1),
    ({}, {"app": "a"}),
    ("", "", "", "", "another"),
    ("",),
)

# --- Changes of a pod -----------------------------------------------------------------------------

_TOLERATION: Json = {"key": "k", "operator": "Exists"}


def _ungated(number: int) -> Any:
    """Removes the first gates. If none remains, the list is absent."""

    def ungated(value: Json) -> Json:
        gates = value["spec"].get("schedulingGates", [])[number:]
        spec = {name: member for name, member in value["spec"].items() if name != "schedulingGates"}
        return {**value, "spec": {**spec, **({"schedulingGates": gates} if gates else {})}}

    return ungated


def _tolerating(_: object) -> Any:
    return lambda value: with_spec(value, tolerations=[*value["spec"].get("tolerations", []), _TOLERATION])


def _asking(amount: str) -> Any:
    def asking(value: Json) -> Json:
        first, *others = value["spec"]["containers"]
        return with_spec(value, containers=[{**first, "resources": {"requests": cpu(amount)}}, *others])

    return asking


def _leaving(_: object) -> Any:
    return lambda value: with_metadata(value, deletionTimestamp=AN_AGE_AGO)


def _noted(text: str) -> Any:
    return lambda value: with_metadata(value, annotations={"note": text})


def _changed(many: tuple[Callable[[Json], Json], ...]) -> Callable[[Json], Json]:
    """Changes many things at once, each of which is an event."""
    return lambda value: reduce(lambda changed, change: change(changed), many, value)


_LABELLED = tuple(partial(with_metadata, labels=labels) for labels in ({"app": "a"}, {"app": "b"}))
_MANY_CHANGES = st.tuples(
    st.sampled_from([*_LABELLED, _ungated(2)]),
    st.sampled_from([_asking("1m"), _asking("1"), _tolerating(None)]),
)

_CONFIGS = sometimes(
    combinations(
        lambda initial, most: profile_config(podInitialBackoffSeconds=initial, podMaxBackoffSeconds=most),
        (1, 2, 3),
        (10, 3, 4),
    ),
    DEFAULT_CONFIG,
)


# --- Many changes at once -------------------------------------------------------------------------

_NO_HELP: Json = {"key": "other", "operator": "Exists"}
_SPREAD: Json = {
    "maxSkew": 1,
    "topologyKey": ZONE,
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "a"}},
}
_TAINT: Json = {"key": "k", "effect": "NoSchedule"}


def _place(cores: str, zone: str, *taints: Json) -> Json:
    return node("", {"cpu": cores, "pods": "9"}, {ZONE: zone}, taints=taints)


_PLACES: SearchStrategy[tuple[Json, ...]] = st.sampled_from(
    [
        (_place("1", "a"),),
        (_place("4", "a", _TAINT),),
        (_place("1", "a"), _place("4", "b", _TAINT)),
        (_place("4", "a"), _place("4", "b", _TAINT)),
        (with_spec(_place("4", "a"), unschedulable=True),),
    ]
)
_AT_ONCE: tuple[tuple[Callable[[Json], Json], ...], ...] = (
    (_asking("1m"), _tolerating(None)),
    (_LABELLED[1], _asking("1m")),
    (_LABELLED[1], _tolerating(None)),
    (_LABELLED[1], _asking("1m"), _tolerating(None)),
    (_asking("1m"), lambda value: with_spec(value, tolerations=[_NO_HELP])),
    (_LABELLED[1], lambda value: with_spec(value, tolerations=[_NO_HELP])),
    (_asking("1m"),),
    (_ungated(2), _LABELLED[1]),
    (_ungated(2), _asking("1m"), _tolerating(None)),
    (_leaving(None),),
)
_WITH_PORT: Json = {"containers": [{**container("c"), "ports": [{"containerPort": 80, "hostPort": 80}]}]}
_NEAR_NOBODY: Json = {"labelSelector": {"matchLabels": {"app": "c"}}, "topologyKey": ZONE}
_REFUSED = combinations(
    lambda want, gates: pod("", labels={"app": "a"}, schedulingGates=gates, **want),
    (
        {"requests": cpu("2")},
        {"requests": cpu("1")},
        {"requests": cpu("2"), "topologySpreadConstraints": [_SPREAD]},
        {"topologySpreadConstraints": [_SPREAD]},
        {"nodeSelector": {"disk": "ssd"}},
        {"requests": cpu("2"), "nodeSelector": {"disk": "ssd"}},
        {"affinity": {"podAffinity": {REQUIRED: [_NEAR_NOBODY]}}},
        _WITH_PORT,
        {"nodeName": "n9"},
    ),
    ((), (), (), [{"name": "g"}]),
)
_TOUCHES: tuple[Callable[[Json], Json], ...] = (
    *[partial(with_spec, taints=[{"key": "k", "effect": "PreferNoSchedule"}])] * 3,
    partial(with_metadata, labels={ZONE: "c"}),
    *[partial(with_metadata, labels={ZONE: "a", "disk": "ssd"})] * 3,
    partial(with_metadata, labels={ZONE: "a", "disk": "hdd"}),
    partial(with_metadata, annotations={"note": "x"}),
    partial(with_status, conditions=[{"type": "Ready", "status": "True"}]),
    partial(with_status, allocatable={"cpu": "1", "pods": "8"}),
    partial(with_status, allocatable={"cpu": "4", "pods": "9"}),
    partial(with_spec, unschedulable=True),
    *[partial(with_spec, unschedulable=False)] * 2,
)


def _touched(index: int, touch: Callable[[Json], Json]) -> Change:
    """Changes one thing about a node, and nothing else."""
    return lambda cluster: cluster.change_node(index, touch(cluster.nodes[nth(cluster.nodes, index)]))


_EITHER = st.one_of(
    pod_updates(_changed, st.sampled_from(_AT_ONCE)),
    st.builds(_touched, st.integers(0, 1), st.sampled_from(_TOUCHES)),
    st.builds(_touched, st.integers(0, 1), st.sampled_from(_TOUCHES)),
    st.builds(lambda index: lambda cluster: cluster.remove_pod(index), st.sampled_from([0, 0, 1])),
)


@st.composite
def _at_once(draw: DrawFn) -> History:
    """A rejected pod is updated in a number of ways, the first or the last or some of which make it schedulable:
    while it backs off, after its backoff, and after an update that has requeued it. Or a node is updated once."""
    cluster = HistoryBuilder()
    for place in draw(_PLACES):
        cluster.add_node(place)
    cluster.add_pod(pod("", labels={"app": "a"}, tolerations=[_TOLERATION], **_WITH_PORT), 0)
    for value in draw(st.lists(_REFUSED, min_size=1, max_size=2)):
        cluster.add_pod(value)
    if draw(st.sampled_from([True, True, True, False])):
        cluster.schedule()
    for number in range(draw(st.sampled_from([2, 3, 4]))):
        if number and draw(st.booleans()):
            cluster.schedule()
        if seconds := draw(st.sampled_from([0, 0, 0, AFTER_ALL_BACKOFF, 0.5, 1.5])):
            cluster.wait(seconds)
        draw(_EITHER)(cluster)
    cluster.wait(draw(st.sampled_from([1, 1.5, 3])))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history(gates=draw(st.sampled_from([{}, {"SchedulerPopFromBackoffQ": False}])))


# --- Errors and rejections ------------------------------------------------------------------------

_ENDS = st.lists(st.sampled_from(["Error", "Unschedulable", "Error", "Pending"]), min_size=3, max_size=5)
_WAITS = st.sampled_from([(1, 1, 2, 4), (0.5, 2, 2, 3), (1, 2), (2, 2, 4)])


@st.composite
def _by_turns(draw: DrawFn) -> History:
    """The attempts of a pod end alternately in errors and rejections. Each change of a plugin's answer is an
    event that can requeue a rejected pod; its backoff is seen in the time of the next attempt."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod(""))
    for end in draw(_ENDS):
        answers = json.dumps(script(("ScriptedA", "reserve", end)))
        cluster.change_pod(0, partial(with_metadata, annotations={SCRIPT: answers}))
        for seconds in draw(_WAITS):
            cluster.wait(seconds)
        cluster.schedule(1)
    cluster.change_pod(0, partial(with_metadata, annotations={"note": "x"}))
    for _ in range(10):
        cluster.wait(1)
    return cluster.history(SCRIPTED, draw(st.sampled_from([{}, {"SchedulerPopFromBackoffQ": False}])))


# --- Backoffs that end in one second --------------------------------------------------------------


@st.composite
def _within_a_second(draw: DrawFn) -> History:
    """Pods are rejected one after the other, a fraction of a second apart; then all of them would fit, while they
    back off or after it. Of those whose backoff ends in one second the most important is tried first."""
    cluster = HistoryBuilder()
    cluster.add_node(_place("1", "a"))
    for priority in draw(st.lists(st.sampled_from([0, 10, 5]), min_size=2, max_size=4)):
        cluster.add_pod(pod("", cpu("1500m"), priority=priority))
        cluster.schedule(1)
        cluster.wait(draw(st.sampled_from([0.25, 0.5, 0.125])))
    cluster.change_node(0, _place("4", "a"))
    if seconds := draw(st.sampled_from([0, 0, 0.5, 1, 2])):
        cluster.wait(seconds)
    for _ in range(4):
        cluster.schedule(1)
    return cluster.history(gates=draw(st.sampled_from([{}, {}, {"SchedulerPopFromBackoffQ": False}])))


def histories() -> SearchStrategy[History]:
    anything = with_many_changes(
        pods_created(_PODS),
        pods_created(_PODS),
        pods_created(_PODS),
        nodes_changed(_NODES),
        pods_removed(),
        pods_running(_PODS),
        nodes_created(_NODES),
        nodes_removed(),
        label_changes(_LABELS),
        pod_changes(_ungated, st.sampled_from([1, 2])),
        pod_changes(_tolerating, st.none()),
        pod_changes(_asking, st.sampled_from(["1m", "1", "2"])),
        pod_changes(_leaving, st.none()),
        pod_changes(_noted, st.sampled_from(["x", "y"])),
        pod_changes(_changed, _MANY_CHANGES),
        pod_changes(_changed, st.just((_asking("1m"), _tolerating(None)))),
        nodes=st.lists(_NODES, max_size=2),
        pods=placed(_PODS),
        config=_CONFIGS,
        gates=switched("SchedulerPopFromBackoffQ"),
        hosts=True,
    )
    return st.one_of(anything, _at_once(), _by_turns(), _within_a_second())
