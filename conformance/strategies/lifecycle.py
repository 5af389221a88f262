# SPDX-License-Identifier: Apache-2.0
"""Lifecycles of nodes and pods: nodes are deleted and created again while pods are there, and pods are bound by
others and deleted.

A pod that has finished reaches the scheduler as a deleted one, and so it finishes here by being deleted.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.changes import (
    nodes_changed,
    nodes_created,
    nodes_removed,
    placed,
    pod_changes,
    pods_created,
    pods_removed,
    pods_running,
    with_many_changes,
)
from conformance.strategies.drawn import combinations
from conformance.strategies.faults import MEANWHILE, permitting, then
from conformance.vocabulary.builder import Change, HistoryBuilder
from conformance.vocabulary.objects import AN_AGE_AGO, HOSTNAME, ZONE, cpu, node, pod, with_metadata
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import History

Json = dict[str, Any]

_NODES = combinations(
    lambda cores, zone, image: node(
        "",
        {"cpu": cores, "pods": "4"},
        {ZONE: zone} if zone else {},
        images=[{"names": ["i:latest"], "sizeBytes": image}] if image else [],
    ),
    ("2", "1", "4"),
    ("a", "b", ""),
    (0, 300_000_000, 900_000_000),
)
_HELD = (
    (),
    (),
    (),
    (("ScriptedA", "preBind", "Hold"),),
    (("ScriptedA", "permit", "Wait:5"),),
    (("ScriptedBinder", "bind", "ErrorAfterBound"),),
    (("ScriptedB", "reserve", "Hold"),),
)
_PODS = combinations(
    lambda amount, held, way: pod("", cpu(amount), script=script(*held), **way),
    ("1", "", "2"),
    _HELD,
    ({}, {}, {"labels": {"app": "a"}}, {"nodeSelector": {HOSTNAME: "n1"}}, {"schedulerName": "another"}),
)


def _stray(value: Json, name: str) -> Change:
    """Runs on a node that the scheduler has not seen, or not yet."""

    def change(cluster: HistoryBuilder) -> None:
        cluster.add_pod({**value, "spec": {**value["spec"], "nodeName": name}})

    return change


def _comes_back(index: int) -> Change:
    """Deletes a node and creates it again as it was, while its pods stay."""

    def change(cluster: HistoryBuilder) -> None:
        if cluster.nodes:
            value = list(cluster.nodes.values())[index % len(cluster.nodes)]
            cluster.remove_node(index)
            cluster.add_node(value)

    return change


def _comes_back_as_another(index: int) -> Change:
    """Deletes a pod, and creates one of the same name at once."""

    def change(cluster: HistoryBuilder) -> None:
        if cluster.pods:
            value = list(cluster.pods.values())[index % len(cluster.pods)]
            spec = {name: member for name, member in value["spec"].items() if name != "nodeName"}
            cluster.remove_pod(index)
            cluster.add_pod({**value, "spec": spec})

    return change


def _leaving(_: object) -> Any:
    return lambda value: with_metadata(value, deletionTimestamp=AN_AGE_AGO)


def histories() -> SearchStrategy[History]:
    return with_many_changes(
        pods_created(_PODS),
        pods_removed(),
        nodes_removed(),
        nodes_created(_NODES),
        pods_created(_PODS),
        pods_running(_PODS),
        nodes_changed(_NODES),
        st.integers(0, 3).map(_comes_back),
        st.integers(0, 5).map(_comes_back_as_another),
        st.builds(_stray, _PODS, st.sampled_from(["n1", "n2", "n3", "n9"])),
        pod_changes(_leaving, st.none()),
        permitting("allow", "reject"),
        *MEANWHILE,
        nodes=st.lists(_NODES, max_size=3),
        pods=placed(_PODS, most=4),
        config=st.just(SCRIPTED),
        afterwards=st.sampled_from([(0, 1), (0, 3), (0,), (1, 1), (11, 3), (0,), (5, 1)]).map(
            lambda turn: then(*turn)
        ),
        ending=then(11, 2, 2),
        hosts=True,
    )
