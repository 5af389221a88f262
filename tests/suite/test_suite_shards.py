# SPDX-License-Identifier: Apache-2.0
"""Parts of a run: what they find together is one report, however the run was split."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from toy_suite import Suite

from refsched.errors import InputError
from refsched.suite.level import Level
from refsched.suite.results.invocation import Invocation
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.outcome import Fault, Outcome
from refsched.suite.session.budget import Planned, Weight
from refsched.suite.session.run_data import RunData, merged, result_of
from refsched.suite.session.shards import Shard, read_shard
from refsched.tools.cli.main import cli

MORE = """
import pytest
from refsched.suite.session.conforming import conforms
from toy_bench import history_of

@pytest.mark.parametrize("pods", [1, 2, 3])
@conforms(rules=("R-TOY-01", "R-IDLE-01"))
def test_pods(check, pods):
    check(history_of([1] * pods))

def test_of_a_project():
    assert True
"""

DYING = """
import pytest
from refsched.suite.session.conforming import conforms
from toy_bench import history_of

@pytest.mark.parametrize("cpu", [1, 9, 1, 9, 9, 1, 9, 9, 1, 9, 1, 9])
@conforms(rules=("R-TOY-01",))
def test_one_pod(check, cpu):
    check(history_of([cpu]))
"""

DATA = RunData(
    Invocation("mine", Level.ALL, "0"), JudgedImplementation("mine", "1", "1.34", ("filter",)), (), ()
)


ANOTHER = Invocation("mine", Level.ALL, "1")


def _part(number: int, of: int, **more: Any) -> RunData:
    return evolve(DATA, shard=Shard(number, of), **more)


def _merge(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["report", "merge", *map(str, arguments)])


# --- Parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/2/3", "a/b", "1/0", "-1/2", "1/99999", "²/3", ""])
def test_a_part_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--shard: expected a part such as 3/8"):
        read_shard(text)


def test_every_test_is_in_one_part_and_dear_ones_are_dealt_out_first() -> None:
    tests = [Planned(f"t{number}", 10 + number, Weight(0.1)) for number in range(20)]
    parts = [Shard(number, 3).takes(tests) for number in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == sorted(test.name for test in tests)
    assert [Shard(number, 3).takes(tests[::-1]) for number in (1, 2, 3)] == parts
    costs = [sum(test.cost for test in tests if test.name in part) for part in parts]
    assert max(costs) - min(costs) <= max(test.cost for test in tests)
    assert Shard(3, 3).takes(tests[:2]) == set()


@pytest.mark.parametrize(("impl", "code", "of"), [("right", 0, 9), ("wrong", 1, 3)])
def test_the_parts_of_a_run_come_to_the_report_of_the_whole(
    impl: str, code: int, of: int, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of nine parts are empty."""
    suite.add("test_more.py", MORE)
    whole = suite("--report=whole.json", "--report=whole.html", impl=impl)
    assert whole.ret == code
    parts = []
    for number in range(1, of + 1):
        parts.append(suite.path / f"part-{number}.json")
        suite(f"--shard={number}/{of}", f"--report={parts[-1]}", impl=impl)
    monkeypatch.chdir(suite.path)
    done = _merge(*parts[::-1], "--output", "merged.json", "--output", "merged.html")
    assert done.exit_code == code, done.output
    for suffix in ("json", "html"):
        texts = [(suite.path / f"{name}.{suffix}").read_text("utf-8") for name in ("whole", "merged")]
        assert texts[0] == texts[1]
    assert json.loads((suite.path / "merged.json").read_text("utf-8"))["headline"] in done.output.replace(
        "\n", " "
    )
    if code:
        assert list((suite.path / ".refsched").glob("*.jsonl"))


def test_after_five_tests_with_a_fault_nothing_is_judged_however_the_run_was_split(suite: Suite) -> None:
    """The toy dies at a pod that does not fit. No part of the run has as many as five of these."""
    suite.add("test_dying.py", DYING)
    asked = ("test_dying.py", "--report")
    whole = suite(*asked, "whole.json", impl="dies")
    parts = [suite.path / f"part-{number}.json" for number in (1, 2, 3)]
    for number, part in enumerate(parts, start=1):
        suite(*asked, str(part), f"--shard={number}/3", impl="dies")
    assert whole.ret == 2
    report = json.loads((suite.path / "whole.json").read_text("utf-8"))
    [fault] = report["faults"]
    assert fault["problem"].endswith("It is not asked any more: it had a fault in 5 tests.")
    assert len(fault["tests"]) == 9
    assert report["run"]["examples"] == 3
    assert report["headline"].startswith("could not be judged: no promised rule was kept or broken")
    done = _merge(*parts, "--output", suite.path / "merged.json")
    assert done.exit_code == 2
    assert (suite.path / "merged.json").read_text("utf-8") == (suite.path / "whole.json").read_text("utf-8")


# --- What cannot be merged ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"a": _part(1, 3)}, "of 3 parts there is no part 2, 3"),
        ({"a": _part(1, 2), "b": _part(1, 2)}, "b: is part 1/2, as a is"),
        ({"a": _part(1, 2), "b": _part(2, 3)}, "b: is part 2/3, and the first file is one of 2"),
        (
            {"a": _part(1, 2), "b": _part(2, 2, invocation=ANOTHER)},
            "b: is of another run than a: its seed differs",
        ),
    ],
)
def test_parts_that_are_no_whole_are_refused(parts: dict[str, RunData], problem: str) -> None:
    with pytest.raises(InputError) as refused:
        merged(parts)
    assert str(refused.value) == problem


def test_what_kept_one_part_from_judging_keeps_the_whole() -> None:
    fault = Outcome("t", ("R-TOY-01",), fault=Fault("adapter", "it hangs"))
    whole = merged({"a": _part(1, 2, unfinished=2, interrupted=True), "b": _part(2, 2, outcomes=(fault,))})
    assert (whole.unfinished, whole.interrupted, whole.shard) == (2, True, None)
    assert result_of(whole).exit_code == 2
    assert [seen.tests for seen in result_of(whole).faults] == [("t",)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "is not a report of a part (--shard 1/2 --report FILE.json)"),
        ("[]", "is not a report of a part (--shard 1/2 --report FILE.json)"),
        ("{", "is not JSON: Expecting property name enclosed in double quotes (line 1)"),
        ('{"run": {}, "run": {}}', "the key 'run' stands twice"),
        ('{"evidence": {}}', "its evidence was not written by this release of the suite"),
        ('{"evidence": {"about": 1}}', "its evidence was not written by this release of the suite"),
    ],
)
def test_a_file_that_is_no_report_of_a_part_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "part.json"
    path.write_text(text)
    done = _merge(path)
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == f"{path}: {problem}"
    assert str(_merge(tmp_path / "gone").exception) == f"{tmp_path}/gone: No such file or directory"
    assert "expected a file that ends with .json or .html" in str(_merge(path, "--output", "x.txt").exception)
    output = tmp_path / "gone" / "x.json"
    refused = _merge(path, "--output", str(output)).exception
    assert str(refused) == f"{output}: there is no such folder to write to"
