# SPDX-License-Identifier: Apache-2.0
"""Which rules InterPodAffinity applies, and where it applies none because there is nothing to decide."""

from __future__ import annotations

from typing import Any

import pytest
from affinity_world import filtering, node, pod, preferred, required, running, selecting, term
from applied import Call, applied

from refsched.framework.node_info import PodInfo
from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.plugins.inter_pod_affinity import InterPodAffinity
from tests.snapshots import snapshot_of

PLUGIN = InterPodAffinity()
PLAIN = pod("a")
NEAR_B = pod("a", near=required(term("b")))
APART_FROM_B = pod("a", apart=required(term("b")))
APART_FROM_A = pod("b", apart=required(term("a")))
IN_Z = {"zone": "z"}


def pre_filter(incoming: PodInfo, *others: PodInfo) -> Call:
    snapshot = snapshot_of(node("n1", *others, **IN_Z))
    return lambda: PLUGIN.pre_filter(incoming, snapshot)


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (pre_filter(PLAIN), ["R-PODAFF-01"]),
        (pre_filter(PLAIN, pod("b")), ["R-PODAFF-01"]),
        (pre_filter(pod("c"), APART_FROM_A), ["R-PODAFF-01"]),
        (pre_filter(PLAIN, APART_FROM_A), ["R-PODAFF-06"]),
        (pre_filter(NEAR_B), []),
        (pre_filter(NEAR_B, pod("b")), ["R-PODAFF-07"]),
        (pre_filter(APART_FROM_B), []),
        (
            pre_filter(pod("a", near=required(term("b", namespaceSelector=selecting(team="t"))))),
            ["R-PODAFF-05"],
        ),
    ],
)
def test_what_is_counted_before_nodes_are_filtered(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules


def changed(step: str, incoming: PodInfo, other: PodInfo) -> Call:
    snapshot = snapshot_of(node("n1", **IN_Z))
    state = filtering(incoming, snapshot, PLUGIN)
    return lambda: getattr(PLUGIN, step)(state, incoming, other, snapshot.nodes[0], snapshot)


@pytest.mark.parametrize(
    ("call", "rule", "is_applied"),
    [
        (changed("add_pod", NEAR_B, pod("b")), "R-PODAFF-02", True),
        (changed("add_pod", APART_FROM_B, pod("b")), "R-PODAFF-02", True),
        (changed("add_pod", NEAR_B, APART_FROM_A), "R-PODAFF-02", True),
        (changed("add_pod", NEAR_B, pod("c")), "R-PODAFF-02", False),
        (changed("remove_pod", NEAR_B, pod("b")), "R-PODAFF-03", True),
        (changed("remove_pod", NEAR_B, pod("c")), "R-PODAFF-03", False),
    ],
)
def test_pods_that_come_and_go_in_a_dry_run(call: Call, rule: str, is_applied: bool) -> None:
    assert (rule in applied(call)) is is_applied


def filtered(incoming: PodInfo, *others: PodInfo, **labels: str) -> Call:
    snapshot = snapshot_of(node("n1", *others, **IN_Z), node("n2", **labels))
    state = filtering(incoming, snapshot, PLUGIN)
    return lambda: PLUGIN.filter(state, incoming, snapshot.nodes[1])


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (filtered(NEAR_B, pod("b"), **IN_Z), set()),
        (filtered(NEAR_B, pod("b"), zone="y"), {"R-PODAFF-04"}),
        (filtered(NEAR_B, pod("b")), {"R-PODAFF-04"}),
        (filtered(NEAR_B, **IN_Z), {"R-PODAFF-04"}),
        (filtered(pod("b", near=required(term("b"))), **IN_Z), {"R-PODAFF-08"}),
        (filtered(APART_FROM_B, pod("b"), **IN_Z), {"R-PODAFF-04"}),
        (filtered(APART_FROM_B, pod("b"), zone="y"), set()),
        (filtered(PLAIN, APART_FROM_A, **IN_Z), {"R-PODAFF-04"}),
        (filtered(PLAIN, APART_FROM_A, zone="y"), set()),
    ],
)
def test_nodes_are_rejected(call: Call, rules: set[str]) -> None:
    assert set(applied(call)) & {"R-PODAFF-04", "R-PODAFF-08"} == rules


def scored(incoming: PodInfo, *others: PodInfo, plugin: InterPodAffinity = PLUGIN) -> Call:
    snapshot = snapshot_of(node("n1", *others, **IN_Z))
    return lambda: plugin.pre_score(incoming, snapshot.nodes, snapshot)


LIKES_B = pod("a", near=preferred(1, term("b")))
NEEDS_A = pod("b", near=required(term("a")))


@pytest.mark.parametrize(
    ("call", "rules"),
    [
        (scored(LIKES_B, pod("b")), ["R-PODAFF-09"]),
        (scored(PLAIN, NEEDS_A), ["R-PODAFF-09", "R-PODAFF-11"]),
        (scored(PLAIN, NEEDS_A, plugin=InterPodAffinity(hard_pod_affinity_weight=0)), ["R-PODAFF-09"]),
        (
            scored(PLAIN, NEEDS_A, plugin=InterPodAffinity(ignore_preferred_terms_of_existing_pods=True)),
            ["R-PODAFF-10"],
        ),
        (
            scored(LIKES_B, plugin=InterPodAffinity(ignore_preferred_terms_of_existing_pods=True)),
            ["R-PODAFF-09"],
        ),
        (lambda: PLUGIN.score({("zone", "z"): 3}, PLAIN, node("n1", **IN_Z)), ["R-PODAFF-12"]),
        (lambda: PLUGIN.score({("zone", "z"): 3}, PLAIN, node("n1", zone="y")), []),
        (lambda: PLUGIN.normalize_score({}, PLAIN, {"n1": 3, "n2": 0}), ["R-PODAFF-13"]),
        (lambda: PLUGIN.normalize_score({}, PLAIN, {"n1": 0, "n2": 0}), []),
    ],
)
def test_scores(call: Call, rules: list[str]) -> None:
    assert applied(call) == rules


def labelled(**labels: str) -> Node:
    return read_as(Node, {"metadata": {"name": "n", "labels": labels}})


def after_pod(rejected: PodInfo, before: Any, after: Any) -> Call:
    return lambda: PLUGIN.after_pod_change(rejected.pod, before, after, ObjectStore())


def after_node(rejected: PodInfo, before: Node | None, after: Node) -> Call:
    return lambda: PLUGIN.after_node_change(rejected.pod, before, after, ObjectStore())


@pytest.mark.parametrize(
    ("call", "rule", "is_applied"),
    [
        (after_pod(NEAR_B, None, running("b")), "R-PODAFF-14", True),
        (after_pod(NEAR_B, None, running("b", node_name="")), "R-PODAFF-14", False),
        (after_pod(NEAR_B, None, running("c")), "R-PODAFF-14", False),
        (after_pod(NEAR_B, running("c"), running("b")), "R-PODAFF-14", True),
        (after_pod(APART_FROM_B, running("b"), None), "R-PODAFF-14", True),
        (after_pod(APART_FROM_B, running("b"), running("c")), "R-PODAFF-14", True),
        (after_pod(APART_FROM_B, running("c"), None), "R-PODAFF-14", False),
        (after_pod(PLAIN, running("b", apart=required(term("a"))), None), "R-PODAFF-14", True),
        (after_pod(PLAIN, running("b", apart=required(term("c"))), None), "R-PODAFF-14", False),
        (after_node(NEAR_B, None, labelled(zone="z")), "R-PODAFF-15", True),
        (after_node(NEAR_B, None, labelled()), "R-PODAFF-15", False),
        (after_node(NEAR_B, labelled(zone="y"), labelled(zone="z")), "R-PODAFF-15", True),
        (after_node(NEAR_B, labelled(zone="z"), labelled(zone="z")), "R-PODAFF-15", False),
        (after_node(APART_FROM_B, labelled(zone="z"), labelled()), "R-PODAFF-15", True),
        (after_node(APART_FROM_B, None, labelled()), "R-PODAFF-15", True),
        (after_node(APART_FROM_B, labelled(), labelled(zone="z")), "R-PODAFF-15", False),
    ],
)
def test_what_requeues(call: Call, rule: str, is_applied: bool) -> None:
    assert (rule in applied(call)) is is_applied
