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
    running,
    selecting,
    term,
)

from refsched.framework.events import NODE, POD
from refsched.framework.interface import Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.plugins.inter_pod_affinity import InterPodAffinity, TopologyScores
from tests.snapshots import snapshot_of

AFFINITY = unresolvable("node(s) didn't match pod affinity rules")
ANTI_AFFINITY = unschedulable("node(s) didn't match pod anti-affinity rules")
EXISTING = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")


def verdicts(incoming: PodInfo, *nodes: NodeInfo, **namespace_labels: dict[str, str]) -> list[Status]:
    state = filtering(incoming, snapshot_of(*nodes, namespace_labels=namespace_labels))
    return [PLUGIN.filter(state, incoming, each) for each in nodes]


# --- Filter ---------------------------------------------------------------------------------------


def test_a_pod_without_required_terms_is_not_filtered() -> None:
    nodes = snapshot_of(node("n1", pod("db", near=required(term("db"))), zone="a"))
    assert PLUGIN.pre_filter(pod("web", near=preferred(1, term("db"))), nodes) == Skip()


def test_anti_affinity_of_a_running_pod_that_speaks_of_another_does_not_filter() -> None:
    nodes = snapshot_of(node("n1", pod("db", apart=required(term("cache"))), zone="a"))
    assert PLUGIN.pre_filter(pod("web"), nodes) == Skip()


def test_affinity_asks_for_a_pod_in_the_same_domain() -> None:
    web = pod("web", near=required(term("db")))
    nodes = [node("n1", pod("db"), zone="a"), node("n2", zone="a"), node("n3", zone="b"), node("n4")]
    assert verdicts(web, *nodes) == [SUCCESS, SUCCESS, AFFINITY, AFFINITY]


def test_one_pod_must_meet_all_the_terms_of_an_affinity() -> None:
    web = pod("web", near=required(term("db"), term("cache", "host")))
    assert verdicts(web, node("n1", pod("db"), pod("cache"), zone="a", host="1")) == [AFFINITY]


def test_the_first_of_a_kind_goes_anywhere_where_the_labels_are() -> None:
    web = pod("web", near=required(term("web")))
    assert verdicts(web, node("n1", zone="a"), node("n2")) == [SUCCESS, AFFINITY]


def test_the_second_of_a_kind_follows_the_first() -> None:
    web = pod("web", near=required(term("web")))
    nodes = [node("n1", pod("web"), zone="a"), node("n2", zone="b")]
    assert verdicts(web, *nodes) == [SUCCESS, AFFINITY]


def test_a_first_of_its_kind_that_does_not_meet_its_own_terms_goes_nowhere() -> None:
    assert verdicts(pod("web", near=required(term("db"))), node("n1", zone="a")) == [AFFINITY]


def test_anti_affinity_forbids_each_domain_of_each_term() -> None:
    web = pod("web", apart=required(term("db"), term("cache", "host")))
    nodes = [
        node("n1", pod("db"), zone="a", host="1"),
        node("n2", zone="a", host="2"),
        node("n3", pod("cache"), zone="b", host="3"),
        node("n4", zone="b", host="4"),
        node("n5"),
    ]
    assert verdicts(web, *nodes) == [ANTI_AFFINITY, ANTI_AFFINITY, ANTI_AFFINITY, SUCCESS, SUCCESS]


def test_anti_affinity_of_running_pods_keeps_others_away() -> None:
    db = pod("db", apart=required(term("web"), term("cache")))
    nodes = [node("n1", db, zone="a"), node("n2", zone="a"), node("n3", zone="b")]
    assert verdicts(pod("web"), *nodes) == [EXISTING, EXISTING, SUCCESS]


def test_affinity_is_reported_first_then_the_own_anti_affinity_then_that_of_others() -> None:
    db = pod("db", apart=required(term("web")))
    away = required(term("db"))
    assert verdicts(pod("web", near=required(term("x")), apart=away), node("n1", db, zone="a")) == [AFFINITY]
    assert verdicts(pod("web", apart=away), node("n1", db, zone="a")) == [ANTI_AFFINITY]


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


@pytest.mark.parametrize(
    ("scope", "refused"),
    [
        ({}, False),
        ({"namespaceSelector": {}}, True),
        ({"namespaceSelector": selecting(team="t")}, True),
        ({"namespaceSelector": selecting(team="u")}, False),
        ({"namespaceSelector": excluding("team")}, False),
    ],
)
def test_the_terms_of_running_pods_have_namespaces_too(scope: dict[str, Any], refused: bool) -> None:
    there = node("n1", pod("db", apart=required(term("web", **scope), term("x"))), zone="a")
    web = pod("web", namespace="other", apart=required(term("nobody")))
    assert verdicts(web, there, other={"team": "t"}) == [EXISTING if refused else SUCCESS]


def test_a_namespace_that_does_not_exist_has_no_labels() -> None:
    def there(selector: dict[str, Any]) -> NodeInfo:
        db = pod("db", apart=required(term("web", namespaceSelector=selector)))
        return node("n1", db, zone="a")

    web = pod("web", namespace="missing", apart=required(term("nobody")))
    assert verdicts(web, there(excluding("team"))) == [EXISTING]
    assert verdicts(web, there(selecting(team="t"))) == [SUCCESS]


def test_an_empty_selector_of_the_pod_reaches_a_namespace_that_does_not_exist() -> None:
    there = node("n1", pod("db", namespace="missing"), zone="a")
    assert verdicts(pod("web", apart=required(term("db", namespaceSelector={}))), there) == [ANTI_AFFINITY]


def test_a_selector_that_only_excludes_reaches_even_what_it_excludes() -> None:
    """kubernetes #141526."""
    web = pod("web", apart=required(term("db", namespaceSelector=excluding("team"))))
    there = node("n1", pod("db", namespace="other"), zone="a")
    assert verdicts(web, there, other={"team": "t"}) == [ANTI_AFFINITY]


# --- Pods that come and go ------------------------------------------------------------------------


def test_a_victim_frees_the_domains_that_it_and_its_terms_held() -> None:
    db = pod("db", apart=required(term("web")))
    full, empty = node("n1", db, zone="a"), node("n1", zone="a")
    web = pod("web", apart=required(term("db")))
    snapshot = snapshot_of(full)
    held = filtering(web, snapshot)
    freed = PLUGIN.remove_pod(held, web, db, empty, snapshot)
    assert PLUGIN.filter(freed, web, empty) == SUCCESS
    assert PLUGIN.filter(held, web, full) == ANTI_AFFINITY
    assert PLUGIN.filter(PLUGIN.add_pod(freed, web, db, full, snapshot), web, full) == ANTI_AFFINITY


def test_a_nominated_pod_that_meets_the_affinity_counts() -> None:
    web, db = pod("web", near=required(term("db"))), pod("db")
    snapshot = snapshot_of(node("n1", zone="a"))
    state = filtering(web, snapshot)
    crowded = node("n1", db, zone="a")
    assert PLUGIN.filter(PLUGIN.add_pod(state, web, db, crowded, snapshot), web, crowded) == SUCCESS
    assert PLUGIN.filter(PLUGIN.add_pod(state, web, pod("x"), crowded, snapshot), web, crowded) == AFFINITY


def test_a_nominated_pod_that_avoids_the_pod_counts() -> None:
    web = pod("web", apart=required(term("nobody")))
    db = pod("db", apart=required(term("web"), term("x")), namespace="other")
    crowded = node("n1", zone="a")
    snapshot = snapshot_of(crowded)
    state = PLUGIN.add_pod(filtering(web, snapshot), web, db, crowded, snapshot)
    assert PLUGIN.filter(state, web, crowded) == SUCCESS
    same = pod("db", apart=required(term("web"), term("x")))
    state = PLUGIN.add_pod(state, web, same, crowded, snapshot)
    assert PLUGIN.filter(state, web, crowded) == EXISTING


def test_when_the_only_one_of_a_kind_is_a_victim_the_pod_is_the_first() -> None:
    old, new = pod("web"), pod("web", near=required(term("web")))
    there = node("n1", old, zone="a")
    elsewhere = node("n2", zone="b")
    snapshot = snapshot_of(there, elsewhere)
    state = filtering(new, snapshot)
    assert PLUGIN.filter(state, new, elsewhere) == AFFINITY
    state = PLUGIN.remove_pod(state, new, old, node("n1", zone="a"), snapshot)
    assert PLUGIN.filter(state, new, elsewhere) == SUCCESS


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


def test_preferences_of_the_pod_speak_for_and_against_domains() -> None:
    web = pod("web", near=preferred(3, term("db")), apart=preferred(5, term("cache", "host")))
    nodes = [
        node("n1", pod("db"), pod("db"), zone="a", host="1"),
        node("n2", pod("cache"), zone="a", host="2"),
        node("n3", pod("cache"), zone="b", host="3"),
        node("n4"),
    ]
    assert scored(web, *nodes) == ([6, 1, -5, 0], [100, 54, 0, 45])


def test_preferences_of_running_pods_speak_too() -> None:
    db, cache = pod("db", near=preferred(4, term("web"))), pod("cache", apart=preferred(2, term("web")))
    nodes = [node("n1", db, zone="a"), node("n2", cache, zone="b"), node("n3", pod("x"), zone="c")]
    assert scored(pod("web"), *nodes) == ([4, -2, 0], [100, 0, 33])


def test_a_required_affinity_of_a_running_pod_weighs_what_the_profile_says() -> None:
    nodes = [node("n1", pod("db", near=required(term("web"))), zone="a"), node("n2", zone="b")]
    assert scored(pod("web"), *nodes) == ([1, 0], [100, 0])
    assert scored(pod("web"), *nodes, plugin=InterPodAffinity(70)) == ([70, 0], [100, 0])
    assert scored(pod("web"), *nodes, plugin=InterPodAffinity(0)) is None


def test_preferences_of_running_pods_may_be_ignored_but_only_for_a_pod_without_its_own() -> None:
    ignoring = InterPodAffinity(ignore_preferred_terms_of_existing_pods=True)
    nodes = [node("n1", pod("db", near=preferred(4, term("web"))), zone="a"), node("n2", zone="b")]
    assert scored(pod("web"), *nodes, plugin=ignoring) is None
    web = pod("web", apart=preferred(1, term("nobody")))
    assert scored(web, *nodes, plugin=ignoring) == ([4, 0], [100, 0])


def test_where_no_preference_is_met_nothing_is_scored() -> None:
    web = pod("web", near=preferred(3, term("db")))
    assert scored(web, node("n1", pod("x"), zone="a")) is None
    assert scored(web, node("n1", pod("db"))) is None


def test_preferences_that_cancel_out_still_score() -> None:
    web = pod("web", near=preferred(3, term("db")), apart=preferred(3, term("db")))
    assert scored(web, node("n1", pod("db"), zone="a"), node("n2", zone="b")) == ([0, 0], [0, 0])


def test_preferences_reach_the_namespaces_that_their_selectors_select() -> None:
    web = pod("web", near=preferred(3, term("db", namespaceSelector=selecting(team="t"))))
    nodes = [node("n1", pod("db", namespace="other"), zone="a"), node("n2", pod("db"), zone="b")]
    assert scored(web, *nodes, other={"team": "t"}) == ([3, 0], [100, 0])
    liking = pod("db", near=preferred(2, term("web", namespaceSelector=selecting(team="t"))))
    incoming = pod("web", namespace="other")
    assert scored(incoming, node("n1", liking, zone="a"), other={"team": "t"}) == ([2], [0])
    assert scored(incoming, node("n1", liking, zone="a"), other={}) is None


# --- Events ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "helps"),
    [
        (None, running("db"), True),
        (None, running("x"), False),
        (None, running("db", node_name=""), False),
        (None, running("db", namespace="other"), False),
        (running("x"), running("db"), True),
        (running("db"), running("db"), False),
        (running("cache"), running("x"), True),
        (running("x"), running("cache"), False),
        (running("cache"), None, True),
        (running("cache", node_name=""), None, False),
        (running("db"), None, False),
    ],
)
def test_pods_that_come_to_be_wanted_or_cease_to_be_unwanted_help(
    before: Pod | None, after: Pod | None, helps: bool
) -> None:
    web = pod("web", near=required(term("db")), apart=required(term("cache"))).pod
    assert hint(POD)(PLUGIN, web, before, after, ObjectStore()) is helps


def test_a_deleted_pod_that_met_only_one_of_two_anti_affinity_terms_is_overlooked() -> None:
    """kubernetes #139161."""
    web = pod("web", apart=required(term("cache"), term("db"))).pod
    assert not hint(POD)(PLUGIN, web, running("cache"), None, ObjectStore())


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
