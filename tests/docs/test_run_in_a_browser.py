# SPDX-License-Identifier: Apache-2.0
"""The page that runs the specification: it prints what the command line prints, and fetches nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Opened, chromium, reader
from click.testing import CliRunner
from example_pages import DOCS

from refsched.tools.cli.main import cli

PAGE = DOCS / "_site" / "in_a_browser.html"
PYODIDE = PAGE.parent / "_static" / "in_a_browser" / "pyodide.js"
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

pytestmark = [
    pytest.mark.skipif(not PAGE.exists(), reason="the site is not built: tox -e docs builds it"),
    pytest.mark.skipif(not PYODIDE.exists(), reason="the site was built without npm, which has Pyodide"),
]


@pytest.fixture(scope="module")
def opened() -> Iterator[Opened]:
    with chromium() as browser, reader(browser, 400, "dark") as opened:
        opened.open(PAGE)
        yield opened


def answer(opened: Opened) -> str:
    opened.page.get_by_role("button", name="Explain or schedule").click()
    opened.page.wait_for_function(
        "!document.querySelector('form.in-a-browser button').disabled", timeout=SECONDS * 1000
    )
    return opened.page.locator("pre.in-a-browser").inner_text()


def printed(folder: Path, manifests: str, *arguments: str) -> str:
    file = folder / "cluster.yaml"
    file.write_text(manifests, "utf-8")
    return CliRunner().invoke(cli, [arguments[0], "-f", str(file), *arguments[1:]]).stdout.strip()


def test_a_pod_is_explained_as_on_the_command_line(opened: Opened, tmp_path: Path) -> None:
    manifests = opened.page.get_by_label("Objects, as YAML or JSON").input_value()
    expected = printed(tmp_path, manifests, "explain", "default/late")
    assert "nominated and counted" in expected
    assert expected in answer(opened)
    assert opened.errors == []
    assert opened.fetched == []
    assert opened.violations() == []
    assert opened.is_as_wide_as_the_screen()


def test_all_pods_are_scheduled_without_the_name_of_one(opened: Opened, tmp_path: Path) -> None:
    manifests = (DOCS / "examples" / "rush.yaml").read_text("utf-8")
    opened.page.get_by_label("Objects, as YAML or JSON").fill(manifests)
    opened.page.get_by_label("Pod").fill("")
    assert printed(tmp_path, manifests, "schedule") in answer(opened)


def test_an_earlier_release_decides_where_it_is_chosen(opened: Opened) -> None:
    opened.page.get_by_label("Kubernetes").select_option("1.19")
    shown = answer(opened)
    opened.page.get_by_label("Kubernetes").select_option("1.34")
    assert "pending pods" in shown
    assert "preemption:" not in shown


def test_bad_input_is_one_line(opened: Opened) -> None:
    opened.page.get_by_label("Objects, as YAML or JSON").fill("kind: [")
    [line] = answer(opened).splitlines()
    assert line.startswith("refsched: /cluster.yaml: document 1 (line 1): expected")


def test_a_selector_of_devices_is_refused_and_not_guessed(opened: Opened) -> None:
    opened.page.get_by_label("Objects, as YAML or JSON").fill(BY_SELECTOR)
    opened.page.get_by_label("Pod").fill("default/p")
    assert "in CEL are not evaluated in a browser" in answer(opened)
