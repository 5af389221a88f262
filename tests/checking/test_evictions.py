# SPDX-License-Identifier: Apache-2.0
"""Evictions: after several victims left at once, pods that started at the same time, or have not, may be taken in
either order."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.checking.checker import Checker
from refsched.records import Attempt, Create, Delete, Reference, Update

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
STARTED, LATER = {"startTime": "2026-01-01T00:00:00Z"}, {"startTime": "2026-01-01T00:00:01Z"}


def _pod(name: str, cpu: str, status: dict[str, Any] | None = None, **spec: Any) -> Create:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return Create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"containers": [container], **spec},
            "status": status or {},
        }
    )


def _after_two_victims(*statuses: dict[str, str]) -> Checker:
    """Room for three pods: the preemptor ``a`` has a place kept, and ``r3`` and ``r4`` still run, which have these
    statuses."""
    third, fourth = statuses or ({}, {})
    checker = Checker(CONFIG)
    allocatable = {"cpu": "2", "pods": "3"}
    checker.take(
        Create(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": "n"},
                "status": {"allocatable": allocatable},
            }
        )
    )
    for name, cpu, status in (("r1", "1", {}), ("r2", "1", {}), ("r3", "0", third), ("r4", "0", fourth)):
        checker.take(_pod(name, cpu, status, nodeName="n"))
    checker.take(_pod("a", "2", priority=10))
    victims = ("default/r1", "default/r2")
    assert not checker.take(Attempt("default/a", "unschedulable", victims=victims, nominated_node="n"))
    for name in ("r1", "r2"):
        checker.take(Delete(Reference("Pod", name, "v1", "default")))
    checker.take(_pod("b", "0", priority=9))
    return checker


def _changed(name: str, **metadata: Any) -> Update:
    """An update puts the pod of this name behind all others of its node."""
    pod = _pod(name, "0", nodeName="n").object
    return Update({**pod, "metadata": {**pod["metadata"], **metadata}})


def _leaving(name: str) -> Update:
    return _changed(name, deletionTimestamp="2026-01-01T00:00:00Z")


def _chosen(*victims: str) -> Attempt:
    return Attempt("default/b", "unschedulable", victims=victims, nominated_node="n")


@pytest.mark.parametrize("status", [{}, STARTED])
@pytest.mark.parametrize("victim", ["default/r3", "default/r4"])
def test_either_of_two_that_started_together_or_not_yet_may_be_the_next_victim(
    victim: str, status: dict[str, str]
) -> None:
    checker = _after_two_victims(status, status)
    assert checker.take(_chosen(victim)) == []


def test_the_one_that_was_not_foreseen_ends_what_can_be_followed() -> None:
    diverged = []
    for victim in ("default/r3", "default/r4"):
        checker = _after_two_victims()
        checker.take(_chosen(victim))
        diverged.append(checker.has_diverged)
    assert sorted(diverged) == [False, True]


def test_both_of_them_are_too_many() -> None:
    checker = _after_two_victims()
    assert [one.member for one in checker.take(_chosen("default/r3", "default/r4"))] == ["victims"]
    assert not checker.has_diverged


def test_of_two_that_started_one_after_the_other_it_is_known_which() -> None:
    assert not _after_two_victims(STARTED, LATER).take(_chosen("default/r4"))
    assert _after_two_victims(STARTED, LATER).take(_chosen("default/r3"))


@pytest.mark.parametrize("victims", [("default/r3",), ()])
@pytest.mark.parametrize("terminating", ["r3", "r4"])
def test_one_that_is_being_deleted_already_is_not_named_and_may_be_the_next_victim(
    terminating: str, victims: tuple[str, ...]
) -> None:
    checker = _after_two_victims()
    checker.take(_leaving(terminating))
    assert checker.take(_chosen(*victims)) == []


def test_where_none_is_named_it_is_not_known_which_are_left() -> None:
    checker = _after_two_victims()
    checker.take(_leaving("r3"))
    checker.take(_changed("r4", labels={"a": "b"}))
    assert not checker.take(Attempt("default/b", "unschedulable", nominated_node="n"))
    assert isinstance(checker.specified, Attempt)
    assert checker.specified.victims == ("default/r4",)
    assert checker.has_diverged


def test_none_is_too_few_if_none_is_being_deleted() -> None:
    assert [one.member for one in _after_two_victims().take(_chosen())] == ["victims"]
