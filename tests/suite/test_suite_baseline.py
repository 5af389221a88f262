# SPDX-License-Identifier: Apache-2.0
"""A baseline lists what is known to fail, and never more."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_suite import Suite

from refsched.errors import InputError
from refsched.suite.session.baseline import read_baseline

RULES = ("R-TOY-01", "R-TOY-02")


def baseline(folder: Path, text: str) -> frozenset[str]:
    path = folder / "known.txt"
    path.write_text(text, "utf-8")
    return read_baseline(path, RULES)


def test_one_rule_a_line_and_remarks_for_people(tmp_path: Path) -> None:
    assert baseline(tmp_path, "# known\n\nR-TOY-02  # since 1.0\n") == {"R-TOY-02"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("R-TOY-09", "expected the id of a rule, such as R-TAINT-01, found 'R-TOY-09'"),
        (
            "test_toys::test_toys",
            "expected the id of a rule, such as R-TAINT-01, found 'test_toys::test_toys'",
        ),
        ("R-TOY-01", "R-TOY-01 stands twice"),
    ],
)
def test_a_line_that_is_no_rule_is_refused_with_its_place(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        baseline(tmp_path, f"R-TOY-01\n{line}\n")
    assert str(refused.value) == f"{tmp_path / 'known.txt'}: line 2: {problem}"


def test_known_failures_do_not_fail_the_run_and_hide_no_other(suite: Suite) -> None:
    suite.add("known.txt", "R-TOY-01\nR-TOY-02\nR-IDLE-01\n")
    result = suite("--baseline=known.txt", impl="wrong")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "failing, as listed in the baseline: R-TOY-01, R-TOY-02",
            "conforms but for its baseline, as far as was checked: 0 promised rules kept.",
        ]
    )

    suite.add("known.txt", "R-TOY-01\n")
    result = suite("--baseline=known.txt", impl="wrong")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED  R-TOY-02 *", "failing, as listed in the baseline: R-TOY-01"])


def test_a_listed_rule_that_passes_is_stale_and_fails_the_run(suite: Suite) -> None:
    suite.add("known.txt", "R-TOY-01\nR-TOY-02\n")
    result = suite("--baseline=known.txt", impl="misnames")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["stale in the baseline (they pass): R-TOY-01", "1 rule of the baseline no longer broken."]
    )
