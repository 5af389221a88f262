# SPDX-License-Identifier: Apache-2.0
"""Areas for recordings alone: each steers to what the suite's own areas come to but seldom.

Recordings are made once and kept; there is no need that they find a fault soon or shrink well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.campaigns.steered_extenders import silent, sparing
from conformance.campaigns.steered_newer import (
    batches,
    binding_conditions,
    declared_features,
    failed_bindings,
    tainted_devices,
)
from conformance.campaigns.steered_objects import classes, elsewhere, workloads
from conformance.cases import left_out
from conformance.strategies import AREAS
from conformance.vocabulary.builder import AFTER_FIVE_MINUTES, HistoryBuilder
from conformance.vocabulary.devices import device_class, request, resource_claim, resource_slice
from conformance.vocabulary.objects import ZONE, cpu, node, pod, profile_config, with_metadata
from conformance.vocabulary.scripted import SCRIPTED, key, script
from refsched.suite.histories.history import History, Release, deleting

Json = dict[str, Any]

# --- Gates ----------------------------------------------------------------------------------------

_GATE = {"name": "example.com/quota"}
_OTHER_GATE = {"name": "example.com/review"}


def _gated(number: int) -> Json:
    return pod("", cpu("1"), schedulingGates=[_GATE, _OTHER_GATE][:number])


def _opened(value: Json, number: int) -> Json:
    gates = value["spec"].get("schedulingGates", [])[number:]
    spec = {name: member for name, member in value["spec"].items() if name != "schedulingGates"}
    return {**value, "spec": {**spec, **({"schedulingGates": gates} if gates else {})}}


@st.composite
def _gates(draw: DrawFn) -> History:
    """Draws pods with scheduling gates, which are removed one by one, deleted, and left where they are."""
    cluster = HistoryBuilder()
    for _ in range(draw(st.integers(1, 2))):
        cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    for number in draw(st.lists(st.sampled_from([1, 2, 2, 0]), min_size=3, max_size=7)):
        cluster.add_pod(_gated(number))
    cluster.schedule()
    for index, number in draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=3)):
        if number:
            cluster.change_pod(index, partial(_opened, number=number))
        else:
            cluster.remove_pod(index)
        cluster.schedule(2)
    return cluster.history()


# --- Pending --------------------------------------------------------------------------------------

_PENDING = (
    script(("ScriptedA", "reserve", "Hold:Pending")),
    script(("ScriptedA", "permit", "Hold:Pending")),
    script(("ScriptedB", "preBind", "Hold:Pending")),
    script(("ScriptedB", "permit", "Pending")),
    script(("ScriptedBinder", "bind", "Hold:Pending")),
)


@st.composite
def _pending(draw: DrawFn) -> History:
    """Draws plugins that wait for something that comes while they are asked, or later; or the pod is deleted
    meanwhile."""
    cluster = HistoryBuilder()
    for cores in draw(st.lists(st.sampled_from(["2", "4"]), min_size=1, max_size=2)):
        cluster.add_node(node("", {"cpu": cores, "pods": "9"}))
    for answers in draw(st.lists(st.sampled_from(_PENDING), min_size=2, max_size=5)):
        cluster.add_pod(pod("", cpu("1"), script=answers))
        cluster.schedule(1)
        happening = draw(st.sampled_from(["node", "label", "deleted", "nothing", "node", "label"]))
        held = key(list(cluster.pods.values())[-1])
        if happening == "node":
            cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
        elif happening == "label":
            cluster.change_node(0, node("", {"cpu": draw(st.sampled_from(["3", "5"])), "pods": "9"}))
        elif happening == "deleted":
            cluster.remove_pod(len(cluster.pods) - 1)
        cluster.steps.append(Release(held))
        cluster.schedule(1)
    cluster.wait(draw(st.sampled_from([1, 11])))
    cluster.schedule(3)
    for value in cluster.pods.values():
        cluster.steps.append(Release(key(value)))
    return cluster.history(SCRIPTED)


# --- Nodes narrowed to none -----------------------------------------------------------------------


def _on(*names: str) -> Json:
    return {"key": "metadata.name", "operator": "In", "values": list(names)}


_TERMS: tuple[list[Json], ...] = (
    [{"matchFields": [_on("n1"), _on("n2")]}],
    [{"matchFields": [_on("n1")]}],
    [{"matchFields": [_on("n1"), _on("n2")]}, {"matchFields": [_on("n3")]}],
    [{"matchFields": [_on("n9")]}],
    [{"matchFields": [_on("n1"), _on("n2")]}, {"matchFields": [_on("n2"), _on("n3")]}],
)


@st.composite
def _narrowed(draw: DrawFn) -> History:
    """Draws pods that name their nodes by a field, as those of a DaemonSet do, and contradict themselves."""
    cluster = HistoryBuilder()
    for cores in draw(st.lists(st.sampled_from(["1", "2"]), min_size=2, max_size=4)):
        cluster.add_node(node("", {"cpu": cores, "pods": "3"}))
    for terms in draw(st.lists(st.sampled_from(_TERMS), min_size=4, max_size=6)):
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        cluster.add_pod(pod("", cpu("1"), affinity={"nodeAffinity": required}))
    cluster.schedule()
    cluster.add_node(node("", {"cpu": "2", "pods": "3"}))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


# --- Left over ------------------------------------------------------------------------------------


@st.composite
def _left_over(draw: DrawFn) -> History:
    """Draws pods that no event requeues: after five minutes they are tried again, and so on."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}, {ZONE: "a"}))
    for shape in draw(
        st.lists(st.sampled_from([{"requests": cpu("4")}, {"nodeSelector": {ZONE: "b"}}, {}]), min_size=2)
    ):
        cluster.add_pod(pod("", **shape))
        cluster.wait(draw(st.sampled_from([0.5, 1, 7, 29])))
    cluster.schedule()
    for seconds in draw(st.lists(st.sampled_from([30, 299, 271, 300, AFTER_FIVE_MINUTES]), min_size=3)):
        cluster.wait(seconds)
        cluster.schedule()
    return cluster.history()


# --- Many nodes -----------------------------------------------------------------------------------


@st.composite
def _wide(draw: DrawFn) -> History:
    """Draws 160 to 200 nodes in some zones, some of them full; the search ends early, and starts where it
    ended."""
    cluster = HistoryBuilder()
    zones, small = draw(st.sampled_from([1, 3, 7])), draw(st.sampled_from([2, 3, 5]))
    for number in range(draw(st.sampled_from([160, 180, 200]))):
        amounts = {"cpu": "1" if number % small else "4", "pods": "9"}
        cluster.add_node(node("", amounts, {ZONE: f"z{number % zones}"}))
    for amount in draw(st.lists(st.sampled_from(["500m", "2", "3"]), min_size=3, max_size=6)):
        cluster.add_pod(pod("", cpu(amount)))
    cluster.schedule()
    percentage = draw(st.sampled_from([0, 5, 30]))
    return cluster.history(profile_config(**({"percentageOfNodesToScore": percentage} if percentage else {})))


# --- Deleted victims ------------------------------------------------------------------------------

_ON_ITS_WAY = script(("ScriptedA", "preBind", "Hold"))


@st.composite
def _gone_victims(draw: DrawFn) -> History:
    """Draws victims that were deleted while their binding was under way, which cannot be evicted, and others."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    held = draw(st.sampled_from([1, 1, 2]))
    for _ in range(held):
        cluster.add_pod(pod("", cpu("1"), script=_ON_ITS_WAY))
    cluster.schedule()
    first = list(cluster.pods.values())[:held]
    cluster.steps.append(deleting(first[0]))
    for priority in draw(st.lists(st.sampled_from([5, 10, 20]), min_size=2, max_size=3)):
        cluster.add_pod(pod("", cpu(draw(st.sampled_from(["1", "2", "2"]))), priority=priority))
        cluster.schedule(draw(st.sampled_from([1, 1, 2])))
    for value in first:
        cluster.steps.append(Release(key(value)))
        cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


# --- Victims that wait on Permit ------------------------------------------------------------------

_WAITING = script(("ScriptedA", "permit", "Wait"))


@st.composite
def _waiting_victims(draw: DrawFn) -> History:
    """Draws pods that are preempted while they wait on Permit: they are rejected, not deleted, and tried
    again."""
    cluster = HistoryBuilder()
    for _ in range(draw(st.integers(1, 2))):
        cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    for amount in draw(st.lists(st.sampled_from(["1", "2"]), min_size=2, max_size=4)):
        cluster.add_pod(pod("", cpu(amount), script=_WAITING))
    cluster.schedule()
    for priority in draw(st.lists(st.sampled_from([5, 10, 20]), min_size=1, max_size=3)):
        cluster.add_pod(pod("", cpu(draw(st.sampled_from(["1", "2"]))), priority=priority))
        cluster.schedule(draw(st.sampled_from([1, 2])))
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


# --- Claims that go and come back -----------------------------------------------------------------

_ONE_OF_THE_CLASS = {"requests": [request("r", [{"deviceClassName": "gpu"}])]}


def _devices_of(name: str, count: int) -> Json:
    return resource_slice(name, [{"name": f"d{number}"} for number in range(count)])


_CLAIMING: tuple[Mapping[str, Mapping[str, str]], ...] = (
    {},
    script(("ScriptedA", "reserve", "Hold:Unschedulable")),
    script(("ScriptedA", "reserve", "Hold:Pending")),
    script(("ScriptedA", "permit", "Pending")),
    script(("ScriptedB", "preBind", "Hold:Unschedulable")),
)


@st.composite
def _claims(draw: DrawFn) -> History:
    """Draws claims that are deleted during the attempt or after the pod was rejected. PreEnqueue rejects the
    pod until the claim is back, and its backoff continues meanwhile."""
    cluster = HistoryBuilder()
    cluster.add(device_class("gpu"))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    if draw(st.booleans()):
        cluster.add(_devices_of("s0", 1))
    names = [f"c{number}" for number in range(draw(st.integers(1, 3)))]
    for name in names:
        cluster.add(resource_claim(name, _ONE_OF_THE_CLASS))
        claims = [{"name": "gpu", "resourceClaimName": name}]
        cluster.add_pod(pod("", cpu("1"), resourceClaims=claims, script=draw(st.sampled_from(_CLAIMING))))
        cluster.schedule(1)
    for turn, name in enumerate(draw(st.lists(st.sampled_from(names), min_size=2, max_size=5))):
        claim = resource_claim(name, _ONE_OF_THE_CLASS)
        cluster.steps.append(deleting(claim))
        if draw(st.booleans()):
            cluster.add(_devices_of(f"s{turn + 1}", 1))
        else:
            cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
        for value in cluster.pods.values():
            cluster.steps.append(Release(key(value)))
        cluster.schedule(draw(st.integers(1, 2)))
        cluster.wait(draw(st.sampled_from([0.5, 1, 3, 11])))
        cluster.add(with_metadata(claim, uid=f"{name}-{turn}"))
        cluster.schedule(draw(st.integers(1, 2)))
    return cluster.history(SCRIPTED)


# --- Feature gates --------------------------------------------------------------------------------

_SWITCHED: tuple[tuple[str, Mapping[str, bool]], ...] = (
    ("preemption", {"SchedulerAsyncPreemption": False}),
    ("queue", {"SchedulerPopFromBackoffQ": False}),
    ("faults", {"SchedulerPopFromBackoffQ": False}),
    ("resources", {"PodLevelResources": False}),
    ("resources", {"InPlacePodVerticalScaling": False}),
    ("spread", {"MatchLabelKeysInPodTopologySpread": False}),
    ("devices", {"DRASchedulerFilterTimeout": False}),
    ("devices", {"DynamicResourceAllocation": False}),
    ("faults", {"SchedulerAsyncAPICalls": True}),
    ("preemption", {"SchedulerAsyncAPICalls": True}),
)


@st.composite
def _features(draw: DrawFn) -> History:
    """Draws histories of other areas, under feature gates that are not as they are by default."""
    area, gates = draw(st.sampled_from(_SWITCHED))
    return evolve(draw(AREAS[area]()), feature_gates=gates)


def _points() -> SearchStrategy[History]:
    """Draws a plugin that is disabled at one of its extension points, or at some that belong together."""
    return st.sampled_from([case.history for case in left_out.CASES])


STEERED: Mapping[str, Callable[[], SearchStrategy[History]]] = {
    "gates": _gates,
    "pending": _pending,
    "narrowed": _narrowed,
    "left_over": _left_over,
    "wide": _wide,
    "gone_victims": _gone_victims,
    "waiting_victims": _waiting_victims,
    "claims": _claims,
    "features": _features,
    "sparing": sparing,
    "silent": silent,
    "workloads": workloads,
    "classes": classes,
    "elsewhere": elsewhere,
    "points": _points,
    "batches": batches,
    "binding_conditions": binding_conditions,
    "declared_features": declared_features,
    "failed_bindings": failed_bindings,
    "tainted_devices": tainted_devices,
}
