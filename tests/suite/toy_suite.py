# SPDX-License-Identifier: Apache-2.0
"""A directory with the small world of toy_bench.py and two tests, in which pytest runs with the suite's plugin."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked_pytest import run_pytest

CONFTEST = """
pytest_plugins = ("refsched.suite.session.plugin",)

def pytest_conformance_bench(config):
    from toy_bench import ToyBench
    return ToyBench()
"""

TESTS = """
from refsched.suite.session.conforming import conforms
from refsched.suite.session.conforming import REPLAY
from toy_bench import history_of

@conforms(area="toys", rules=("R-TOY-01", "R-TOY-02", "R-TOY-03"), needs=("filter",))
def test_toys(check, history):
    check(history)

@conforms(rules=("R-TOY-01", "R-IDLE-01"))
def test_one_small_pod(check):
    check(history_of([1]))

@conforms(area=REPLAY, rules=())
def test_the_history_of_a_file(check, history):
    check(history)
"""


class Suite:
    """Call it with options to run pytest there."""

    def __init__(self, pytester: pytest.Pytester, *, is_measured: bool) -> None:
        self.path = pytester.path
        self.is_measured = is_measured
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile(
            toy_bench=Path(__file__).with_name("toy_bench.py").read_text("utf-8"), test_toys=TESTS
        )

    def __call__(self, *options: str, impl: str = "right") -> pytest.RunResult:
        asked = ("-p", "no:cacheprovider", f"--impl={impl}", *options)
        return run_pytest(self.path, *asked, is_measured=self.is_measured)

    def add(self, name: str, text: str) -> Path:
        path = self.path / name
        path.write_text(text, "utf-8")
        return path


def report_of(result: pytest.RunResult) -> list[str]:
    """The suite's own report: what stands between its title and pytest's last line."""
    lines = result.outlines
    first = next(number for number, line in enumerate(lines) if line.strip("= ") == "conformance")
    return lines[first + 1 : -1]
