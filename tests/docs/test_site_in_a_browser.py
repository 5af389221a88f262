# SPDX-License-Identifier: Apache-2.0
"""The site that `tox -e docs` builds, in a real browser: it opens from the file system, and answers questions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browsing import Opened, chromium, reader
from example_pages import DOCS
from playwright.sync_api import Browser

from refsched.suite.catalogue.rules import all_rules

SITE = DOCS / "_site"
PAGES = sorted(page for page in SITE.rglob("*.html") if page.name not in ("genindex.html", "search.html"))
ACCESSIBLE = (
    "index",
    "questions",
    "surprises",
    "way_of_a_pod",
    "queue",
    "generated/pending",
    "generated/points",
    "generated/plugins/NodePorts",
    "generated/rules/NOM",
    "generated/rules/index",
    "code/refsched/framework/runtime",
)
"""Pages of each kind, on which axe-core is run."""

pytestmark = pytest.mark.skipif(not PAGES, reason="the site is not built: tox -e docs builds it")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def narrow(browser: Browser) -> Iterator[Opened]:
    with reader(browser, 400, "dark") as opened:
        yield opened


@pytest.fixture
def wide(browser: Browser) -> Iterator[Opened]:
    with reader(browser, 1200, "light") as opened:
        yield opened


def test_every_page_opens_without_an_error_and_fits_a_narrow_screen(narrow: Opened) -> None:
    too_wide = []
    for page in PAGES:
        narrow.open(page)
        if not narrow.is_as_wide_as_the_screen():
            too_wide.append(page.relative_to(SITE).as_posix())
    assert narrow.errors == []
    assert narrow.fetched == []
    assert too_wide == []


def test_a_page_is_dark_where_the_reader_wants_it_dark(narrow: Opened, wide: Opened) -> None:
    grounds = []
    for opened in (narrow, wide):
        opened.open(SITE / "index.html")
        colour = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        grounds.append(sum(int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(",")[:3]))
    assert grounds[0] < 150
    assert grounds[1] > 600


@pytest.mark.parametrize("name", ACCESSIBLE)
def test_a_page_is_accessible(name: str, narrow: Opened) -> None:
    narrow.open(SITE / f"{name}.html")
    assert narrow.violations() == []


def test_a_page_is_accessible_on_a_wide_screen_in_the_light(wide: Opened) -> None:
    wide.open(SITE / "surprises.html")
    assert wide.violations() == []


def test_every_rule_leads_to_its_line_of_the_code(wide: Opened) -> None:
    missing, count = [], 0
    for page in (SITE / "generated" / "rules").glob("*.html"):
        for path, line in re.findall(r'href="\.\./\.\./(code/[^"#]+)#(line-\d+)"', page.read_text("utf-8")):
            count += 1
            if f'id="{line}"' not in (SITE / path).read_text("utf-8"):
                missing.append((path, line))
    assert missing == []
    assert count == len(all_rules())
    wide.open(SITE / "generated" / "rules" / "NOM.html")
    wide.page.locator('a[href*="/code/refsched/framework/runtime.html"]').first.click()
    assert wide.page.locator(":target").count() == 1
    assert wide.errors == []


# --- What a newcomer asks -------------------------------------------------------------------------

ANSWERS = {
    "why does my pod not go to that node": "generated/pending.html",
    "is a cordoned node a spread domain": "surprises.html#a-cordoned-node-is-a-domain-of-the-spread",
    "are init containers counted for life": "surprises.html#init-containers-count-for-life",
    "what does ScheduleAnyway do": "surprises.html#scheduleanyway-is-a-score",
    "what counts when a nominated pod of equal priority is on the node": (
        "surprises.html#a-nominated-pod-of-equal-priority-counts"
    ),
}
"""The page that answers a question, with a cluster in which one sees it."""

MOST = 5
"""Results that a reader looks at."""


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_is_answered_in_two_clicks(question: str, wide: Opened) -> None:
    wide.open(SITE / "index.html")
    wide.page.get_by_role("main").get_by_role("link", name="Questions", exact=True).click()
    section = wide.page.locator("section").filter(has=wide.page.get_by_role("heading", name=question)).last
    section.locator(f'a[href="{ANSWERS[question]}"]').click()
    assert wide.page.url == f"{SITE.as_uri()}/{ANSWERS[question]}"
    assert wide.errors == []


def _found(opened: Opened, words: str) -> list[str]:
    """Where the first results of a search lead, below the folder of the site."""
    opened.open(SITE / "index.html")
    opened.page.get_by_placeholder("Search").fill(words)
    opened.page.get_by_placeholder("Search").press("Enter")
    opened.page.wait_for_function(
        "document.querySelector('#search-results .search-summary')?.textContent.includes('finished')"
    )
    links = opened.page.locator("#search-results ul.search li > a")
    opened.page.wait_for_function("document.querySelector('#search-results ul.search li > a')")
    return [str(link.get_attribute("href")).partition("?")[0] for link in links.all()[:MOST]]


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_is_found_by_one_search(question: str, wide: Opened) -> None:
    first = _found(wide, question)[0]
    assert first.partition("#")[0] == "questions.html"
    wide.page.locator("#search-results ul.search li > a").first.click()
    assert wide.page.url.startswith(f"{SITE.as_uri()}/questions.html")
    heading = wide.page.locator(":target > h2, h2:target").inner_text()
    assert heading.lower().startswith(question.lower())
    assert wide.errors == []
    assert wide.fetched == []


WORDS = {
    "cordoned spread": "surprises.html",
    "init container requests": "surprises.html",
    "ScheduleAnyway": "surprises.html",
    "nominated equal priority": "surprises.html",
    "Insufficient cpu": "generated/pending.html",
    "R-NOM-01": "generated/rules/NOM.html",
    "pod pending insufficient cpu but node has room": "questions.html",
    "why was my pod preempted": "questions.html",
    "topology spread minDomains": "questions.html",
    "volume node affinity conflict": "questions.html",
    "taint NoExecute": "questions.html",
}
"""What else a reader may type, and a page that must be among the first that are found."""


@pytest.mark.parametrize("words", WORDS)
def test_words_lead_to_a_page_that_answers(words: str, wide: Opened) -> None:
    assert WORDS[words] in [found.partition("#")[0] for found in _found(wide, words)]


@pytest.mark.parametrize(
    "words", ["NotReady node pod pending", "pod stuck pending 5 minutes", "why is my pod not preempting"]
)
def test_what_people_type_leads_to_the_questions_first(words: str, wide: Opened) -> None:
    assert _found(wide, words)[0].partition("#")[0] == "questions.html"
