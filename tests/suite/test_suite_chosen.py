# SPDX-License-Identifier: Apache-2.0
"""A property tries the histories that were chosen for it after those that it draws."""

from __future__ import annotations

import json

import pytest
from toy_suite import Suite

CONFTEST = """
from toy_bench import NodeStatus, Toy, ToyBench, history_of

pytest_plugins = ("refsched.suite.session.plugin",)


class TakesTwelve(Toy):
    def answer(self, cpu):
        return ("scheduled", NodeStatus("Success")) if cpu == 12 else super().answer(cpu)


class Choosing(ToyBench):
    def connect(self, what, timeout, only=""):
        return TakesTwelve(what, super().connect("right", timeout).hello)

    def chosen(self, test):
        return (history_of([11]), history_of([1, 12, 2])) if test == "test_toys::test_toys" else ()


def pytest_conformance_bench(config):
    return Choosing()
"""


@pytest.fixture
def choosing(suite: Suite) -> Suite:
    suite.add("conftest.py", CONFTEST)
    return suite


def test_a_mistake_that_only_a_chosen_history_shows_is_found_and_made_small(choosing: Suite) -> None:
    result = choosing("--report=a.json")
    assert result.ret == 1
    report = json.loads((choosing.path / "a.json").read_text("utf-8"))
    assert report["run"]["examples"] == 40 + 2 + 1, "drawn, chosen, and the one of the other test"
    result.stdout.fnmatch_lines(["FAILED  R-TOY-01 *", "  1  pod  p2  cpu 12", "  shrunk from 8 steps"])
    result.stdout.no_fnmatch_line("* pod  p[13] *")


@pytest.mark.parametrize("option", ["--examples=5", "--budget=1s"])
def test_a_shorter_run_than_the_default_tries_only_what_it_draws(choosing: Suite, option: str) -> None:
    assert choosing(option).ret == 0
