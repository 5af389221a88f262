# SPDX-License-Identifier: Apache-2.0
"""Corners: clusters in which one thing decides that hardly ever does where everything is drawn. A node has
promised more than it has; a label is changed that a constraint compares; a node is gone before its pods.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies import woken
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    ZONE,
    container,
    cpu,
    default_profile,
    near,
    node,
    pod,
    profile_config,
    selecting,
    spread,
    with_metadata,
)
from refsched.suite.histories.history import History

Json = dict[str, Any]

_A, _B = {"app": "a"}, {"app": "b"}
_OF_A, _OF_B = {"matchLabels": _A}, {"matchLabels": _B}
_PORT: Json = {"containers": [container("c", ports=[{"containerPort": 80, "hostPort": 80}])]}


def _zones(*zones: str, hosts: bool = True) -> HistoryBuilder:
    """One node in each; "" is none."""
    cluster = HistoryBuilder(hosts)
    for zone in zones:
        cluster.add_node(node(labels={ZONE: zone} if zone else {}))
    return cluster


# --- Whom a node holds ----------------------------------------------------------------------------


def _hated_late(first: Json, key: str) -> History:
    """On a node with a pod that has wishes appears one that keeps others away; nothing else has changed since
    somebody was tried."""
    cluster = _zones("a", "b")
    cluster.add_pod(pod("", labels=_A, affinity=first), 0)
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    cluster.schedule(1)
    cluster.add_pod(pod("", affinity=near("podAntiAffinity", REQUIRED, _OF_B, key)), 0)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule(1)
    cluster.remove_pod(2)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule(1)
    return cluster.history()


def _hated() -> Iterator[History]:
    for key in (HOSTNAME, ZONE):
        yield _hated_late(near("podAffinity", PREFERRED, _OF_A), key)
        yield _hated_late(near("podAntiAffinity", PREFERRED, _OF_A), key)
        yield _hated_late(near("podAffinity", REQUIRED, _OF_A), key)


def _liked(late: bool, wishes: Json) -> History:
    """Where somebody wants a pod near, or not, counts for a pod without wishes, as long as that one is there."""
    cluster = _zones("a", "b")
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    if late:
        cluster.schedule(1)
    cluster.add_pod(pod("", affinity=wishes), 0)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule()
    cluster.remove_pod(1)
    cluster.add_pod(pod("", labels=_B))
    cluster.schedule()
    return cluster.history()


def _likings() -> Iterator[History]:
    for late in (False, True):
        yield _liked(late, near("podAffinity", PREFERRED, _OF_B))
        yield _liked(late, near("podAntiAffinity", PREFERRED, _OF_B))
        yield _liked(late, near("podAffinity", REQUIRED, _OF_B))


def _ignored(own: Json) -> History:
    """A profile may ignore what others prefer where the pod prefers nothing; what it requires is another thing."""
    cluster = _zones("a", "a", "b")
    cluster.add_pod(pod("", labels=_A, affinity=near("podAffinity", PREFERRED, _OF_B)), 0)
    cluster.add_pod(pod("", labels=_B, affinity=own))
    cluster.schedule()
    args = ("InterPodAffinity", {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True})
    return cluster.history(profile_config(default_profile(args)))


def _ignorings() -> Iterator[History]:
    far = {"matchLabels": {"app": "c"}}
    for when in (REQUIRED, PREFERRED):
        yield _ignored(near("podAntiAffinity", when, far))
        yield _ignored(near("podAffinity", when, _OF_A, "nowhere" if when == PREFERRED else ZONE))


def _gone_with_its_node(wishes: Json) -> History:
    """Between two attempts a pod goes, and then its node: it counts no more in their zone."""
    cluster = _zones("a", "a", "b")
    cluster.add_pod(pod("", affinity=wishes), 0)
    cluster.add_pod(pod("", nodeSelector={ZONE: "c"}))
    cluster.schedule()
    cluster.remove_pod(0)
    cluster.remove_node(0)
    for _ in range(2):
        cluster.add_pod(pod("", labels=_B))
        cluster.schedule()
    return cluster.history()


def _goings() -> Iterator[History]:
    yield _gone_with_its_node(near("podAntiAffinity", REQUIRED, _OF_B, ZONE))
    yield _gone_with_its_node(near("podAffinity", PREFERRED, _OF_B, ZONE))


def _gone_before_its_pods() -> History:
    """A node is gone, and a pod still there: nobody can go there, also who asks for this node by its name."""
    cluster = _zones("a", "b")
    cluster.add_pod(pod(""), 0)
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [named]}}}
    cluster.add_pod(pod("", affinity=affinity))
    cluster.schedule()
    cluster.remove_node(0)
    cluster.add_pod(pod("", affinity=affinity))
    cluster.add_pod(pod("", status={"nominatedNodeName": "n1"}))
    cluster.schedule()
    return cluster.history()


_FEW: Json = {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", "x.y/a": "1", "pods": "9"}


def _promised_too_much(resource: str, asked: Json) -> History:
    """A node has given more of a resource than it has; others ask for something else."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", _FEW))
    cluster.add_pod(pod("", {resource: "2Gi" if resource not in ("cpu", "x.y/a") else "2"}), 0)
    cluster.add_pod(pod("", asked))
    cluster.add_pod(pod(""))
    cluster.schedule()
    return cluster.history()


def _grows_for_others() -> History:
    """Pods that each want another resource than the others, of a node that is full; one resource after the other
    grows, and is still too little."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", _FEW))
    cluster.add_pod(pod("", {name: amount for name, amount in _FEW.items() if name != "pods"}), 0)
    for name in ("cpu", "memory", "ephemeral-storage"):
        cluster.add_pod(pod("", {name: _FEW[name]}))
    cluster.schedule()
    grown = dict(_FEW)
    for name, amount in (
        ("cpu", "1500m"),
        ("memory", "1500Mi"),
        ("ephemeral-storage", "1500Mi"),
        ("x.y/a", "2"),
    ):
        grown[name] = amount
        cluster.change_node(0, node("", grown))
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def _overcommitted() -> Iterator[History]:
    small = {"cpu": "1m", "memory": "1", "ephemeral-storage": "1", "x.y/a": "1"}
    for resource in small:
        yield _promised_too_much(resource, {name: small[name] for name in small if name != resource})
    yield _promised_too_much("x.y/a", {"cpu": "1m", "x.y/a": "0"})


# --- Whom a pod spreads with ----------------------------------------------------------------------


def _without_a_host(missing: str) -> History:
    """Pods on a node that lacks one of two labels count for the spread that nobody asked for, and for no other."""
    cluster = HistoryBuilder()
    cluster.add(selecting("Service", "s", _A, "v1"))
    for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b")):
        labels = {HOSTNAME: name, ZONE: zone}
        if name == "n2":
            del labels[missing]
        cluster.add_node(node(labels=labels))
    for home in (1, 1, 1, 2):
        cluster.add_pod(pod("", labels=_A), home)
    cluster.add_pod(pod("", labels=_A))
    cluster.add_pod(
        pod("", labels=_A, topologySpreadConstraints=[spread(key, 1) for key in (HOSTNAME, ZONE)])
    )
    cluster.schedule()
    return cluster.history()


def _of_another_version(when: str, gate: bool) -> History:
    """The label that a constraint compares is changed before the pod is tried."""
    cluster = _zones("a", "b")
    for home, version in ((0, "2"), (1, "1"), (1, "1")):
        cluster.add_pod(pod("", labels={**_A, "version": version}), home)
    constraint = spread(ZONE, 1, when, matchLabelKeys=["version", "absent"])
    cluster.add_pod(pod("", labels={**_A, "version": "1"}, topologySpreadConstraints=[constraint]))
    cluster.change_pod(3, lambda value: with_metadata(value, labels={**_A, "version": "2"}))
    cluster.schedule()
    return cluster.history(gates={} if gate else {"MatchLabelKeysInPodTopologySpread": False})


def _versions() -> Iterator[History]:
    for when in ("DoNotSchedule", "ScheduleAnyway"):
        yield from (_of_another_version(when, gate) for gate in (True, False))


def _counts_elsewhere(when: str, policy: str) -> History:
    """Whether pods count that run where the pod itself cannot go."""
    cluster = HistoryBuilder(hosts=True)
    for zone, disk in (("a", "ssd"), ("a", "hdd"), ("b", "ssd")):
        cluster.add_node(node(labels={ZONE: zone, "disk": disk}))
    for home in (1, 1, 2):
        cluster.add_pod(pod("", labels=_A), home)
    constraint = spread(ZONE, 1, when, nodeAffinityPolicy=policy)
    cluster.add_pod(pod("", labels=_A, nodeSelector={"disk": "ssd"}, topologySpreadConstraints=[constraint]))
    cluster.schedule()
    return cluster.history()


def _elsewhere() -> Iterator[History]:
    for when in ("DoNotSchedule", "ScheduleAnyway"):
        yield from (_counts_elsewhere(when, policy) for policy in ("Ignore", "Honor"))


# --- Who would have to leave ---------------------------------------------------------------------


def _needs_its_victim(key: str) -> History:
    """Who needs another pod near does not evict it; of two that would do, one may go."""
    cluster = _zones("a", "b", "a")
    for home in (0, 0, 2):
        cluster.add_pod(pod("", cpu("2"), labels=_A if home == 0 else _B), home)
    cluster.add_pod(pod("", cpu("2")), 2)
    cluster.add_pod(pod("", cpu("3"), priority=10, affinity=near("podAffinity", REQUIRED, _OF_A, key)))
    cluster.schedule()
    return cluster.history()


def _promised_and_counted(promised: int) -> History:
    """Pods that a node is promised to count for the spread there, where another zone may then have the fewest."""
    cluster = _zones("a", "b")
    for home in (0, 0, 1):
        cluster.add_pod(pod("", labels=_A), home)
    for _ in range(promised):
        kept: Json = {"nodeSelector": {ZONE: "c"}, "preemptionPolicy": "Never", "priority": 10}
        cluster.add_pod(pod("", labels=_A, status={"nominatedNodeName": "n2"}, **kept))
    cluster.add_pod(pod("", labels=_A, topologySpreadConstraints=[spread(ZONE, 1, "DoNotSchedule")]))
    cluster.schedule()
    return cluster.history()


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
    *woken.HISTORIES,
)


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_HISTORIES)
