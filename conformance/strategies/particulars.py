# SPDX-License-Identifier: Apache-2.0
"""Particulars: what a single plugin asks, where no other one asks about the same. Who has come to tolerate what;
what the kubelet says of a pod that waits; whether a node, a claim or a slice is there, and which.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    all_there_are,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import (
    START_TIMES,
    ZONE,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    resized,
    with_metadata,
    with_spec,
)
from conformance.vocabulary.scripted import SCRIPTED, key, script
from conformance.vocabulary.storage import a_claim, a_volume, bound_pair, storage_class, using
from refsched.suite.histories.history import History, Permit, deleting

Json = dict[str, Any]

# --- Nodes ----------------------------------------------------------------------------------------


def _tolerated_late(policies: Json, tolerated: str, index: int) -> History:
    """Two pods see one domain too few, since they do not tolerate the other one; then somebody tolerates it, or
    something else. Nobody but the spread asks what is tolerated: the other node is cordoned all the same."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(labels={ZONE: "a"}))
    cluster.add_node(
        node(labels={ZONE: "b"}, taints=[{"key": "k", "effect": "NoSchedule"}], unschedulable=True)
    )
    cluster.add_pod(pod("", labels={"app": "a"}), 0)
    constraint = {
        "maxSkew": 1,
        "minDomains": 3,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "a"}},
        **policies,
    }
    for _ in range(2):
        cluster.add_pod(pod("", labels={"app": "a"}, topologySpreadConstraints=[constraint]))
    cluster.schedule()
    tolerations = [{"key": tolerated, "operator": "Exists"}]
    cluster.change_pod(index, lambda value: with_spec(value, tolerations=tolerations))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _told_by_the_kubelet(used: str) -> History:
    """What is said of a pod that waits does not count, neither on the node nor when the node grows."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1500m")), 0)
    cluster.add_pod(resized(cpu("1"), cpu(used), cpu(used), "")(pod("", cpu("1"))))
    cluster.schedule()
    cluster.change_node(0, node("", {"cpu": "4", "pods": "9"}))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


# --- Volumes --------------------------------------------------------------------------------------

_BOUND = bound_pair("c1", "v1")


def _without_its_node(claim: Json, volume: Json) -> History:
    """The node goes while the pod waits there: who is yet to have a volume misses it, and who has all does not."""
    cluster = HistoryBuilder()
    cluster.add(storage_class("hand"), claim, volume)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1"), script=script(("ScriptedA", "permit", "Wait"))))
    cluster.schedule(1)
    cluster.remove_node(0)
    cluster.steps.append(Permit(key(cluster.pods["p1"]), "allow"))
    cluster.wait()
    return cluster.history(SCRIPTED)


_ZONES_ALONE = profile_config(
    default_profile(
        plugins={"multiPoint": {"disabled": [{"name": "VolumeBinding"}, {"name": "VolumeRestrictions"}]}}
    )
)


def _in_its_zone(zones: str, there: Sequence[Json], late: Sequence[Json], nodes: Sequence[str]) -> History:
    """Of a claim and its volume, which has this label, one may come late; and so may nodes, but for the first."""
    cluster = HistoryBuilder(hosts=True)
    labelled = {each["kind"]: with_metadata(each, labels={ZONE: zones}) for each in _BOUND}
    cluster.add(storage_class("hand"), *(labelled[each["kind"]] for each in there))
    cluster.add_node(node(labels={ZONE: nodes[0]}))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    for value in late:
        cluster.add(labelled[value["kind"]])
        cluster.wait()
        cluster.schedule()
    for zone in nodes[1:]:
        cluster.add_node(node(labels={ZONE: zone}))
        cluster.wait()
        cluster.schedule()
    return cluster.history(_ZONES_ALONE)


def _zones() -> Iterator[History]:
    claim, volume = _BOUND
    yield _in_its_zone("a__", _BOUND, (), "b")
    yield _in_its_zone("a__b", _BOUND, (), "cb")
    yield _in_its_zone("a", _BOUND, (), "bca")
    yield _in_its_zone("a", [volume], [claim], "a")
    yield _in_its_zone("a", [claim], [volume], "a")


# --- Devices --------------------------------------------------------------------------------------

_ONE = {"requests": [request("r0", [exactly(1)])]}
_TRIED_FIRST = profile_config(
    default_profile(plugins={"preEnqueue": {"disabled": [{"name": "DynamicResources"}]}})
)
"""There a pod is tried whose claims are not there."""


def _one_claim_is_missing(goes: str, config: Json | None) -> History:
    """There was too little for the pod, or a claim too few; others come and help nobody, and then the one."""
    claims = {name: resource_claim(name, _ONE) for name in ("c1", "c2", "c3")}
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]))
    cluster.add(*(claims[name] for name in ("c1", "c2")))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", "c2"))
    cluster.schedule()
    cluster.steps.append(deleting(claims[goes]))
    for value in (claims["c3"], resource_slice("s2", [{"name": "d1"}]), claims[goes]):
        cluster.add(value)
        cluster.wait()
        cluster.schedule()
    return cluster.history(config)


_RARE = all_there_are(f"device.attributes['{DRIVER}'].rare")


def _slices_disagree() -> History:
    """The pool is complete as far as one of its slices knows, and not for the other one. Where it is taken to be,
    that one came first, and so do its devices."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"))
    for slice_, count, names in (("s0", 1, ("d0", "e0")), ("s1", 2, ("d1", "e1"))):
        devices = [{"name": name, "attributes": {"rare": {"bool": name == "e0"}}} for name in names]
        cluster.add(resource_slice(slice_, devices, pool={"name": "p", "resourceSliceCount": count}))
    cluster.add_node(node(""))
    asked = [
        request(name, [{**one, "adminAccess": True}]) for name, one in (("r0", exactly(1)), ("r1", _RARE))
    ]
    for name in ("c1", "c2", "c3"):
        cluster.add(resource_claim(name, {"requests": asked}))
        cluster.add_pod(claim_user(name))
    cluster.schedule()
    return cluster.history()


def _a_trial_fails(nodes: int) -> History:
    """On a full node nobody looks for devices before it is tried what preemption comes to. All that there are, are
    wanted: on the first node of a pool that is not complete, on the second one of one that is."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"))
    for number in range(1, nodes + 1):
        pool = {"name": f"s{number}", "resourceSliceCount": 3 - number}
        cluster.add(resource_slice(f"s{number}", [{"name": "d"}], {"nodeName": f"n{number}"}, pool))
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1"), status={"startTime": START_TIMES[0]}), number - 1)
    cluster.add(resource_claim("c1", {"requests": [request("r0", [all_there_are()])]}))
    cluster.add_pod(claim_user("c1", priority=10))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_HONORING = {"nodeTaintsPolicy": "Honor"}
_HISTORIES: tuple[History, ...] = (
    *(_tolerated_late(_HONORING, *some) for some in (("k", 1), ("k", 2), ("other", 1), ("k", 0))),
    _tolerated_late({}, "k", 1),
    *(_told_by_the_kubelet(used) for used in ("9", "100m")),
    _without_its_node(*_BOUND),
    _without_its_node(a_claim("c1"), a_volume()),
    *_zones(),
    *(_one_claim_is_missing(goes, config) for goes in ("c1", "c2") for config in (_TRIED_FIRST, None)),
    _slices_disagree(),
    *(_a_trial_fails(nodes) for nodes in (1, 2)),
)


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_HISTORIES)
