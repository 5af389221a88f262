# SPDX-License-Identifier: Apache-2.0
"""The site is built without a warning. In a browser it opens from the file system, answers questions, and runs the
specification."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Opened, chromium, reader
from click.testing import CliRunner
from example_pages import DOCS
from playwright.sync_api import Browser

from refsched.suite.catalogue.rules import all_rules
from refsched.tools.cli.main import cli

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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built as `tox -e docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    strictly = ["--fail-on-warning", "--keep-going", "--quiet"]
    command = [sys.executable, "-m", "sphinx", *strictly, "-b", "html", str(DOCS), str(folder)]
    subprocess.run(command, check=True)
    return folder


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


def test_it_is_built_without_a_warning_and_without_a_link_that_leads_nowhere(site: Path) -> None:
    assert (site / "index.html").exists()


def test_every_page_opens_without_an_error_and_fits_a_narrow_screen(site: Path, narrow: Opened) -> None:
    """Of the code, whose pages are all made alike, one page in ten."""
    too_wide = []
    of_code = sorted((site / "code").rglob("*.html"))
    others = [
        page
        for page in sorted(site.rglob("*.html"))
        if page.name not in ("genindex.html", "search.html") and page not in of_code
    ]
    for page in (*others, *of_code[::10]):
        narrow.open(page)
        if not narrow.is_as_wide_as_the_screen():
            too_wide.append(page.relative_to(site).as_posix())
    assert narrow.errors == []
    assert narrow.fetched == []
    assert too_wide == []


def test_a_page_is_dark_where_the_reader_wants_it_dark(site: Path, narrow: Opened, wide: Opened) -> None:
    grounds = []
    for opened in (narrow, wide):
        opened.open(site / "index.html")
        colour = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        grounds.append(sum(int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(",")[:3]))
    assert grounds[0] < 150
    assert grounds[1] > 600


@pytest.mark.parametrize("name", ACCESSIBLE)
def test_a_page_is_accessible(name: str, site: Path, narrow: Opened) -> None:
    narrow.open(site / f"{name}.html")
    assert narrow.violations() == []


def test_a_page_is_accessible_on_a_wide_screen_in_the_light(site: Path, wide: Opened) -> None:
    wide.open(site / "surprises.html")
    assert wide.violations() == []


def test_every_rule_leads_to_its_line_of_the_code(site: Path, wide: Opened) -> None:
    missing, count = [], 0
    for page in (site / "generated" / "rules").glob("*.html"):
        for path, line in re.findall(r'href="\.\./\.\./(code/[^"#]+)#(line-\d+)"', page.read_text("utf-8")):
            count += 1
            if f'id="{line}"' not in (site / path).read_text("utf-8"):
                missing.append((path, line))
    assert missing == []
    assert count == len(all_rules())
    wide.open(site / "generated" / "rules" / "NOM.html")
    wide.page.locator('a[href*="/code/refsched/framework/runtime.html"]').first.click()
    wide.page.locator(":target").wait_for(state="attached")
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
def test_a_question_is_answered_in_two_clicks(question: str, site: Path, wide: Opened) -> None:
    wide.open(site / "index.html")
    wide.page.get_by_role("main").get_by_role("link", name="Questions", exact=True).click()
    section = wide.page.locator("section").filter(has=wide.page.get_by_role("heading", name=question)).last
    section.locator(f'a[href="{ANSWERS[question]}"]').click()
    assert wide.page.url == f"{site.as_uri()}/{ANSWERS[question]}"
    assert wide.errors == []


def _found(site: Path, opened: Opened, words: str) -> list[str]:
    """Where the first results of a search lead, below the folder of the site."""
    opened.open(site / "index.html")
    opened.page.get_by_placeholder("Search").fill(words)
    opened.page.get_by_placeholder("Search").press("Enter")
    opened.page.wait_for_function(
        "document.querySelector('#search-results .search-summary')?.textContent.includes('finished')"
    )
    links = opened.page.locator("#search-results ul.search li > a")
    opened.page.wait_for_function("document.querySelector('#search-results ul.search li > a')")
    return [str(link.get_attribute("href")).partition("?")[0] for link in links.all()[:MOST]]


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_is_found_by_one_search(question: str, site: Path, wide: Opened) -> None:
    first = _found(site, wide, question)[0]
    assert first.partition("#")[0] == "questions.html"
    wide.page.locator("#search-results ul.search li > a").first.click()
    assert wide.page.url.startswith(f"{site.as_uri()}/questions.html")
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
    "what happens when I drain a node": "questions.html",
    "untolerated taint": "questions.html",
    "kubectl plugin": "questions.html",
}
"""What else a reader may type, and a page that must be among the first that are found."""


@pytest.mark.parametrize("words", WORDS)
def test_words_lead_to_a_page_that_answers(words: str, site: Path, wide: Opened) -> None:
    assert WORDS[words] in [found.partition("#")[0] for found in _found(site, wide, words)]


@pytest.mark.parametrize(
    "words",
    [
        "NotReady node pod pending",
        "pod stuck pending 5 minutes",
        "why is my pod not preempting",
        "node affinity selector didn't match",
        "unbound immediate PersistentVolumeClaims",
    ],
)
def test_what_people_type_leads_to_the_questions_first(words: str, site: Path, wide: Opened) -> None:
    assert _found(site, wide, words)[0].partition("#")[0] == "questions.html"


def test_the_places_of_the_queue_are_drawn(site: Path, narrow: Opened) -> None:
    if not (site / "_static" / "mermaid.min.js").exists():
        pytest.skip("the site was built without npm, which has Mermaid")
    narrow.open(site / "queue.html")
    assert narrow.page.locator("pre.mermaid svg").first.get_by_text("unschedulable").is_visible()
    assert (narrow.errors, narrow.fetched) == ([], [])


def test_the_front_page_leads_to_points_plugins_and_rules_and_decides(site: Path, wide: Opened) -> None:
    wide.open(site / "index.html")
    way = wide.page.locator("ol.way")
    way.get_by_text("NodePorts").nth(1).click()
    way.get_by_role("link", name="R-PORTS-03").click()
    assert wide.page.url.endswith("generated/rules/PORTS.html#r-ports-03")
    wide.page.go_back()
    way.get_by_role("link", name="postFilter").click()
    assert wide.page.url.endswith("generated/points.html#postfilter")
    wide.page.go_back()
    assert wide.page.get_by_role("button", name="Explain or schedule").is_visible()


# --- The specification in a browser ---------------------------------------------------------------

SECONDS = 300
"""Python starts in a few; on a busy machine in many more."""

BY_SELECTOR = """
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "9"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: "true"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: d, nodeName: n, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {containers: [{name: c, image: i}], resourceClaims: [{name: r, resourceClaimName: one}]}
"""


@pytest.fixture(scope="module")
def python(site: Path, browser: Browser) -> Iterator[Opened]:
    """The page that runs Python."""
    if not (site / "_static" / "in_a_browser" / "pyodide.js").exists():
        pytest.skip("the site was built without npm, which has Pyodide")
    with reader(browser, 400, "dark") as opened:
        opened.open(site / "in_a_browser.html")
        yield opened


def answer(python: Opened) -> str:
    python.page.get_by_role("button", name="Explain or schedule").click()
    python.page.wait_for_function(
        "!document.querySelector('form.in-a-browser button').disabled", timeout=SECONDS * 1000
    )
    return python.page.locator("pre.in-a-browser").inner_text()


def fill_in_a_rush(python: Opened) -> str:
    """Fills in a cluster, and no pod. Returns its manifests."""
    manifests = (DOCS / "examples" / "rush.yaml").read_text("utf-8")
    python.page.get_by_label("Objects, as YAML or JSON").fill(manifests)
    python.page.get_by_label("Pod").fill("")
    return manifests


def printed(folder: Path, manifests: str, *arguments: str) -> str:
    file = folder / "cluster.yaml"
    file.write_text(manifests, "utf-8")
    return CliRunner().invoke(cli, [arguments[0], "-f", str(file), *arguments[1:]]).stdout.strip()


def test_a_pod_is_explained_as_on_the_command_line(python: Opened, tmp_path: Path) -> None:
    manifests = python.page.get_by_label("Objects, as YAML or JSON").input_value()
    expected = printed(tmp_path, manifests, "explain", "default/late")
    assert "nominated and counted" in expected
    assert expected in answer(python)
    assert python.errors == []
    assert python.fetched == []
    assert python.violations() == []
    assert python.is_as_wide_as_the_screen()


def test_all_pods_are_scheduled_without_the_name_of_one(python: Opened, tmp_path: Path) -> None:
    manifests = fill_in_a_rush(python)
    assert printed(tmp_path, manifests, "schedule") in answer(python)


def test_an_earlier_release_decides_where_it_is_chosen(python: Opened) -> None:
    fill_in_a_rush(python)
    python.page.get_by_label("Kubernetes").select_option("1.19")
    shown = answer(python)
    python.page.get_by_label("Kubernetes").select_option("1.34")
    assert "pending pods" in shown
    assert "preemption:" not in shown


def test_bad_input_is_one_line(python: Opened) -> None:
    python.page.get_by_label("Objects, as YAML or JSON").fill("kind: [")
    [line] = answer(python).splitlines()
    assert line.startswith("refsched: /cluster.yaml: expected")


def test_a_selector_of_devices_is_refused_and_not_guessed(python: Opened) -> None:
    python.page.get_by_label("Objects, as YAML or JSON").fill(BY_SELECTOR)
    python.page.get_by_label("Pod").fill("default/p")
    assert "in CEL are not evaluated in a browser" in answer(python)
