# SPDX-License-Identifier: Apache-2.0
"""Documentation: the pages that say which test of the suite is about which rule, and those beside them.

    python -m conformance.documentation [FOLDER]

writes ``differences.md``, ``queue.md`` and ``rules.md`` to the folder, ``docs`` by default.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from refsched.suite.session.conforming import declarations_in
from refsched.tools.site.catalogue_pages import queue_page, rules_page
from refsched.tools.site.differences_page import differences_page


@cache
def tests_of() -> Mapping[str, tuple[str, ...]]:
    """Returns, for each rule, the tests of the suite that name it."""
    found: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for name, declared in declarations_in(import_module(f"conformance.{path.stem}")):
            for rule in declared.rules:
                found.setdefault(rule, []).append(name)
    return {rule: tuple(names) for rule, names in found.items()}


PAGES: Mapping[str, Callable[[], str]] = {
    "differences.md": differences_page,
    "queue.md": queue_page,
    "rules.md": lambda: rules_page(tests_of()),
}


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0] if arguments else "docs")
    if not folder.is_dir():
        sys.stderr.write(f"there is no folder {folder} to write to\n")
        return 2
    for name, page in PAGES.items():
        (folder / name).write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
