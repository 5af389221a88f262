# SPDX-License-Identifier: Apache-2.0
"""Options."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest
from toy_suite import Suite

from refsched.errors import InputError
from refsched.suite.level import Level
from refsched.suite.session.options import Options, read_options, selecting


def options(pytester: pytest.Pytester, *said: str) -> Options:
    return read_options(pytester.parseconfig("-p", "refsched.suite.session.plugin", *said))


def test_without_options_the_specification_is_judged_by_all_rules(pytester: pytest.Pytester) -> None:
    assert options(pytester) == Options(implementation="refsched.reference", level=Level.ALL, seed="0")


def test_what_is_said_is_taken(pytester: pytest.Pytester) -> None:
    path = pytester.path
    (path / "known.txt").touch()
    (path / "again.jsonl").touch()
    taken = options(
        pytester,
        *("--impl=exec:./mine --fast", "--level=promised", "--budget=1.5m", "--examples=7", "--thorough"),
        *("--baseline=known.txt", "--replay=again.jsonl", "--report=a.json", f"--report={path}/b.html"),
        *("--adapter-timeout=500ms", "--hypothesis-seed=12"),
    )
    assert taken == Options(
        implementation="exec:./mine --fast",
        level=Level.PROMISED,
        budget=90.0,
        examples=7,
        thorough=True,
        baseline=path / "known.txt",
        replay=path / "again.jsonl",
        reports=(path / "a.json", path / "b.html"),
        adapter_timeout=0.5,
        seed="12",
    )
    assert isinstance(taken.baseline, Path)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("--budget=soon", "--budget: expected a time like 10s, 5m or 1h, found 'soon'"),
        ("--budget=0s", "--budget: expected a time like 10s, 5m or 1h, found '0s'"),
        ("--examples=0", "--examples: expected a number from 1, found '0'"),
        ("--level=some", "--level: expected promised, observed or all, found 'some'"),
        ("--only=", "--only: expected what is judged, such as predicates, found nothing"),
        ("--baseline=.", "--baseline: .: is not a file"),
        ("--baseline=gone.txt", "--baseline: gone.txt: there is no such file"),
        ("--replay=gone.jsonl", "--replay: gone.jsonl: there is no such file"),
        ("--replay=a.py", "--replay: a.py: expected a file that ends with .jsonl, .jsonl.gz, .yaml or .yml"),
        ("--report=report.txt", "--report: report.txt: expected a file that ends with .json or .html"),
        ("--report=gone/report.json", "--report: gone/report.json: there is no such folder to write to"),
        ("--adapter-timeout=never", "--adapter-timeout: expected a time like 10s, 5m or 1h, found 'never'"),
    ],
)
def test_what_makes_no_sense_is_refused(pytester: pytest.Pytester, said: str, problem: str) -> None:
    (pytester.path / "a.py").touch()
    with pytest.raises(InputError) as refused:
        options(pytester, said)
    assert str(refused.value) == problem


def test_the_report_repeats_the_run_with_the_options_that_chose_its_tests(suite: Suite) -> None:
    suite("-k", "toys and not replay", "--examples=7", "--hypothesis-seed=3", "--report=a.html")
    repeat = "pytest --impl=right -k 'toys and not replay' --examples 7 --hypothesis-seed=3"
    assert f"<code>{escape(repeat)}</code>" in (suite.path / "a.html").read_text("utf-8")


def test_what_is_usual_is_not_repeated(pytester: pytest.Pytester) -> None:
    def repeated(*said: str) -> str:
        return selecting(pytester.parseconfig("-p", "refsched.suite.session.plugin", *said))

    assert repeated("--level=promised") == ""
    assert repeated("--budget=1m", "--thorough") == "--budget 1m --thorough"
    assert repeated("--requirements=all", "-m", "not slow") == "-m 'not slow' --requirements all"
