# SPDX-License-Identifier: Apache-2.0
"""In which releases a rule holds, and that nobody is judged by a rule of another release."""

from __future__ import annotations

import pytest

from refsched.releases import RELEASES
from refsched.suite.adapters.answers import CAPABILITIES
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.part import Part
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.session.conforming import ANOTHER_RELEASE, Declaration

ALL = tuple(RELEASES)
NEWER = tuple(name for name in RELEASES if name != "1.19")
EVERY_CAPABILITY = frozenset(CAPABILITIES)


@pytest.mark.parametrize(
    ("rule", "releases"),
    [
        ("R-SORT-01", ALL),  # one plugin for both
        ("R-FIT-01", NEWER),  # a plugin that another release has otherwise
        ("R-FIT-51", ("1.19",)),
        ("R-NODELABEL-01", ("1.19",)),  # a plugin that another release does not have
        ("R-GATES-01", NEWER),
        ("R-QUEUE-14", NEWER),  # a row of the queue
        ("R-QUEUE-61", ("1.19",)),
        ("R-HINT-01", NEWER),  # a queue that asks no hints
        ("R-PORTS-04", NEWER),  # a hint of a plugin that both have
        ("R-CURE-NodePorts-Pod-Delete", NEWER),
        ("R-CONFIG-51", ("1.19",)),  # how plugins are merged
        ("R-CONFIG-11", NEWER),
        ("R-CONFIG-53", ("1.19",)),  # a value
        ("R-FEATURE-03", NEWER),  # what a feature gate changes
        ("R-CONFIG-20", ALL),  # what the machine does for all
        ("R-INV-01", ALL),  # what the suite states
        ("R-DRA-15", NEWER),  # what a follower states of a plugin
    ],
)
def test_a_rule_holds_in_the_releases_that_refer_to_it(rule: str, releases: tuple[str, ...]) -> None:
    assert all_rules()[rule].releases == releases


def test_every_rule_holds_in_a_release() -> None:
    assert [rule.id for rule in all_rules().values() if not rule.releases] == []


@pytest.mark.parametrize("kubernetes", RELEASES)
def test_a_scheduler_is_never_judged_by_a_rule_of_another_release(kubernetes: str) -> None:
    part = Part(EVERY_CAPABILITY, kubernetes=kubernetes)
    judged = {rule.id for rule in all_rules().values() if not part.lacks(rule.id)}
    assert judged == {rule.id for rule in all_rules().values() if kubernetes in rule.releases}


def test_what_a_scheduler_lacks_for_a_rule_of_another_release_is_that_release() -> None:
    assert (
        Part(EVERY_CAPABILITY, kubernetes="1.19").lacks("R-HINT-01")
        == "Kubernetes 1.34 or 1.35 or 1.36 or 1.37"
    )


@pytest.mark.parametrize("kubernetes", RELEASES)
def test_nobody_is_judged_by_a_test_of_a_later_release(kubernetes: str) -> None:
    about = JudgedImplementation("x", "1", kubernetes, (), holding=frozenset({"R-INV-01"}))
    declared = Declaration(print, ("R-INV-01",), since="1.35")
    expected = (ANOTHER_RELEASE,) if kubernetes in ("1.19", "1.34") else ()
    assert declared.missing(about) == expected
