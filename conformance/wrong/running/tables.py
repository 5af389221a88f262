# SPDX-License-Identifier: Apache-2.0
"""Tables of the pages on wrong schedulers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [_cells(header), _cells("---" for _ in header), *map(_cells, rows)]
    return "\n".join(lines) + "\n"


def _cells(cells: Iterable[object]) -> str:
    return "| " + " | ".join(" ".join(str(cell).split()).replace("|", "\\|") for cell in cells) + " |"


def code(text: str) -> str:
    return f"`{text.replace('`', '´')}`"


def share(some: int, of: int) -> str:
    return f"{100 * some / of:.1f} %" if of else "-"
