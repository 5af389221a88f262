# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/ that are written by hand: every example on them is run, and prints what stands there."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner
from example_pages import DOCS, WITH_EXAMPLES, examples_of, made_anew

from refsched.suite.catalogue.rules import all_rules
from refsched.tools.cli.main import cli


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_every_example_of_a_page_prints_what_stands_there(name: str) -> None:
    with examples_of(name) as document:
        count = 0
        for example in document.examples():
            example.evaluate()
            count += 1
    assert count > 10


def test_a_page_that_no_longer_tells_the_truth_is_noticed() -> None:
    text = (DOCS / "surprises.md").read_text("utf-8")
    with examples_of("surprises.md") as document:
        failed = 0
        for example in document.examples():
            lexeme = str(example.parsed)
            if "total: 469" in lexeme:
                example.parsed = lexeme.replace("469", "470")
            try:
                example.evaluate()
            except AssertionError:
                failed += 1
    assert failed == 1
    assert made_anew("surprises.md") == text


CHANGES = (
    ("nominated.yaml", "late", "{name: late}\nspec: {priority: 10", "{name: late}\nspec: {priority: 11"),
    (
        "cordoned.yaml",
        "web-3",
        "    whenUnsatisfiable: DoNotSchedule",
        "    whenUnsatisfiable: DoNotSchedule\n    nodeTaintsPolicy: Honor",
    ),
)
"""What a page says that happens if its cluster is changed: the file, the pod that is placed then, and the
change."""


@pytest.mark.parametrize(("file", "pod", "before", "after"), CHANGES, ids=[change[0] for change in CHANGES])
def test_a_changed_cluster_decides_otherwise(file: str, pod: str, before: str, after: str) -> None:
    with examples_of("surprises.md") as document:
        manifests = next(
            str(example.parsed)
            for example in document.examples()
            if document.text[: example.region.start].endswith(f"<!-- example: {file} -->\n")
        )
        assert manifests.count(before) == 1
        with open(file, "w", encoding="utf-8") as written:
            written.write(manifests.replace(before, after))
        assert CliRunner().invoke(cli, ["explain", "-f", file, pod]).exit_code == 0


@pytest.mark.parametrize("name", [*WITH_EXAMPLES, "index.md"])
def test_a_link_to_a_rule_leads_to_the_page_of_its_area(name: str) -> None:
    text = (DOCS / name).read_text("utf-8")
    links = re.findall(r"\[(R-[A-Z]+-\d+)\]\(generated/rules/([A-Z]+)\.md#(\S+?)\)", text)
    for rule, area, anchor in links:
        assert all_rules()[rule].area == area
        assert anchor == rule.lower()
    assert len(re.findall(r"\[R-", text)) == len(links)
