# SPDX-License-Identifier: Apache-2.0
"""Pods that go where other pods are, or are not: by label, namespace and topology, required and preferred."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import (
    label_changes,
    nodes_created,
    pods_created,
    pods_removed,
    pods_running,
    with_few_changes,
)
from conformance.strategies.drawn import CPU_REQUESTS, combinations, repeating, sometimes
from conformance.strategies.requeueing import pod_updates, relabelled, requeueing
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    PREFERRED,
    REQUIRED,
    ZONE,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_metadata,
)
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_NODES = combinations(
    lambda zone, rack, host: node(
        labels={
            key: value for key, value in ((ZONE, zone), ("rack", rack), (HOSTNAME, host)) if value is not None
        }
    ),
    ("a", "b", None, ""),
    (None, "r"),
    (None, None, None, "h"),
)
"""An empty label is one. Two nodes may bear the same host's name, or another one's."""

_LABELS = st.sampled_from(
    [
        {"app": "a"},
        {},
        {"app": "b"},
        {"app": "a", "version": "1"},
        {"app": "a", "version": "2"},
        {"version": "1"},
    ]
)
_NAMESPACES = st.sampled_from(["", "", "", "other"])
_OTHERS = st.sampled_from([{}, {"team": "x"}]).map(
    lambda labels: [_namespace("default", {}), _namespace("other", labels)]
)


def _namespace(name: str, labels: Json) -> Json:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


# --- Terms ----------------------------------------------------------------------------------------

_KINDS = (
    ("podAffinity", PREFERRED),
    ("podAntiAffinity", REQUIRED),
    ("podAffinity", REQUIRED),
    ("podAntiAffinity", PREFERRED),
)

_SELECTORS: tuple[Json | None, ...] = (
    {"matchLabels": {"app": "a"}},
    {},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]},
    None,
)
"""The empty selector matches every pod, and none at all matches no pod."""

_WHOSE: tuple[Json, ...] = (
    {},
    {"namespaces": ["other"]},
    {"namespaceSelector": {"matchLabels": {"team": "x"}}},
    {"namespaceSelector": {}},
    {"namespaces": ["default"], "namespaceSelector": {"matchLabels": {"team": "x"}}},
    {"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "In", "values": ["x"]}]}},
    {"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}},
)
"""The last selects a namespace for what it does not have: also for want of labels."""
_SAME: tuple[Json, ...] = ({}, {"matchLabelKeys": ["version"]}, {"mismatchLabelKeys": ["version"]})


def _term(
    kind: tuple[str, str], selector: Json | None, topology: str, whose: Json, same: Json, weight: int
) -> Json:
    """Keys of labels only go with a selector."""
    term: Json = {"topologyKey": topology, **whose}
    if selector is not None:
        term |= {"labelSelector": selector, **same}
    return {
        "kind": kind,
        "term": {"weight": weight, "podAffinityTerm": term} if kind[1] == PREFERRED else term,
    }


_TERMS = repeating(
    combinations(_term, _KINDS, _SELECTORS, (ZONE, HOSTNAME, "rack"), _WHOSE, _SAME, (1, 5, 100, 29, 50)), 3
)


def _affinity(terms: list[Json]) -> Json:
    affinity: Json = {}
    for each in terms:
        where, when = each["kind"]
        affinity.setdefault(where, {}).setdefault(when, []).append(each["term"])
    return affinity


def _pod(amount: str, labels: Json, namespace: str, terms: list[Json], leaves: bool) -> Json:
    value = pod("", cpu(amount), labels=labels, namespace=namespace, affinity=_affinity(terms))
    return with_metadata(value, deletionTimestamp=AN_AGE_AGO) if leaves else value


_PODS = st.builds(_pod, CPU_REQUESTS, _LABELS, _NAMESPACES, _TERMS, st.just(False))
_RUNNING = st.builds(_pod, CPU_REQUESTS, _LABELS, _NAMESPACES, _TERMS, st.sampled_from([False, False, True]))
"""Pods that are being deleted attract, and repel, as long as they run."""

# --- Configurations -------------------------------------------------------------------------------

_CONFIGS = sometimes(
    combinations(
        lambda weight, ignores: profile_config(
            default_profile(
                (
                    "InterPodAffinity",
                    {"hardPodAffinityWeight": weight, "ignorePreferredTermsOfExistingPods": ignores},
                )
            )
        ),
        (1, 0, 100),
        (False, True),
    ),
    DEFAULT_CONFIG,
)


# --- Few weights, and much between them -----------------------------------------------------------

_FOR_AND_AGAINST = combinations(
    lambda kinds, first, second: _pod(
        "",
        {},
        "",
        [
            _term((kind, PREFERRED), {"matchLabels": {"app": app}}, ZONE, {}, {}, weight)
            for kind, app, weight in zip(kinds, "ab", (first, second), strict=True)
        ],
        False,
    ),
    (("podAffinity", "podAffinity"), ("podAffinity", "podAntiAffinity")),
    (29, 100, 57, 7),
    (50, 100, 21, 3),
)
_KINDRED = combinations(lambda app: pod("", labels={"app": app}), ("a", "b"))
_ZONED = combinations(lambda zone: node(labels={ZONE: zone} if zone else {}), ("a", "b", "c", ""))


@st.composite
def _weighed(draw: DrawFn) -> History:
    """Each zone has its own sum of weights; what one is of another is no round number."""
    cluster = HistoryBuilder(hosts=True)
    for zone in ("a", "b", "c"):
        cluster.add_node(node(labels={ZONE: zone}))
    for value in draw(st.lists(_ZONED, max_size=1)):
        cluster.add_node(value)
    for value, home in draw(st.lists(st.tuples(_KINDRED, st.integers(0, 3)), min_size=2, max_size=4)):
        cluster.add_pod(value, home)
    for value in draw(st.lists(_FOR_AND_AGAINST, min_size=1, max_size=3)):
        cluster.add_pod(value)
    cluster.schedule()
    return cluster.history()


# --- Only the namespaces differ -------------------------------------------------------------------

_TEAMS = st.sampled_from([{}, {"team": "x"}, {"team": "y"}])
_IN_ANY = st.sampled_from(["", "other", "other", "absent"])
_OF_ALL, _PREFERRING_ALL = (
    st.lists(combinations(_term, kinds, ({},), (ZONE,), _WHOSE, ({},), (5, 100)), min_size=1, max_size=2)
    for kinds in (_KINDS, _KINDS[::3])
)


@st.composite
def _among_namespaces(draw: DrawFn) -> History:
    """Every term selects all pods of its namespaces, and every node has its key. Some pods run on one node, and
    others of any namespace come; one namespace does not exist. As often as not all nodes are feasible."""
    terms = draw(st.sampled_from([_PREFERRING_ALL, _OF_ALL]))
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*(_namespace(name, draw(_TEAMS)) for name in ("default", "other")))
    for zone in ("a", "b"):
        cluster.add_node(node(labels={ZONE: zone}))
    for _ in range(draw(st.integers(1, 2))):
        cluster.add_pod(_pod("", {}, draw(_IN_ANY), draw(terms), False), 0)
    for _ in range(2):
        cluster.add_pod(_pod("", {}, draw(_IN_ANY), draw(sometimes(terms, [])), False))
    cluster.schedule()
    return cluster.history()


# --- What requeues a rejected pod ---------------------------------------------------------------------


def _required(where: str, topology: str, labels: tuple[Json, ...], whose: Json) -> Json:
    terms = [{"topologyKey": topology, "labelSelector": {"matchLabels": each}, **whose} for each in labels]
    return {where: {REQUIRED: terms}}


def _wanting(where: str, topology: str, labels: tuple[Json, ...], own: Json) -> Json:
    return pod("", {"cpu": "1"}, labels=own, affinity=_required(where, topology, labels, {}))


_WANTING = combinations(
    _wanting,
    ("podAffinity", "podAntiAffinity"),
    (ZONE, HOSTNAME, "rack"),
    (({"app": "a"},), ({"app": "a"}, {"version": "1"})),
    ({}, {"app": "b"}),
)
_NEIGHBOURS = combinations(
    lambda labels, namespace: pod("", labels=labels, namespace=namespace),
    ({"version": "1"}, {"app": "b"}, {"app": "a"}, {"app": "a", "version": "1"}, {}),
    ("", "", "", "other"),
)
_SMALL_OR_LARGE = combinations(
    lambda cores, labels: node("", {"cpu": cores, "pods": "9"}, labels),
    ("4", "500m"),
    ({ZONE: "a"}, {ZONE: "a", "rack": "r"}, {}),
)


# --- One waits, and one runs ----------------------------------------------------------------------

_A, _V, _AV, _B = {"app": "a"}, {"version": "1"}, {"app": "a", "version": "1"}, {"app": "b"}
_REFUSES = tuple(_required("podAntiAffinity", ZONE, labels, {}) for labels in ((_B,), (_B, _V)))
_IN_OTHER = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}}
_KEPT_WAITING: tuple[tuple[str, Json, Json, Json, int], ...] = (
    ("podAntiAffinity", {}, _A, {}, 0),
    ("podAffinity", {}, {}, {}, 0),
    ("podAffinity", _AV, _AV, {}, 1),
    ("", _B, {}, _REFUSES[0], 0),
    ("podAntiAffinity", {}, _AV, {}, 0),
    ("podAffinity", {}, _V, {}, 0),
    ("", _B, {}, _REFUSES[1], 0),
)
"""What a pod asks for, and its labels; labels and affinity of the one that runs, and where. Because of that one,
or because it is no other, the first one waits."""

_HAPPENS = st.lists(
    st.one_of(
        st.just(lambda cluster: cluster.remove_pod(0)),
        st.sampled_from([_A, {}, _AV, _V]).map(
            lambda labels: (
                lambda cluster: cluster.change_pod(0, lambda one: with_metadata(one, labels=labels))
            )
        ),
        st.tuples(st.sampled_from([_A, _AV, _V]), _NAMESPACES).map(
            lambda drawn: lambda cluster: cluster.add_pod(pod("", labels=drawn[0], namespace=drawn[1]), 0)
        ),
    ),
    min_size=1,
    max_size=3,
)


@st.composite
def _one_and_another(draw: DrawFn) -> History:
    """The running pod is deleted or relabelled, or a third one is created; the second node accepts no other
    pod."""
    where, own, labels, affinity, home = draw(st.sampled_from(_KEPT_WAITING))
    terms = draw(st.sampled_from([(_A,), (_A, _V)]))
    whose = draw(st.sampled_from([{}, {}, _IN_OTHER]))
    cluster = HistoryBuilder()
    cluster.add(_namespace("other", {}))
    cluster.add_node(node(labels={ZONE: "a"}))
    cluster.add_node(node(labels={ZONE: "b"}, unschedulable=True))
    cluster.add_pod(pod("", labels=labels, namespace="other" if whose else "", affinity=affinity), home)
    cluster.add_pod(pod("", labels=own, affinity=_required(where, ZONE, terms, whose) if where else {}))
    cluster.schedule()
    for happens in draw(_HAPPENS):
        happens(cluster)
        cluster.wait()
        cluster.schedule()
    return cluster.history()


def requeued() -> SearchStrategy[History]:
    relabels = relabelled(
        st.sampled_from([{ZONE: "a"}, {ZONE: "b"}, {ZONE: "a", "rack": "r"}, {"rack": "r"}, {}])
    )
    renamed = pod_updates(lambda value: lambda pod: with_metadata(pod, labels=value), _LABELS)
    anything = requeueing(
        st.lists(_SMALL_OR_LARGE, min_size=1, max_size=2),
        *(_WANTING, _NEIGHBOURS, relabels, relabels, renamed, renamed),
        *(pods_running(_NEIGHBOURS), pods_running(_NEIGHBOURS), pods_removed()),
        *(nodes_created(_SMALL_OR_LARGE), pods_created(_WANTING)),
        hosts=True,
        most_running=2,
    )
    return st.one_of(anything, _one_and_another())


def histories() -> SearchStrategy[History]:
    anything = with_few_changes(
        _NODES,
        _PODS,
        label_changes(_LABELS),
        config=_CONFIGS,
        others=sometimes(_OTHERS, []),
        running=_RUNNING,
        hosts=True,
    )
    return st.one_of(anything, _weighed(), requeued(), _among_namespaces())
