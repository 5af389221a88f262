# SPDX-License-Identifier: Apache-2.0
"""Browsing: pages are opened from the file system, as a reader opens them, in Debian's Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import field, frozen
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

AXE = {"preload": False}
"""Axe would fetch the style sheets again, which browsers refuse to pages of the file system."""

DRAWN = 300
"""Seconds in which Mermaid has drawn a page, on whatever machine."""


@frozen
class Opened:
    """A page, and what went wrong in it: ``errors`` of the console and of scripts, and what was ``fetched`` from
    elsewhere."""

    page: Page
    errors: list[str] = field(factory=list)
    fetched: list[str] = field(factory=list)

    def open(self, path: Path) -> None:
        """Opens the page, and waits until Mermaid has drawn what there is to draw."""
        self.page.goto(path.as_uri())
        self.page.wait_for_function(
            "[...document.querySelectorAll('pre.mermaid')].every(each => each.querySelector('svg'))",
            timeout=DRAWN * 1000,
        )

    def is_as_wide_as_the_screen(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    def violations(self) -> list[str]:
        """What axe-core finds inaccessible: its rule, and the first element that breaks it."""
        found = Axe().run(self.page, options=AXE).response["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; the test is skipped where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no Chromium on this machine (Debian's package chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def reader(browser: Browser, width: int, scheme: str) -> Iterator[Opened]:
    """A reader with a screen of this many pixels, in ``light`` or ``dark``."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    opened = Opened(context.new_page())
    page = opened.page
    page.on("console", lambda said: opened.errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: opened.errors.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith(("file:", "data:")) else opened.fetched.append(request.url)
        ),
    )
    yield opened
    context.close()
