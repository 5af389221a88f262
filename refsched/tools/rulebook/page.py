# SPDX-License-Identifier: Apache-2.0
"""Page: all that is known of a rule, for a terminal; its example is run while the page is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsched.suite.catalogue.rules import StatedRule
from refsched.tools.printing import Page
from refsched.tools.rulebook.differing import heading
from refsched.tools.rulebook.example_runs import run
from refsched.tools.rulebook.examples import Broken, Example, example_of, settings_of
from refsched.tools.rulebook.go_lines import go_lines_of
from refsched.tools.rulebook.lookup import code_of, neighbours
from refsched.tools.rulebook.without_example import why_without_example


def write_rule(page: Page, rule: StatedRule) -> bool:
    """Writes the whole page. Returns False if the rule decides nothing in its example, which it must."""
    page.line(f"{rule.id}   {rule.level}   Kubernetes {rule.held_in}", "bold")
    page.line(rule.sentence)
    page.line()
    path, line = code_of(rule)
    page.line(f"code    {path}:{line}  {rule.place}")
    for source in go_lines_of(rule.id):
        page.line(f"Go      {source.url}" + (f"  {source.function}" if source.function else ""))
    page.line(f"level   {rule.why_level}")
    page.line(f"near    {', '.join(each.id for each in neighbours(rule)) or 'no rule'}")
    example = example_of(rule.id)
    if example is None:
        page.line()
        page.line(f"There is no example: {why_without_example(rule.id)}.")
        return True
    return _write_example(page, example)


def as_value(rule: StatedRule) -> dict[str, Any]:
    """Returns what is known of the rule, with its example, which is not run."""
    path, line = code_of(rule)
    example = example_of(rule.id)
    return {
        "id": rule.id,
        "sentence": rule.sentence,
        "level": rule.level,
        "whyLevel": rule.why_level,
        "releases": list(rule.releases),
        "code": f"{path}:{line}",
        "go": [source.url for source in go_lines_of(rule.id)],
        "near": [each.id for each in neighbours(rule)],
        "example": None if example is None else example.manifests,
    }


def _write_example(page: Page, example: Example) -> bool:
    _head(page, "The smallest cluster that shows it")
    _text(page, example.manifests.splitlines())
    settings = settings_of(example)
    if settings:
        _head(page, "with this configuration")
        _text(page, settings.splitlines())
    done = run(example)
    _head(page, "What the specification does")
    _text(page, done.steps)
    if done.explanation is not None:
        page.line()
        _text(page, str(done.explanation).splitlines())
    if example.broken is not None:
        _write_broken(page, example.broken)
    if example.recording is not None:
        recorded = example.recording
        _head(page, "Recorded from kube-scheduler")
        page.line(f"traces/{recorded.trace}, line {recorded.line} of {recorded.lines}", indent=2)
    return example.rule in done.applied


def _write_broken(page: Page, broken: Broken) -> None:
    _head(page, "What a scheduler that breaks the rule does")
    page.line(broken.says, indent=2)
    page.line(heading(broken), indent=2)
    page.line(f"expected  {broken.expected}", indent=4)
    page.line(f"it does   {broken.got}", indent=4)


def _head(page: Page, text: str) -> None:
    page.line()
    page.line(text, "bold")


def _text(page: Page, lines: Sequence[str]) -> None:
    for line in lines:
        page.line(line, indent=2)


def write_found(page: Page, found: Sequence[StatedRule]) -> None:
    """Writes one line for each rule that was found."""
    page.table(("RULE", "IT SAYS"), [(rule.id, rule.sentence) for rule in found])
