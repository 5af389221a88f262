# SPDX-License-Identifier: Apache-2.0
"""``refsched upgrade``, as it is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import cluster, lines, node, pod, refusal, run

RELEASES = ("--from", "1.19", "--to", "1.34")
GATED = pod("p", schedulingGates=[{"name": "quota"}])


def test_where_nothing_changes_the_exit_code_is_0(tmp_path: Path) -> None:
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), pod("p")), *RELEASES)
    assert (done.exit_code, lines(done)) == (0, ["1 pod: 0 placed differently by 1.34"])


def test_a_pod_that_is_placed_nowhere_any_more_says_why(tmp_path: Path) -> None:
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), GATED), *RELEASES)
    assert done.exit_code == 1
    assert lines(done)[1].split(maxsplit=3) == [
        "default/p",
        "n1",
        "nowhere",
        "1.34: waiting for scheduling gates: [quota]",
    ]


def test_a_node_that_only_one_release_rejects_is_named(tmp_path: Path) -> None:
    needs = [{"name": "s", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "4"}}}]
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), pod("p", initContainers=needs)), *RELEASES)
    assert lines(done)[1].endswith("nowhere  1.34 rejects n1 (NodeResourcesFit: Insufficient cpu)")


def test_programs_are_given_the_same(tmp_path: Path) -> None:
    done = run("upgrade", "-f", cluster(tmp_path, node("n1"), GATED), *RELEASES, "-o", "json")
    found = json.loads(done.output)
    assert found["pods"] == 1
    [change] = found["changes"]
    assert (change["pod"], change["from"]["nodes"], change["to"]["nodes"]) == ("default/p", ["n1"], [])
    assert change["to"]["message"] == "waiting for scheduling gates: [quota]"


def test_bad_input_is_refused_with_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster(tmp_path, node("n1"))
    unknown = refusal(monkeypatch, capsys, "upgrade", "-f", path, "--from", "1.2", "--to", "1.34")
    assert unknown.startswith("--from: ")
    problem = refusal(monkeypatch, capsys, "upgrade", "-f", "-", *RELEASES)
    assert problem == "standard input: is read once for each release; give a file"
