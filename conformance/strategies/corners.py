# SPDX-License-Identifier: Apache-2.0
"""Corners: clusters in which one thing decides that hardly ever does where everything is drawn. A node has
promised more than it has; a label is changed that a constraint compares; a node is gone before its pods.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import History, Update
from conformance.strategies.faults import SCRIPTED, script
from conformance.strategies.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    START_TIMES,
    ZONE,
    container,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    selecting,
    with_metadata,
    with_spec,
    with_status,
)
from conformance.strategies.scenes import Scene

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}
_OF_A, _OF_B = {"matchLabels": _A}, {"matchLabels": _B}
_PORT: Json = {"containers": [container("c", ports=[{"containerPort": 80, "hostPort": 80}])]}
WITHOUT_POPPING = {"SchedulerPopFromBackoffQ": False}


def _zones(*zones: str, hosts: bool = True) -> Scene:
    """One node in each; "" is none."""
    scene = Scene(hosts)
    for zone in zones:
        scene.add_node(node(labels={ZONE: zone} if zone else {}))
    return scene


# --- Whom a node holds ----------------------------------------------------------------------------


def _near(kind: str, when: str, selector: Json, key: str = HOSTNAME) -> Json:
    term: Json = {"topologyKey": key, "labelSelector": selector}
    return {kind: {when: [{"weight": 1, "podAffinityTerm": term} if when == PREFERRED else term]}}


def _hated_late(first: Json, key: str) -> History:
    """On a node with a pod that has wishes appears one that keeps others away; nothing else has changed since
    somebody was tried."""
    scene = _zones("a", "b")
    scene.add_pod(pod("", labels=_A, affinity=first), 0)
    scene.add_pod(pod("", nodeSelector={ZONE: "c"}))
    scene.schedule(1)
    scene.add_pod(pod("", affinity=_near("podAntiAffinity", REQUIRED, _OF_B, key)), 0)
    scene.add_pod(pod("", labels=_B))
    scene.schedule(1)
    scene.remove_pod(2)
    scene.add_pod(pod("", labels=_B))
    scene.schedule(1)
    return scene.history()


def _hated() -> Iterator[History]:
    for key in (HOSTNAME, ZONE):
        yield _hated_late(_near("podAffinity", PREFERRED, _OF_A), key)
        yield _hated_late(_near("podAntiAffinity", PREFERRED, _OF_A), key)
        yield _hated_late(_near("podAffinity", REQUIRED, _OF_A), key)


def _liked(late: bool, wishes: Json) -> History:
    """Where somebody wants a pod near, or not, counts for a pod without wishes, as long as that one is there."""
    scene = _zones("a", "b")
    scene.add_pod(pod("", nodeSelector={ZONE: "c"}))
    if late:
        scene.schedule(1)
    scene.add_pod(pod("", affinity=wishes), 0)
    scene.add_pod(pod("", labels=_B))
    scene.schedule()
    scene.remove_pod(1)
    scene.add_pod(pod("", labels=_B))
    scene.schedule()
    return scene.history()


def _likings() -> Iterator[History]:
    for late in (False, True):
        yield _liked(late, _near("podAffinity", PREFERRED, _OF_B))
        yield _liked(late, _near("podAntiAffinity", PREFERRED, _OF_B))
        yield _liked(late, _near("podAffinity", REQUIRED, _OF_B))


def _ignored(own: Json) -> History:
    """A profile may ignore what others prefer where the pod prefers nothing; what it requires is another thing."""
    scene = _zones("a", "a", "b")
    scene.add_pod(pod("", labels=_A, affinity=_near("podAffinity", PREFERRED, _OF_B)), 0)
    scene.add_pod(pod("", labels=_B, affinity=own))
    scene.schedule()
    args = ("InterPodAffinity", {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True})
    return scene.history(profile_config(default_profile(args)))


def _ignorings() -> Iterator[History]:
    far = {"matchLabels": {"app": "c"}}
    for when in (REQUIRED, PREFERRED):
        yield _ignored(_near("podAntiAffinity", when, far))
        yield _ignored(_near("podAffinity", when, _OF_A, "nowhere" if when == PREFERRED else ZONE))


def _gone_with_its_node(wishes: Json) -> History:
    """Between two attempts a pod goes, and then its node: it counts no more in their zone."""
    scene = _zones("a", "a", "b")
    scene.add_pod(pod("", affinity=wishes), 0)
    scene.add_pod(pod("", nodeSelector={ZONE: "c"}))
    scene.schedule()
    scene.remove_pod(0)
    scene.remove_node(0)
    for _ in range(2):
        scene.add_pod(pod("", labels=_B))
        scene.schedule()
    return scene.history()


def _goings() -> Iterator[History]:
    yield _gone_with_its_node(_near("podAntiAffinity", REQUIRED, _OF_B, ZONE))
    yield _gone_with_its_node(_near("podAffinity", PREFERRED, _OF_B, ZONE))


def _gone_before_its_pods() -> History:
    """A node is gone, and a pod still there: nobody can go there, also who asks for this node by its name."""
    scene = _zones("a", "b")
    scene.add_pod(pod(""), 0)
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [named]}}}
    scene.add_pod(pod("", affinity=affinity))
    scene.schedule()
    scene.remove_node(0)
    scene.add_pod(pod("", affinity=affinity))
    scene.add_pod(pod("", status={"nominatedNodeName": "n1"}))
    scene.schedule()
    return scene.history()


_FEW: Json = {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", "x.y/a": "1", "pods": "9"}


def _promised_too_much(resource: str, asked: Json) -> History:
    """A node has given more of a resource than it has; others ask for something else."""
    scene = Scene()
    scene.add_node(node("", _FEW))
    scene.add_pod(pod("", {resource: "2Gi" if resource not in ("cpu", "x.y/a") else "2"}), 0)
    scene.add_pod(pod("", asked))
    scene.add_pod(pod(""))
    scene.schedule()
    return scene.history()


def _grows_for_others() -> History:
    """Pods that each want another resource than the others, of a node that is full; one resource after the other
    grows, and is still too little."""
    scene = Scene()
    scene.add_node(node("", _FEW))
    scene.add_pod(pod("", {name: amount for name, amount in _FEW.items() if name != "pods"}), 0)
    for name in ("cpu", "memory", "ephemeral-storage"):
        scene.add_pod(pod("", {name: _FEW[name]}))
    scene.schedule()
    grown = dict(_FEW)
    for name, amount in (
        ("cpu", "1500m"),
        ("memory", "1500Mi"),
        ("ephemeral-storage", "1500Mi"),
        ("x.y/a", "2"),
    ):
        grown[name] = amount
        scene.change_node(0, node("", grown))
        scene.wait()
        scene.schedule()
    return scene.history()


def _overcommitted() -> Iterator[History]:
    small = {"cpu": "1m", "memory": "1", "ephemeral-storage": "1", "x.y/a": "1"}
    for resource in small:
        yield _promised_too_much(resource, {name: small[name] for name in small if name != resource})
    yield _promised_too_much("x.y/a", {"cpu": "1m", "x.y/a": "0"})


# --- Whom a pod spreads with ----------------------------------------------------------------------


def _without_a_host(missing: str) -> History:
    """Pods on a node that lacks one of two labels count for the spread that nobody asked for, and for no other."""
    scene = Scene()
    scene.add(selecting("Service", "s", _A, "v1"))
    for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b")):
        labels = {HOSTNAME: name, ZONE: zone}
        if name == "n2":
            del labels[missing]
        scene.add_node(node(labels=labels))
    for home in (1, 1, 1, 2):
        scene.add_pod(pod("", labels=_A), home)
    scene.add_pod(pod("", labels=_A))
    scene.add_pod(pod("", labels=_A, topologySpreadConstraints=[_spread(key, 1) for key in (HOSTNAME, ZONE)]))
    scene.schedule()
    return scene.history()


def _spread(key: str, skew: int, when: str = "ScheduleAnyway", **more: Any) -> Json:
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": _OF_A, **more}


def _of_another_version(when: str, gate: bool) -> History:
    """The label that a constraint compares is changed before the pod is tried."""
    scene = _zones("a", "b")
    for home, version in ((0, "2"), (1, "1"), (1, "1")):
        scene.add_pod(pod("", labels={**_A, "version": version}), home)
    constraint = _spread(ZONE, 1, when, matchLabelKeys=["version", "absent"])
    scene.add_pod(pod("", labels={**_A, "version": "1"}, topologySpreadConstraints=[constraint]))
    scene.change_pod(3, lambda value: with_metadata(value, labels={**_A, "version": "2"}))
    scene.schedule()
    return scene.history(gates={} if gate else {"MatchLabelKeysInPodTopologySpread": False})


def _versions() -> Iterator[History]:
    for when in ("DoNotSchedule", "ScheduleAnyway"):
        yield from (_of_another_version(when, gate) for gate in (True, False))


def _counts_elsewhere(when: str, policy: str) -> History:
    """Whether pods count that run where the pod itself cannot go."""
    scene = Scene(hosts=True)
    for zone, disk in (("a", "ssd"), ("a", "hdd"), ("b", "ssd")):
        scene.add_node(node(labels={ZONE: zone, "disk": disk}))
    for home in (1, 1, 2):
        scene.add_pod(pod("", labels=_A), home)
    constraint = _spread(ZONE, 1, when, nodeAffinityPolicy=policy)
    scene.add_pod(pod("", labels=_A, nodeSelector={"disk": "ssd"}, topologySpreadConstraints=[constraint]))
    scene.schedule()
    return scene.history()


def _elsewhere() -> Iterator[History]:
    for when in ("DoNotSchedule", "ScheduleAnyway"):
        yield from (_counts_elsewhere(when, policy) for policy in ("Ignore", "Honor"))


# --- Who would have to leave ---------------------------------------------------------------------


def _needs_its_victim(key: str) -> History:
    """Who needs another pod near does not evict it; of two that would do, one may go."""
    scene = _zones("a", "b", "a")
    for home in (0, 0, 2):
        scene.add_pod(pod("", cpu("2"), labels=_A if home == 0 else _B), home)
    scene.add_pod(pod("", cpu("2")), 2)
    scene.add_pod(pod("", cpu("3"), priority=10, affinity=_near("podAffinity", REQUIRED, _OF_A, key)))
    scene.schedule()
    return scene.history()


def _promised_and_counted(promised: int) -> History:
    """Pods that a node is promised to count for the spread there, where another zone may then have the fewest."""
    scene = _zones("a", "b")
    for home in (0, 0, 1):
        scene.add_pod(pod("", labels=_A), home)
    for _ in range(promised):
        kept: Json = {"nodeSelector": {ZONE: "c"}, "preemptionPolicy": "Never", "priority": 10}
        scene.add_pod(pod("", labels=_A, status={"nominatedNodeName": "n2"}, **kept))
    scene.add_pod(pod("", labels=_A, topologySpreadConstraints=[_spread(ZONE, 1, "DoNotSchedule")]))
    scene.schedule()
    return scene.history()


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
    scene = Scene()
    scene.add_node(node(""))
    scene.add_pod(before)
    scene.schedule()
    if seconds:
        scene.wait(seconds)
    scene.steps.append(Update(after))
    scene.wait()
    scene.schedule(2)
    return scene.history(gates=gates)


def _changed() -> Iterator[History]:
    for before, after in _CHANGES:
        yield _changed_at_once(before, after, 0, WITHOUT_POPPING)
    for before, after in _CHANGES[:2]:
        yield _changed_at_once(before, after, 11, WITHOUT_POPPING)
        yield _changed_at_once(before, after, 0, {})


def _backs_off(initial: int, most: int) -> History:
    """After each attempt appears a node that a pod which waits for a port might use, and cannot; each second it is
    seen whether the next attempt is due."""
    scene = Scene()
    scene.add_node(node(""))
    scene.add_pod(pod("", **_PORT), 0)
    scene.add_pod(pod("", **_PORT))
    for _ in range(4):
        scene.schedule(1)
        scene.add_node(node("", unschedulable=True))
        for _ in range(most + 2):
            scene.wait(1)
    config = profile_config(podInitialBackoffSeconds=initial, podMaxBackoffSeconds=most)
    return scene.history(config, WITHOUT_POPPING)


def _left_over() -> History:
    """Whom nothing cures is tried again after five minutes, at the first of the half minutes that follow."""
    scene = Scene()
    scene.add_node(node(""))
    scene.add_pod(_LARGE)
    scene.schedule(1)
    for seconds in (299, 1, 29, 1):
        scene.wait(seconds)
    scene.schedule(1)
    return scene.history()


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


def touched(scene: Scene, touches: Sequence[Callable[[Json], Json]] = _TOUCHES) -> None:
    """The first node is changed in one way after another; whom this may help is tried again, and nobody else."""
    scene.schedule()
    for touch in touches:
        scene.change_node(0, touch(next(iter(scene.nodes.values()))))
        scene.wait()
        scene.schedule()


_SKEWED = {**_spread(ZONE, 1, "DoNotSchedule"), "labelSelector": _OF_A}


def _refused() -> list[Json]:
    """Each by another plugin."""
    return [
        _LARGE,
        pod("", **_PORT),
        pod("", nodeSelector={"disk": "ssd"}),
        pod("", labels=_A, topologySpreadConstraints=[_SKEWED]),
        pod("", affinity=_near("podAffinity", REQUIRED, _OF_B)),
        pod("", affinity=_near("podAntiAffinity", REQUIRED, _OF_A)),
        pod("", schedulingGates=[{"name": "g"}]),
    ]


def _all_refused(first: int, last: int) -> Scene:
    scene = Scene(hosts=True)
    scene.add_node(node(""))
    scene.add_pod(pod("", labels=_A, **_PORT), 0)
    for value in _refused()[first:last]:
        scene.add_pod(value)
    return scene


def _touched_in_vain(first: int, last: int) -> History:
    scene = _all_refused(first, last)
    touched(scene)
    return scene.history()


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
    scene = Scene(hosts=True)
    scene.add_node(node(""))
    scene.add_pod(pod("", script=script(("ScriptedA", "reserve", "Unschedulable"))))
    touched(scene, touches)
    return scene.history(SCRIPTED)


def _tolerated_late() -> History:
    """What a pod tolerates changes in vain first, and then so that a cordon does not matter."""
    scene = Scene()
    scene.add_node(node("", unschedulable=True))
    scene.add_pod(pod(""))
    scene.schedule()
    cordon = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    for tolerations in (_TOLERATING, [*_TOLERATING, cordon]):
        scene.change_pod(0, partial(with_spec, tolerations=tolerations))
        scene.wait()
        scene.schedule()
    return scene.history()


def _others_come_and_go(first: int, last: int) -> History:
    scene = _all_refused(first, last)
    scene.schedule()
    others = (pod("p8", {"cpu": "1"}), pod("p8", labels=_B), pod("p8", namespace="other", labels=_A))
    for other in others:
        scene.add_pod(other, 0)
        scene.wait()
        scene.schedule()
        scene.change_pod(len(scene.pods) - 1, partial(with_metadata, labels={"touched": "yes"}))
        scene.wait()
        scene.schedule()
        scene.remove_pod(len(scene.pods) - 1)
        scene.wait()
        scene.schedule()
    scene.add_node(node("", unschedulable=True))
    scene.wait()
    scene.schedule()
    scene.remove_node(1)
    scene.wait()
    scene.schedule()
    return scene.history()


_HISTORIES: tuple[History, ...] = (
    *_hated(),
    *_likings(),
    *_ignorings(),
    *_goings(),
    _gone_before_its_pods(),
    _grows_for_others(),
    *_overcommitted(),
    *(_without_a_host(key) for key in (HOSTNAME, ZONE)),
    *_versions(),
    *_elsewhere(),
    *(_needs_its_victim(key) for key in (HOSTNAME, ZONE)),
    *(_promised_and_counted(promised) for promised in (1, 2, 3)),
    *_changed(),
    _left_over(),
    *(_backs_off(initial, most) for initial, most in ((1, 2), (2, 3), (1, 5))),
    *(make(*some) for make in (_touched_in_vain, _others_come_and_go) for some in ((0, 4), (4, 7))),
    *(_any_event_will_do(touches) for touches in (_HEALTH, _TOUCHES)),
    _tolerated_late(),
)


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_HISTORIES)
