# SPDX-License-Identifier: Apache-2.0
"""What a test of the suite declares with ``conforms``: its area, its rules, and where its histories come from."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, TypeVar

import pytest
from attrs import evolve, frozen
from hypothesis.stateful import RuleBasedStateMachine

from refsched.releases import is_older
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.session.cases import Case

Test = TypeVar("Test", bound=Callable[..., None])
HISTORY = "history"
CASE = "case"
REPLAY = "replay"
"""This is the area of the one test that takes its history from the file of ``--replay``."""

INVARIANT = "R-INV-"
"""Rules of this area hold for every scheduler. A test that is otherwise only about rules which an implementation
cannot show does not judge it."""

ANOTHER_RELEASE = "another release of Kubernetes"


@frozen
class Declaration:
    """A Declaration is what a test declares. ``area`` is what the test is about; unless it has ``cases``,
    histories are drawn from that area (a test without an area brings its own). ``rules`` are those that the test
    is there to decide; ``needs`` are the capabilities without which it cannot. Its objects are of the release
    ``since`` or of any before, and no earlier release is judged by it."""

    function: Callable[..., None]
    rules: tuple[str, ...]
    area: str | None = None
    examples: int = 1
    needs: tuple[str, ...] = ()
    since: str = ""
    machine: Callable[..., RuleBasedStateMachine] | None = None
    """It is made for each example with a function that begins a history; it draws what the area's histories are
    of, and has every step done as soon as it is drawn."""
    cases: tuple[Case, ...] = ()

    @property
    def draws(self) -> bool:
        """Returns whether the histories of this test are drawn from its area."""
        return self.area is not None and self.area != REPLAY and not self.cases

    def missing(self, about: JudgedImplementation) -> tuple[str, ...]:
        """Returns what the implementation does not have and the test needs; empty if the test judges it."""
        capabilities = sorted(set(self.needs) - set(about.capabilities))
        if capabilities:
            return tuple(capabilities)
        if self.since and is_older(about.kubernetes, self.since):
            return (ANOTHER_RELEASE,)
        wanted = [rule for rule in self.rules if not rule.startswith(INVARIANT)]
        if wanted and about.holding.isdisjoint(wanted):
            return (ANOTHER_RELEASE,)
        needs = {about.lacks.get(rule, "") for rule in wanted if rule in about.holding}
        return tuple(sorted(needs)) if needs and all(needs) else ()

    def of_case(self, case: Case) -> Declaration:
        """Returns what the test declares when it runs this one of its cases."""
        return evolve(
            self, rules=case.rules or self.rules, needs=tuple(dict.fromkeys((*self.needs, *case.needs)))
        )


def conforms(
    *,
    rules: Sequence[str],
    area: str | None = None,
    examples: int = 40,
    needs: Sequence[str] = (),
    since: str = "",
    machine: Callable[..., RuleBasedStateMachine] | None = None,
    cases: Sequence[Case] = (),
) -> Callable[[Test], Test]:
    """Makes a function a test of the suite. It takes ``check``, and with an ``area`` also ``history``, which is
    drawn:

    >>> @conforms(area="taints", rules=("R-TAINT-01", "R-TAINT-02"), needs=("filter",))
    ... def test_taints(check, history):
    ...     check(history)

    With ``cases`` nothing is drawn. The test asks for ``case`` instead, and each case is an item of its own, which
    bears the case's name:

    >>> @conforms(area="taints", cases=TAINTS, rules=("R-TAINT-01",))
    ... def test_cases_of_taints(check, case):
    ...     check(case.history)

    Whatever rule a history shows to be broken fails the test, also one that it does not name. ``examples`` is the
    number of histories of the default profile; without an ``area`` the test runs once, as any other. With a
    ``machine`` the histories are drawn by that one, step by step. A scheduler that decides as a release before
    ``since`` (``1.35``) is not judged.
    """

    def decorate(function: Test) -> Test:
        draws = area is not None and not cases
        declared = Declaration(
            function, tuple(rules), area, examples if draws else 1, tuple(needs), since, machine, tuple(cases)
        )
        test: Callable[..., None] = function
        if cases:
            test = _parametrized(function, cases)
        elif area is not None:
            test = _without_history(function)
        marked: Test = pytest.mark.conforms(declared)(test)
        return marked

    return decorate


def _parametrized(function: Callable[..., None], cases: Sequence[Case]) -> Callable[..., None]:
    """Returns the test with one item for each case, whose id is the case's name."""
    names = [case.name for case in cases]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{function.__name__} has two cases named {repeated[0]!r}")
    if CASE not in inspect.signature(function).parameters:
        raise TypeError(f"{function.__name__} has cases, and no parameter named {CASE!r}")
    test: Callable[..., None] = pytest.mark.parametrize(CASE, cases, ids=names)(function)
    return test


def _without_history(function: Callable[..., None]) -> Callable[..., None]:
    """Removes ``history`` from the signature, since pytest would take it for a fixture."""

    @functools.wraps(function)
    def test(**_: Any) -> None:
        raise TypeError(f"{function.__name__} is run by pytest with the suite's plugin")

    signature = inspect.signature(function)
    if HISTORY not in signature.parameters:
        raise TypeError(f"{function.__name__} has an area, and no parameter named {HISTORY!r}")
    kept = [parameter for name, parameter in signature.parameters.items() if name != HISTORY]
    del test.__wrapped__
    test.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return test


def declarations_in(module: ModuleType) -> Iterator[tuple[str, Declaration]]:
    """Yields what the tests of this module declare, each with its name, in their order."""
    for name, value in vars(module).items():
        for mark in getattr(value, "pytestmark", ()) if name.startswith("test_") else ():
            if mark.name == "conforms":
                yield name, mark.args[0]


def declared_by(item: pytest.Item) -> Declaration | None:
    """Returns what the test of this item declares, for the one case that the item runs, if it runs one."""
    marker = item.get_closest_marker("conforms")
    if marker is None:
        return None
    declared: Declaration = marker.args[0]
    case = case_of(item, declared)
    return declared if case is None else declared.of_case(case)


def case_of(item: pytest.Item, declared: Declaration) -> Case | None:
    """Returns the one case that this item runs, if its test has cases."""
    if not declared.cases or not isinstance(item, pytest.Function):
        return None
    case = item.callspec.params[CASE]
    assert isinstance(case, Case)
    return case
