# SPDX-License-Identifier: Apache-2.0
"""The tasks of a campaign are shared out, and what comes of them does not depend on how."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest
from attrs import asdict

from conformance.campaigns.machines import machines
from conformance.campaigns.soundness import Figures, ProblemError, run

AREAS = ("ports", "taints")


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
        shared = run("refsched.reference", AREAS, 10, 7, each, size=5)
    alone = run("refsched.reference", AREAS, 10, 7, size=5)

    assert [square for square, _ in done] == [number**2 for number in range(8)]
    assert os.getpid() not in {process for _, process in done}
    marks = [int(mark.name.partition("-")[0]) for mark in tmp_path.iterdir()]
    assert marks.count(3) >= 2, "the one that was interrupted was done again"
    assert _figures(shared) == _figures(alone)
    assert shared.histories >= 10


def test_what_cannot_be_judged_ends_a_campaign() -> None:
    with machines(1) as each, pytest.raises(ProblemError, match="no_such_module"):
        run("no_such_module", AREAS, 100, 0, each)
