# SPDX-License-Identifier: Apache-2.0
"""The report as a page, in a real browser: it opens from the file system, on any screen, in light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import chromium, reader
from playwright.sync_api import Browser
from test_suite_reports import RESULT

from refsched.suite.reports.report_html import html


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1300])
def test_a_report_is_readable_and_accessible(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(RESULT), "utf-8")
    with reader(browser, width, scheme) as opened:
        opened.open(path)
        assert opened.is_as_wide_as_the_screen()
        assert opened.errors == []
        assert opened.fetched == []
        assert opened.violations() == []


def test_the_table_of_a_report_is_filtered(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(RESULT), "utf-8")
    with reader(browser, 1300, "light") as opened:
        opened.open(path)
        rows = opened.page.locator("#rules tbody tr:visible")
        whole = rows.count()
        opened.page.get_by_label("Verdict").select_option("fail")
        assert 0 < rows.count() < whole
        assert set(rows.locator(".verdict").all_inner_texts()) == {"fail"}
        opened.page.get_by_label("Words").fill("no such word")
        assert rows.count() == 0
        assert opened.page.locator("#shown").inner_text() == f"0 of {whole} rules shown"
