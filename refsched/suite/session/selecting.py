# SPDX-License-Identifier: Apache-2.0
"""Selecting: which of the tests are run, and how many histories each of them draws."""

from __future__ import annotations

import pytest
from attrs import evolve

from refsched.errors import InputError
from refsched.suite.adapters.connecting import is_over_the_api
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.session.budget import Planned, plan, weight_of
from refsched.suite.session.clock import BudgetClock, over_the_api
from refsched.suite.session.conforming import REPLAY, Declaration, case_of, declared_by
from refsched.suite.session.options import Options
from refsched.suite.session.runner import Runner

LARGE_REPR = "Generating overly large repr"
"""Hypothesis warns so of a failing history that is long, which the suite shows in its own way."""

THOROUGH = 20
"""A thorough run has this many times the default number of examples."""


class Selecting:
    """A Selecting selects the tests when pytest has collected them, after ``-k`` and ``-m``: what these left
    shares the budget.

    ``examples`` says how many histories each selected test draws, by its name, ``places`` in which order the tests
    come, those of other parts of the run included, and ``clock`` when a test over the API ends, where there is a
    budget.
    """

    def __init__(self, options: Options, runner: Runner, *, replays: bool) -> None:
        """Selects only the test of ``--replay`` if it ``replays``."""
        self._options = options
        self._runner = runner
        self._replays = replays
        self._part: set[str] | None = None
        self.examples: dict[str, int] = {}
        self.places: dict[str, int] = {}
        self.clock: BudgetClock | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Selects the tests. A project may turn warnings into errors; those that an implementation gives are
        none."""
        for item in items:
            if declared_by(item) is not None:
                item.add_marker(pytest.mark.filterwarnings("default"))
                item.add_marker(pytest.mark.filterwarnings(f"ignore:{LARGE_REPR}"))
        self.places = {name_of(item): place for place, item in enumerate(items)}
        tests = [
            _planned(item, declared)
            for item in items
            if (declared := declared_by(item)) and declared.area != REPLAY and self._is_claimed(declared)
        ]
        self.examples = self._chosen(tests)
        self._part = self._of_this_part(items)
        left_out = [item for item in items if not self._is_wanted(item)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if self._is_wanted(item)]

    def _is_claimed(self, declared: Declaration) -> bool:
        """Returns whether some of a budget is to be spent on the test. If the implementation cannot be asked, each
        test reports that in its turn."""
        if self._options.budget is None:
            return True
        try:
            return not declared.missing(self._runner.about())
        except (AdapterFault, AdapterUnavailable, InputError):
            return True

    def _chosen(self, tests: list[Planned]) -> dict[str, int]:
        options = self._options
        if options.budget is not None and is_over_the_api(options.implementation):
            tests = [over_the_api(test) for test in tests]
            chosen = plan(tests, options.budget)
            costs = {test.name: evolve(test, examples=chosen.get(test.name, 0)).cost for test in tests}
            self.clock = BudgetClock(options.budget, costs)
            return chosen
        if options.budget is not None:
            return plan(tests, options.budget)
        times = THOROUGH if options.thorough else 1
        return {test.name: options.examples or test.examples * times for test in tests}

    def _of_this_part(self, items: list[pytest.Item]) -> set[str] | None:
        """Returns the tests of this part, among those that are run at all, by the number of their examples.
        Returns None if there are no parts."""
        shard = self._options.shard
        if shard is None:
            return None
        wanted = [name_of(item) for item in items if self._is_wanted(item)]
        return shard.takes([Planned(name, self.examples.get(name, 1), weight_of(name)) for name in wanted])

    def _is_wanted(self, item: pytest.Item) -> bool:
        if self._part is not None and name_of(item) not in self._part:
            return False
        declared = declared_by(item)
        if self._replays:
            return declared is not None and declared.area == REPLAY
        return declared is None or (declared.area != REPLAY and name_of(item) in self.examples)


def name_of(item: pytest.Item) -> str:
    """Returns the test's name, the same in a checkout and in an installed package."""
    module = item.module.__name__ if isinstance(item, pytest.Function) else item.path.stem
    return f"{module}::{item.name}"


def _planned(item: pytest.Item, declared: Declaration) -> Planned:
    name, case = name_of(item), case_of(item, declared)
    configures = case is not None and case.history.configures
    return Planned(name, declared.examples, weight_of(name), draws=declared.draws, configures=configures)
