# SPDX-License-Identifier: Apache-2.0
"""Cases of scores that extenders give: which answers can be read, and which nodes they are asked about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.extenders import answered, extender
from conformance.vocabulary.objects import cpu, default_profile, node, pod, profile_config
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _scored(*scores: tuple[str, Any], profiles: Sequence[Json] = ()) -> History:
    """The extender scores nodes so, of which there are n1 and n2, where half as much is free."""
    cluster = HistoryBuilder()
    for cores in ("4", "2"):
        cluster.add_node(node("", cpu(cores) | {"pods": "9"}))
    answers = {"a": {"prioritize": {"answer": [{"Host": host, "Score": score} for host, score in scores]}}}
    cluster.add_pod(answered(pod("", cpu("1")), answers))
    cluster.schedule()
    scoring = [extender(prioritizeVerb="prioritize", weight=1)]
    return cluster.history(profile_config(*profiles, extenders=scoring))


def _cases() -> Iterator[Case]:
    for name, says, score in (
        ("whole_number", "a whole number", 7),
        ("fraction", "a fraction", 7.5),
        ("whole_number_with_a_point", "a whole number with a decimal point", 7.0),
        ("text", "a text", "7"),
        ("negative_number", "a negative number", -7),
        ("beyond_the_most", "more than an extender should give", 11),
    ):
        yield Case(
            f"{name}_as_the_score_of_an_extender",
            f"The scores of an extender count only if its answer can be read; one is {says}.",
            _scored(("n1", 1), ("n2", score)),
        )
    for name, says, scores in (
        ("only_the_worse_node", "only the worse of two nodes", (("n2", 0),)),
        ("a_node_twice", "a node twice", (("n2", 5), ("n2", 4))),
        ("a_node_that_is_not_there", "a node that is not there", (("n9", 10), ("n2", 1))),
    ):
        yield Case(
            f"extender_scores_{name}",
            "The scores that an extender gives a node are added up, and are none if it gives none; it scores"
            f" {says}.",
            _scored(*scores),
        )

    nobody = {point: {"disabled": [{"name": "*"}]} for point in ("preScore", "score")}
    yield Case(
        "only_an_extender_scores",
        "All nodes are searched if an extender scores them, also where no plugin does.",
        _scored(("n1", 1), ("n2", 7), profiles=[default_profile(plugins=nobody)]),
    )


CASES: tuple[Case, ...] = tuple(_cases())
