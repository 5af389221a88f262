# SPDX-License-Identifier: Apache-2.0
"""Counts by domain, and what they would be with a pod more or less."""

from __future__ import annotations

from refsched.plugins.topology_counts import TopologyCounts

A, B = ("zone", "a"), ("zone", "b")


def test_a_change_leaves_what_was_counted_as_it_was() -> None:
    before = TopologyCounts({A: 2})
    after = before.plus([A, B, B], 1)
    assert (after.at(A), after.at(B)) == (3, 2)
    assert (before.at(A), before.at(B)) == (2, 0)


def test_changes_add_up() -> None:
    assert TopologyCounts().plus([A], 1).plus([A], 1).at(A) == 2


def test_no_change_is_the_same_counts() -> None:
    counts = TopologyCounts({A: 1})
    assert counts.plus([], -1) is counts


def test_counts_that_came_to_zero_are_empty() -> None:
    assert TopologyCounts().is_empty
    assert TopologyCounts({A: 1}).plus([A], -1).is_empty
    assert not TopologyCounts({A: 1, B: 1}).plus([A], -1).is_empty
    assert not TopologyCounts().plus([B], 1).is_empty


def test_a_count_below_zero_is_not_nothing() -> None:
    assert not TopologyCounts().plus([A], -1).is_empty
