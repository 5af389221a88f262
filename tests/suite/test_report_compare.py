# SPDX-License-Identifier: Apache-2.0
"""What ``refsched report`` does with JSON reports: compare them, verify one, and make a page of some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from forked_pytest import ROOT, run_pytest
from toy_suite import Suite

from refsched.errors import InputError
from refsched.suite.reports.report_json import SHAPE
from refsched.tools.cli import report as commands
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


# --- Verifying, and publishing --------------------------------------------------------------------


def _invoked(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, arguments)])


@pytest.fixture(scope="module")
def of_taints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the specification on three histories."""
    path = tmp_path_factory.mktemp("reports") / "taints.json"
    arguments = ["--impl=refsched.reference", "-k", "test_taints_and_cordons", "--examples=3"]
    run_pytest(path.parent, str(ROOT / "conformance"), "-q", *arguments, f"--report={path}")
    return path


def test_what_is_verified_is_run_again(of_taints: Path) -> None:
    assert _invoked("verify", of_taints).exit_code == 0
    value = json.loads(of_taints.read_text("utf-8"))
    value["rules"][0] |= {"verdict": "fail", "known": True}
    value["suite"]["version"] = "0.0"
    other = of_taints.with_name("other.json")
    other.write_text(json.dumps(value), "utf-8")
    done = _invoked("verify", other, "-o", "json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["rules"] == {value["rules"][0]["id"]: {"before": "fail", "after": "pass"}}
    assert "refsched: 0.0 → " in _compared(other, of_taints).output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [([], "does not say how it is run again"), (["--impl=no.such.module"], "could not be judged again")],
)
def test_what_cannot_be_run_again_is_not_verified(tmp_path: Path, arguments: list[str], problem: str) -> None:
    path = _written(tmp_path / "a.json", _rule("R-A-01", "pass"))
    value = json.loads(path.read_text("utf-8"))
    value["run"]["arguments"] = arguments
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match=problem):
        commands.verify(str(path), "table")


def test_a_page_says_to_which_rules_a_scheduler_conforms_and_but_for_which(
    of_taints: Path, tmp_path: Path
) -> None:
    value = json.loads(of_taints.read_text("utf-8"))
    value["run"] |= {"seed": "5", "arguments": ["--hypothesis-seed=5"]}
    broken = next(rule for rule in value["rules"] if rule["id"] == "R-TAINT-02")
    broken |= {"verdict": "fail", "failure": {"member": "filter.n1", "expected": "a", "got": "b"}}
    other = tmp_path / "5.json"
    other.write_text(json.dumps(value), "utf-8")
    title = "conforms to the promised rules of v1.37, but for R-TAINT-02, as far as was checked"
    for suffix in ("md", "html"):
        done = _invoked("page", of_taints, other, "-o", tmp_path / f"page.{suffix}")
        assert done.exit_code == 0, done.output
        assert title in done.output
        page = (tmp_path / f"page.{suffix}").read_text("utf-8")
        assert "0, 5 (6 histories)" in page.replace("\\", "")
        assert "refsched conformance --impl=refsched.reference -k test_taints_and_cordons" in page
        assert "An untolerated PreferNoSchedule taint does not reject a node." in page


def test_a_page_is_of_one_scheduler_that_was_judged_and_kept_something(
    of_taints: Path, tmp_path: Path
) -> None:
    value = json.loads(of_taints.read_text("utf-8"))
    other = tmp_path / "other.json"
    for change, problem in (
        ({"verdict": "not judged"}, "was not judged"),
        ({"suite": {"name": "refsched", "version": "0.0"}}, "is of refsched .* by refsched 0.0"),
        ({"rules": []}, "no promised rule was kept"),
    ):
        other.write_text(json.dumps(value | change), "utf-8")
        given = [str(other)] if "rules" in change else [str(of_taints), str(other)]
        with pytest.raises(InputError, match=problem):
            commands.page(given, str(tmp_path / "page.md"))
    with pytest.raises(InputError, match=r"ends with \.md or \.html"):
        commands.page([str(of_taints)], "page.txt")
