# SPDX-License-Identifier: Apache-2.0
"""``refsched record``, and the recording of whole areas: what is written, and what is said of bad options."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.campaigns.recording import main as record_area
from refsched.checking.replay import replay_file
from refsched.tools.cli.main import cli, main

SCENARIO = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "9"}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: refsched-scenario, labels: {refsched.dev/scenario: steps}}
data:
  steps: |
    - create: Node n1
    - create: Pod default/a
    - schedule: 1
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO, "utf-8")
    return str(path)


def record(*options: str, impl: str = "refsched.reference") -> Result:
    return CliRunner().invoke(cli, ("record", "--impl", impl, *options))


def recorded_area(*options: str, impl: str = "refsched.reference") -> Result:
    return CliRunner().invoke(record_area, ("--impl", impl, *options))


def refusal(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *options: str,
    impl: str = "refsched.reference",
) -> str:
    """The one line; nothing else is printed, and the exit code is 2."""
    monkeypatch.setattr(sys, "argv", ["refsched", "record", "--impl", impl, *options])
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr()
    assert (left.value.code, printed.out) == (2, "")
    [line] = printed.err.splitlines()
    return line.removeprefix("refsched: ")


def test_a_scenario_is_recorded_as_a_trace(scenario: str, tmp_path: Path) -> None:
    output = tmp_path / "a.jsonl.gz"
    done = record("--scenario", scenario, "--output", str(output), "--start", "2027-01-01T00:00:00Z")
    assert (done.exit_code, done.output) == (0, f"{output}  1 attempt\n")
    assert replay_file(output).agree == 1
    done = record("--scenario", scenario, "--output", str(output), "-o", "json")
    assert json.loads(done.output) == {"output": str(output), "attempts": 1, "ended": ""}


def test_an_area_is_recorded_as_a_folder_of_traces(tmp_path: Path) -> None:
    options = ("--area", "permit", "--seed", "3", "--examples", "12", "--at-least", "2", "--output")
    done = recorded_area(*options, str(tmp_path / "permit"))
    assert done.exit_code == 0
    traces = sorted((tmp_path / "permit").iterdir())
    assert traces[0].name == "permit-001.jsonl.gz"
    assert f"{len(traces)} traces" in done.output
    assert all(replay_file(path).attempts >= 2 for path in traces)


def test_the_help_says_what_a_scenario_is() -> None:
    shown = record("--help").output
    assert "refsched.dev/scenario" in shown
    assert "- schedule: 5" in shown


def test_bad_options_are_refused_in_one_line(
    scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*options: str) -> str:
        return refusal(monkeypatch, capsys, *options)

    trace, folder = str(tmp_path / "a.jsonl"), str(tmp_path / "traces")
    assert said("--scenario", scenario, "--output", folder) == (
        "--output: expected a file that ends in .jsonl or .jsonl.gz"
    )
    assert said("--scenario", scenario, "--output", trace, "--start", "noon") == (
        "--start: expected an RFC 3339 time, found 'noon'"
    )
    assert said("--scenario", "no.yaml", "--output", trace) == "no.yaml: No such file or directory"
    (tmp_path / "file").touch()
    assert said("--scenario", scenario, "--output", str(tmp_path / "file" / "a.jsonl")) == (
        f"{tmp_path / 'file'}: File exists"
    )


def test_an_implementation_that_is_not_to_be_had_is_reported(
    scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = str(tmp_path / "a.jsonl")
    options = ("--scenario", scenario, "--output", trace)
    assert "expected the path of a Python module" in refusal(monkeypatch, capsys, *options, impl="a b")
    assert refusal(monkeypatch, capsys, *options, impl="no_such_module_here").startswith(
        "no_such_module_here: "
    )


def test_a_scenario_whose_configuration_is_refused_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scenario.yaml"
    text = SCENARIO.replace("  steps: |", '  config: "{kind: Nope}"\n  steps: |')
    path.write_text(text, "utf-8")
    said = refusal(monkeypatch, capsys, "--scenario", str(path), "--output", str(tmp_path / "a.jsonl"))
    assert said.startswith("refsched.reference: it will not be configured so: ")


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("update: {apiVersion: v1, kind: Pod}", "update.metadata.name: is required and missing"),
        ("update: {kind: Pod, metadata: {name: a}}", "update.apiVersion: is required and missing"),
        (
            "create: {apiVersion: v1, kind: Pod, metadata: []}",
            "create.metadata.name: is required and missing",
        ),
        ("create: {apiVersion: v1, kind: 5, metadata: {name: a}}", "create.kind: expected a string, found 5"),
        ("advance: -1", "advance: expected seconds from 0 to 10,000,000,000, found -1"),
        ("advance: 1e99", "advance: expected seconds from 0 to 10,000,000,000, found 1e+99"),
        (
            "permit: {pod: default/a, decision: alow}",
            "permit.decision: expected allow or reject, found 'alow'",
        ),
    ],
)
def test_a_step_that_makes_no_sense_is_refused_before_anything_is_written(
    step: str,
    problem: str,
    scenario: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path(scenario).write_text(SCENARIO.replace("schedule: 1", step), "utf-8")
    output = tmp_path / "a.jsonl"
    said = refusal(monkeypatch, capsys, "--scenario", scenario, "--output", str(output))
    assert said == f"{scenario}: steps[2].{problem}"
    assert not output.exists()


@pytest.mark.parametrize(
    "step",
    ["delete: {kind: Pod, name: b, apiVersion: v1}", "permit: {pod: default/a, decision: allow}"],
)
def test_a_step_that_is_left_out_is_named(step: str, scenario: str, tmp_path: Path) -> None:
    Path(scenario).write_text(SCENARIO.replace("schedule: 1", step), "utf-8")
    done = record("--scenario", scenario, "--output", str(tmp_path / "a.jsonl"))
    assert done.exit_code == 0
    [warning] = done.stderr.splitlines()
    assert warning.startswith(f"refsched: warning: {scenario}: a step is left out")
    assert step.partition(":")[0] in warning


def test_a_fault_of_an_implementation_is_reported_in_one_line(
    scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--scenario", scenario, "--output", str(tmp_path / "a.jsonl"))
    hello = '{"hello": {"protocol": 1}}'
    assert refusal(monkeypatch, capsys, *options, impl="exec:cat") == (
        f"exec:cat: name: is required and missing; answer {hello}; request {hello}"
    )


def test_a_scenario_that_cannot_be_done_to_its_end_is_recorded_so_far_and_the_reason_reported(
    scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stops_at_pods_in_this_test.py").write_text(STOPS_AT_PODS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    output = tmp_path / "a.jsonl"
    done = record("--scenario", scenario, "--output", str(output), impl="stops_at_pods_in_this_test")
    assert done.exit_code == 0
    assert done.output.startswith(f"{output}  0 attempts (not to the end: create was answered with an error:")
    folder = tmp_path / "traces"
    options = ("--area", "permit", "--examples", "3", "--output", str(folder))
    assert "0 traces" in recorded_area(*options, impl="stops_at_pods_in_this_test").output


def test_bad_options_of_the_recording_of_an_area_are_refused(tmp_path: Path) -> None:
    folder = str(tmp_path / "traces")
    unknown = recorded_area("--area", "port", "--output", folder)
    assert (unknown.exit_code, "'port' is not one of 'resources'" in unknown.output) == (2, True)
    gone = recorded_area("--area", "ports", "--output", folder, impl="no_such_module_here")
    assert (gone.exit_code, gone.output.startswith("recording: no_such_module_here: ")) == (2, True)


STOPS_AT_PODS = """
class Weary:
    def __init__(self, config):
        pass

    def hello(self):
        return {"name": "weary", "version": "1", "kubernetes": "1.34", "capabilities": ["filter"]}

    def create(self, value):
        return {"error": "no more"} if value["kind"] == "Pod" else {"records": []}

def create(config):
    return Weary(config)
"""
