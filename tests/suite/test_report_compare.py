# SPDX-License-Identifier: Apache-2.0
"""``refsched report compare`` says what has changed from one report to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from toy_suite import Suite

from refsched.errors import InputError
from refsched.suite.reports.report_json import SHAPE
from refsched.tools.cli.main import cli


def _rule(id: str, verdict: str, got: str = "") -> dict[str, Any]:
    rule: dict[str, Any] = {"id": id, "verdict": verdict}
    if verdict == "fail":
        rule["failure"] = {"member": "node", "expected": "n1", "got": got}
    return rule


def _written(path: Path, *rules: dict[str, Any], verdict: str = "passed", faults: Any = ()) -> Path:
    value = {"report": SHAPE, "verdict": verdict, "run": {"tests": 1, "examples": 5}, "rules": rules}
    path.write_text(json.dumps(value | {"faults": list(faults)}), "utf-8")
    return path


def _compared(*paths: Path) -> Result:
    return CliRunner().invoke(cli, ["report", "compare", *map(str, paths)])


def test_what_failed_and_what_no_longer_fails_is_named(tmp_path: Path) -> None:
    before = _written(tmp_path / "a.json", _rule("R-A-01", "pass"), _rule("R-A-02", "fail"), verdict="failed")
    fault = {"whose": "adapter", "problem": "no answer\nat all"}
    rules = (_rule("R-A-01", "fail"), _rule("R-A-02", "not exercised"), _rule("R-A-03", "pass"))
    after = _written(tmp_path / "b.json", *rules, verdict="failed", faults=[fault])
    done = _compared(before, after)
    assert done.exit_code == 1, done.output
    assert done.output.splitlines() == [
        "new failures: R-A-01",
        "failures that vanished: R-A-02",
        "R-A-01  pass → fail",
        "R-A-02  fail → not exercised",
        "R-A-03  not reported → pass",
        "new fault of the adapter: no answer",
        "pass:          1",
        "fail:          1",
        "not exercised: 0 → 1",
        "not claimed:   0",
        "tests:         1",
        "histories:     5",
        "3 rules with another verdict",
    ]
    assert "no longer seen fault" in _compared(after, before).output


def test_a_failure_that_shows_elsewhere_is_a_difference(tmp_path: Path) -> None:
    before = _written(tmp_path / "a.json", _rule("R-A-01", "fail", "n2"), verdict="failed")
    after = _written(tmp_path / "b.json", _rule("R-A-01", "fail", "n3"), verdict="not judged")
    done = _compared(before, after)
    assert done.exit_code == 1
    assert "failures that show in another way: R-A-01" in done.output
    assert "the run: failed → not judged" in done.output
    value = json.loads(
        CliRunner().invoke(cli, ["report", "compare", str(before), str(after), "-o", "json"]).stdout
    )
    assert value["otherFailures"] == ["R-A-01"]
    assert value["verdict"] == {"before": "failed", "after": "not judged"}


def test_reports_of_one_suite_are_the_same(suite: Suite) -> None:
    paths = [suite.path / "a.json", suite.path / "b.json"]
    for path in paths:
        suite(f"--report={path}", impl="wrong")
    done = _compared(*paths)
    assert done.exit_code == 0, done.output
    assert done.output.endswith("the same\n")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", f'{{"report": "{SHAPE}"}}'])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(text, "utf-8")
    report = _written(tmp_path / "a.json")
    for paths in ((other, report), (report, tmp_path / "none.json")):
        assert isinstance(_compared(*paths).exception, InputError)
