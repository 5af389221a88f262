# SPDX-License-Identifier: Apache-2.0
"""Budgets: in which order kube-scheduler looks at them is open since 1.37, and may decide who is evicted."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.checking.checker import Checker
from refsched.records import Attempt, Create
from refsched.releases import RELEASES

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "3", "pods": "9"}},
}


def _pod(name: str, priority: int, *budgets: str, **spec: Any) -> Create:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    return Create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": dict.fromkeys(budgets, "yes")},
            "spec": {"containers": [container], "priority": priority, **spec},
            "status": {"startTime": "2026-01-01T00:00:00Z"},
        }
    )


def _budget(name: str, allowed: int) -> Create:
    return Create(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"selector": {"matchLabels": {name: "yes"}}, "minAvailable": 1},
            "status": {"disruptionsAllowed": allowed},
        }
    )


def _happened() -> list[Create]:
    """One of three pods must go. ``a`` violates the budget that is used up, and may or may not have taken the last
    disruption of the other one before, which ``c`` needs."""
    return [
        Create(NODE),
        _budget("spent", 0),
        _budget("last", 1),
        _pod("a", 3, "spent", "last", nodeName="n"),
        _pod("d", 2, nodeName="n"),
        _pod("c", 1, "last", nodeName="n"),
        _pod("p", 9),
    ]


def _found(release: str, victim: str) -> list[str]:
    checker = Checker(CONFIG, release=RELEASES[release])
    for record in _happened():
        checker.take(record)
    attempt = Attempt("default/p", "unschedulable", victims=(f"default/{victim}",), nominated_node="n")
    return [one.member for one in checker.take(attempt)]


@pytest.mark.parametrize("victim", ["c", "d"])
def test_either_order_of_budgets_is_allowed(victim: str) -> None:
    assert _found("1.37", victim) == []


def test_no_order_of_budgets_takes_the_most_important_pod() -> None:
    assert _found("1.37", "a") == ["victims"]


def test_before_1_37_every_budget_counts() -> None:
    assert (_found("1.36", "d"), _found("1.36", "c")) == ([], ["victims"])


@pytest.mark.parametrize("nominated", ["m", "n"])
def test_of_orders_with_the_same_victims_the_one_that_the_record_allows_counts(nominated: str) -> None:
    """Both pods of ``n`` must go. ``b`` violates no budget if it takes the last disruption before ``a`` does, so
    that ``n`` violates as few budgets as ``m``, or one more."""
    checker = Checker(CONFIG, release=RELEASES["1.37"])
    for record in (
        *(Create({**NODE, "metadata": {"name": name}}) for name in ("m", "n")),
        *(_budget("spent", 0), _budget("last", 1)),
        *(_pod("a", 1, "spent", "last", nodeName="n"), _pod("b", 1, "last", nodeName="n")),
        *(_pod("c", 1, "spent", nodeName="m"), _pod("d", 1, nodeName="m")),
        _pod("p", 9, containers=[{"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}]),
    ):
        checker.take(record)
    victims = ("default/a", "default/b") if nominated == "n" else ("default/c", "default/d")
    attempt = Attempt("default/p", "unschedulable", victims=victims, nominated_node=nominated)
    assert checker.take(attempt) == []
