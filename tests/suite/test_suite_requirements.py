# SPDX-License-Identifier: Apache-2.0
"""Requirements: what a release of the suite asks for stays as it was, and what came later fails nobody."""

from __future__ import annotations

from itertools import pairwise

import pytest

from refsched.errors import InputError
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.level import Level
from refsched.suite.results.outcome import Failure, Outcome
from refsched.suite.results.rule import Rule
from refsched.suite.results.verdicts import FAIL, rule_verdicts
from refsched.suite.session.requirements import later_than, newest, releases, required_by


@pytest.mark.parametrize("release", releases())
def test_a_rule_of_a_release_is_never_taken_back(release: str) -> None:
    required = required_by(release)
    assert required
    assert not sorted(required - all_rules().keys())


def test_releases_only_grow() -> None:
    lists = [required_by(release) or frozenset() for release in releases()]
    assert all(earlier <= later for earlier, later in pairwise(lists))


def test_the_newest_release_is_asked_for_by_default() -> None:
    assert newest() == releases()[-1]


def test_all_stands_for_every_rule() -> None:
    assert required_by("all") is None


def test_a_release_that_never_was_is_refused() -> None:
    with pytest.raises(InputError, match=r"--requirements: expected 1.* or all, found '99'"):
        required_by("99")


@pytest.mark.parametrize("later", [True, False])
def test_a_rule_that_came_later_is_reported_and_fails_nobody(later: bool) -> None:
    failure = Failure("R-X-01", "t", (), 1, 1, 1, 0, "node", "", "n1", "n2", "", "", shrunk=True)
    outcome = Outcome(test="t", rules=("R-X-01",), failures=(failure,), examples=1)
    rules = {"R-X-01": Rule("R-X-01")}
    [verdict] = rule_verdicts(rules, [outcome], Level.ALL, (), ("R-X-01",) if later else ())
    assert verdict.verdict == FAIL
    assert verdict.is_new_failure is not later


def test_a_bench_of_other_rules_is_held_to_all_of_them() -> None:
    release = frozenset({"R-X-01", "R-X-02"})
    assert later_than(release, ("R-X-01", "R-X-03")) == {"R-X-03"}
    assert later_than(release, ("R-TOY-01",)) == frozenset()
    assert later_than(None, ("R-X-03",)) == frozenset()


def test_a_rule_of_an_older_kubernetes_alone_is_required_of_whoever_decides_by_it() -> None:
    required = frozenset({"R-PORTS-01"})
    assert later_than(required, ("R-PORTS-01", "R-PORTS-02", "R-WORDS-51")) == {"R-PORTS-02"}
