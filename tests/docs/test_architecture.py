# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md shows every package, and says of each what the package says of itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGES = sorted(
    path.parent.relative_to(ROOT).as_posix().replace("/", ".")
    for top in ("refsched", "conformance")
    for path in (ROOT / top).glob("*/__init__.py")
)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_page_says_of_a_package_what_it_says_of_itself(package: str) -> None:
    file = ROOT / package.replace(".", "/") / "__init__.py"
    line = (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").partition("\n")[0]
    assert 20 < len(line) <= 130
    assert f"| `{package}` | {line.partition(': ')[2] or line} |" in PAGE


def test_the_drawing_has_every_package() -> None:
    drawing = PAGE.partition("```mermaid")[2].partition("```")[0]
    words = drawing.replace(",", " ").replace("<br/>", " ").replace('"', " ").split()
    assert [name for name in PACKAGES if name.rpartition(".")[2] not in words] == []
