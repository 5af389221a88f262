# SPDX-License-Identifier: Apache-2.0
"""The specification names nobody who follows it, records it, explains it or tries it without known defects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import refsched

FOLDER = Path(refsched.__path__[0])
SPECIFICATION = (
    "cache",
    "cel",
    "cycle",
    "devices",
    "extenders",
    "framework",
    "objects",
    "plugins",
    "preemption",
    "queue",
    "rules.py",
    "volumes",
)
FOREIGN = (
    "Checker",
    "Following",
    "follower",
    "interrupted",
    "known_defect",
    "known defect",
    "KnownDefect",
    "LazySequence",
    "mended",
    "oddities",
    "plan_search",
    "SearchPlan",
    "explanation",
)


def names_in(text: str) -> Iterator[str]:
    for name in FOREIGN:
        if re.search(rf"(?<![A-Za-z]){name}", text):
            yield name


@pytest.mark.parametrize("part", SPECIFICATION)
def test_a_part_of_the_specification_names_nobody_who_follows_or_explains_it(part: str) -> None:
    path = FOLDER / part
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]

    assert files
    found = {file.name: list(names_in(file.read_text("utf-8"))) for file in files}
    assert {name: foreign for name, foreign in found.items() if foreign} == {}


def test_such_a_name_is_found() -> None:
    assert list(names_in("def plan_search(): ...  # what a Checker follows")) == ["Checker", "plan_search"]
    assert list(names_in("its name, followed by its uid")) == []
