# SPDX-License-Identifier: Apache-2.0
"""The default profile, without pytest: which tests there are, and the histories that each of them runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from math import ceil
from pathlib import Path

from attrs import field, frozen

import conformance
from conformance.chosen import chosen_histories
from conformance.strategies import AREAS
from refsched.releases import DEFAULT
from refsched.suite.histories.history import History
from refsched.suite.histories.recordings import areas, read_recording, recordings
from refsched.suite.session.cases import Case
from refsched.suite.session.conforming import Declaration, declarations_in
from refsched.suite.session.drawing import collected, load_profile

SEED = "0"
"""The default of ``--hypothesis-seed``."""

_REPLAYING = "test_recordings"
"""The module whose test has no area, and replays the recordings."""


@frozen
class SuiteTest:
    """A SuiteTest is a test of the suite, or one case or one area of recordings of a test. ``area`` is what it
    draws from; with a ``case`` it runs that one, and if ``recorded`` the recordings of the area, which are of
    the release ``kubernetes``. ``declared`` is what the test declares."""

    name: str
    area: str
    examples: int
    recorded: bool = False
    case: Case | None = field(default=None, eq=False)
    kubernetes: str = DEFAULT.name
    declared: Declaration | None = field(default=None, eq=False)

    @property
    def draws(self) -> bool:
        """Returns whether Hypothesis draws what it runs: it is neither a case nor a replay of recordings."""
        return not self.recorded and self.case is None


@cache
def suite_tests(kubernetes: str = DEFAULT.name) -> tuple[SuiteTest, ...]:
    """Returns those of ``conformance/test_*.py``, with the recordings of this release, in the order in which
    pytest collects them."""
    folder = Path(conformance.__path__[0])
    stems = [path.stem for path in sorted(folder.glob("test_*.py"))]
    return tuple(test for stem in stems for test in _tests_of(stem, kubernetes))


def _tests_of(stem: str, kubernetes: str) -> Iterator[SuiteTest]:
    module = import_module(f"conformance.{stem}")
    for name, declared in declarations_in(module):
        test = f"{module.__name__}::{name}"
        made = partial(SuiteTest, area=declared.area or "", declared=declared)
        for case in declared.cases:
            yield made(f"{test}[{case.name}]", examples=1, case=case, declared=declared.of_case(case))
        if declared.draws and declared.area is not None:
            yield made(test, examples=declared.examples)
        elif stem == _REPLAYING:
            of_release = partial(made, examples=declared.examples, recorded=True, kubernetes=kubernetes)
            for area in areas(kubernetes):
                yield of_release(f"{test}[{area}]", area=area)


def areas_about(rules: Collection[str]) -> tuple[str, ...]:
    """Returns the areas of tests that are there to decide one of these rules."""
    about = (
        test.area
        for test in suite_tests()
        if test.declared is not None and not test.recorded and not set(rules).isdisjoint(test.declared.rules)
    )
    return tuple(dict.fromkeys(about))


@cache
def histories_of(test: SuiteTest, seed: str = SEED, share: int = 1) -> Sequence[History]:
    """Returns what the test runs: the histories that it draws from this seed and those that were chosen, one for
    each ``share`` of them; its case; or the recordings."""
    if test.case is not None:
        return [test.case.history]
    if test.recorded:
        return [read_recording(path) for path in recordings(test.area, test.kubernetes)]
    return [*drawn_histories(test, seed, ceil(test.examples / share)), *chosen_histories(test.name)[::share]]


def drawn_histories(test: SuiteTest, seed: str, examples: int) -> Sequence[History]:
    """Returns this many histories that the test draws from this seed."""
    load_profile()
    return collected(AREAS[test.area](), examples=examples, seed=seed, name=test.name)
