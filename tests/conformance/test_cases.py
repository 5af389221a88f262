# SPDX-License-Identifier: Apache-2.0
"""Every case has a name of its own, says in a sentence what it decides, and decides the rules that it names."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

import pytest

from conformance import cases
from refsched.releases import DEFAULT, RELEASES
from refsched.suite import Case
from refsched.suite.adapters.connecting import connect
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.trial import try_history

MODULES = {
    path.stem: import_module(f"conformance.cases.{path.stem}")
    for path in sorted(Path(cases.__path__[0]).glob("*.py"))
}
CASES: dict[str, tuple[Case, ...]] = {
    name: module.CASES for name, module in MODULES.items() if hasattr(module, "CASES")
}


def test_no_two_cases_have_one_name() -> None:
    names = Counter(case.name for of_area in CASES.values() for case in of_area)

    assert [name for name, count in names.items() if count > 1] == []


def test_cases_name_rules_of_the_catalogue() -> None:
    named = {rule for of_area in CASES.values() for case in of_area for rule in case.rules}

    assert named <= all_rules().keys()


def is_of(release: str, case: Case) -> bool:
    """Whether the case is about a rule of the release, or about any rule."""
    return not case.rules or any(release in all_rules()[rule].releases for rule in case.rules)


def of_case(case: Case) -> str:
    """The default release, or the newest that the case is about."""
    return next(name for name in (DEFAULT.name, *list(RELEASES)[::-1]) if is_of(name, case))


@pytest.mark.parametrize("area", CASES)
def test_every_rule_that_the_cases_of_an_area_name_decides_in_one_of_them(area: str) -> None:
    """A rule that rejects nodes decides in the case where it does, and not in the one where it must not."""
    named: set[str] = set()
    decided: set[str] = set()
    with ExitStack() as stack:
        connected = {
            name: stack.enter_context(connect(f"refsched.reference:{name}"))
            for name in {of_case(case) for case in CASES[area]}
        }
        for case in CASES[area]:
            transcript = try_history(connected[of_case(case)], case.history)
            named.update(case.rules)
            decided.update(transcript.decisive)

            assert not transcript.findings, case.name
            assert not transcript.ended, case.name
    assert named <= decided
