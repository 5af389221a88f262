# SPDX-License-Identifier: Apache-2.0
"""Cluster: what a scheduler is shown, in which order, and what is passed over."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from plan_world import node, objects_of, planned, pod, scheduler

from refsched.errors import InputError
from refsched.machine.state import START
from refsched.tools.planner.cluster import LATEST, latest_time, show


def _born(second: int) -> dict[str, str]:
    return {"creationTimestamp": f"2026-03-01T10:00:{second:02d}Z"}


def test_pods_that_are_nobody_s_or_another_s_are_passed_over() -> None:
    dying = {"deletionTimestamp": "2026-03-01T10:00:00Z"}
    shown = scheduler()
    census = show(
        shown,
        objects_of(
            node("n"),
            pod("ours"),
            pod("running", on="n"),
            pod("dying", meta=dying),
            pod("other", schedulerName="volcano"),
            pod("done", on="n", status={"phase": "Succeeded"}),
            pod("failed", status={"phase": "Failed"}),
        ),
    )
    assert list(census.pending) == ["default/ours"]
    assert census.passed_over == {
        "default/dying": "is being deleted",
        "default/other": "left to the scheduler volcano",
    }
    assert census.finished == 2
    assert shown.nodes().nodes["n"].pods == ("default/running",)


def test_the_oldest_of_equal_priority_goes_first_and_a_pod_without_age_last() -> None:
    pods = (pod("c", meta=_born(2)), pod("b", meta=_born(5)), pod("a"))
    for seed in range(5):
        placed = {o.pod: o.result for o in planned(node("n", cpu="2"), *pods, seed=seed).outcomes}
        assert placed == {
            "default/a": "unschedulable",
            "default/b": "placed",
            "default/c": "placed",
        }


def test_pods_of_one_age_are_tried_in_an_order_drawn_from_the_seed() -> None:
    def first(seed: int) -> list[str]:
        outcomes = planned(node("n", cpu="1"), pod("a"), pod("b"), seed=seed).outcomes
        return [outcome.pod for outcome in outcomes if outcome.result == "placed"]

    drawn = [first(seed) for seed in range(8)]
    assert sorted(map(tuple, drawn))[:: len(drawn) - 1] == [("default/a",), ("default/b",)]
    assert [first(seed) for seed in range(8)] == drawn


def test_two_pods_of_one_uid_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        show(scheduler(), objects_of(pod("a", meta={"uid": "u"}), pod("b", meta={"uid": "u"})))
    assert str(refused.value) == "Pod default/b: metadata.uid: Pod default/a has the same uid"


def test_the_clock_starts_when_the_cluster_was_looked_at() -> None:
    started = {"phase": "Running", "startTime": "2026-03-01T10:00:07Z"}
    found = latest_time(
        objects_of(pod("a", meta=_born(5)), pod("b", meta=_born(6), status=started), node("n"))
    )
    assert found == datetime(2026, 3, 1, 10, 0, 7, tzinfo=UTC)
    assert latest_time(objects_of(node("n"))) == START
    far = {"creationTimestamp": "9999-12-31T23:59:59Z"}
    assert latest_time(objects_of(pod("a", meta=far))) == LATEST
