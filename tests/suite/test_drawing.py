# SPDX-License-Identifier: Apache-2.0
"""The suite changes three things within Hypothesis, and a release of Hypothesis without one of them fails here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LOCAL = 1_234_567_891
"""This number stands in a module of the user's, and in no table of Hypothesis."""

PROGRAM = """
import json, sys
from hypothesis import Phase, given, seed, settings, strategies
from refsched.suite.session import drawing

if sys.argv[1] == "as the suite":
    drawing.load_profile()
    drawing.allow_shrinking(0.0)
import of_the_user

def drawn(strategy, examples, check=lambda value: True):
    found = []
    def test(value):
        found.append(value)
        assert check(value)
    phases = (Phase.generate, Phase.shrink)
    as_profile = settings(max_examples=examples, database=None, deadline=None, phases=phases)
    try:
        seed(1)(as_profile(given(value=strategy)(test)))()
    except AssertionError:
        pass
    return found

numbers = strategies.integers(0, 10**12)
pairs = drawn(strategies.tuples(numbers, numbers, numbers), 300)
many = drawn(strategies.lists(numbers, min_size=40, max_size=40), 200)
failing = drawn(strategies.lists(numbers, min_size=20, max_size=20), 50, lambda value: sum(value) < 10**12)
print(json.dumps({
    "constants": any(of_the_user.NUMBER in some for some in many),
    "repeated": sum(len(set(pair)) < 3 for pair in pairs),
    "runs": len(failing),
}))
"""


def _said(how: str, folder: Path) -> dict[str, int]:
    (folder / "of_the_user.py").write_text(f"NUMBER = {LOCAL}\n")
    (folder / "program.py").write_text(PROGRAM)
    ran = subprocess.run(
        [sys.executable, "program.py", how], cwd=folder, capture_output=True, text=True, check=True
    )
    found: dict[str, int] = json.loads(ran.stdout.splitlines()[-1])  # Hypothesis may warn above it
    return found


@pytest.fixture(scope="module")
def as_the_suite(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    return _said("as the suite", tmp_path_factory.mktemp("suite"))


@pytest.fixture(scope="module")
def by_default(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    return _said("by default", tmp_path_factory.mktemp("default"))


def test_numbers_in_the_users_modules_are_not_drawn(
    as_the_suite: dict[str, int], by_default: dict[str, int]
) -> None:
    assert by_default["constants"]
    assert not as_the_suite["constants"]


def test_no_history_is_followed_by_others_that_repeat_parts_of_it(
    as_the_suite: dict[str, int], by_default: dict[str, int]
) -> None:
    assert by_default["repeated"] > 5 * max(1, as_the_suite["repeated"])


def test_a_failing_history_is_made_small_for_as_long_as_the_suite_allows(
    as_the_suite: dict[str, int], by_default: dict[str, int]
) -> None:
    assert by_default["runs"] > 2 * as_the_suite["runs"]
