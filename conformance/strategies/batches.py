# SPDX-License-Identifier: Apache-2.0
"""Batches: pods that are equal, or differ in one thing, one after the other on nodes of which most have room for
few. Now and then another pod comes between, or time passes, or a node changes or goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
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
    spread,
    spread_by_default,
    with_metadata,
    with_status,
)
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.history import History

Json = dict[str, Any]

# --- Configurations -------------------------------------------------------------------------------

_NOT_SPREAD = ("PodTopologySpread", {"defaultingType": "List", "defaultConstraints": []})
"""Where pods are spread by default, none has a signature."""
_PLAIN = spread_by_default([])
_IGNORING = profile_config(
    default_profile(_NOT_SPREAD, ("InterPodAffinity", {"ignorePreferredTermsOfExistingPods": True}))
)
_SPREAD_BY_ZONE = spread_by_default(
    [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway"}]
)
_ELSEWHERE = {"urlPrefix": f"{EXTENDERS}/x", "filterVerb": "filter", "managedResources": [{"name": "x.y/z"}]}
"""An extender that is asked about no pod here."""
_CONFIGS = st.sampled_from(
    [
        *[_PLAIN] * 8,
        *[_IGNORING] * 2,
        _SPREAD_BY_ZONE,
        None,
        profile_config(default_profile(_NOT_SPREAD), extenders=[_ELSEWHERE]),
    ]
)

# --- Pods that are equal or differ in one thing ---------------------------------------------------


def _tolerating(*tolerations: Json) -> Json:
    return {"requests": cpu("1"), "tolerations": list(tolerations)}


def _containers(*amounts: str) -> Json:
    return {"containers": [container(f"c{number}", cpu(each)) for number, each in enumerate(amounts)]}


def _running(*images: str) -> Json:
    return {
        "containers": [container(f"c{number}", cpu("500m"), image=each) for number, each in enumerate(images)]
    }


def _listening(*ports: tuple[int, str]) -> Json:
    listed = [{"containerPort": 80, "hostPort": number, "protocol": protocol} for number, protocol in ports]
    return {"containers": [container("c", cpu("1"), ports=listed)]}


def _mounting(*sources: Json) -> Json:
    volumes = [{"name": f"v{number}", **each} for number, each in enumerate(sources)]
    return {"requests": cpu("1"), "volumes": volumes}


def _in(*zones: str) -> Json:
    return {"key": ZONE, "operator": "In", "values": list(zones)}


def _on_nodes(*terms: Sequence[Json]) -> Json:
    required = {"nodeSelectorTerms": [{"matchExpressions": list(term)} for term in terms]}
    return {"requests": cpu("1"), "affinity": {"nodeAffinity": {REQUIRED: required}}}


def _preferring(*terms: tuple[int, Json]) -> Json:
    listed = [{"weight": weight, "preference": {"matchExpressions": [each]}} for weight, each in terms]
    return {"requests": cpu("1"), "affinity": {"nodeAffinity": {PREFERRED: listed}}}


def _near_app(app: str, kind: str = "podAffinity") -> Json:
    selector = {"matchLabels": {"app": app}}
    return {"requests": cpu("1"), "labels": {"app": app}, "affinity": near(kind, PREFERRED, selector, ZONE)}


_ONE: Json = {"requests": cpu("1")}
_OWN_NETWORK: Json = {**_ONE, "hostNetwork": True}
_DECLARED: Json = {"declaredFeatures": ["UserNamespacesHostNetworkSupport"]}
_TWINS: tuple[tuple[Json, Json], ...] = (
    (_ONE, _ONE),
    (_ONE, {"requests": cpu("500m")}),
    (_containers("1"), _containers("500m", "500m")),
    (_listening((80, "TCP")), _listening((80, "UDP"))),
    (_OWN_NETWORK, {**_OWN_NETWORK, "hostUsers": False}),
    ({**_ONE, "nodeSelector": {ZONE: "a"}}, _ONE),
    *[({**_ONE, "labels": {"app": "a"}}, {**_ONE, "labels": {"app": "b"}})] * 2,
    (_near_app("a"), _near_app("a")),
    (_near_app("b", "podAntiAffinity"), _near_app("b", "podAntiAffinity")),
    ({**_ONE, "topologySpreadConstraints": [spread(ZONE, 1)]},) * 2,
    ({**_ONE, "priority": 5}, _ONE),
)
"""Pairs of pods of which some have the same signature, and some have none."""

_NO_SCHEDULE: Json = {"key": "a", "operator": "Exists", "effect": "NoSchedule"}
_LISTS: Sequence[tuple[Callable[..., Json], Sequence[Any]]] = (
    (
        _tolerating,
        [
            {"key": "a", "value": "x"},
            {"key": "a", "value": "y"},
            _NO_SCHEDULE,
            {**_NO_SCHEDULE, "effect": "NoExecute", "tolerationSeconds": 9},
            {**_NO_SCHEDULE, "key": "b"},
        ],
    ),
    (
        _mounting,
        [
            {"gcePersistentDisk": {"pdName": "d", "readOnly": True}},
            {"gcePersistentDisk": {"pdName": "e", "readOnly": True}},
            {"emptyDir": {}},
            {"configMap": {"name": "m"}},
            {"secret": {"secretName": "s"}},
        ],
    ),
    (_containers, ["1", "500m", "250m"]),
    (_running, ["i", "j"]),
    (_listening, [(80, "TCP"), (80, "UDP"), (81, "TCP")]),
    (lambda *zones: _on_nodes([_in(*zones)]), ["a", "b", "c"]),
    (lambda *requirements: _on_nodes(requirements), [_in("a", "b"), _in("b", "a"), _in("b")]),
    (_on_nodes, [[_in("a")], [_in("b")], [_in("a"), _in("a", "b")]]),
    (_preferring, [(5, _in("a")), (5, _in("b")), (9, _in("a"))]),
)
"""What a pod may list, and a few elements of it, some of which are alike."""


@st.composite
def _pairs(draw: DrawFn) -> tuple[Json, Json]:
    """Pairs of pods of which the second lists the same in another order, some of it twice, or something else."""
    listing, elements = draw(st.sampled_from(_LISTS))
    listed = draw(st.permutations(elements))[: draw(st.integers(2, 3))]
    twice = listed if listing is _listening else [*listed, *listed]
    others = [listed[::-1], twice, listed[::-1], twice, listed[1:], elements[: len(listed)]]
    return listing(*listed), listing(*draw(st.sampled_from(others)))


# --- What happens between them --------------------------------------------------------------------

_IMAGES: tuple[Json, ...] = tuple({"names": [name], "sizeBytes": 900_000_000} for name in ("i:latest", "j"))


def _node(cores: str, zone: str, pods: str, images: int) -> Json:
    return node("", {"cpu": cores, "pods": pods}, {ZONE: zone}, _IMAGES[:images], taints=_tainted(cores))


def _tainted(cores: str) -> list[Json]:
    return [{"key": "a", "value": "", "effect": "PreferNoSchedule"}] if cores == "1500m" else []


_NODES = st.builds(
    _node,
    st.sampled_from(["2", "1", "1500m", "3", "4"]),
    st.sampled_from("aab"),
    st.sampled_from(["4", "1", "2"]),
    st.sampled_from([0, 0, 1, 2]),
)
_FOR_ONE = st.builds(
    _node, st.sampled_from(["4", "3", "2"]), st.just("a"), st.just("1"), st.sampled_from([0, 1])
)
"""Nodes on which a pod leaves no room for its like, so that the next one is tried elsewhere in any release."""
_HAPPENINGS = (
    *["wait"] * 4,
    *["changed"] * 3,
    *["taken"] * 3,
    *["full"] * 3,
    *["left"] * 3,
    *["nominated"] * 3,
    *["updated"] * 3,
    *("created", "freed", "other", "large", "nothing"),
)


_WAITS = ((0.375, 0.375), (0.5, 0.25), (0.75,), (0.25, 0.375), (0.25, 0.25, 0.25))
"""A hint is too old after half a second, however often one was given meanwhile."""


@st.composite
def _batches(draw: DrawFn) -> History:
    """Draws equal pods; then something happens, and more of them come."""
    cluster = HistoryBuilder()
    for value in draw(st.lists(draw(st.sampled_from([_NODES, _FOR_ONE])), min_size=3, max_size=5)):
        cluster.add_node(value)
    shape = draw(st.sampled_from([_ONE, _ONE, {"requests": cpu("500m")}, _running("i", "j")]))
    for happenings in draw(
        st.lists(st.lists(st.sampled_from(_HAPPENINGS), min_size=1, max_size=2), min_size=2, max_size=3)
    ):
        _equal(cluster, shape, draw(st.integers(1, 2)))
        for happening in happenings:
            _happen(draw, cluster, shape, happening)
            _equal(cluster, shape, draw(st.integers(0, 2)))
        _equal(cluster, shape, draw(st.integers(1, 2)))
        cluster.wait(1)
        cluster.add_node(draw(_NODES))
    return cluster.history(_PLAIN)


def _equal(cluster: HistoryBuilder, shape: Json, number: int) -> None:
    for _ in range(number):
        cluster.add_pod(pod("", **shape))
        cluster.schedule(1)


def _happen(draw: DrawFn, cluster: HistoryBuilder, shape: Json, happening: str) -> None:
    index = draw(st.integers(0, 5))
    match happening:
        case "wait":
            for seconds in draw(st.sampled_from(_WAITS)):
                cluster.wait(seconds)
                _equal(cluster, shape, draw(st.integers(0, 1)))
        case "created":
            cluster.add_node(draw(_NODES))
        case "changed":
            cluster.change_node(index, draw(_NODES))
        case "left":
            cluster.remove_node(index)
        case "taken":
            cluster.add_pod(pod("", cpu(draw(st.sampled_from(["1", "2", "500m"])))), index)
        case "full":
            _equal(cluster, shape, 1)
            for other in range(draw(st.integers(1, 2)), len(cluster.nodes)):
                cluster.add_pod(pod("", cpu("4")), index + other)
            _equal(cluster, shape, 2)
        case "freed":
            cluster.remove_pod(index)
        case "other":
            _equal(cluster, {"requests": cpu("250m")}, 1)
        case "large":
            _equal(cluster, {"requests": cpu("9"), "preemptionPolicy": "Never"}, 1)
        case "nominated":
            _equal(cluster, {**shape, "status": {"nominatedNodeName": f"n{index % 3 + 1}"}}, 1)
            _equal(cluster, shape, 1)
        case "updated":
            before, after = draw(st.permutations([{}, {"app": "a"}]))
            cluster.add_pod(pod("", labels=before, **shape))
            cluster.change_pod(-1, lambda value: with_metadata(value, labels=after))
            cluster.schedule(1)
        case _:
            pass


@st.composite
def _twins(draw: DrawFn) -> History:
    """Pods of some pairs, one after the other, on nodes that have room for all of them."""
    cluster = HistoryBuilder()
    for number, zone in enumerate("aabb"[draw(st.integers(0, 1)) :]):
        roomy = node("", {}, {ZONE: zone}, _IMAGES[: number % 3])
        cluster.add_node(with_status(roomy, allocatable={"cpu": "32", "pods": "99"}, **_DECLARED))
    of_lists = draw(st.lists(_pairs(), min_size=5, max_size=5))
    for pair in draw(st.permutations([*of_lists, *draw(st.permutations(_TWINS))[:3]])):
        for place in draw(st.sampled_from([(0, 1), (1, 0), (0, 1, 0), (0, 0, 1)])):
            _equal(cluster, pair[place], 1)
    return cluster.history(draw(_CONFIGS))


_SERVED = "deviceclass.resource.kubernetes.io/any"


@st.composite
def _with_claims(draw: DrawFn) -> History:
    """Equal pods share a claim, request a resource that devices serve, or neither; the class of the devices may
    come later than some of them."""
    cluster = HistoryBuilder()
    comes_late = draw(st.sampled_from([False, False, True]))
    if not comes_late:
        cluster.add(device_class("any"))
    cluster.add(resource_slice("s", [{"name": f"d{number}"} for number in range(3)]))
    cluster.add(resource_claim("c", {"requests": [{"name": "r", "exactly": {"deviceClassName": "any"}}]}))
    for _ in range(draw(st.integers(3, 4))):
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    served = {"requests": {**cpu("1"), _SERVED: "1"}, "limits": {_SERVED: "1"}}
    asking = {**container("c"), "resources": served}
    kinds = [claim_user("c"), pod("", cpu("1")), pod("", containers=[asking])]
    for kind in draw(st.lists(st.sampled_from([0, 0, 1, 2, 2]), min_size=3, max_size=5)):
        cluster.add_pod(kinds[kind])
        cluster.schedule(1)
    if comes_late:
        cluster.add(device_class("any"))
        cluster.schedule(4)
    return cluster.history(_PLAIN)


def histories() -> SearchStrategy[History]:
    return st.one_of(_batches(), _twins(), _with_claims())
