# SPDX-License-Identifier: Apache-2.0
"""One seed gives one report, in one process or in two; another seed asks other things; nothing else makes a
difference."""

from __future__ import annotations

import pytest
from toy_suite import Suite

ASKED = """

def pytest_unconfigure(config):
    from toy_bench import ASKED
    if ASKED:
        config.rootpath.joinpath("asked.txt").write_text(repr(ASKED))
"""


def asked(suite: Suite, *options: str, impl: str = "right") -> str:
    assert suite(*options, impl=impl).ret == 0
    return (suite.path / "asked.txt").read_text("utf-8")


def report(suite: Suite, name: str, *options: str) -> tuple[str, str]:
    suite("--report=report.json", "--report=report.html", *options, impl=name)
    page, shown = (suite.path / f"report.{suffix}" for suffix in ("html", "json"))
    return shown.read_text("utf-8"), page.read_text("utf-8")


def test_two_processes_and_one_say_the_same(suite: Suite) -> None:
    alone = report(suite, "wrong")
    assert alone == report(suite, "wrong", "-n2")
    assert alone == report(suite, "wrong", "-p", "no:randomly")


def test_a_seed_decides_what_is_asked_and_nothing_else_does(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.add("conftest.py", (suite.path / "conftest.py").read_text("utf-8") + ASKED)
    by_default = asked(suite)
    assert by_default == asked(suite, "--hypothesis-seed=0")
    assert by_default != asked(suite, "--hypothesis-seed=1")
    monkeypatch.setenv("CI", "true")
    assert by_default == asked(suite)
    suite.add("full_of_constants.py", f"NUMBERS = {list(range(10))}\n")
    suite.add("conftest.py", "import full_of_constants\n" + (suite.path / "conftest.py").read_text("utf-8"))
    assert by_default == asked(suite)


def test_a_budget_asks_fewer_histories_and_always_the_same(suite: Suite) -> None:
    shown, _ = report(suite, "right", "--budget=150ms")
    assert '"examples": 15,' in shown
