# SPDX-License-Identifier: Apache-2.0
"""A recording of a scheduler with extenders is followed: the checker asks them itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from world import configuration, node_object, pod_object

from conformance.extender_server import REFUSES, serving
from refsched.checking.agreement import attempt_disagreements
from refsched.checking.checker import Checker
from refsched.checking.following import Following
from refsched.trace.records import Attempt, Create, NodeStatus

PASSED = NodeStatus("Success")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


def checker_of(url: str, **extender: Any) -> Checker:
    """Of three nodes, n1 is refused by the extender."""
    checker = Checker(configuration(extenders=[{"urlPrefix": f"{url}/a", "filterVerb": "filter"} | extender]))
    checker.take(Create(node_object("n1", labels={REFUSES: "Unschedulable"})))
    checker.take(Create(node_object("n2")))
    checker.take(Create(node_object("n3", cpu="1")))
    checker.take(Create(pod_object("p", cpu="2")))
    return checker


def test_an_attempt_that_heeds_the_extender_agrees(url: str) -> None:
    refused = NodeStatus("UnschedulableAndUnresolvable", "NodeResourcesFit", ("Insufficient cpu",))
    seen = {"n1": PASSED, "n2": PASSED, "n3": refused}
    record = Attempt("default/p", "scheduled", node="n2", evaluated=3, feasible=1, filter=seen)

    assert checker_of(url).take(record) == []


def test_an_attempt_that_does_not_heed_the_extender_disagrees(url: str) -> None:
    record = Attempt("default/p", "scheduled", node="n1")

    [found] = checker_of(url).take(record)

    assert (found.member, found.expected, found.got) == ("node", ["n2"], "n1")


def test_a_node_of_no_extender_disagrees_too(url: str) -> None:
    [found] = checker_of(url).take(Attempt("default/p", "scheduled", node="elsewhere"))

    assert (found.member, found.got) == ("node", "elsewhere")


# --- What a search kept ---------------------------------------------------------------------------

FOUND = dict.fromkeys(("n1", "n2", "n3", "n4"), PASSED)


def kept(enough: int, *, extenders: bool, **record: Any) -> frozenset[str] | None:
    following = Following(extenders=extenders)
    following.follow(Attempt("default/p", "scheduled", filter=FOUND, **record))
    plan = following.plan_search(4, enough)
    assert plan is not None
    return plan.kept


def test_without_extenders_what_was_scored_is_what_was_kept() -> None:
    assert kept(3, extenders=False, totals={"n2": 1, "n4": 1}) == {"n2", "n4"}
    assert kept(3, extenders=False, node="n2") == {"n2"}


def test_with_extenders_the_search_may_have_kept_more() -> None:
    assert kept(3, extenders=True, totals={"n2": 1, "n4": 1, "alien": 1}) == {"n1", "n2", "n4"}
    assert kept(2, extenders=True, node="n4") == {"n1", "n4"}
    assert kept(1, extenders=True, totals={"n2": 1, "n4": 1}) == {"n2", "n4"}


def test_where_nothing_was_taken_it_is_open_what_was_kept() -> None:
    assert kept(3, extenders=True) is None


def test_errors_are_listed_in_any_order() -> None:
    specified = Attempt("default/p", "error", message="0/2 nodes. preemption: [a, b]")

    assert not list(
        attempt_disagreements(
            Attempt("default/p", "error", message="0/2 nodes. preemption: [b, a]"), specified
        )
    )
    assert list(
        attempt_disagreements(
            Attempt("default/p", "error", message="0/2 nodes. preemption: [b, c]"), specified
        )
    )
