# SPDX-License-Identifier: Apache-2.0
"""Rule pages: one for each area, with every rule of it and its example, which is run while the page is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module

from refsched.suite.catalogue.rules import StatedRule, all_rules
from refsched.tools.rulebook.differing import heading
from refsched.tools.rulebook.example_runs import ExampleRun, run
from refsched.tools.rulebook.examples import Example, example_of, settings_of
from refsched.tools.rulebook.go_lines import go_lines_of
from refsched.tools.rulebook.lookup import code_of, neighbours
from refsched.tools.rulebook.without_example import why_without_example
from refsched.tools.site.catalogue_pages import Tests
from refsched.tools.site.markdown import anchor, block, page, prose, rule_link, table

_INDEX = """\
Each rule is one sentence with a permanent id. Its page shows the smallest cluster in which the rule decides,
what the specification does there, what a scheduler that breaks the rule does instead, and where the rule
stands in the code of refsched and of Kubernetes. The clusters are computed: `python -m
conformance.wrong examples` finds, for each rule, the smallest one that a scheduler without the rule decides
otherwise. In a terminal, `refsched rule R-FIT-02` shows the same page, and `refsched rule --search "init
container"` finds rules by their words."""

_TERMS = """\
*Promised* is what the documented API or a KEP says; any scheduler that calls itself compatible must keep it.
*Observed* is what this release happens to do."""


@cache
def areas() -> Mapping[str, Sequence[StatedRule]]:
    """Returns the rules by area, both in alphabetical order."""
    found: dict[str, list[StatedRule]] = {}
    for rule in sorted(all_rules().values(), key=lambda rule: rule.id):
        found.setdefault(rule.area, []).append(rule)
    return dict(sorted(found.items()))


def title_of(area: str) -> str:
    """Returns a title for the area, in the words of the module that most of its rules are in."""
    modules = [rule.module for rule in areas()[area]]
    module = max(dict.fromkeys(modules), key=modules.count)
    text = (import_module(module).__doc__ or "").strip().partition("\n\n")[0]
    return prose(text).rstrip(".")


def index_page() -> str:
    rows = [(f"[{area}]({area}.md)", title_of(area), str(len(rules))) for area, rules in areas().items()]
    missing = [rule for rule in all_rules() if example_of(rule) is None]
    return page(
        "# Rules",
        _INDEX,
        _TERMS,
        table(("area", "what it is about", "rules"), rows),
        "## Rules without an example",
        table(("rule", "why"), ((rule_link(rule), _sentence(why_without_example(rule))) for rule in missing))
        if missing
        else "There is none.",
        "```{toctree}\n:hidden:\n\n" + "\n".join(areas()) + "\n```",
    )


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


def area_page(area: str, tests: Tests) -> str:
    """Returns the page of an area; ``tests`` are those of the suite that name a rule, by rule."""
    rules = areas()[area]
    parts = (part for rule in rules for part in _rule(rule, tests.get(rule.id, ())))
    return page(f"# {area}", f"{title_of(area)}.", *parts)


def _rule(rule: StatedRule, tests: Sequence[str]) -> Iterator[str]:
    yield f"({anchor(rule.id)})=\n## {rule.id}"
    yield f"**{prose(rule.sentence)}**"
    yield f"*{rule.level}*: {rule.why_level}. Holds in Kubernetes {rule.held_in}."
    example = example_of(rule.id)
    if example is None:
        yield f"There is no example: {why_without_example(rule.id)}."
    else:
        yield from _example(example, run(example))
    yield "\n".join(_where(rule, tests))


def _example(example: Example, done: ExampleRun) -> Iterator[str]:
    if example.manifests:
        yield "The smallest cluster that shows it:"
        yield block(example.manifests, "yaml")
    settings = settings_of(example)
    if settings:
        yield "It has this configuration:" if example.manifests else "A configuration that shows it:"
        yield block(settings, "yaml")
    yield "What the specification does:"
    yield block("\n".join(done.steps))
    if done.explanation is not None:
        yield block(str(done.explanation))
    broken = example.broken
    if broken is not None:
        yield f"A scheduler that breaks the rule: {prose(broken.says)}"
        yield block(f"{heading(broken)}\n  expected  {broken.expected}\n  it does   {broken.got}")


def _where(rule: StatedRule, tests: Sequence[str]) -> Iterator[str]:
    path, line = code_of(rule)
    page_of_code = f"../../code/{path.removesuffix('.py')}.html#line-{line}"
    yield f'- in refsched: <a href="{page_of_code}">`{path}`, line {line}</a> (`{rule.place}`)'
    for source in go_lines_of(rule.id):
        yield f"- in Kubernetes: [`{source}`]({source.url})"
    example = example_of(rule.id)
    if example is not None and example.recording is not None:
        recorded = example.recording
        yield (
            f"- recorded from kube-scheduler: `traces/{recorded.trace}`, line {recorded.line} of"
            f" {recorded.lines}"
        )
    if tests:
        yield f"- tests of the suite: {', '.join(f'`{test}`' for test in tests)}"
    near = neighbours(rule)
    if near:
        yield f"- neighbours: {', '.join(rule_link(each.id) for each in near)}"
