# SPDX-License-Identifier: Apache-2.0
"""The long run: its inputs come from its seed, its cluster stays small, and what is wrong ends it."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest

from conformance.campaigns.long_run import MOST_NODES, MOST_PODS, Cluster, main, run
from refsched.reference import ReferenceScheduler
from refsched.suite.histories.history import Step


def put_in(seed: int, number: int) -> list[Step]:
    return list(islice(Cluster(Random(seed)).steps(), number))


def test_inputs_come_from_the_seed() -> None:
    assert put_in(1, 300) == put_in(1, 300) != put_in(2, 300)


def test_everything_happens_and_the_cluster_stays_small() -> None:
    cluster = Cluster(Random(1))

    happened = Counter(step.member for step in islice(cluster.steps(), 4000))

    assert happened.keys() == {"create", "update", "delete", "advance", "permit", "release", "schedule"}
    assert len(cluster.nodes) <= MOST_NODES
    assert len(cluster.pods) <= MOST_PODS


def test_the_specification_is_followed_all_the_way() -> None:
    done = run("refsched.reference", 400, 0)

    assert done.steps == 400
    assert not done.findings
    assert done.results["attempt scheduled"]


def test_the_command_reports_what_it_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--steps", "50"]) == 0
    assert capsys.readouterr().out.startswith("50 steps in 1 sessions, seed 0: ")


def test_what_is_wrong_ends_it_with_the_steps_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scheduler that shows nobody in its queues, and no nodes."""
    nothing = {"queues": {"active": [], "backoff": [], "unschedulable": []}}
    monkeypatch.setattr(
        ReferenceScheduler, "observe", lambda scheduler: {"records": [nothing, {"nodes": {}}]}
    )

    assert main(["--steps", "1000"]) == 1
    out = capsys.readouterr().out
    assert "queues" in out
    assert "Create" in out


def test_an_implementation_that_is_not_there_cannot_be_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--impl", "no.such.module"]) == 2
    assert "no.such.module" in capsys.readouterr().err
