# SPDX-License-Identifier: Apache-2.0
"""Site: the pages that are generated when the site is built, from the tables and docstrings of the code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from refsched.tools.site import plugin_pages, rule_pages
from refsched.tools.site.catalogue_pages import Tests
from refsched.tools.site.command_page import command_page
from refsched.tools.site.pending_page import pending_page
from refsched.tools.site.upgrading_page import upgrading_page


def pages(tests: Tests) -> Iterator[tuple[str, Callable[[], str]]]:
    """Returns each page's name below the folder, and the function that makes it; ``tests`` are those of the suite
    that name a rule, by rule."""
    yield "pending.md", pending_page
    yield "points.md", plugin_pages.points_page
    yield "way.md", plugin_pages.way_drawn
    yield "commands.md", command_page
    yield "upgrading.md", upgrading_page
    yield "rules/index.md", rule_pages.index_page
    for area in rule_pages.areas():
        yield f"rules/{area}.md", partial(rule_pages.area_page, area, tests)
    yield "plugins/index.md", plugin_pages.index_page
    for name in plugin_pages.plugin_names():
        yield f"plugins/{name}.md", partial(plugin_pages.plugin_page, name)


def write_pages(folder: Path, tests: Tests) -> None:
    """Writes those pages that differ, so that Sphinx reads no page anew without need."""
    for name, make in pages(tests):
        path, text = folder / name, make()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
