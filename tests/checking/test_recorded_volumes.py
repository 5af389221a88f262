# SPDX-License-Identifier: Apache-2.0
"""Which of several equal volumes a scheduler took: what was recorded is followed, and judged."""

from __future__ import annotations

import pytest
from volume_objects import Json, by_hand, claim, csi_node, storage_class, using, volume
from world import configuration, node_object, pod_object

from refsched.checking.checker import Checker
from refsched.records import Attempt, Bind, Create, NodeStatus, Record, Update, Write

FEASIBLE = NodeStatus("Success")
BROKEN = NodeStatus(
    "Error",
    "VolumeBinding",
    (
        'running "VolumeBinding" filter plugin: could not translate pv: kind(Shared) is not supported in'
        " csi migration",
    ),
)
NOTHING_TO_BIND = NodeStatus(
    "UnschedulableAndUnresolvable",
    "VolumeBinding",
    ("node(s) didn't find available persistent volumes to bind",),
)


def checker(*objects: Json, nodes: tuple[str, ...] = ("n1",)) -> Checker:
    """Beside a scheduler that is about to place the pod ``p``."""
    started = Checker(configuration())
    labelled = [node_object(name, labels={"kubernetes.io/hostname": name}) for name in nodes]
    for value in (*labelled, by_hand(), *objects):
        assert started.take(Create(value)) == []
    return started


def members(beside: Checker, *records: Record) -> list[str]:
    """Where the records are not allowed."""
    beside.foresee(records)
    return [found.member for record in records for found in beside.take(record)]


def placed(*names: str, on: str = "n1") -> tuple[Record, ...]:
    """The pod is placed, and its claims ``c0``, ``c1`` and so on get these volumes."""
    done: list[Record] = [Attempt("default/p", "scheduled", node=on)]
    for index, name in enumerate(names):
        owned = volume(name, claimed_by=f"c{index}", phase="Bound")
        done += [Write("update", owned), Update(owned), Update(claim(f"c{index}", bound_to=name))]
    return *done, Bind("default/p", on, "bound")


@pytest.mark.parametrize("taken", ["a", "b", "h"])
def test_any_of_equal_volumes_may_be_taken(taken: str) -> None:
    equals = [volume(name) for name in "abcdefgh"]
    world = [*equals, claim("c0"), pod_object("p", volumes=using("c0"))]
    beside = checker(*world)

    assert members(beside, *placed(taken)) == []


def test_a_larger_volume_may_not_be_taken() -> None:
    beside = checker(volume("a"), volume("b", size="2Gi"), claim("c0"), pod_object("p", volumes=using("c0")))

    assert members(beside, *placed("b")) == ["volumes"]


@pytest.mark.parametrize("taken", [("a", "b"), ("b", "a")])
def test_volumes_may_be_taken_in_any_order(taken: tuple[str, str]) -> None:
    beside = checker(
        volume("a"), volume("b"), claim("c0"), claim("c1"), pod_object("p", volumes=using("c0", "c1"))
    )

    assert members(beside, *placed(*taken)) == []


@pytest.mark.parametrize(
    ("said", "allowed"),
    [
        ({"n1": FEASIBLE}, True),
        ({"n1": NOTHING_TO_BIND}, True),
        ({"n1": NodeStatus("Unschedulable", "X")}, False),
    ],
)
def test_what_filter_said_shows_which_volume_was_taken_first(
    said: dict[str, NodeStatus], allowed: bool
) -> None:
    """The first claim may take the one volume that the other could have."""
    picky = claim("c1", size="2Gi", selector={"matchLabels": {"disk": "ssd"}})
    beside = checker(
        volume("a", size="2Gi", labels={"disk": "ssd"}),
        volume("b", size="2Gi"),
        claim("c0"),
        picky,
        pod_object("p", volumes=using("c0", "c1")),
    )
    scheduled = said["n1"] == FEASIBLE
    attempt = Attempt(
        "default/p",
        "scheduled" if scheduled else "unschedulable",
        node="n1" if scheduled else None,
        filter=said,
    )

    assert (members(beside, attempt) == []) is allowed


@pytest.mark.parametrize(("reported", "allowed"), [(BROKEN, True), (FEASIBLE, False)])
def test_a_node_on_which_filter_fails_explains_any_order(reported: NodeStatus, allowed: bool) -> None:
    beside = checker(
        volume("a"),
        volume("b"),
        volume("v", claimed_by="bound", azureDisk={"diskURI": "d"}),
        csi_node("n1", "kubernetes.io/azure-disk"),
        claim("c0"),
        claim("bound", bound_to="v"),
        pod_object("p", volumes=using("c0", "bound")),
    )
    attempt = Attempt("default/p", "error", filter={"n1": reported})

    assert (members(beside, attempt) == []) is allowed


@pytest.mark.parametrize(
    ("said", "differing"),
    [
        ({"n1": 60, "n2": 60}, []),
        ({"n1": 0, "n2": 0}, []),
        ({"n1": 60, "n2": 0}, ["scores.n2.VolumeBinding"]),
        ({"n1": 50, "n2": 50}, ["scores.n1.VolumeBinding", "scores.n2.VolumeBinding"]),
    ],
)
def test_scores_show_which_volume_was_taken_first(said: dict[str, int], differing: list[str]) -> None:
    """If the first claim takes the one volume that suits the other, that one gets a volume of 4 GiB. The order
    holds on all nodes."""
    ssd = {"disk": "ssd"}
    beside = checker(
        volume("a", labels=ssd),
        volume("b"),
        volume("large", size="4Gi", labels=ssd),
        claim("c0"),
        claim("c1", selector={"matchLabels": ssd}),
        pod_object("p", volumes=using("c0", "c1")),
        nodes=("n1", "n2"),
    )
    scores = {node: {"VolumeBinding": score} for node, score in said.items()}
    attempt = Attempt(
        "default/p", "scheduled", node="n1", filter=dict.fromkeys(said, FEASIBLE), scores=scores
    )

    assert [each for each in members(beside, attempt) if each.endswith("VolumeBinding")] == differing


@pytest.mark.parametrize(
    ("attempt", "member"),
    [
        (Attempt("default/p", "scheduled", node="n1", filter={"n9": FEASIBLE}), "filter.n9"),
        (Attempt("default/p", "scheduled", node="n1", scores={"n9": {"VolumeBinding": 0}}), "scores.n9"),
        (Attempt("default/p", "scheduled", node="n9"), "node"),
    ],
)
def test_a_node_that_is_not_there_says_nothing_of_the_order(attempt: Attempt, member: str) -> None:
    beside = checker(volume("a"), volume("b"), claim("c0"), pod_object("p", volumes=using("c0")))

    assert member in members(beside, attempt)


def test_other_writes_report_nothing() -> None:
    beside = checker(storage_class("made"), claim("c0", "made"), pod_object("p", volumes=using("c0")))
    sent = claim("c0", "made", annotations={"volume.kubernetes.io/selected-node": "n1"})
    freed = volume("z")

    scheduled = Attempt("default/p", "scheduled", node="n1")
    assert members(beside, scheduled, Write("update", sent), Write("update", freed)) == []


@pytest.mark.parametrize(("taken", "diverges"), [("a", False), ("b", True)])
def test_what_is_written_late_was_guessed(taken: str, diverges: bool) -> None:
    """Where the guess was wrong, the specification cannot follow any more, and says nothing."""
    beside = checker(volume("a"), volume("b"), claim("c0"), pod_object("p", volumes=using("c0")))
    attempt, *later = placed(taken)

    assert members(beside, attempt) == []
    assert members(beside, *later) == []
    assert beside.has_diverged is diverges


def test_while_a_guess_is_open_a_disagreement_may_be_its_own_fault() -> None:
    beside = checker(
        volume("a"),
        volume("b", labels={"disk": "ssd"}),
        claim("c0"),
        claim("c1", selector={"matchLabels": {"disk": "ssd"}}),
        pod_object("p", volumes=using("c0")),
        pod_object("q", volumes=using("c1")),
    )
    refused = Attempt("default/q", "unschedulable", filter={"n1": NOTHING_TO_BIND})

    assert members(beside, placed("b")[0]) == []
    assert members(beside, refused) == []
    assert beside.has_diverged


def test_a_guess_is_over_with_the_binding_cycle() -> None:
    beside = checker(volume("a"), volume("b"), claim("c0"), pod_object("p", volumes=using("c0")))

    assert members(beside, placed("a")[0]) == []
    assert beside.following.guessed_volumes
    members(beside, Bind("default/p", "n1", "error"))
    assert not beside.following.guessed_volumes


@pytest.mark.parametrize("reference", [{}, {"claimed_by": "c0"}])
def test_a_volume_that_was_bound_beforehand_was_not_bound_by_the_controller(reference: Json) -> None:
    beside = checker(volume("a", **reference), claim("c0"), pod_object("p", volumes=using("c0")))
    attempt, written, *_ = placed("a")
    assert isinstance(written, Write)
    metadata = written.object["metadata"]
    marked = {**metadata, "annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}}

    said = Write("update", {**written.object, "metadata": marked})
    assert members(beside, attempt, said) == (["annotations.a"] if reference else [])
    whole = Write("update", {**written.object, "metadata": {**metadata, "uid": "uid-a"}})
    assert members(beside, whole) == ([] if reference else ["annotations.a"])
