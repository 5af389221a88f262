# SPDX-License-Identifier: Apache-2.0
"""Full nodes whose pods differ in what preemption compares, and budgets that protect some of the pods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from attrs import frozen

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import AN_AGE_AGO, START_TIMES, cpu, node, pod, with_metadata, with_spec
from refsched.suite.histories.history import History

Json = dict[str, Any]

LOWEST = -(2**31)
"""A victim of this priority adds nothing to the sum of priorities, which counts from there."""
PRIORITY = 10
"""Most preemptors have this priority."""

# --- Victims and budgets --------------------------------------------------------------------------


def a_victim(
    amount: str, priority: int, labels: Json, start: str, namespace: str = "", scheduler: str = ""
) -> Json:
    return pod(
        "",
        cpu(amount),
        labels=labels,
        priority=priority,
        namespace=namespace,
        schedulerName=scheduler,
        status={"phase": "Running", **({"startTime": start} if start else {})},
    )


def a_budget(selector: Json | None, allowed: int, namespace: str, disrupted: tuple[str, ...]) -> Json:
    """Returns a PodDisruptionBudget; ``disrupted`` are pods whose eviction it counts already."""
    listed = {"disruptedPods": dict.fromkeys(disrupted, AN_AGE_AGO)} if disrupted else {}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", **({"namespace": namespace} if namespace else {})},
        "spec": {} if selector is None else {"selector": selector},
        "status": {"disruptionsAllowed": allowed, **listed},
    }


Victim = tuple[str, int, int]
"""The label (pods with ``a`` are protected if any are, those with ``b`` are not, "" is none), the priority, and
the number of the start time, where 3 means that the pod has not started."""
Victims = tuple[Victim, ...]
"""The pods of one node."""

TWO_NODES: dict[str, tuple[str, tuple[Victims, Victims]]] = {
    "one_violation_or_two": (
        "one violated budget beats two, though its victim has the higher priority",
        ((("a", 0, 1), ("a", 0, 1)), (("a", 1, 0),)),
    ),
    "two_violations_or_three": (
        "two violated budgets beat three, though their victims have the higher priorities",
        ((("a", 0, 1), ("a", 0, 1), ("a", 0, 1)), (("a", 1, 0), ("a", 2, 0))),
    ),
    "one_violation_each_and_an_unprotected_victim": (
        "with one violated budget each, the lower highest priority wins, that of unprotected victims included",
        ((("a", 0, 1), ("b", 5, 1)), (("a", 3, 0),)),
    ),
    "one_violation_each_and_two_victims_each": (
        "with one violated budget each, the lower highest priority wins, whichever victim stands first",
        ((("b", 5, 1), ("a", 0, 1)), (("b", 3, 0), ("a", 1, 0))),
    ),
    "one_violation_each_and_many_victims": (
        "with one violated budget each, the highest of all priorities of a node counts",
        ((("b", 9, 0), ("a", 0, 1), ("b", 1, 0)), (("a", 5, 0), ("b", 4, 0))),
    ),
    "no_violation_or_one": (
        "no violated budget beats one, however high the priority of the unprotected victim",
        ((("a", -1, 1),), (("b", 9, 0),)),
    ),
    "no_violation_and_three_victims_or_one_violation": (
        "no violated budget beats one, however many the unprotected victims",
        ((("a", 0, 1),), (("b", 1, 0), ("b", 1, 0), ("b", 1, 0))),
    ),
    "violation_for_a_pod_without_labels": (
        "a budget that selects by NotIn is violated by a victim without labels",
        ((("", 0, 0),), (("b", 1, 1),)),
    ),
    "violation_for_a_pod_without_labels_beside_another": (
        "a budget that selects by NotIn is violated by a victim without labels, and not by the one beside it",
        ((("", 0, 1), ("b", 0, 0)), (("b", 1, 1),)),
    ),
    "lower_highest_priority_or_fewer_victims": (
        "a lower highest priority beats fewer victims",
        ((("b", 1, 1),), (("b", 0, 0), ("b", 0, 0))),
    ),
    "lower_sum_of_priorities": (
        "with equal highest priorities the lower sum of priorities wins",
        ((("b", 1, 1), ("b", 0, 1)), (("b", 1, 0), ("b", -1, 0))),
    ),
    "sum_with_a_negative_priority": (
        "a victim of negative priority raises the sum of priorities, which counts from the lowest there is",
        ((("b", 5, 1), ("b", -5, 1)), (("b", 5, 0),)),
    ),
    "fewer_victims_beside_the_lowest_priority": (
        "with equal sums, since the lowest priority adds nothing, fewer victims win",
        ((("b", 5, 1), ("b", LOWEST, 1)), (("b", 5, 0),)),
    ),
    "two_victims_or_three_with_the_lowest_priority": (
        "with equal sums two victims beat three",
        ((("b", 5, 1), ("b", LOWEST, 1), ("b", LOWEST, 0)), (("b", LOWEST, 0), ("b", 5, 0))),
    ),
    "lower_sum_or_fewer_victims": (
        "a lower sum of priorities beats fewer victims",
        ((("b", 5, 1), ("b", LOWEST, 1), ("b", LOWEST, 0)), (("b", 0, 0), ("b", 5, 0))),
    ),
    "later_start": (
        "with all else equal the victim that started later is evicted",
        ((("b", 0, 0),), (("b", 0, 1),)),
    ),
    "start_of_the_highest_priority_first": (
        "the start of the victim with the highest priority counts, and not that of the other one",
        ((("b", 0, 1), ("b", -1, 2)), (("b", 0, 2), ("b", -1, 0))),
    ),
    "start_of_the_highest_priority_last": (
        "the start of the victim with the highest priority counts, wherever it stands",
        ((("b", 3, 1), ("b", 2, 2)), (("b", 2, 0), ("b", 3, 2))),
    ),
    "earliest_start_of_equal_priorities": (
        "of victims with the highest priority the one that started earliest counts",
        ((("b", 0, 2), ("b", 0, 0)), (("b", 0, 1), ("b", 0, 1))),
    ),
    "start_with_one_violation_each": (
        "with one violated budget each and equal priorities the later start wins",
        ((("a", 0, 1), ("b", 0, 2)), (("a", 0, 0), ("b", 0, 2))),
    ),
    "priority_with_one_violation_each": (
        "with one violated budget and two victims each the lower highest priority wins",
        ((("a", 0, 1), ("b", 5, 1)), (("a", 3, 1), ("b", 1, 1))),
    ),
}
"""These pairs of nodes differ in one thing, or in two of which the more important one decides."""

ONE_NODE: dict[str, tuple[str, Victims]] = {
    "by_start": (
        "of equal priorities the pods that started first are reprieved first",
        (("b", 0, 1), ("b", 0, 0), ("b", 0, 2)),
    ),
    "started_before_not_started": (
        "a pod that has not started is less important than one that has",
        (("b", 0, 3), ("b", 0, 2)),
    ),
    "priority_before_start": (
        "a pod of higher priority is reprieved before one that has started",
        (("b", 0, 1), ("b", 0, 3), ("b", 1, 3)),
    ),
    "by_priority": (
        "pods are reprieved by their priority, whenever they started",
        (("b", 0, 0), ("b", 1, 2), ("b", -1, 0)),
    ),
    "protected_first": (
        "a pod whose eviction would violate a budget is reprieved before one of higher priority",
        (("b", 5, 0), ("a", 0, 2)),
    ),
    "two_protected": (
        "of two protected pods the one that started first is reprieved first",
        (("a", 0, 1), ("a", 0, 0), ("b", 1, 2)),
    ),
    "protected_without_labels": (
        "a pod without labels, protected by NotIn, is reprieved first",
        (("", 0, 1), ("b", 0, 0), ("a", -1, 2)),
    ),
    "two_protected_and_two_unprotected": (
        "protected pods are reprieved by their priority, and then unprotected ones by theirs",
        (("a", 2, 1), ("b", 3, 0), ("a", 1, 2), ("b", 0, 2)),
    ),
}
"""Pods of one node, some of which are reprieved."""

# --- The cluster ----------------------------------------------------------------------------------


@frozen
class Preemption:
    """A Preemption is some nodes with these victims, perhaps one more pod each that requests nothing (``others``),
    and a pod that needs one of the nodes. ``protection`` says which budgets there are; ``scheduler`` has placed
    the victims."""

    nodes: Sequence[Victims]
    protection: str
    amount: str
    others: Sequence[Victim | None] = ()
    pods: str = "9"
    scheduler: str = "default-scheduler"

    def add_to(self, cluster: HistoryBuilder, number: int) -> None:
        group, before = str(number), len(cluster.pods)
        for victims, other in zip_longest(self.nodes, self.others):
            cores = "2" if len(self.nodes) > 1 else f"{500 * len(victims)}m"
            amounts = {"cpu": cores, "memory": "8Gi", "pods": self.pods}
            cluster.add_node(node("", amounts, {"match": group}))
            home = len(cluster.nodes) - 1
            for victim in victims:
                placed = with_spec(_placed("500m", group, *victim), schedulerName=self.scheduler)
                cluster.add_pod(placed, home)
            if other is not None:
                cluster.add_pod(_placed("", group, *other), home)
        cluster.add(*_budgets(self.protection, group, tuple(cluster.pods)[before:]))
        cluster.add_pod(pod("", cpu(self.amount), priority=PRIORITY, nodeSelector={"match": group}))


def one_after_the_other(preemptions: Sequence[Preemption]) -> History:
    """Returns the history in which each of them has nodes of its own, and all are tried twice."""
    cluster = HistoryBuilder()
    for number, preemption in enumerate(preemptions):
        preemption.add_to(cluster, number)
    cluster.schedule()
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _placed(amount: str, group: str, app: str, priority: int, start: int) -> Json:
    labels = {"app": app, "match": group} if app else {}
    return a_victim(amount, priority, labels, (*START_TIMES, "")[start])


def _budgets(kind: str, group: str, listed: tuple[str, ...]) -> list[Json]:
    """Returns the budgets of one group of nodes. ``listed`` are its pods; every other one counts as disrupted
    already."""
    of_a: Json = {"matchLabels": {"app": "a", "match": group}}
    strict = a_budget(of_a, 0, "", ())
    of_all = a_budget({"matchLabels": {"match": group}}, 20, "", ())
    not_b = [
        {"key": "app", "operator": "NotIn", "values": ["b"]},
        {"key": "match", "operator": "NotIn", "values": [other for other in "012345" if other != group]},
    ]
    budgets = {
        "strict": [strict],
        "one allowed": [a_budget(of_a, 1, "", ())],
        "without labels": [a_budget({"matchExpressions": not_b}, 0, "", ())],
        "another namespace": [a_budget(of_a, 0, "other", ())],
        "disrupted already": [a_budget(of_a, 0, "", listed[::2])],
        "selects nothing": [a_budget({}, 0, "", ())],
        "strict first": [strict, of_all],
        "strict last": [of_all, strict],
        "": [],
    }[kind]
    return [with_metadata(budget, name=f"b{group}{number}") for number, budget in enumerate(budgets)]
