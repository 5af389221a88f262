# SPDX-License-Identifier: Apache-2.0
"""The pages that are made from tables say what the tables say."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.documentation import PAGES, main
from refsched.queue.transitions import TRANSITIONS, Occurrence
from refsched.suite.catalogue.rules import all_rules
from refsched.tools.site.catalogue_pages import COMMAND, queue_page

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_of_the_documentation_are_what_is_made_now(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == PAGES[name](), f"to make them anew: {COMMAND}"


def test_every_rule_has_a_row() -> None:
    page = PAGES["rules.md"]()
    assert not [rule for rule in all_rules() if f"\n| {rule} |" not in page]


def test_the_drawing_has_every_move_but_those_that_may_happen_everywhere() -> None:
    drawing = queue_page().partition("```mermaid")[2].partition("```")[0]
    everywhere = (Occurrence.DELETED, Occurrence.ACTIVATED, Occurrence.NOT_ENQUEUED)
    moves = {
        (row.place, row.goes_to)
        for row in TRANSITIONS
        if row.place is not row.goes_to and row.occurrence not in everywhere
    }
    assert drawing.count("-->") == len(moves) + 1, "and a new pod may be gated"


def test_pages_are_written_to_a_folder_that_is_there(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(PAGES)
    assert main([str(tmp_path / "none")]) == 2
