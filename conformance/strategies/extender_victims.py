# SPDX-License-Identifier: Apache-2.0
"""Extenders in preemption: on full nodes, extenders are asked which of the possible victims to evict; and pods
that an extender rejected stay unschedulable during unrelated events.

Each extender is asked about the result of the extenders before it: it rejects a node, keeps fewer victims or
none, fails, is not interested in the pod or does not support preemption, and is ignorable or not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import combinations
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import START_TIMES, cpu, node, pod, profile_config, with_metadata
from conformance.vocabulary.storage import storage_object
from conformance.vocabulary.victims import a_budget
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.extender_server import ANNOTATION
from refsched.suite.histories.history import Create, History, deleting

Json = dict[str, Any]

_NAMES = ("a", "b", "c")


def _extender(verbs: tuple[str, ...], ignorable: bool, by_name: bool, managing: bool) -> Json:
    return {
        **{f"{verb}Verb": verb for verb in verbs},
        **({"ignorable": True} if ignorable else {}),
        **({"nodeCacheCapable": True} if by_name else {}),
        **({"managedResources": [{"ignoredByScheduler": True}]} if managing else {}),
    }


_EXTENDERS = st.lists(
    combinations(
        _extender,
        (*[("preempt",)] * 7, ("preempt", "filter"), ("filter",)),
        (True, False),
        (False, True),
        (*[False] * 5, True),
    ),
    min_size=2,
    max_size=3,
)


def _config(extenders: list[Json]) -> Json:
    """Returns a configuration; an extender that manages a resource of its own is not asked about every pod."""
    configured: list[Json] = []
    for name, extender in zip(_NAMES, extenders, strict=False):
        managed = [{"name": f"x.y/{name}", **resource} for resource in extender.get("managedResources", [])]
        made = {"urlPrefix": f"{EXTENDERS}/{name}", **extender}
        configured.append({**made, "managedResources": managed} if managed else made)
    return profile_config(extenders=configured)


# --- Victims --------------------------------------------------------------------------------------

_NONE_OF_THEM: Json = dict.fromkeys("123", "Refuse")
_SAYS: SearchStrategy[Json | str] = st.sampled_from(
    [
        {"1": "Refuse"},
        "Fail",
        {"2": 0},
        {"1": 0},
        {"1": 1},
        {"2": 1, "1": "Refuse"},
        {"1": 0, "2": 0},
        {"3": 0, "1": "Refuse"},
        {},
    ]
)
"""How many victims of a pod's first, second or third node have to leave after all, or that it is out of the
question."""
_ITS_OWN = "its own"
"""The extender names pods of any node that is there, or of none, whether or not they were proposed."""
_LEAVE_LESS = _SAYS.filter(lambda says: says != "Fail" and says != {})
_ANSWERS: SearchStrategy[list[Json | str]] = st.one_of(
    st.lists(_SAYS, min_size=2, max_size=3),
    st.sampled_from([["Fail", {"1": "Refuse"}], [_NONE_OF_THEM, "Fail"], [{"1": 0}, {"2": 0}]]),
    st.tuples(_LEAVE_LESS, st.sampled_from(["Fail", "", {}]), st.one_of(_SAYS, st.just(""))).map(list),
    st.permutations([_ITS_OWN, _ITS_OWN, {}, {"1": 1}]).map(lambda says: says[:2]),
)
"""In the last ones an extender leaves less, and the next one does not change that."""

_CROWDS = st.lists(st.sampled_from([2, 3]), min_size=2, max_size=3)
"""How many pods there are on each node: on the first one those that are the least important."""
_APP = {"app": "a"}
_LABELS: tuple[Json, ...] = ({}, _APP)
_MANAGED = st.sampled_from(["", "", "", "a", "b"])
"""The extender whose resource a pod asks for."""


def _coming(match: str, managed: str, answers: list[Json | str], nodes: list[str], own: Json) -> Json:
    """Returns a pod that can use any of these nodes, which are identified by their names. ``own`` is what an
    extender answers that names victims of its own."""
    said = {
        name: {"preempt": own if says == _ITS_OWN else _of_nodes(says, nodes)}
        for name, says in zip(_NAMES, answers, strict=False)
        if says
    }
    amounts = {f"x.y/{managed}": "1"} if managed else {}
    resources = {"requests": {"cpu": "2", **amounts}, **({"limits": amounts} if managed else {})}
    made = pod(
        "",
        containers=[{"name": "c", "image": "i", "resources": resources}],
        priority=10,
        nodeSelector={"match": match},
    )
    return with_metadata(made, annotations={ANNOTATION: json.dumps(said, sort_keys=True)})


def _of_nodes(says: Json | str, nodes: list[str]) -> Json | str:
    if isinstance(says, str):
        return says
    return {nodes[int(place) - 1]: said for place, said in says.items() if int(place) <= len(nodes)}


def _own_victims(node: str, uids: Sequence[str], violations: int) -> Json:
    victims = {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": violations}
    return {"answer": {"NodeNameToMetaVictims": {node: victims}}}


@st.composite
def _sparing(draw: DrawFn) -> History:
    """Each pod has nodes of its own, so that the answer for one does not depend on the others. A budget may
    protect some of the victims."""
    cluster = HistoryBuilder()
    if draw(st.sampled_from([True, False, True])):
        cluster.add(a_budget({"matchLabels": _APP}, draw(st.sampled_from([0, 1])), "", ()))
    uids: dict[str, list[str]] = {"n0": []}
    for match, answers in enumerate(draw(st.lists(_ANSWERS, min_size=3, max_size=4))):
        before = len(cluster.nodes)
        for priority, crowd in enumerate(draw(_CROWDS)):
            cluster.add_node(node("", {"cpu": "2", "pods": "9"}, {"match": str(match)}))
            labels = draw(st.sampled_from(_LABELS))
            there = uids.setdefault(list(cluster.nodes)[-1], [])
            for start in START_TIMES[:crowd]:
                amount = "1" if crowd == 2 else "600m"
                there.append(f"u{len(cluster.pods)}")
                running = pod("", cpu(amount), labels=labels, priority=priority, status={"startTime": start})
                cluster.add_pod(with_metadata(running, uid=there[-1]), len(cluster.nodes) - 1)
        nodes = list(cluster.nodes)[before:]
        where = draw(st.sampled_from([*nodes, *uids]))
        elsewhere = [*uids[where][:1], "u-nowhere"]
        named = draw(st.sampled_from([uids[where], uids[where], elsewhere, uids[nodes[0]]]))
        own = _own_victims(where, named[: draw(st.sampled_from([1, 2, 0]))], draw(st.sampled_from([0, 1])))
        cluster.add_pod(_coming(str(match), draw(_MANAGED), answers, nodes, own))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history(_config(draw(_EXTENDERS)))


# --- Rejections -----------------------------------------------------------------------------------

_STORAGE = "storage.k8s.io/v1"
_HAPPENS: tuple[Json, ...] = (
    storage_object(
        "resource.k8s.io/v1",
        "ResourceSlice",
        "s",
        spec={
            "driver": "d",
            "nodeName": "n1",
            "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "d1"}],
        },
    ),
    storage_object(
        _STORAGE,
        "VolumeAttachment",
        "x",
        spec={"attacher": "d", "nodeName": "n1", "source": {"persistentVolumeName": "v"}},
    ),
    storage_object(_STORAGE, "StorageClass", "s", provisioner="d"),
    storage_object(_STORAGE, "CSINode", "n1", spec={"drivers": []}),
    storage_object(_STORAGE, "CSIDriver", "d", spec={}),
    storage_object(_STORAGE, "CSIStorageCapacity", "c", "default", storageClassName="s"),
    storage_object("resource.k8s.io/v1", "DeviceClass", "c", spec={}),
    storage_object(
        "resource.k8s.io/v1",
        "ResourceClaim",
        "c",
        "default",
        spec={"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}},
    ),
    storage_object("policy/v1", "PodDisruptionBudget", "b", "default", spec={}),
    storage_object("v1", "Namespace", "other"),
)
"""Most of these events requeue a pod that an extender rejected; those of slices and attachments do not."""


@st.composite
def _refusing(draw: DrawFn) -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    said = {"a": {"filter": {"n1": draw(st.sampled_from(["Unschedulable", "UnschedulableAndUnresolvable"]))}}}
    annotations = {ANNOTATION: json.dumps(said)}
    cluster.add_pod(with_metadata(pod("", cpu("1")), annotations=annotations))
    if draw(st.booleans()):
        cluster.add_pod(pod("", cpu("9")))
    cluster.schedule()
    cluster.wait()
    for value in draw(st.lists(st.sampled_from(_HAPPENS), min_size=2, max_size=4, unique_by=id)):
        cluster.steps.append(Create(value))
        cluster.schedule(1)
        cluster.wait()
        cluster.steps.append(deleting(value))
        cluster.schedule(1)
        cluster.wait()
    return cluster.history(_config([_extender(("filter",), False, draw(st.booleans()), False)]))


def histories() -> SearchStrategy[History]:
    return st.one_of(_sparing(), _sparing(), _refusing())
