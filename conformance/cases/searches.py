# SPDX-License-Identifier: Apache-2.0
"""Cases of searches: how many feasible nodes are enough, as the configuration says it and as the profile does."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.allocations import node_condition, node_selector
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import REQUIRED, cpu, default_profile, node, pod, profile_config
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_PERCENTAGES: tuple[tuple[int | None, int | None], ...] = (
    (40, 90),
    (90, 40),
    (40, 0),
    (100, 0),
    (0, 90),
    (None, 90),
    (90, None),
)
"""What the configuration says for all profiles, and what the profile says; None is nothing."""


_NOTHING_SCORES: Json = {point: {"disabled": [{"name": "*"}]} for point in ("preScore", "score")}
_ONE_IS_ENOUGH = profile_config(default_profile(plugins=_NOTHING_SCORES), parallelism=1)
"""No plugin scores, so that one feasible node is enough, and one worker looks for it."""


def _said(percentage: int | None) -> Json:
    return {} if percentage is None else {"percentageOfNodesToScore": percentage}


def _in_words(percentage: int | None) -> str:
    return "nothing" if percentage is None else f"{percentage}_percent"


def _enough_of_many(of_all: int | None, own: int | None) -> History:
    """A pod fits on each of 140 nodes."""
    cluster = HistoryBuilder()
    for _ in range(140):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1")))
    cluster.schedule()
    return cluster.history(profile_config(default_profile(**_said(own)), **_said(of_all)))


def _tried_in_turn(cluster: HistoryBuilder, *pods: Json) -> None:
    for value in pods:
        cluster.add_pod(value)
        cluster.schedule(1)


def _fewer_nodes_than_the_start(left: int) -> History:
    """Each of three pods is tried from the next of five nodes on; then so many nodes are left, and three more pods
    come."""
    cluster = HistoryBuilder()
    for _ in range(5):
        cluster.add_node(node(""))
    _tried_in_turn(cluster, *[pod("", cpu("1m"))] * 3)
    for _ in range(5 - left):
        cluster.remove_node(-1)
    _tried_in_turn(cluster, *[pod("", cpu("1m"))] * 3)
    return cluster.history(_ONE_IS_ENOUGH)


def _one_is_enough(*rooms: str) -> History:
    """The nodes have so much cpu, and two pods that need 1 come one after the other."""
    cluster = HistoryBuilder()
    for room in rooms:
        cluster.add_node(node("", {"cpu": room, "pods": "9"}))
    _tried_in_turn(cluster, *[pod("", cpu("1"))] * 2)
    return cluster.history(_ONE_IS_ENOUGH)


def _first_of_one_node(name: str) -> History:
    """A pod that must go to this one of three nodes comes first, and three others follow."""
    cluster = HistoryBuilder()
    for _ in range(3):
        cluster.add_node(node(""))
    term = node_selector(fields=[node_condition(name, key="metadata.name")])
    bound_to_go = pod("", cpu("1"), affinity={"nodeAffinity": {REQUIRED: term}})
    _tried_in_turn(cluster, bound_to_go, *[pod("", cpu("1"))] * 3)
    return cluster.history(_ONE_IS_ENOUGH)


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"one_node_is_enough_of_{'_'.join(rooms)}",
            "Where one feasible node is enough, the search goes on to the next feasible one or to the end, and the"
            f" next search begins behind it; the nodes have {', '.join(rooms)} cpu.",
            _one_is_enough(*rooms),
        )
        for rooms in ("4044", "404", "0404", "400")
    ),
    *(
        Case(
            f"search_after_that_for_the_node_{name}",
            "A search among the nodes that PreFilter left moves the start of the next one by the nodes that it"
            f" looked at, here by {name}.",
            _first_of_one_node(name),
        )
        for name in ("n2", "n3")
    ),
    *(
        Case(
            f"search_that_would_start_behind_the_last_of_{left}_nodes",
            "A search goes round the list of nodes from where the last one ended, though nodes were deleted since;"
            f" {left} are left.",
            _fewer_nodes_than_the_start(left),
        )
        for left in (2, 3)
    ),
    *(
        Case(
            f"{_in_words(of_all)}_for_all_profiles_and_{_in_words(own)}_for_this_one",
            "The percentage of the nodes that are enough is what the profile says, and if it says nothing, what"
            " the configuration says for all profiles.",
            _enough_of_many(of_all, own),
        )
        for of_all, own in _PERCENTAGES
    ),
)
