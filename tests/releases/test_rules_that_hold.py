# SPDX-License-Identifier: Apache-2.0
"""Where a rule holds is what was heard: no release applies a rule that it lacks, and each applies all others.

tests/suite/recording/test_recorded_traces.py listens to the recordings."""

from __future__ import annotations

import json

import pytest

from conformance.wrong.rarity import heard_in_histories
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.catalogue.rarity import TABLE
from refsched.suite.catalogue.rules import all_rules, is_applied
from refsched.suite.recording.unreached import NOT_HEARD
from refsched.tools.rulebook.examples import example_of
from refsched.tools.rulebook.without_example import NOT_COMPUTED, why_without_example


def that_hold(release: str) -> set[str]:
    return {rule.id for rule in all_rules().values() if release in rule.releases}


@pytest.mark.parametrize("release", RELEASES)
def test_no_rule_that_a_release_lacks_is_heard_in_its_histories(release: str) -> None:
    heard: set[str] = set().union(*heard_in_histories(release, share=200, share_of_cases=8))
    assert len(heard) > 150
    assert sorted(heard - that_hold(release)) == []


def unheard() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(TABLE.read_text("utf-8"))["unheard"]
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_a_rule_that_is_not_heard_has_an_example_or_a_reason(release: str) -> None:
    """For an earlier release an example of another one does: where both have the rule, the same code decides."""
    assert [
        rule
        for rule in unheard()[release]
        if rule not in NOT_HEARD
        and why_without_example(rule) == NOT_COMPUTED.format(rule)
        and (
            (example := example_of(rule)) is None
            or (release == DEFAULT.name and example.kubernetes != release)
        )
    ] == []


def test_what_has_a_reason_is_not_heard() -> None:
    assert sorted(NOT_HEARD.keys() - set(unheard()[DEFAULT.name])) == []


def test_the_table_of_what_is_heard_knows_every_rule_and_release() -> None:
    """A rule that is new or gone makes it stale: ``python -m conformance.wrong.rarity``."""
    table = json.loads(TABLE.read_text("utf-8"))
    assert table["rules"].keys() == {rule.id for rule in all_rules().values() if is_applied(rule)}
    assert list(unheard()) == list(RELEASES)
    for release, rules in unheard().items():
        assert sorted(set(rules) - that_hold(release)) == []
