# SPDX-License-Identifier: Apache-2.0
"""Areas, for recordings alone, of what kube-scheduler does since v1.35: batches, nominations before a binding,
declared features, and devices that are tainted or must be ready first."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    ONE,
    claim_user,
    device_class,
    resource_claim,
    resource_slice,
    taint_rule,
)
from conformance.vocabulary.objects import (
    ZONE,
    container,
    cpu,
    default_profile,
    node,
    pod,
    profile_config,
    with_status,
)
from conformance.vocabulary.scripted import SCRIPTED, key, release_all, script
from refsched.suite.histories.history import History, Permit, Update, deleting

Json = dict[str, Any]

# --- Batches --------------------------------------------------------------------------------------

_NOT_SPREAD = profile_config(
    default_profile(("PodTopologySpread", {"defaultingType": "List", "defaultConstraints": []}))
)
"""Where pods are spread by default, none has a signature."""

_SHAPES: tuple[Json, ...] = (
    {"requests": cpu("1")},
    {"requests": cpu("500m")},
    {"requests": cpu("1"), "nodeSelector": {ZONE: "a"}},
    {
        "requests": cpu("1"),
        "containers": [container("c", cpu("1"), ports=[{"hostPort": 80, "containerPort": 80}])],
    },
)


@st.composite
def batches(draw: DrawFn) -> History:
    """Draws equal pods one after the other, on nodes of which most have room for one: now and then one of
    another kind comes between, or time passes, or a node changes."""
    cluster = HistoryBuilder()
    for cores in draw(st.lists(st.sampled_from(["1", "1500m", "2", "3"]), min_size=3, max_size=6)):
        cluster.add_node(node("", {"cpu": cores, "pods": "4"}, {ZONE: draw(st.sampled_from("aab"))}))
    shape = draw(st.sampled_from(_SHAPES))
    for happening in draw(
        st.lists(
            st.sampled_from(["pod", "pod", "pod", "other", "wait", "half", "node", "deleted", "both"]),
            min_size=6,
            max_size=12,
        )
    ):
        match happening:
            case "other":
                cluster.add_pod(pod("", **draw(st.sampled_from(_SHAPES))))
            case "wait":
                cluster.wait(draw(st.sampled_from([0.25, 0.5, 0.75, 2])))
            case "half":
                cluster.wait(0.5)
            case "node":
                cluster.change_node(draw(st.integers(0, 5)), node("", {"cpu": "4", "pods": "9"}, {ZONE: "a"}))
            case "deleted":
                cluster.remove_pod(draw(st.integers(0, 9)))
            case _:
                for _ in range(2 if happening == "both" else 1):
                    cluster.add_pod(pod("", **shape))
        cluster.schedule(2)
    return cluster.history(_NOT_SPREAD)


# --- Nominations that come before a binding -------------------------------------------------------

_FAILING = (
    script(("ScriptedA", "preBind", "Error")),
    script(("ScriptedA", "preBind", "Unschedulable")),
    script(("ScriptedBinder", "bind", "Error")),
    script(("ScriptedA", "permit", "Wait:5")),
    script(("ScriptedB", "permit", "Wait"), ("ScriptedA", "preBind", "Error")),
    script(("ScriptedA", "preBind", "Hold:Error")),
    script(("ScriptedA", "preBind", "Hold")),
)


@st.composite
def failed_bindings(draw: DrawFn) -> History:
    """Draws a pod that was nominated before its binding fails there, and others want its node meanwhile and
    later."""
    cluster = HistoryBuilder()
    for cores in draw(st.lists(st.sampled_from(["1", "2"]), min_size=1, max_size=3)):
        cluster.add_node(node("", {"cpu": cores, "pods": "9"}))
    for answers in draw(st.lists(st.sampled_from((*_FAILING, {})), min_size=3, max_size=6)):
        priority = draw(st.sampled_from([0, 0, 5, 10]))
        cluster.add_pod(pod("", cpu(draw(st.sampled_from(["1", "2"]))), priority=priority, script=answers))
        cluster.schedule(1)
        match draw(st.sampled_from(["nothing", "wait", "release", "reject", "allow", "deleted"])):
            case "wait":
                cluster.wait(draw(st.sampled_from([1, 5, 11])))
            case "release":
                release_all(cluster)
            case "deleted":
                cluster.remove_pod(len(cluster.pods) - 1)
            case "reject" | "allow" as decision:
                for value in cluster.pods.values():
                    cluster.steps.append(Permit(key(value), decision))
            case _:
                pass
        cluster.schedule(1)
    release_all(cluster)
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


# --- Declared features ----------------------------------------------------------------------------

_RESTART_ALL = "RestartAllContainersOnContainerExits"
_USER_NAMESPACES_HOST_NETWORK = "UserNamespacesHostNetworkSupport"
_DECLARED: tuple[list[str], ...] = (
    [],
    [_RESTART_ALL],
    [_USER_NAMESPACES_HOST_NETWORK],
    [_RESTART_ALL, _USER_NAMESPACES_HOST_NETWORK],
)
_RULES = {
    "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}]
}
_NEEDING: tuple[Json, ...] = (
    {"requests": cpu("1")},
    {"containers": [container("c", cpu("1"), restartPolicy="Never", **_RULES)]},
    {"requests": cpu("1"), "hostNetwork": True, "hostUsers": False},
    {"requests": cpu("1"), "hostNetwork": True},
)


def _declaring(declared: list[str], cores: str) -> Json:
    return with_status(
        node("", {"cpu": cores, "pods": "9"}),
        declaredFeatures=declared,
        allocatable={"cpu": cores, "pods": "9"},
    )


@st.composite
def declared_features(draw: DrawFn) -> History:
    """Draws pods that need a feature of their node, and nodes that declare it, do not, or do later."""
    cluster = HistoryBuilder()
    declared = st.sampled_from(_DECLARED)
    for features in draw(st.lists(declared, min_size=2, max_size=4)):
        cluster.add_node(_declaring(features, draw(st.sampled_from(["1", "2", "4"]))))
    for shape in draw(st.lists(st.sampled_from(_NEEDING), min_size=3, max_size=6)):
        cluster.add_pod(pod("", priority=draw(st.sampled_from([0, 5])), **shape))
    cluster.schedule()
    for features in draw(st.lists(declared, min_size=1, max_size=3)):
        cluster.change_node(draw(st.integers(0, 3)), _declaring(features, "4"))
        cluster.wait(draw(st.sampled_from([1, 11])))
        cluster.schedule()
    return cluster.history()


# --- Devices that are tainted, or must be ready first ---------------------------------------------

_TAINTS: tuple[list[Json], ...] = (
    [],
    [{"key": "broken", "effect": "NoSchedule"}],
    [{"key": "broken", "value": "very", "effect": "NoExecute"}],
    [{"key": "watched", "effect": "None"}],
)
_TOLERATIONS: tuple[list[Json], ...] = (
    [],
    [{"key": "broken", "operator": "Exists"}],
    [{"key": "broken", "operator": "Equal", "value": "very", "effect": "NoExecute"}],
)


def _tolerant(tolerations: list[Json]) -> Json:
    return {"requests": [{"name": "r0", "exactly": {"deviceClassName": "any", "tolerations": tolerations}}]}


@st.composite
def tainted_devices(draw: DrawFn) -> History:
    """Draws devices with taints of their own, and by rules that come and go."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"))
    for number in range(draw(st.integers(1, 2))):
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
        taints = draw(st.lists(st.sampled_from(_TAINTS), min_size=1, max_size=3))
        devices = [
            {"name": f"d{place}", **({"taints": each} if each else {})} for place, each in enumerate(taints)
        ]
        cluster.add(resource_slice(f"s{number}", devices, {"nodeName": f"n{number + 1}"}))
    rule = taint_rule("rule", {"driver": DRIVER, "pool": "s0"}, draw(st.sampled_from(_TAINTS[1:]))[0])
    comes = draw(st.sampled_from(["first", "later", "never"]))
    if comes == "first":
        cluster.add(rule)
    for number, tolerations in enumerate(
        draw(st.lists(st.sampled_from(_TOLERATIONS), min_size=2, max_size=4))
    ):
        cluster.add(resource_claim(f"c{number}", _tolerant(tolerations)))
        cluster.add_pod(claim_user(f"c{number}"))
        cluster.schedule(1)
    if comes == "later":
        cluster.add(rule)
    if comes != "never" and draw(st.booleans()):
        cluster.steps.append(deleting(rule))
    cluster.add(resource_slice("more", [{"name": "d"}]))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


_CONDITIONS = {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]}


def _reported(claim: Json, pool: str, condition: str, status: str) -> Json:
    """Returns what a driver says of the device that the claim was given: it must say what was allocated, too."""
    result = {"request": "r0", "driver": DRIVER, "pool": pool, "device": "d0", **_CONDITIONS}
    said = {
        "type": condition,
        "status": status,
        "reason": "Said",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    selector = {
        "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
    }
    return {
        **claim,
        "status": {
            "allocation": {
                "devices": {"results": [result]},
                "nodeSelector": selector,
                "allocationTimestamp": "2026-01-01T00:00:00Z",
            },
            "reservedFor": [{"resource": "pods", "name": "p1", "uid": "p1"}],
            "devices": [{"driver": DRIVER, "pool": pool, "device": "d0", "conditions": [said]}],
        },
    }


@st.composite
def binding_conditions(draw: DrawFn) -> History:
    """Draws a device that must be ready before its pod is bound: it is, or fails, or nobody says so in time."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"))
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    device = {"name": "d0", **_CONDITIONS, **({"bindsToNode": True} if draw(st.booleans()) else {})}
    cluster.add(resource_slice("s0", [device], {"nodeName": "n1"}))
    if draw(st.sampled_from([True, False, False])):
        cluster.add(resource_slice("plain", [{"name": "d0"}], {"nodeName": "n1"}))
    claim = resource_claim("c0", ONE)
    cluster.add(claim)
    cluster.add_pod({**claim_user("c0"), "metadata": {"name": "", "uid": "p1"}})
    cluster.schedule(1)
    cluster.add(resource_claim("c1", ONE))
    cluster.add_pod(claim_user("c1"))
    for happening in draw(
        st.lists(st.sampled_from(["ready", "not", "broken", "wait", "long", "pod"]), min_size=2, max_size=4)
    ):
        match happening:
            case "ready":
                cluster.steps.append(Update(_reported(claim, "s0", "Ready", "True")))
            case "not":
                cluster.steps.append(Update(_reported(claim, "s0", "Ready", "False")))
            case "broken":
                cluster.steps.append(Update(_reported(claim, "s0", "Broken", "True")))
            case "wait":
                cluster.wait(draw(st.sampled_from([5, 60])))
            case "long":
                cluster.wait(601)
            case _:
                cluster.add_pod(pod("", cpu("1"), priority=draw(st.sampled_from([0, 5]))))
        cluster.schedule(2)
    cluster.wait(601)
    cluster.schedule()
    return cluster.history()
