# SPDX-License-Identifier: Apache-2.0
"""Small worlds: the search goes everywhere, and sees what is wrong."""

from __future__ import annotations

import pytest

from conformance.campaigns.small_worlds import main, search
from conformance.campaigns.worlds import World, worlds
from refsched.cache.cache import Cache
from refsched.queue.scheduling_queue import SchedulingQueue


def world_called(name: str) -> World:
    return next(world for world in worlds() if world.name == name)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_whatever_happens_in_a_small_world_the_invariants_hold(world: World) -> None:
    result = search(world, depth=2)

    assert not result.findings
    assert result.paths >= result.states > 10
    assert result.settled >= 0.9 * result.states


def test_of_equal_pods_and_equal_nodes_each_is_taken_first() -> None:
    """Three pods on two nodes, and no time to pass: first any of three on any of two, then any two of them."""
    ties = world_called("ties")
    silent = World(ties.name, ties.there, seconds=())

    assert [search(silent, depth).states for depth in (0, 1, 2)] == [1, 7, 13]


def test_a_leak_is_found_on_a_shortest_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cache, "forget", lambda cache, pod: None)

    result = search(world_called("refused late"), depth=2)

    assert result.findings[0].rule == "R-INV-08"
    assert len(result.broken) <= 1


def test_a_pod_that_nobody_tries_again_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither events nor time move what was refused."""
    monkeypatch.setattr(SchedulingQueue, "move_all_to_active_or_backoff_queue", lambda *what, **how: None)
    monkeypatch.setattr(SchedulingQueue, "flush_unschedulable_pods_leftover", lambda queue: None)

    assert main(["--depth", "1", "refused late", "waiting", "ties"]) == 1
    assert "R-INV-09" in capsys.readouterr().out


def test_the_command_reports_states_and_paths(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--depth", "0", "ties"]) == 0
    assert capsys.readouterr().out == "ties: 1 states, 1 paths, 1 settled\n"


def test_a_world_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nowhere"])

    assert ended.value.code == 2
