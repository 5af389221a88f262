# SPDX-License-Identifier: Apache-2.0
"""Batches: pods that are equal, or differ in one thing, one after the other on nodes of which most have room for
few. Now and then another pod comes between, or time passes, or a node changes or goes."""

from __future__ import annotations

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
    with_status,
)
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.history import History

Json = dict[str, Any]

# --- Configurations -------------------------------------------------------------------------------

_NOT_SPREAD = ("PodTopologySpread", {"defaultingType": "List", "defaultConstraints": []})
"""Where pods are spread by default, none has a signature."""
_PLAIN = profile_config(default_profile(_NOT_SPREAD))
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


def _tolerating(*keys: str) -> Json:
    tolerations = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in keys]
    return {"requests": cpu("1"), "tolerations": tolerations}


def _containers(*amounts: str) -> Json:
    return {"containers": [container(f"c{number}", cpu(each)) for number, each in enumerate(amounts)]}


def _running(*images: str) -> Json:
    return {
        "containers": [container(f"c{number}", cpu("500m"), image=each) for number, each in enumerate(images)]
    }


def _listening(number: int, protocol: str = "TCP") -> Json:
    port = {"containerPort": 80, "hostPort": number, "protocol": protocol}
    return {"containers": [container("c", cpu("1"), ports=[port])]}


def _mounting(*sources: Json) -> Json:
    volumes = [{"name": f"v{number}", **each} for number, each in enumerate(sources)]
    return {"requests": cpu("1"), "volumes": volumes}


def _in_zones(when: str, *zones: str) -> Json:
    term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": list(zones)}]}
    listed = {"nodeSelectorTerms": [term]} if when == REQUIRED else [{"weight": 5, "preference": term}]
    return {"requests": cpu("1"), "affinity": {"nodeAffinity": {when: listed}}}


def _near_app(app: str, kind: str = "podAffinity") -> Json:
    selector = {"matchLabels": {"app": app}}
    return {"requests": cpu("1"), "labels": {"app": app}, "affinity": near(kind, PREFERRED, selector, ZONE)}


_ONE: Json = {"requests": cpu("1")}
_OWN_NETWORK: Json = {**_ONE, "hostNetwork": True}
_DISK: Json = {"gcePersistentDisk": {"pdName": "d", "readOnly": True}}
_OTHER_DISK: Json = {"gcePersistentDisk": {"pdName": "e", "readOnly": True}}
_DECLARED: Json = {"declaredFeatures": ["UserNamespacesHostNetworkSupport"]}
_TWINS: tuple[tuple[Json, Json], ...] = (
    (_ONE, _ONE),
    (_ONE, {"requests": cpu("500m")}),
    (_containers("1", "500m"), _containers("500m", "1")),
    (_containers("1"), _containers("500m", "500m")),
    (_tolerating("a", "b"), _tolerating("b", "a")),
    (_tolerating("a"), _tolerating("b")),
    (_listening(80), _listening(80, "UDP")),
    (_listening(80), _listening(81)),
    (_running("i", "j"), _running("j", "i")),
    (_running("i", "i"), _running("i", "j")),
    (_mounting({"configMap": {"name": "m"}}), _ONE),
    (_mounting({"secret": {"secretName": "s"}}, {"emptyDir": {}}), _mounting({"emptyDir": {}})),
    (_mounting(_DISK, {"emptyDir": {}}), _mounting({"emptyDir": {}}, _DISK)),
    (_mounting(_DISK), _mounting(_OTHER_DISK)),
    (_OWN_NETWORK, {**_OWN_NETWORK, "hostUsers": False}),
    ({**_ONE, "nodeSelector": {ZONE: "a"}}, _ONE),
    (_in_zones(REQUIRED, "a", "b"), _in_zones(REQUIRED, "b", "a")),
    (_in_zones(REQUIRED, "a", "b"), _in_zones(REQUIRED, "b")),
    (_in_zones(PREFERRED, "a", "b"), _in_zones(PREFERRED, "b", "a")),
    (_in_zones(PREFERRED, "a"), _ONE),
    *[({**_ONE, "labels": {"app": "a"}}, {**_ONE, "labels": {"app": "b"}})] * 2,
    (_near_app("a"), _near_app("a")),
    (_near_app("b", "podAntiAffinity"), _near_app("b", "podAntiAffinity")),
    ({**_ONE, "topologySpreadConstraints": [spread(ZONE, 1)]},) * 2,
    ({**_ONE, "priority": 5}, _ONE),
)
"""Pairs of pods of which some have the same signature, and some have none."""

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
_HAPPENINGS = (
    *["wait"] * 4,
    *["changed"] * 3,
    *["taken"] * 3,
    *["full"] * 3,
    *["left"] * 3,
    *("created", "freed", "other", "large", "nominated", "nothing"),
)


@st.composite
def _batches(draw: DrawFn) -> History:
    """Equal pods; then something happens, and more of them come."""
    cluster = HistoryBuilder()
    for value in draw(st.lists(_NODES, min_size=3, max_size=5)):
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
            cluster.wait(draw(st.sampled_from([0.5, 0.75, 0.375, 0.25])))
            _equal(cluster, shape, draw(st.integers(0, 1)))
            cluster.wait(draw(st.sampled_from([0.375, 0.25])))
        case "created":
            cluster.add_node(draw(_NODES))
        case "changed":
            cluster.change_node(index, draw(_NODES))
        case "left":
            cluster.remove_node(index)
        case "taken":
            cluster.add_pod(pod("", cpu(draw(st.sampled_from(["1", "2", "500m"])))), index)
        case "full":
            for other in range(1, len(cluster.nodes)):
                cluster.add_pod(pod("", cpu("4")), index + other)
        case "freed":
            cluster.remove_pod(index)
        case "other":
            _equal(cluster, {"requests": cpu("250m")}, 1)
        case "large":
            _equal(cluster, {"requests": cpu("9"), "preemptionPolicy": "Never"}, 1)
        case "nominated":
            _equal(cluster, {**shape, "status": {"nominatedNodeName": f"n{index % 3 + 1}"}}, 1)
        case _:
            pass


@st.composite
def _twins(draw: DrawFn) -> History:
    """Pods of some pairs, one after the other, on nodes that have room for all of them."""
    cluster = HistoryBuilder()
    for number, zone in enumerate("aabb"[draw(st.integers(0, 1)) :]):
        roomy = node("", {}, {ZONE: zone}, _IMAGES[: number % 3])
        cluster.add_node(with_status(roomy, allocatable={"cpu": "32", "pods": "99"}, **_DECLARED))
    for pair in draw(st.permutations(_TWINS))[:8]:
        for place in draw(st.sampled_from([(0, 1), (1, 0), (0, 1, 0), (0, 0, 1)])):
            _equal(cluster, pair[place], 1)
    return cluster.history(draw(_CONFIGS))


@st.composite
def _with_claims(draw: DrawFn) -> History:
    """Equal pods share a claim, or have none."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s", [{"name": "d"}]))
    cluster.add(resource_claim("c", {"requests": [{"name": "r", "exactly": {"deviceClassName": "any"}}]}))
    for _ in range(draw(st.integers(3, 4))):
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    for has_claim in draw(st.lists(st.sampled_from([True, True, False]), min_size=3, max_size=4)):
        cluster.add_pod(claim_user("c") if has_claim else pod("", cpu("1")))
        cluster.schedule(1)
    return cluster.history(_PLAIN)


def histories() -> SearchStrategy[History]:
    return st.one_of(*[_batches()] * 4, *[_twins()] * 5, _with_claims())
