# SPDX-License-Identifier: Apache-2.0
"""Woken: pods that were refused, what may be worth another try, and for whom.

A part of the corners (``corners.py``): one thing decides at a time, and all histories are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    REQUIRED,
    START_TIMES,
    ZONE,
    container,
    near,
    node,
    pod,
    profile_config,
    spread,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import History, Update

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}
_OF_A, _OF_B = {"matchLabels": _A}, {"matchLabels": _B}
_PORT: Json = {"containers": [container("c", ports=[{"containerPort": 80, "hostPort": 80}])]}
WITHOUT_POPPING = {"SchedulerPopFromBackoffQ": False}

# --- What happens to who was refused --------------------------------------------------------------

_TOLERATING: list[Json] = [{"key": "k", "operator": "Exists"}]
_LARGE, _SMALL = pod("p1", {"cpu": "9"}), pod("p1", {"cpu": "1"})
_OF_ZONE_A = pod("p1", nodeSelector={ZONE: "a"})
_CHANGES: tuple[tuple[Json, Json], ...] = (
    (_LARGE, with_spec(_SMALL, tolerations=_TOLERATING)),
    (_LARGE, with_metadata(with_spec(_SMALL, tolerations=_TOLERATING), labels=_A)),
    (_LARGE, with_metadata(_SMALL, labels=_A)),
    (_LARGE, with_spec(_LARGE, tolerations=_TOLERATING)),
    (_OF_ZONE_A, with_spec(with_metadata(_OF_ZONE_A, labels=_A), tolerations=_TOLERATING)),
)
"""A pod that is refused, and what becomes of it: of what changes at once, one thing may help, another does not."""


def _changed_at_once(before: Json, after: Json, seconds: float, gates: dict[str, bool]) -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(before)
    cluster.schedule()
    if seconds:
        cluster.wait(seconds)
    cluster.steps.append(Update(after))
    cluster.wait()
    cluster.schedule(2)
    return cluster.history(gates=gates)


def _changed() -> Iterator[History]:
    for before, after in _CHANGES:
        yield _changed_at_once(before, after, 0, WITHOUT_POPPING)
    for before, after in _CHANGES[:2]:
        yield _changed_at_once(before, after, 11, WITHOUT_POPPING)
        yield _changed_at_once(before, after, 0, {})


def _backs_off(initial: int, most: int) -> History:
    """After each attempt appears a node that a pod which waits for a port might use, and cannot; each second it is
    seen whether the next attempt is due."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", **_PORT), 0)
    cluster.add_pod(pod("", **_PORT))
    for _ in range(4):
        cluster.schedule(1)
        cluster.add_node(node("", unschedulable=True))
        for _ in range(most + 2):
            cluster.wait(1)
    config = profile_config(podInitialBackoffSeconds=initial, podMaxBackoffSeconds=most)
    return cluster.history(config, WITHOUT_POPPING)


def _left_over() -> History:
    """Whom nothing cures is tried again after five minutes, at the first of the half minutes that follow."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(_LARGE)
    cluster.schedule(1)
    for seconds in (299, 1, 29, 1):
        cluster.wait(seconds)
    cluster.schedule(1)
    return cluster.history()


# --- What is worth another try, and for whom ------------------------------------------------------

_TOUCHES: tuple[Callable[[Json], Json], ...] = (
    lambda value: with_metadata(value, labels={**value["metadata"].get("labels", {}), "touched": "yes"}),
    partial(with_spec, taints=[{"key": "k", "effect": "PreferNoSchedule"}]),
    partial(with_status, conditions=[{"type": "Ready", "status": "True"}]),
    partial(with_metadata, annotations={"touched": "yes"}),
    partial(with_status, allocatable={"cpu": "4", "memory": "9Gi", "pods": "9"}),
    partial(with_status, allocatable={"cpu": "4", "memory": "9Gi", "pods": "10"}),
    partial(with_spec, unschedulable=True),
    partial(with_spec, unschedulable=False),
)
"""What happens to a node, one thing after the other."""


def touched(cluster: HistoryBuilder, touches: Sequence[Callable[[Json], Json]] = _TOUCHES) -> None:
    """The first node is changed in one way after another; whom this may help is tried again, and nobody else."""
    cluster.schedule()
    for touch in touches:
        cluster.change_node(0, touch(next(iter(cluster.nodes.values()))))
        cluster.wait()
        cluster.schedule()


_SKEWED = spread(ZONE, 1, "DoNotSchedule")


def _refused() -> list[Json]:
    """Each by another plugin."""
    return [
        _LARGE,
        pod("", **_PORT),
        pod("", nodeSelector={"disk": "ssd"}),
        pod("", labels=_A, topologySpreadConstraints=[_SKEWED]),
        pod("", affinity=near("podAffinity", REQUIRED, _OF_B)),
        pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_A)),
        pod("", schedulingGates=[{"name": "g"}]),
    ]


def _all_refused(first: int, last: int) -> HistoryBuilder:
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", labels=_A, **_PORT), 0)
    for value in _refused()[first:last]:
        cluster.add_pod(value)
    return cluster


def _touched_in_vain(first: int, last: int) -> History:
    cluster = _all_refused(first, last)
    touched(cluster)
    return cluster.history()


_READY: Json = {"type": "Ready", "status": "True", "lastHeartbeatTime": AN_AGE_AGO}
_HEALTH: tuple[Callable[[Json], Json], ...] = (
    partial(with_status, conditions=[_READY]),
    partial(with_status, conditions=[{**_READY, "lastHeartbeatTime": START_TIMES[0]}]),
    partial(with_status, conditions=[{**_READY, "status": "False"}]),
    partial(with_metadata, annotations={"touched": "yes"}),
    partial(with_metadata, annotations={"touched": "yes"}),
    partial(with_status, images=[{"names": ["i"], "sizeBytes": 1}]),
)
"""The second and the fifth change nothing that counts, and neither do images."""


def _any_event_will_do(touches: Sequence[Callable[[Json], Json]]) -> History:
    """A plugin that registers for nothing refuses a pod: whatever is an event is worth another try."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", script=script(("ScriptedA", "reserve", "Unschedulable"))))
    touched(cluster, touches)
    return cluster.history(SCRIPTED)


def _tolerated_late() -> History:
    """What a pod tolerates changes in vain first, and then so that a cordon does not matter."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", unschedulable=True))
    cluster.add_pod(pod(""))
    cluster.schedule()
    cordon = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    for tolerations in (_TOLERATING, [*_TOLERATING, cordon]):
        cluster.change_pod(0, partial(with_spec, tolerations=tolerations))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def _others_come_and_go(first: int, last: int) -> History:
    cluster = _all_refused(first, last)
    cluster.schedule()
    others = (pod("p8", {"cpu": "1"}), pod("p8", labels=_B), pod("p8", namespace="other", labels=_A))
    for other in others:
        cluster.add_pod(other, 0)
        cluster.wait()
        cluster.schedule()
        cluster.change_pod(len(cluster.pods) - 1, partial(with_metadata, labels={"touched": "yes"}))
        cluster.wait()
        cluster.schedule()
        cluster.remove_pod(len(cluster.pods) - 1)
        cluster.wait()
        cluster.schedule()
    cluster.add_node(node("", unschedulable=True))
    cluster.wait()
    cluster.schedule()
    cluster.remove_node(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history()


HISTORIES: tuple[History, ...] = (
    *_changed(),
    _left_over(),
    *(_backs_off(initial, most) for initial, most in ((1, 2), (2, 3), (1, 5))),
    *(make(*some) for make in (_touched_in_vain, _others_come_and_go) for some in ((0, 4), (4, 7))),
    *(_any_event_will_do(touches) for touches in (_HEALTH, _TOUCHES)),
    _tolerated_late(),
)
