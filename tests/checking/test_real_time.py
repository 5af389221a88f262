# SPDX-License-Identifier: Apache-2.0
"""Real time: what depends on the clock is open where that of the other scheduler goes on between two requests."""

from __future__ import annotations

import pytest
from recorded import Recorded
from world import configuration, profile

from refsched.checking.checker import Checker
from refsched.checking.other_scheduler import OtherScheduler
from refsched.records import Advance, Attempt, Create, Record


@pytest.mark.parametrize("has_passed", [False, True])
@pytest.mark.parametrize(("in_real_time", "allowed"), [(True, {False, True}), (False, {True})])
def test_whether_a_hint_is_too_old_is_open_in_real_time(
    in_real_time: bool, allowed: set[bool], has_passed: bool
) -> None:
    """The other scheduler gives the second of two equal pods a hint, unless time has passed for it as well."""
    config = configuration(profile(multiPoint={"disabled": [{"name": "PodTopologySpread"}]}))
    world = Recorded(config)
    for name in ("n1", "n2"):
        world.node(name)
    world.schedule("p1", "2")
    if has_passed:
        world.advance(5)
    world.schedule("p2", "2")
    checker = Checker(config, other=OtherScheduler(in_real_time=in_real_time))
    records: list[Record] = [each for each in world.records if isinstance(each, Create | Attempt)]
    records.insert(records.index(next(each for each in records if isinstance(each, Attempt))) + 1, Advance(5))
    found = [one.member for record in records for one in checker.take(record)]
    assert (found == []) == (has_passed in allowed)
    assert [each.evaluated for each in world.attempts] == [2, 2 if has_passed else 1]
