# SPDX-License-Identifier: Apache-2.0
"""Early nominations: pods that are nominated to a node by their status when they come, gated pods among them, and
pods that keep the nomination that precedes a binding; and gated pods that have waited for long."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.storage import with_uids
from conformance.vocabulary.allocations import allocated, claim_of, exactly_one
from conformance.vocabulary.builder import AFTER_FIVE_MINUTES, HistoryBuilder
from conformance.vocabulary.devices import resource_claim
from conformance.vocabulary.objects import (
    HOSTNAME,
    REQUIRED,
    cpu,
    default_profile,
    near,
    node,
    owned_by_pod,
    pod,
    profile_config,
    spread,
    with_metadata,
    with_status,
)
from conformance.vocabulary.scripted import key, script
from conformance.vocabulary.storage import bound_pair, storage_class, using
from refsched.suite.histories.history import History, Permit, Update

Json = dict[str, Any]

# --- Nominated by their status --------------------------------------------------------------------

GATED = [{"name": "example.com/g"}]
_OF_A: Json = {"matchLabels": {"app": "a"}}
BESIDE_A: Json = {"affinity": near("podAffinity", REQUIRED, _OF_A)}
AWAY_FROM_A: Json = {"affinity": near("podAntiAffinity", REQUIRED, _OF_A)}
SPREAD_FROM_A: Json = {"topologySpreadConstraints": [spread(HOSTNAME, 1, "DoNotSchedule")]}
_NOT_TOLERATED = [{"key": "k", "value": "", "effect": "NoSchedule"}]
"""A node with this taint is a domain, and no pod fits there."""
_WITHOUT_POST_FILTER = profile_config(
    default_profile(plugins={"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}})
)
_BARELY = profile_config(
    default_profile(
        plugins={
            "postFilter": {"disabled": [{"name": "*"}]},
            "multiPoint": {"disabled": [{"name": "DynamicResources"}, {"name": "DefaultPreemption"}]},
        }
    )
)


_WITH_NOMINATION = st.builds(
    lambda gates, named, amount, priority, app: pod(
        "",
        cpu(amount),
        labels={"app": app},
        status={"nominatedNodeName": named},
        priority=priority,
        schedulingGates=gates,
    ),
    st.sampled_from([GATED, GATED, GATED, []]),
    st.sampled_from(["n1", "n1", "n1", "n2"]),
    st.sampled_from(["1", "1", "1", "2", "9"]),
    st.sampled_from([0, 5, 10, 10]),
    st.sampled_from("aaab"),
)


_HAPPENINGS = st.sampled_from(
    [*["deleted", "lost"] * 2, *["labelled"] * 3, "ungated", "moved", "long"],
)


@st.composite
def _nominated(draw: DrawFn) -> History:
    """Pods come with a nomination, some of them gated; they lose it, are ungated or deleted, and others wait for
    the room that they hold."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node("", {"cpu": draw(st.sampled_from(["2", "4", "4"])), "pods": "9"}))
    if draw(st.sampled_from([True, True, True, False])):
        cluster.add_node(node("", {"cpu": "2", "pods": "9"}, taints=_NOT_TOLERATED))
    for value in draw(st.lists(_WITH_NOMINATION, min_size=1, max_size=2)):
        cluster.add_pod(value)
        if "schedulingGates" not in value["spec"]:
            cluster.schedule(1)
    for wish in draw(st.permutations([{}, BESIDE_A, AWAY_FROM_A, SPREAD_FROM_A]))[: draw(st.integers(2, 3))]:
        amount = draw(st.sampled_from(["1", "1", "2"]))
        labels, priority = {"app": draw(st.sampled_from("aaab"))}, draw(st.sampled_from([0, 0, 5, 20]))
        cluster.add_pod(
            pod("", cpu(amount), labels=labels, priority=priority, preemptionPolicy="Never", **wish)
        )
    cluster.schedule()
    for happening in draw(st.lists(_HAPPENINGS, min_size=2, max_size=4)):
        match happening:
            case "ungated":
                cluster.change_pod(0, _ungated)
            case "deleted":
                cluster.remove_pod(0)
            case "lost":
                cluster.change_pod(0, lambda value: {**value, "status": {}})
            case "moved":
                cluster.change_pod(0, lambda value: with_status(value, nominatedNodeName="n1"))
            case "labelled":
                labels = draw(st.sampled_from([{"app": "b"}, {"app": "a"}, {}]))
                cluster.change_pod(draw(st.integers(0, 3)), partial(with_metadata, labels=labels))
            case _:
                cluster.wait(AFTER_FIVE_MINUTES)
        cluster.wait()
        cluster.schedule()
    config = draw(st.sampled_from([None, None, None, _WITHOUT_POST_FILTER, _BARELY]))
    return cluster.history(config)


def _ungated(value: Json) -> Json:
    spec = {name: member for name, member in value["spec"].items() if name != "schedulingGates"}
    return {**value, "spec": spec}


# --- Nominated though nobody binds ----------------------------------------------------------------

_NOBODY_BINDS: Json = {"bind": {"disabled": [{"name": "*"}], "enabled": [{"name": "ScriptedBinder"}]}}
_WITHOUT_A_BINDER = default_profile(
    plugins={"multiPoint": {"enabled": [{"name": "ScriptedA"}, {"name": "ScriptedB"}]}, **_NOBODY_BINDS}
)


def _without_pre_bind(*first: str) -> Json:
    """Returns a profile without scripted plugins at PreBind, where these plugins are the first."""
    plugins = {
        "multiPoint": {"enabled": [{"name": "ScriptedA"}]},
        "preBind": {"disabled": [{"name": "ScriptedA"}], "enabled": [{"name": name} for name in first]},
    }
    return default_profile(plugins={**plugins, **_NOBODY_BINDS})


_BINDING = st.sampled_from(
    [_WITHOUT_A_BINDER, _without_pre_bind(), *[_without_pre_bind("DynamicResources")] * 3]
)
_CLAIMING: SearchStrategy[Json] = st.sampled_from(
    [
        {},
        *[{"resourceClaims": [{"name": "g", "resourceClaimName": "d1"}]}] * 2,
        {"volumes": using("c1")},
    ]
)
"""All that a pod claims is there already."""


@st.composite
def _unbound(draw: DrawFn) -> History:
    """No plugin binds the pod, so that its status keeps the nomination that it got before, if it got one: then its
    next attempt begins with that node. Perhaps another pod has room only if that nomination does not count."""
    cluster = HistoryBuilder()
    claim, volume = bound_pair("c1", "v1")
    cluster.add(storage_class("hand"), claim, volume)
    cluster.add(claim_of("d1", [exactly_one()], allocated("d0", None, [])))
    for _ in range(draw(st.integers(1, 3))):
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    for _ in range(draw(st.integers(1, 2))):
        answers = draw(st.sampled_from([{}, {}, script(("ScriptedA", "permit", "Wait"))]))
        cluster.add_pod(pod("", cpu("1"), script=answers, **draw(_CLAIMING)))
        cluster.schedule(1)
        cluster.steps.extend(Permit(key(value), "allow") for value in cluster.pods.values())
    if draw(st.booleans()):
        cluster.add_pod(pod("", cpu("4")))
        cluster.schedule(1)
    cluster.wait()
    cluster.schedule()
    return with_uids(cluster.history(profile_config(draw(_BINDING))))


# --- Looked at again after a long wait ------------------------------------------------------------


@st.composite
def _overlooked(draw: DrawFn) -> History:
    """A pod is gated since its claim belongs to another one. That the owner changes is no event, so that the pod
    is looked at again when it has waited for too long."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
    claim = resource_claim("p1-g", {"requests": []})
    cluster.add(with_metadata(claim, ownerReferences=[owned_by_pod("p1", "another")]))
    used = [{"name": "g", "resourceClaimTemplateName": "t"}]
    made = pod("", cpu("1"), uid="uid-of-p1", resourceClaims=used)
    statuses = [{"name": "g", "resourceClaimName": "p1-g"}]
    cluster.add_pod(with_status(made, resourceClaimStatuses=statuses))
    cluster.add_pod(pod("", cpu("9")))
    cluster.schedule(1)
    changes_after = draw(st.integers(0, 2))
    waits = st.lists(st.sampled_from([331, 60, 299, 30, 301, 15]), min_size=2, max_size=4)
    for number, seconds in enumerate([draw(st.sampled_from([331, 301, 60])), *draw(waits)]):
        if number == changes_after:
            cluster.steps.append(
                Update(with_metadata(claim, ownerReferences=[owned_by_pod("p1", "uid-of-p1")]))
            )
        cluster.wait(seconds)
        cluster.schedule(1)
    return cluster.history()


def histories() -> SearchStrategy[History]:
    return st.one_of(_nominated(), _unbound(), _overlooked())
