# SPDX-License-Identifier: Apache-2.0
"""Cases of searches: how many feasible nodes are enough, as the configuration says it and as the profile does."""

from __future__ import annotations

from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import cpu, default_profile, node, pod, profile_config
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_PERCENTAGES: tuple[tuple[int | None, int | None], ...] = (
    (40, 90),
    (90, 40),
    (40, 0),
    (0, 90),
    (None, 90),
    (90, None),
)
"""What the configuration says for all profiles, and what the profile says; None is nothing."""


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


def _fewer_nodes_than_the_start(left: int) -> History:
    """One worker looks for one feasible node, since no plugin scores. Each of three pods is tried from the next
    node on; then so many of five nodes are left, and three more pods come."""
    cluster = HistoryBuilder()
    for _ in range(5):
        cluster.add_node(node(""))
    for _ in range(3):
        cluster.add_pod(pod("", cpu("1m")))
        cluster.schedule(1)
    for _ in range(5 - left):
        cluster.remove_node(-1)
    for _ in range(3):
        cluster.add_pod(pod("", cpu("1m")))
        cluster.schedule(1)
    disabled = {"disabled": [{"name": "*"}]}
    return cluster.history(
        profile_config(default_profile(plugins={"preScore": disabled, "score": disabled}), parallelism=1)
    )


CASES: tuple[Case, ...] = (
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
