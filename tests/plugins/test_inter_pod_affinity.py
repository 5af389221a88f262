# SPDX-License-Identifier: Apache-2.0
"""InterPodAffinity: both directions, the first of a kind, namespaces, pods that come and go, scores."""

from __future__ import annotations

from typing import Any

import pytest
from affinity_world import (
    PLUGIN,
    excluding,
    filtering,
    hint,
    node,
    pod,
    preferred,
    required,
    selecting,
    term,
)

from refsched.framework.events import NODE
from refsched.framework.interface import Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unschedulable
from refsched.objects.node import Node
from refsched.objects.store import ObjectStore
from refsched.plugins.inter_pod_affinity import InterPodAffinity, TopologyScores
from tests.snapshots import snapshot_of

ANTI_AFFINITY = unschedulable("node(s) didn't match pod anti-affinity rules")


def verdicts(incoming: PodInfo, *nodes: NodeInfo, **namespace_labels: dict[str, str]) -> list[Status]:
    state = filtering(incoming, snapshot_of(*nodes, namespace_labels=namespace_labels))
    return [PLUGIN.filter(state, incoming, each) for each in nodes]


# --- Namespaces -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "refused"),
    [
        ({}, False),
        ({"namespaces": ["other"]}, True),
        ({"namespaceSelector": {}}, True),
        ({"namespaceSelector": selecting(team="t")}, True),
        ({"namespaceSelector": selecting(team="u")}, False),
        ({"namespaceSelector": selecting(team="u"), "namespaces": ["other"]}, True),
    ],
)
def test_a_term_speaks_of_its_own_namespace_or_of_those_it_names(
    scope: dict[str, Any], refused: bool
) -> None:
    web = pod("web", apart=required(term("db", **scope)))
    there = node("n1", pod("db", namespace="other"), zone="a")
    assert verdicts(web, there, other={"team": "t"}) == [ANTI_AFFINITY if refused else SUCCESS]


def test_a_selector_that_only_excludes_reaches_even_what_it_excludes() -> None:
    """kubernetes #141526."""
    web = pod("web", apart=required(term("db", namespaceSelector=excluding("team"))))
    there = node("n1", pod("db", namespace="other"), zone="a")
    assert verdicts(web, there, other={"team": "t"}) == [ANTI_AFFINITY]


# --- Score ----------------------------------------------------------------------------------------


def scored(
    incoming: PodInfo, *nodes: NodeInfo, plugin: InterPodAffinity = PLUGIN, **namespace_labels: dict[str, str]
) -> tuple[list[int], list[int]] | None:
    """Raw and normalized scores; None where nothing is scored."""
    outcome = plugin.pre_score(incoming, nodes, snapshot_of(*nodes, namespace_labels=namespace_labels))
    if isinstance(outcome, Skip):
        return None
    state: TopologyScores = outcome.state
    raw = {each.name: plugin.score(state, incoming, each) for each in nodes}
    return list(raw.values()), list(plugin.normalize_score(state, incoming, raw).values())


def test_preferences_reach_the_namespaces_that_their_selectors_select() -> None:
    web = pod("web", near=preferred(3, term("db", namespaceSelector=selecting(team="t"))))
    nodes = [node("n1", pod("db", namespace="other"), zone="a"), node("n2", pod("db"), zone="b")]
    assert scored(web, *nodes, other={"team": "t"}) == ([3, 0], [100, 0])
    liking = pod("db", near=preferred(2, term("web", namespaceSelector=selecting(team="t"))))
    incoming = pod("web", namespace="other")
    assert scored(incoming, node("n1", liking, zone="a"), other={"team": "t"}) == ([2], [0])
    assert scored(incoming, node("n1", liking, zone="a"), other={}) is None


# --- Events ---------------------------------------------------------------------------------------


def labelled(**labels: str) -> Node:
    return node("n1", **labels).existing_node


@pytest.mark.parametrize(
    ("before", "after", "near", "apart"),
    [
        (None, labelled(zone="a"), True, True),
        (None, labelled(), False, True),
        (labelled(), labelled(zone="a"), True, False),
        (labelled(zone="a"), labelled(zone="b"), True, True),
        (labelled(zone="a"), labelled(), False, True),
        (labelled(zone="a"), labelled(zone="a"), False, False),
        (labelled(), labelled(), False, False),
    ],
)
def test_a_node_that_joins_or_leaves_a_domain_helps(
    before: Node | None, after: Node, near: bool, apart: bool
) -> None:
    ask = hint(NODE)
    store = ObjectStore()
    assert ask(PLUGIN, pod("web", near=required(term("db"))).pod, before, after, store) is near
    assert ask(PLUGIN, pod("web", apart=required(term("db"))).pod, before, after, store) is apart
    assert not ask(PLUGIN, pod("web").pod, before, after, store)
