# SPDX-License-Identifier: Apache-2.0
"""Pairs: small clusters in which any two features may meet, of one object or of two.

Other areas draw what belongs together; here a history is about any three things, and what pods, nodes and volumes
have is drawn from a few features of both (``conformance/vocabulary/features.py``), so that they meet often and few
others hide what they decide. ``python -m conformance.campaigns.pairs`` counts which pairs of fields have met.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import sometimes
from conformance.vocabulary import features
from conformance.vocabulary.builder import HistoryBuilder, nth
from conformance.vocabulary.devices import device_class, names_of_requests, resource_claim, resource_slice
from conformance.vocabulary.features import Feature, merged
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    ZONE,
    cpu,
    distinct_constraints,
    node,
    pod,
    selecting,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.requested_devices import ALLOCATED, CONSTRAINTS, REQUESTS
from conformance.vocabulary.storage import (
    DRIVER,
    STORAGE,
    a_claim,
    a_volume,
    bound_pair,
    storage_class,
    storage_object,
)
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]

# --- Nodes and pods -------------------------------------------------------------------------------


def _some(of: Sequence[Feature], most: int, fewest: int = 0) -> SearchStrategy[list[Feature]]:
    if not of:
        return st.just([])
    return st.lists(st.sampled_from(of), min_size=min(fewest, len(of)), max_size=most)


@frozen
class _ChosenFeatures:
    """The _ChosenFeatures of a history are few, so that many objects have the same ones, or such as meet."""

    of_pods: tuple[Feature, ...]
    of_nodes: tuple[Feature, ...]
    of_volumes: tuple[Feature, ...]

    @property
    def nodes(self) -> SearchStrategy[Json]:
        """Draws nodes, most of which have one or two of the features."""
        plain = node(labels={ZONE: "a"})
        return _some(self.of_nodes, 2).map(lambda drawn: merged(plain, drawn))

    @property
    def waiting(self) -> SearchStrategy[Json]:
        return self._pods(10, sometimes(st.just(features.GATED), {}))

    @property
    def running(self) -> SearchStrategy[Json]:
        leaving = sometimes(st.sampled_from(features.TERMINATING), {})
        return self._pods(0, st.sampled_from(features.STARTED), leaving)

    def _pods(self, priority: int, *always: SearchStrategy[Feature]) -> SearchStrategy[Json]:
        return st.builds(
            lambda amount, given, drawn: _distinct(
                merged(pod("", cpu(amount), priority=priority, labels={"app": "a"}), [*given, *drawn])
            ),
            st.sampled_from(["500m", "1", "500m", "2"]),
            st.tuples(*always),
            _some(self.of_pods, 4, 1),
        )


def _distinct(value: Json) -> Json:
    """Returns the pod with one spread constraint for each topology key and action."""
    constraints = value["spec"].get("topologySpreadConstraints")
    return (
        value
        if constraints is None
        else with_spec(value, topologySpreadConstraints=distinct_constraints(constraints))
    )


@st.composite
def _chosen_features(draw: DrawFn) -> _ChosenFeatures:
    """Draws what a history is about: three things, or fewer."""
    about = draw(st.lists(st.sampled_from(features.ABOUT), min_size=3, max_size=3))
    of_pods = [feature for each, _ in about for feature in draw(_some(each, 3, 2))]
    of_nodes = [feature for _, each in about for feature in draw(_some(each, 2, 1))]
    who = draw(_some(features.WHO, 1))
    return _ChosenFeatures((*of_pods, *who), tuple(of_nodes), tuple(draw(_some(features.VOLUME, 3, 1))))


# --- What they use --------------------------------------------------------------------------------

_PAIRED = bound_pair("c1", "v1")
_HELD = bound_pair("c4", "v4")


_VOLUMES = (_PAIRED[1], a_volume("v2"), a_volume("v3"), _HELD[1])
_CLAIMS = (_PAIRED[0], a_claim("c2"), a_claim("c3", spec={"storageClassName": "made"}), _HELD[0])


def _volumes(chosen: _ChosenFeatures) -> tuple[SearchStrategy[Json], ...]:
    """Claims and volumes, some with one of the chosen features."""

    def made(of: Json, among: Sequence[Feature]) -> SearchStrategy[Json]:
        return sometimes(st.sampled_from(among), {}).map(lambda one: merged(of, [one]))

    return (
        *(made(of, features.CLAIM) for of in _CLAIMS),
        *(made(of, chosen.of_volumes) for of in _VOLUMES),
    )


def _slices(name: str, where: Json) -> SearchStrategy[Json]:
    kinds = st.lists(st.sampled_from([(0, "a"), (0, "b"), (1, "a"), (1, "b")]), min_size=2, max_size=4)
    return kinds.map(
        lambda drawn: resource_slice(
            name,
            [
                {"name": f"d{n}", "attributes": {"numa": {"int": numa}, "model": {"string": model}}}
                for n, (numa, model) in enumerate(drawn)
            ],
            where,
        )
    )


_SLICES = (_slices("s1", {"nodeName": "n1"}), _slices("s2", {"nodeName": "n2"}))


def _device_claims(name: str) -> SearchStrategy[Json]:
    def made(requests: Sequence[Json], constraints: Sequence[Json], status: Json | None) -> Json:
        known = names_of_requests(requests)
        meant = [each for each in constraints if known.issuperset(each.get("requests", ()))]
        devices = {"requests": list(requests), **({"constraints": meant} if meant else {})}
        return resource_claim(name, devices, status)

    return st.builds(
        made,
        st.sampled_from(REQUESTS),
        st.sampled_from(CONSTRAINTS),
        sometimes(st.sampled_from(ALLOCATED)),
    )


_DEVICE_CLAIMS = tuple(map(_device_claims, ("k1", "k2", "k3", "k4", "k5")))
_CLASSES = (storage_class("hand"), storage_class("made", DRIVER))
_TRACKED = (
    storage_object(STORAGE, "CSIDriver", DRIVER, spec={"storageCapacity": True}),
    storage_object(
        STORAGE,
        "CSIStorageCapacity",
        "room",
        "default",
        storageClassName="made",
        nodeTopology={"matchLabels": {ZONE: "a"}},
        capacity="2Gi",
        maximumVolumeSize="1Gi",
    ),
    storage_object(
        STORAGE,
        "VolumeAttachment",
        "x",
        spec={"attacher": DRIVER, "nodeName": "n1", "source": {"persistentVolumeName": "v4"}},
    ),
)
"""What a driver says of itself and of its room, and a volume that is still attached to a node."""
_LIMITS = st.sampled_from([None, 1, 2]).map(
    lambda count: [] if count is None else [_csi_node(name, count) for name in ("n1", "n2")]
)
_DRIVEN: SearchStrategy[list[Json]] = st.sampled_from([0, 1, 2, 3]).flatmap(
    lambda size: st.sampled_from([_TRACKED[:size], _TRACKED[-size:] if size else ()]).map(list)
)


def _csi_node(name: str, count: int) -> Json:
    drivers = [{"name": DRIVER, "nodeID": name, "allocatable": {"count": count}}]
    return storage_object(STORAGE, "CSINode", name, spec={"drivers": drivers})


_BUDGETS = st.sampled_from([0, 1]).map(
    lambda allowed: {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}},
        "status": {"disruptionsAllowed": allowed, "disruptedPods": {"p1": AN_AGE_AGO}},
    }
)
_WORKLOADS = (
    selecting("ReplicaSet", "w", {"matchLabels": {"app": "a"}}),
    selecting("StatefulSet", "w", {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a"]}]}),
    selecting("ReplicationController", "w", {"app": "a"}, "v1"),
)
"""They own pods, of those that have an owner."""
_AROUND = st.tuples(
    st.sampled_from([{}, {"team": "x"}]).map(
        lambda labels: [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other", "labels": labels}}
        ]
    ),
    sometimes(_BUDGETS.map(lambda budget: [budget]), []),
    sometimes(st.just([selecting("Service", "s", {"app": "a"}, "v1")]), []),
    st.sampled_from([[], [], *([workload] for workload in _WORKLOADS)]),
).map(lambda listed: [value for values in listed for value in values])


def _uses(values: Sequence[Json], members: str, prefix: str) -> bool:
    return any(each["name"].startswith(prefix) for value in values for each in value["spec"].get(members, ()))


@st.composite
def _used(draw: DrawFn, chosen: _ChosenFeatures, pods: Sequence[Json]) -> list[Json]:
    """Returns what there is of volumes, or of devices, if any of these pods uses one."""
    found: list[Json] = []
    if _uses(pods, "volumes", "c"):
        found += [*_CLASSES, *draw(_LIMITS), *draw(_DRIVEN), *map(draw, _volumes(chosen))]
    if _uses(pods, "resourceClaims", "k"):
        found += [device_class("any"), *map(draw, (*_SLICES, *_DEVICE_CLAIMS))]
    return found


# --- What happens ---------------------------------------------------------------------------------

_INDEX = st.integers(0, 5)


def _happens(draw: DrawFn, cluster: HistoryBuilder, chosen: _ChosenFeatures, used: Sequence[Json]) -> None:
    """Changes any object, deletes it, or deletes it and creates it again under its name."""
    what = draw(
        st.sampled_from(["pod", "node", "pod", "another pod", "object" if used else "pod", "node again"])
    )
    if what == "object":
        _of_an_object(draw, cluster, chosen, used)
    elif what == "node":
        cluster.change_node(draw(_INDEX), draw(chosen.nodes))
    elif what == "node again":
        _node_again(draw, cluster, chosen)
    elif what == "another pod":
        _pod_again(draw, cluster, chosen)
    else:
        cluster.change_pod(draw(_INDEX), draw(st.sampled_from(features.CHANGES)))


def _node_again(draw: DrawFn, cluster: HistoryBuilder, chosen: _ChosenFeatures) -> None:
    name = nth(cluster.nodes, draw(_INDEX))
    cluster.steps.append(deleting(cluster.nodes[name]))
    if draw(st.booleans()):
        cluster.schedule()
    cluster.nodes[name] = cluster._node(name, draw(chosen.nodes))
    cluster.add(cluster.nodes[name])


def _pod_again(draw: DrawFn, cluster: HistoryBuilder, chosen: _ChosenFeatures) -> None:
    """Deletes a pod, and as often as not creates another one of its name."""
    name = nth(cluster.pods, draw(_INDEX))
    cluster.steps.append(deleting(cluster.pods.pop(name)))
    if draw(st.booleans()):
        cluster.add_pod(draw(chosen.waiting))


def _of_an_object(
    draw: DrawFn, cluster: HistoryBuilder, chosen: _ChosenFeatures, used: Sequence[Json]
) -> None:
    value = draw(st.sampled_from(used))
    key = value["kind"], value["metadata"]["name"]
    anew = draw(st.one_of(*_volumes(chosen), *_SLICES, *_DEVICE_CLAIMS))
    changed = anew if (anew["kind"], anew["metadata"]["name"]) == key else value
    match draw(st.sampled_from(["update", "leave", "again"])):
        case "update":
            cluster.steps.append(Update(changed))
        case "leave":
            cluster.steps.append(Update(with_metadata(value, deletionTimestamp=AN_AGE_AGO)))
        case _:
            cluster.steps.append(deleting(value))
            cluster.wait()
            cluster.schedule()
            cluster.add(changed)


# --- Histories ------------------------------------------------------------------------------------


@st.composite
def histories(draw: DrawFn) -> History:
    chosen = draw(_chosen_features())
    nodes = draw(st.lists(chosen.nodes, min_size=2, max_size=3))
    running = draw(st.lists(st.tuples(chosen.running, st.integers(0, 2)), min_size=1, max_size=3))
    waiting = draw(st.lists(chosen.waiting, min_size=1, max_size=3))
    used = draw(_used(chosen, [*(value for value, _ in running), *waiting]))
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*draw(_AROUND), *used)
    for value in nodes:
        cluster.add_node(value)
    for value, home in running:
        cluster.add_pod(value, home)
    for value in waiting:
        cluster.add_pod(value)
    cluster.schedule()
    for _ in range(draw(st.sampled_from([1, 2]))):
        _happens(draw, cluster, chosen, used)
        cluster.wait()
        cluster.schedule()
    return cluster.history()
