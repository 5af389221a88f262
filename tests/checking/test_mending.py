# SPDX-License-Identifier: Apache-2.0
"""Mending: one set of known defects must explain all that was seen, from the first decision to the last."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from world import configuration, node_object, pod_object

from refsched.checking.checker import Checker
from refsched.checking.mending import AS_RELEASED, Mended, Mending, mends_that_explain
from refsched.oddities.inter_pod_affinity import (
    EXCLUDED_NAMESPACES,
    ONE_TERM_OF_MANY,
    REQUIRED_APART_BY_A_DELETED_POD,
)
from refsched.oddities.known_defect import KnownDefect
from refsched.oddities.known_defects import KNOWN_DEFECTS
from refsched.plugins.inter_pod_affinity import InterPodAffinity
from refsched.records import Attempt, Create, Delete, Input, NodeStatus, Queues, Record, Reference
from refsched.releases.v1_34 import V1_34

ALL = frozenset(KNOWN_DEFECTS)
OF_DEVICES = frozenset(defect for defect in KNOWN_DEFECTS if defect.plugin == "DynamicResources")
A, B = EXCLUDED_NAMESPACES, REQUIRED_APART_BY_A_DELETED_POD


# --- Which sets are tried -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "now", "chosen"),
    [
        ([ALL], AS_RELEASED, ALL),
        ([{A}, {A, B}], AS_RELEASED, {A}),
        ([{A, B}], AS_RELEASED, {A, B}),
        ([{A}], ALL, {A}),
        ([ALL], {A}, ALL),
        ([{B}], {A}, {B}),
        ([], {A}, None),
        ([], ALL, None),
    ],
)
def test_all_are_tried_first_and_then_as_few_as_will_do(
    right: Collection[Mended], now: Collection[KnownDefect], chosen: Collection[KnownDefect] | None
) -> None:
    def first_wrong(mended: Mended) -> object:
        assert mended != frozenset(now)
        return None if mended in [frozenset(each) for each in right] else sorted(one.id for one in mended)

    found = mends_that_explain(first_wrong, [], frozenset(now))
    assert found == (None if chosen is None else frozenset(chosen))


def test_where_the_same_is_wrong_with_all_and_with_none_no_other_is_tried() -> None:
    tried: list[Mended] = []

    def first_wrong(mended: Mended) -> object:
        tried.append(mended)
        return "the same"

    assert mends_that_explain(first_wrong, "the same", singly=False) is None
    assert tried == [ALL]


def test_known_defects_of_a_plugin_that_has_no_part_are_not_tried() -> None:
    def first_wrong(mended: Mended) -> object:
        if mended & OF_DEVICES and mended not in (ALL, OF_DEVICES):
            raise AssertionError(mended)
        return None if mended == {A, B} else [A in mended, B in mended]

    assert mends_that_explain(first_wrong, [False, False], singly=False) == {A, B}


# --- A checker that begins again ------------------------------------------------------------------

AVOIDS = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "p"}}}
        ]
    }
}
REFUSED = NodeStatus(
    "Unschedulable", "InterPodAffinity", ("node(s) didn't satisfy existing pods anti-affinity rules",)
)
P = "default/p"


def followed() -> Mending:
    """A pod that two others on its node hate."""
    mending = Mending(lambda mended: Checker(configuration(), without=mended, release=V1_34))
    node = node_object("n1")
    node["metadata"]["labels"] = {"zone": "a"}
    pod = pod_object("p")
    pod["metadata"]["labels"] = {"app": "p"}
    haters = (pod_object(name, nodeName="n1", affinity=AVOIDS) for name in ("h1", "h2"))
    for each in (node, *haters, pod):
        assert agrees(mending, Create(each))
    attempt = Attempt(P, "unschedulable", filter={"n1": REFUSED})
    assert agrees(mending, attempt)
    return mending


def agrees(mending: Mending, record: Record) -> bool:
    found = mending.ask(lambda checker: checker.take(record))
    return not found or mending.explains(found)


def deleted(name: str) -> Input:
    return Delete(Reference("Pod", name, namespace="default"))


def seen(*, waiting: bool) -> Queues:
    return Queues((), () if waiting else (P,), (P,) if waiting else ())


def test_a_scheduler_that_has_all_known_defects_is_followed_as_such() -> None:
    mending = followed()
    assert agrees(mending, deleted("h1"))
    assert agrees(mending, seen(waiting=True))
    assert mending.mended == AS_RELEASED


def test_a_scheduler_without_one_is_followed_as_one_without_from_there_on() -> None:
    mending = followed()
    first = mending.checker
    assert agrees(mending, deleted("h1"))
    assert agrees(mending, seen(waiting=False))
    assert mending.mended == ALL
    assert mending.checker is not first
    assert mending.checker.scheduler.queues() == seen(waiting=False)
    assert not agrees(mending, seen(waiting=True))


def test_a_scheduler_that_had_one_before_is_not_without_it_afterwards() -> None:
    mending = followed()
    assert agrees(mending, deleted("h1"))
    assert agrees(mending, seen(waiting=True))
    assert agrees(mending, deleted("h2"))
    assert not agrees(mending, seen(waiting=False))


def test_nothing_is_explained_after_something_else_was_wrong() -> None:
    mending = followed()
    assert not agrees(mending, seen(waiting=False))
    assert agrees(mending, deleted("h1"))
    assert not agrees(mending, seen(waiting=False))


def test_nothing_is_explained_by_what_would_come_to_an_end_otherwise() -> None:
    """Neither a question that the other checker cannot be asked, nor one that it cannot follow, tells."""

    def is_without(checker: Checker, defect: KnownDefect) -> bool:
        [plugin] = (
            plugin
            for plugin in checker.scheduler.state.profiles["default-scheduler"].filter_plugins
            if isinstance(plugin, InterPodAffinity)
        )
        [(name, step)] = defect.steps.items()
        return getattr(plugin.steps, name) is not step

    def question(checker: Checker) -> list[str]:
        if is_without(checker, A):
            checker.take(deleted("nobody"))
        checker.has_diverged = is_without(checker, B)
        return [] if is_without(checker, ONE_TERM_OF_MANY) else ["wrong"]

    mending = Mending(lambda mended: Checker(configuration(), without=mended, release=V1_34))
    assert mending.explains(mending.ask(question))
    assert mending.mended == {ONE_TERM_OF_MANY}


def test_one_defect_may_hide_what_another_one_does() -> None:
    def first_wrong(mended: Mended) -> object:
        return None if mended == {A} else "the same"

    assert mends_that_explain(first_wrong, "the same") == {A}
    assert mends_that_explain(first_wrong, "the same", singly=False) is None


# --- Agreement ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("compared", "agrees"), [({"n1", "n2"}, True), ({"n1"}, True), (set(), False)])
def test_a_checker_that_compares_fewer_nodes_does_not_agree(compared: set[str], agrees: bool) -> None:
    checkers = iter([{"n1"}, compared])

    def comparing(without: Mended) -> Checker:
        checker = Checker(configuration(), release=V1_34)
        checker.compared_nodes = frozenset(next(checkers))
        return checker

    assert Mending(comparing).agrees() is agrees
