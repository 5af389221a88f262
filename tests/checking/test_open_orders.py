# SPDX-License-Identifier: Apache-2.0
"""Open orders: where a rule leaves the order open, a checker without the orders of the release allows any."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import pytest
from recorded import Recorded, altered
from world import configuration

from refsched.checking.checker import Checker
from refsched.checking.replay import replay_file
from refsched.oddities.fixed_orders import FIXED_ORDERS
from refsched.oddities.known_defects import AS_PROMISED
from refsched.reading.shipped_files import data_folder
from refsched.records import Attempt, Record

OPEN = frozenset(FIXED_ORDERS)


def crowded() -> Recorded:
    """Two of three pods that have not started must leave, and not the one of a higher priority."""
    world = Recorded()
    world.node("n1")
    for name in "abc":
        world.pod(name, cpu="1", on="n1")
    world.pod("high", cpu="1", on="n1", priority=5)
    world.schedule("big", cpu="2", priority=10)
    return world


def evicting(*names: str) -> list[Record]:
    """The records up to the attempt, of which these are the victims."""
    records = altered(crowded().records, Attempt, victims=tuple(f"default/{name}" for name in names))
    last = max(i for i, record in enumerate(records) if isinstance(record, Attempt))
    return records[: last + 1]


def found_by(records: Sequence[Record], without: frozenset[object]) -> tuple[list[str], bool]:
    """The members that disagree, and whether the checker had to guess."""
    checker = Checker(configuration(), without=without)
    found = [one.member for record in records for one in checker.take(record)]
    return found, checker.has_diverged


def test_any_of_equally_important_pods_may_leave() -> None:
    pairs = list(combinations("abc", 2))
    assert [found_by(evicting(*pair), OPEN) for pair in pairs] == [([], False)] * 3
    assert [found_by(evicting(*pair), AS_PROMISED)[0] for pair in pairs].count([]) == 1


@pytest.mark.parametrize("victims", ["a", "abc", ("a", "high"), ("high",)])
def test_victims_that_no_order_makes_victims_are_not_allowed(victims: Sequence[str]) -> None:
    assert found_by(evicting(*victims), OPEN) == (["victims"], False)


def test_what_another_node_would_have_cost_depends_on_an_order_that_no_record_shows() -> None:
    world = Recorded()
    for node in ("n1", "n2"):
        world.node(node)
        world.pod(f"large-{node}", cpu="3", on=node)
        world.pod(f"small-{node}", cpu="1", on=node)
    world.schedule("big", cpu="1", priority=10)
    attempt = world.attempts[-1]
    chosen = attempt.nominated_node or ""
    other = {"n1": "n2", "n2": "n1"}[chosen]
    for victim in (f"small-{other}", f"large-{other}"):
        records = altered(
            world.records,
            Attempt,
            nominated_node=other,
            victims=(f"default/{victim}",),
            message=attempt.message.replace(chosen, other),
        )
        assert found_by(records[: records.index(records[-1])], OPEN)[0] == []


@pytest.mark.parametrize("folder", ["preemption", "volumes"])
def test_recordings_agree_also_where_the_orders_are_left_open(folder: str) -> None:
    found = sorted((data_folder() / "recorded-v1.34.2" / folder).glob("*.jsonl.gz"))[::8]
    assert found
    for path in found:
        assert replay_file(path, partial(Checker, without=OPEN)).first is None, path
