# SPDX-License-Identifier: Apache-2.0
"""Every case has a name of its own, says in a sentence what it decides, and decides the rules that it names."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from conformance import cases
from refsched.releases import DEFAULT
from refsched.suite.adapters.connecting import connect
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.trial import try_history
from refsched.suite.session.cases import Case

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


def releases_of(case: Case) -> set[str]:
    """For each rule of the case the default release, or the newest that has it."""
    having = [all_rules()[rule].releases for rule in case.rules] or [(DEFAULT.name,)]
    return {DEFAULT.name if DEFAULT.name in names else names[-1] for names in having}


@pytest.mark.parametrize("area", CASES)
def test_every_rule_that_the_cases_of_an_area_name_decides_in_one_of_them(area: str) -> None:
    """A rule that rejects nodes decides in the case where it does, and not in the one where it must not."""
    named: set[str] = set()
    decided: set[str] = set()
    for release in sorted(set().union(*map(releases_of, CASES[area]))):
        with connect(f"refsched.reference:{release}") as adapter:
            for case in (case for case in CASES[area] if release in releases_of(case)):
                transcript = try_history(adapter, case.history)
                named.update(case.rules)
                decided.update(transcript.decisive)

                assert not transcript.findings, case.name
                assert not transcript.ended, case.name
    assert named <= decided
