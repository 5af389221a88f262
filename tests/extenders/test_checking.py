# SPDX-License-Identifier: Apache-2.0
"""A recording of a scheduler with extenders is followed: the checker asks them itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from world import configuration, node_object, pod_object

from refsched.checking.agreement import attempt_disagreements
from refsched.checking.checker import Checker
from refsched.checking.following import Following
from refsched.checking.recorded_extenders import RecordedExtenders
from refsched.checking.search import SearchPlan, keep
from refsched.checking.trace import Exchange
from refsched.config.types import Extender as ExtenderConfig
from refsched.cycle.find_nodes import Search
from refsched.extenders.extender import Extender
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.records import Attempt, Create, NodeStatus
from refsched.suite.histories.extender_server import REFUSES, serving

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


def plan(*, extenders: bool, **record: Any) -> SearchPlan:
    following = Following(has_extenders=extenders)
    following.follow(Attempt("default/p", "scheduled", filter=FOUND, **record))
    found = following.plan_search(4, 3)
    assert found is not None
    return found


def test_without_extenders_what_was_scored_is_what_was_kept() -> None:
    planned = plan(extenders=False, totals={"n2": 1, "n4": 1})

    assert (planned.kept, planned.left) == ({"n2", "n4"}, None)


def test_with_extenders_it_is_what_these_left() -> None:
    assert plan(extenders=True, totals={"n2": 1, "n4": 1}).left == {"n2", "n4"}
    assert plan(extenders=True, node="n4").left == {"n4"}
    assert plan(extenders=True).left == frozenset()
    assert plan(extenders=True, node="n4").kept is None


@pytest.mark.parametrize("field", ["NodeNames", "Nodes"])
def test_the_first_recorded_call_about_that_many_nodes_shows_which_were_kept(field: str) -> None:
    def about(pod: str, *names: str) -> Exchange:
        objects = {"items": [{"metadata": {"name": name}} for name in names]}
        sent = {"Pod": {"metadata": {"name": pod, "namespace": "default"}}}
        sent[field] = list(names) if field == "NodeNames" else objects  # type: ignore[assignment]
        return Exchange("http://extenders.test/a", "filter", sent, {})

    recorded = RecordedExtenders()
    recorded.add([about("other", "n1", "n2", "n3"), about("p", "n4"), about("p", "n1", "n2", "n4")])
    following = Following(has_extenders=True, recorded=recorded)
    following.follow(Attempt("default/p", "scheduled", filter=FOUND, node="n4"))

    planned = following.plan_search(4, 3)

    assert planned is not None
    assert (planned.kept, planned.left) == ({"n1", "n2", "n4"}, None)


def test_where_no_recorded_extender_was_asked_what_was_chosen_is_what_was_kept() -> None:
    following = Following(has_extenders=True, recorded=RecordedExtenders())
    following.follow(Attempt("default/p", "scheduled", filter=FOUND, node="n4"))

    planned = following.plan_search(4, 1)

    assert planned is not None
    assert (planned.kept, planned.left) == ({"n4"}, None)


def nodes(*names: str) -> tuple[NodeInfo, ...]:
    return tuple(NodeInfo(read_as(Node, {"metadata": {"name": name}})) for name in names)


def test_the_others_that_were_kept_are_rather_those_that_extenders_refuse() -> None:
    def answers(verb: str, request: dict[str, Any]) -> object:
        return {"NodeNames": [name for name in request["NodeNames"] if name in ("n1", "n3")]}

    extender = Extender(ExtenderConfig(filter_verb="filter", node_cache_capable=True), answers)
    found = Search(nodes("n1", "n2", "n3"), surplus=nodes("n4"))

    pod = PodInfo(read_as(Pod, {"metadata": {"name": "p"}}))

    kept = keep([extender], pod, found, frozenset({"n3"}))

    assert [node.name for node in kept.feasible] == ["n3", "n2", "n4"]
    assert [node.name for node in kept.surplus] == ["n1"]


def test_a_search_that_stopped_early_is_followed(url: str) -> None:
    """Of 101 nodes one is surplus: it is one that the extender would have left."""
    checker = Checker(configuration(extenders=[{"urlPrefix": f"{url}/a", "filterVerb": "filter"}]))
    for number in range(101):
        labels = {} if number in (0, 100) else {REFUSES: "Unschedulable"}
        checker.take(Create(node_object(f"n{number}", labels=labels)))
    checker.take(Create(pod_object("p")))
    seen = {f"n{number}": PASSED for number in range(101)}

    assert not checker.take(
        Attempt("default/p", "scheduled", node="n100", evaluated=100, feasible=1, filter=seen)
    )


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
