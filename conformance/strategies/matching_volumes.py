# SPDX-License-Identifier: Apache-2.0
"""Matching volumes: which of a few volumes serves a claim, and what keeps one from it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import AN_AGE_AGO, ZONE, node, pod
from conformance.vocabulary.storage import (
    BETA_CLASS,
    HERE,
    a_claim,
    a_volume,
    claim_reference,
    reaching,
    storage_class,
    using,
    with_some,
)
from refsched.suite.histories.history import History

Json = dict[str, Any]

_SSD: Json = {"key": "disk", "operator": "In", "values": ["ssd"]}
_NO_DISK: Json = {"key": "disk", "operator": "DoesNotExist"}


_BLOCK: Json = {"spec": {"volumeMode": "Block"}}
_GOLD: Json = {"spec": {"volumeAttributesClassName": "gold"}}
_OTHER: Json = {"metadata": {"annotations": {BETA_CLASS: "other"}}}
_BY_ANNOTATION: Json = {**_OTHER, "spec": {"storageClassName": "absent"}}
_BY_SPEC: Json = {"metadata": {"annotations": {BETA_CLASS: "absent"}}}
_LEAVING: Json = {"metadata": {"deletionTimestamp": AN_AGE_AGO}}
_FOR_BOTH: Json = {"spec": {"accessModes": ["ReadWriteOnce", "ReadOnlyMany"]}}
_READABLE: Json = {"spec": {"accessModes": ["ReadOnlyMany"]}}
_LABELLED: Json = {"metadata": {"labels": {"disk": "ssd"}}}
_LARGE: Json = {"spec": {"capacity": {"storage": "2Gi"}}}
_LARGER: Json = {"spec": {"capacity": {"storage": "1073741825"}}}
_SMALLER: Json = {"spec": {"capacity": {"storage": "1073741823"}}}
_NEAR: Json = {"spec": reaching(HERE)}
_RELEASED: Json = {"status": {"phase": "Released"}}
_BEFOREHAND = claim_reference("default", "c1", "")
_ELSEWHERE = claim_reference("other", "c1", "")
_EARLIER = claim_reference("default", "c1", "uid-earlier")

_OF_VOLUMES: tuple[Json, ...] = (
    *({}, _LARGE, _LARGER, _SMALLER, _FOR_BOTH, _READABLE),
    *(_LABELLED, _OTHER, _LEAVING, _BLOCK, _GOLD, _NEAR, _RELEASED, _BEFOREHAND, _ELSEWHERE, _EARLIER),
)
"""What one volume may have that another has not."""
_PRE_BOUND: tuple[Json, ...] = tuple(
    with_some(_BEFOREHAND, **each) for each in (_SMALLER, _READABLE, _BLOCK, _LEAVING, _GOLD, _OTHER, _NEAR)
)
"""A volume that names the claim, and has one thing that keeps another volume from serving it."""
_CASES: tuple[tuple[Json, tuple[Json, ...]], ...] = (
    ({}, (_LARGE, _LARGER, {})),
    ({}, (_SMALLER, _LARGER, _LARGE)),
    (_FOR_BOTH, (_FOR_BOTH, {}, _READABLE)),
    (_FOR_BOTH, ({}, _READABLE)),
    ({}, (_BEFOREHAND, _ELSEWHERE, _LARGE)),
    ({}, (_BEFOREHAND, _NEAR, _EARLIER)),
    ({}, (*_PRE_BOUND, {})),
    ({}, ({**_BEFOREHAND, **_RELEASED}, {**_BEFOREHAND, **_OTHER})),
    ({"spec": {"selector": {"matchExpressions": [_SSD]}}}, ({}, with_some(_LABELLED, **_LARGE))),
    ({"spec": {"selector": {"matchExpressions": [_SSD]}}}, ({}, {})),
    ({"spec": {"selector": {"matchExpressions": [_NO_DISK]}}}, (_LABELLED, _LARGE)),
    ({"spec": {"selector": {"matchLabels": {"disk": "ssd"}}}}, ({}, with_some(_LABELLED, **_LARGE))),
    ({"spec": {"selector": {"matchLabels": {"disk": "ssd"}}}}, ({}, {}, _LABELLED)),
    (_BLOCK, (with_some(_LARGE, **_BLOCK), {})),
    (_OTHER, (with_some(_LARGE, **_OTHER), {})),
    (_BY_ANNOTATION, (with_some(_LARGE, **_OTHER), {})),
    (_BY_ANNOTATION, (_BY_ANNOTATION, _OTHER)),
    (_BY_SPEC, ({}, _BY_SPEC)),
    (_GOLD, (with_some(_LARGE, **_GOLD), {})),
    (_LEAVING, ({},)),
    ({"status": {"phase": "Lost"}}, ({},)),
)
"""What a claim may have that another has not, and volumes between which that decides."""


@st.composite
def _matching(draw: DrawFn) -> History:
    """Draws two or three volumes, one of which a claim may prefer; and a claim of that name in another
    namespace."""
    special, likely = draw(st.sampled_from(_CASES))
    volumes = draw(st.lists(st.sampled_from([*likely * 12, *_OF_VOLUMES]), min_size=1, max_size=3))
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("hand"), storage_class("other"), a_claim("c1", **special))
    second = draw(st.sampled_from([None, ("c1", "other"), ("c1", "other"), ("c2", "default")]))
    if second is not None:
        cluster.add(a_claim(*second, **draw(st.sampled_from([{}, {}, _OTHER, _LEAVING]))))
    cluster.add(*(a_volume(f"v{place}", **each) for place, each in enumerate(volumes, 1)))
    for labels in draw(st.sampled_from([({},), ({}, {ZONE: "a"})])):
        cluster.add_node(node("", labels=labels))
    _add_users(draw, cluster, second)
    cluster.schedule()
    return History(tuple(cluster.steps))


def _add_users(draw: DrawFn, cluster: HistoryBuilder, second: tuple[str, str] | None) -> None:
    users = [pod("", volumes=using("c1"))]
    if second is not None:
        name, namespace = second
        users.append(pod("", namespace=namespace, volumes=using(name)))
    for value in draw(st.permutations(users)):
        cluster.add_pod(value)


# --- One obstacle ---------------------------------------------------------------------------------

_OBSTACLES: tuple[Json, ...] = (
    *(_LEAVING, _SMALLER, _BLOCK, _GOLD, _NEAR, _OTHER, _READABLE, _RELEASED),
    *({}, _ELSEWHERE, _EARLIER, {"status": {"phase": "Failed"}}, {"status": {"phase": "Pending"}}),
)


@st.composite
def _obstructed(draw: DrawFn) -> History:
    """Each claim has a volume of its own, with one thing that may keep it from the claim. The volume may name the
    claim or not, and there may be a larger volume without the obstacle."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(storage_class("other"))
    for number in (1, 2, 3):
        of_class: Json = {"spec": {"storageClassName": f"hand{number}"}}
        cluster.add(storage_class(f"hand{number}"), a_claim(f"c{number}", **of_class))
        uid = draw(st.sampled_from(["", f"uid-default-c{number}"]))
        named = draw(st.sampled_from([claim_reference("default", f"c{number}", uid), {}]))
        members = with_some(with_some(of_class, **named), **draw(st.sampled_from(_OBSTACLES)))
        cluster.add(a_volume(f"v{number}", **members))
        if draw(st.booleans()):
            cluster.add(a_volume(f"w{number}", **with_some(of_class, **_LARGE)))
    for labels in draw(st.sampled_from([({},), ({}, {ZONE: "a"})])):
        cluster.add_node(node("", labels=labels))
    for claim in ("c1", "c2", "c3"):
        cluster.add_pod(pod("", volumes=using(claim)))
    cluster.schedule()
    return cluster.history()


def matching() -> SearchStrategy[History]:
    return st.one_of(_matching(), _obstructed())
