# SPDX-License-Identifier: Apache-2.0
"""The page for upgrades has every rule that two neighbouring releases do not share."""

from __future__ import annotations

import re
from itertools import pairwise

from refsched.releases import RELEASES
from refsched.suite.catalogue.rules import all_rules
from refsched.tools.rulebook.release_notes import release_notes
from refsched.tools.site.upgrading_page import upgrading_page


def test_each_step_has_the_rules_that_only_one_of_its_releases_has() -> None:
    _, *sections = re.split(r"^## From ", upgrading_page(), flags=re.MULTILINE)
    steps = {section.partition("\n")[0]: section for section in sections}
    assert list(steps) == ["1.34 to 1.35", "1.35 to 1.36", "1.36 to 1.37", "older releases"]
    for step in pairwise(name for name in RELEASES if name != "1.19"):
        alone = [rule.id for rule in all_rules().values() if len({*step} & {*rule.releases}) == 1]
        assert len(alone) > 40
        assert [rule for rule in alone if f"[{rule}]" not in steps[" to ".join(step)]] == []


def test_a_note_of_a_release_names_rules_of_its_step_and_says_what_to_do() -> None:
    for older, newer in pairwise(name for name in RELEASES if name != "1.19"):
        notes = release_notes(older)
        assert len(notes) > 6
        for note in notes:
            assert note.to_do
            assert note.change
            assert all({older, newer} & {*all_rules()[rule].releases} for rule in note.rules), note


def test_the_features_of_a_step_are_those_that_came_on() -> None:
    of_step = upgrading_page().partition("### Features that are on in 1.36")[2].partition("###")[0]
    assert "`DRADeviceTaints`" in of_step
    assert "`SchedulerQueueingHints`" not in of_step


def test_a_change_to_kubernetes_stands_beside_what_it_changed() -> None:
    [row] = [line for line in upgrading_page().splitlines() if line.startswith("| [R-REQUEST-14]")]
    assert "[R-REQUEST-07]" in row
    assert row.endswith("| kubernetes #140047 (the largest sum counts, not the sum of the largest) |")
