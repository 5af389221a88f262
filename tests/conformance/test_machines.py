# SPDX-License-Identifier: Apache-2.0
"""The tasks of a campaign are shared out, and what comes of them does not depend on how."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest
from attrs import asdict
from click.testing import CliRunner

from conformance import machines as sharing_out
from conformance.campaigns.soundness import Figures, ProblemError, Task, main, run, try_seed
from conformance.machines import machines
from conformance.wrong.profile import drawn_histories, suite_tests
from refsched.errors import InputError

AREAS = ("images", "narrowed")
SEEDS = (7, 8)


def _squared(marks: Path, number: int) -> tuple[int, int]:
    """The square, and the process that did it. Each task leaves a mark; who first does that of 3 dies."""
    first = not list(marks.glob(f"{number}-*"))
    (marks / f"{number}-{os.getpid()}").touch()
    if number == 3 and first:
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2, os.getpid()


def _figures(figures: Figures) -> dict[str, object]:
    return asdict(figures) | {"seconds": 0}


@pytest.mark.filterwarnings("default")  # what Dask and Tornado do while a worker dies is theirs
def test_a_worker_that_dies_costs_its_task_alone_and_the_figures_do_not_depend_on_who_drew_them(
    tmp_path: Path,
) -> None:
    with machines(2) as each:
        done = list(each(partial(_squared, tmp_path), range(8)))
        shared = run("refsched.reference", AREAS, SEEDS, each)
    alone = run("refsched.reference", AREAS, SEEDS)

    assert [square for square, _ in done] == [number**2 for number in range(8)]
    assert os.getpid() not in {process for _, process in done}
    marks = [int(mark.name.partition("-")[0]) for mark in tmp_path.iterdir()]
    assert marks.count(3) >= 2, "the one that was interrupted was done again"
    assert _figures(shared) == _figures(alone)
    assert shared.seeds == [7, 8]
    assert shared.histories >= 80


def test_what_cannot_be_judged_ends_a_campaign() -> None:
    with machines(1) as each, pytest.raises(ProblemError, match="no_such_module"):
        run("no_such_module", AREAS, SEEDS, each)


def test_a_campaign_runs_what_the_suite_draws_with_the_same_seed() -> None:
    (test,) = (test for test in suite_tests() if test.name.endswith("::test_images"))
    outcome = try_seed(Task("refsched.reference", 7, frozenset({"images"})))

    assert outcome.by_test[test.name]["histories"] == len(drawn_histories(test, "7", test.examples))
    assert outcome.by_test[test.name]["attempts"] > 0


def test_a_campaign_replays_recordings_of_what_the_suite_draws() -> None:
    judged = run("refsched.reference", ("images",), [7])
    replayed = run("refsched.reference", ("images",), [7], replays=True)

    assert (replayed.findings, replayed.histories) == (0, judged.histories)
    assert replayed.attempts == judged.attempts


@pytest.mark.parametrize("seeds", ["nine", "9-", "9-7", ""])
def test_seeds_that_are_none_are_refused(seeds: str) -> None:
    result = CliRunner().invoke(main, ["--seeds", seeds])

    assert result.exit_code == 2
    assert "neither a seed, such as 7, nor a range of seeds" in result.output


@pytest.mark.parametrize("more", [["--area", "imges"], ["--area", "devices"], ["--workers", "0"]])
def test_a_campaign_that_would_try_nothing_has_found_nothing_out(more: list[str]) -> None:
    given = ["--impl", "refsched.reference", "--seeds", "7", "--workers", "1", *more]
    result = CliRunner().invoke(main, given)

    assert result.exit_code == 2, result.output


def test_without_what_shares_the_work_nothing_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = CliRunner().invoke(main, ["--seeds", "7"])

    assert (result.exit_code, result.output) == (2, f"{sharing_out.NOT_INSTALLED}\n")


@pytest.mark.filterwarnings("default")  # what Dask does while it connects is its own
def test_a_scheduler_that_does_not_answer_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing_out, "CONNECTING", 0.2)
    with pytest.raises(InputError, match=r"^tcp://127\.0\.0\.1:1: "), machines(2, "tcp://127.0.0.1:1"):
        pass
