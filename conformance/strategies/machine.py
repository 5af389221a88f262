# SPDX-License-Identifier: Apache-2.0
"""Anything after anything: a state machine whose rules are inputs, and whose state is what has been put in.

It knows which nodes and pods there are, and nothing of what became of them, so that what comes next is drawn from
the seed alone. Other areas' histories have a course; here nothing has: a pod may be permitted, released, deleted
and created anew at any moment, while another one is held between two points of its cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from attrs import Factory, define
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import (
    nodes_changed,
    nodes_created,
    nodes_removed,
    pod_changes,
    pods_created,
    pods_removed,
)
from conformance.strategies.drawn import combinations, sometimes
from conformance.strategies.faults import NODES, SCRIPTS, permitting
from conformance.vocabulary.builder import AFTER_ALL_BACKOFF, AFTER_FIVE_MINUTES, Change, HistoryBuilder, nth
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    REQUIRED,
    START_TIMES,
    container,
    cpu,
    pod,
    profile_config,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.scripted import SCRIPTED, key, release_all, script
from refsched.suite.histories.history import History, Permit, Release
from refsched.suite.session.drawing import Begin, Steps

Json = dict[str, Any]

STEPS = 50
"""Rules that are applied in one run, at most."""

# --- What is put in -------------------------------------------------------------------------------

_BESIDE_A: Json = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": HOSTNAME}
_WANTS: tuple[Json, ...] = (
    {"requests": cpu("1")},
    {"requests": cpu("1")},
    {},
    {"requests": cpu("2")},
    {"nodeSelector": {"disk": "ssd"}},
    {"affinity": {"podAffinity": {REQUIRED: [_BESIDE_A]}}},
    {"affinity": {"podAntiAffinity": {REQUIRED: [_BESIDE_A]}}},
    {"containers": [{**container("c"), "ports": [{"containerPort": 80, "hostPort": 80}]}]},
    {"schedulingGates": [{"name": "g"}]},
    {"requests": cpu("1"), "preemptionPolicy": "Never"},
)
_WAITING = st.sampled_from(
    [
        script(("ScriptedA", "permit", "Wait")),
        script(("ScriptedA", "permit", "Wait:5"), ("ScriptedB", "permit", "Wait")),
        script(("ScriptedB", "preBind", "Hold")),
    ]
)
_PODS = st.builds(
    lambda want, priority, labels, answers: pod("", labels=labels, priority=priority, script=answers, **want),
    st.sampled_from(_WANTS),
    st.sampled_from([0, 0, 10, -1]),
    st.sampled_from([{}, {"app": "a"}]),
    st.one_of(st.just({}), st.just({}), SCRIPTS, _WAITING),
)
_PREEMPTORS = combinations(
    lambda amount, priority, answers: pod("", cpu(amount), priority=priority, script=answers),
    ("2", "1"),
    (10, 20),
    ({}, script(("ScriptedA", "permit", "Wait:5"))),
)
_RUNNING = combinations(
    lambda amount, priority, labels, start: pod(
        "", cpu(amount), labels=labels, priority=priority, status={"startTime": start}
    ),
    ("1", "2"),
    (0, 5),
    ({}, {"app": "a"}),
    START_TIMES,
)
_CONFIGS = sometimes(
    st.just(profile_config(*SCRIPTED["profiles"], podInitialBackoffSeconds=2, podMaxBackoffSeconds=3)),
    SCRIPTED,
)


def _ungated(value: Json) -> Json:
    return {
        **value,
        "spec": {name: member for name, member in value["spec"].items() if name != "schedulingGates"},
    }


_CHANGED = st.sampled_from(
    [
        lambda value: with_metadata(value, labels={"app": "a"}),
        lambda value: with_metadata(value, labels={"app": "b"}),
        _ungated,
        lambda value: with_spec(value, tolerations=[{"operator": "Exists"}]),
        lambda value: with_spec(value, containers=[container("c", cpu("1m"))]),
        lambda value: with_metadata(value, deletionTimestamp=AN_AGE_AGO),
        lambda value: with_metadata(value, finalizers=["example.com/f"]),
        lambda value: value,
    ]
)

# --- Inputs ---------------------------------------------------------------------------------------


@define
class Cluster(HistoryBuilder):
    """A name that is free again is given again, as a StatefulSet does, to a pod with a uid of its own."""

    times: Counter[str] = Factory(Counter)

    def add_pod(self, value: Json, home: int = -1) -> None:
        name = self._new_name("p")
        self.times[name] += 1
        super().add_pod(with_metadata(value, uid=f"{name}-{self.times[name]}"), home)

    def _new_name(self, letter: str) -> str:
        among = self.nodes if letter == "n" else self.pods
        return next(name for number in count(1) if (name := f"{letter}{number}") not in among)


def _release(index: int) -> Change:
    def change(cluster: HistoryBuilder) -> None:
        if cluster.pods:
            cluster.steps.append(Release(key(cluster.pods[nth(cluster.pods, index)])))

    return change


INPUTS: Mapping[str, SearchStrategy[Change]] = {
    "create_pod": pods_created(_PODS),
    "create_preemptor": pods_created(_PREEMPTORS),
    "create_running_pod": st.builds(
        lambda value, home: lambda cluster: cluster.add_pod(value, home), _RUNNING, st.integers(0, 3)
    ),
    "update_pod": pod_changes(lambda change: change, _CHANGED),
    "delete_pod": pods_removed(),
    "create_node": nodes_created(NODES),
    "update_node": nodes_changed(NODES),
    "delete_node": nodes_removed(),
    "permit": permitting("allow", "reject"),
    "release": st.integers(0, 5).map(_release),
    "advance": st.sampled_from([1, 0.5, 2, 5, 11, 31, 331, 901]).map(
        lambda seconds: lambda cluster: cluster.wait(seconds)
    ),
    "schedule": st.integers(1, 3).map(lambda times: lambda cluster: cluster.schedule(times)),
}
"""What may be put in at any moment. Where there is nothing that it could be about, nothing is."""

_THEN = st.sampled_from([(0, 1), (0, 0), (0, 3), (0, 0), (1, 1), (11, 3), (0, 1), (5, 1)]).map(
    lambda turn: lambda cluster: _take_turn(cluster, *turn)
)
"""What follows an input at once: pods are tried, or not, now or after a while."""


def _take_turn(cluster: HistoryBuilder, seconds: float, times: int) -> None:
    if seconds:
        cluster.wait(seconds)
    if times:
        cluster.schedule(times)


def settle(cluster: HistoryBuilder) -> None:
    """Releases held pods, allows waiting ones, and lets time pass, so that every schedulable pod is scheduled."""
    for seconds in (AFTER_ALL_BACKOFF, AFTER_FIVE_MINUTES, AFTER_ALL_BACKOFF, AFTER_FIVE_MINUTES):
        release_all(cluster)
        cluster.steps.extend(Permit(key(value), "allow") for value in cluster.pods.values())
        cluster.wait(seconds)
        cluster.schedule(len(cluster.pods) + 1)


_BEGINNINGS = st.lists(NODES, min_size=1, max_size=2)


def histories() -> SearchStrategy[History]:
    """Draws the same inputs as whole histories."""

    @st.composite
    def drawn(draw: DrawFn) -> History:
        cluster = Cluster(hosts=True)
        for value in draw(_BEGINNINGS):
            cluster.add_node(value)
        for change, then_comes in draw(
            st.lists(st.tuples(st.one_of(*INPUTS.values()), _THEN), max_size=STEPS)
        ):
            change(cluster)
            then_comes(cluster)
        settle(cluster)
        return History(tuple(cluster.steps), draw(_CONFIGS))

    return drawn()


# --- The machine ----------------------------------------------------------------------------------


class Anything(RuleBasedStateMachine):
    """``begin`` says what is done with the inputs; each is put in as soon as it is drawn."""

    def __init__(self, begin: Begin) -> None:
        super().__init__()
        self._begin = begin
        self._cluster = Cluster(hosts=True)
        self._course: Steps | None = None
        self._taken = 0

    @initialize(config=_CONFIGS, nodes=_BEGINNINGS)
    def start(self, config: Json, nodes: list[Json]) -> None:
        self._course = self._begin(History((), config))
        for value in nodes:
            self._cluster.add_node(value)
        self._put_in()

    def _put_in(self) -> None:
        """Returns the steps that the cluster has more than before."""
        assert self._course is not None
        for step in self._cluster.steps[self._taken :]:
            self._taken += 1
            self._course.take(step)

    def teardown(self) -> None:
        if self._course is not None:
            settle(self._cluster)
            self._put_in()
            self._course.end()


def _rule(name: str, strategy: SearchStrategy[Change]) -> Callable[..., None]:
    def put_in(machine: Anything, change: Change, then_comes: Change) -> None:
        change(machine._cluster)
        then_comes(machine._cluster)
        machine._put_in()

    put_in.__name__ = name
    made: Callable[..., None] = rule(change=strategy, then_comes=_THEN)(put_in)
    return made


for _name, _strategy in INPUTS.items():
    setattr(Anything, _name, _rule(_name, _strategy))
