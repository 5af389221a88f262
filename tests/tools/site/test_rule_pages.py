# SPDX-License-Identifier: Apache-2.0
"""Pages that are generated: of rules, plugins, extension points, messages and commands; and ``refsched rule``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from refsched.config.types import EXTENSION_POINTS
from refsched.reading.short_yaml import documents, short_yaml
from refsched.suite.catalogue.rules import all_rules
from refsched.tools.cli.main import cli
from refsched.tools.cli.rule import rule as shown_rule
from refsched.tools.rulebook.go_lines import go_lines_of
from refsched.tools.site import all_pages as site
from refsched.tools.site.command_page import command_page
from refsched.tools.site.markdown import anchor, prose
from refsched.tools.site.plugin_pages import plugin_names, plugin_page, points_page
from refsched.tools.site.rule_pages import area_page, areas, index_page

# --- refsched rule --------------------------------------------------------------------------------


def test_a_rule_is_shown_with_its_example_run() -> None:
    value = json.loads(CliRunner().invoke(cli, ["rule", "R-NOM-01", "-o", "json"]).stdout)
    assert (value["id"], value["code"].partition(":")[0].endswith(".py")) == ("R-NOM-01", True)
    done = CliRunner().invoke(cli, ["rule", "R-NOM-01"])
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0].startswith("R-NOM-01   promised")
    assert lines[1] == all_rules()["R-NOM-01"].sentence
    for head in ("The smallest cluster", "What the specification does", "What a scheduler that breaks"):
        assert any(line.startswith(head) for line in lines)
    assert "nominated and counted" in done.output


def test_rules_are_listed_by_words() -> None:
    value = json.loads(CliRunner().invoke(cli, ["rule", "--search", "init container", "-o", "json"]).stdout)
    assert all("init container" in each["sentence"] for each in value[:3])
    done = CliRunner().invoke(cli, ["rule", "--search", "init container"])
    assert done.exit_code == 0
    assert re.search(r"^R-REQUEST-02 +Of each resource", done.output, re.MULTILINE)


@pytest.mark.parametrize(
    "arguments", [["R-NOPE-01"], ["--search", "nosuchword"], [], ["R-FIT-02", "--search", "x"]]
)
def test_a_rule_that_there_is_not_is_an_error(arguments: list[str]) -> None:
    from refsched.errors import InputError

    done = CliRunner().invoke(cli, ["rule", *arguments])
    assert isinstance(done.exception, InputError)


def test_a_rule_that_decides_nothing_in_its_example_is_not_shown_as_agreed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("refsched.tools.cli.rule.write_rule", lambda page, rule: False)
    assert shown_rule("R-FIT-02", None) == 2


# --- Generated pages ------------------------------------------------------------------------------


def test_the_page_of_an_area_has_a_section_for_each_of_its_rules() -> None:
    page = area_page("PORTS", {"R-PORTS-03": ("test_host_ports",)})
    for rule in areas()["PORTS"]:
        assert f"({anchor(rule.id)})=\n## {rule.id}" in page
        assert prose(rule.sentence) in page
    assert "https://github.com/kubernetes/kubernetes/blob/v1.37.2/" in page
    assert "```yaml\napiVersion: v1\nkind: Node\n" in page
    assert page.count("- tests of the suite: `test_host_ports`\n") == 1


def test_the_index_has_every_area_and_every_rule_without_an_example() -> None:
    page = index_page()
    assert [area for area in areas() if f"[{area}]({area}.md)" not in page] == []


def test_every_plugin_has_a_page_with_its_rules_and_events() -> None:
    for name in plugin_names():
        assert plugin_page(name).startswith(f"# {name}\n")
    page = plugin_page("NodePorts")
    assert "R-PORTS-03" in page
    assert "| [Pod/Delete](../rules/CURE.md#r-cure-nodeports-pod-delete) | if its hint says so |" in page


def test_extension_points_stand_in_their_order_with_their_plugins() -> None:
    page = points_page()
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == list(EXTENSION_POINTS)
    assert "| [TaintToleration](plugins/TaintToleration.md) | 3 |" in page


def test_every_command_says_what_it_takes() -> None:
    page = command_page()
    assert re.findall(r"^## refsched ([\w-]+)$", page, re.MULTILINE) == sorted(cli.commands)
    assert "--search WORDS" in page


def test_pages_are_written_only_where_they_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"rules/index.md": "# Rules\n"}
    monkeypatch.setattr(
        site, "pages", lambda tests: [(name, lambda text=text: text) for name, text in made.items()]
    )
    site.write_pages(tmp_path, {})
    written = tmp_path / "rules" / "index.md"
    before = written.stat().st_mtime_ns
    site.write_pages(tmp_path, {})
    assert (written.read_text("utf-8"), written.stat().st_mtime_ns) == ("# Rules\n", before)


def test_each_rule_has_a_page() -> None:
    names = [name for name, _ in site.pages({})]
    assert len(names) == len(set(names))
    assert {f"rules/{rule.area}.md" for rule in all_rules().values()} <= set(names)


def test_most_rules_are_linked_to_lines_of_kubernetes() -> None:
    linked = [rule for rule in all_rules() if go_lines_of(rule)]
    assert len(linked) > 0.9 * len(all_rules())
    [line] = go_lines_of("R-NOM-01")
    assert (line.function, line.url.partition("#")[2]) == ("RunFilterPluginsWithNominatedPods", "L1275")
    assert str(line).startswith("RunFilterPluginsWithNominatedPods in pkg/scheduler/")


# --- Markup ---------------------------------------------------------------------------------------


def test_a_docstring_is_not_taken_for_markup() -> None:
    assert prose("a ``<b>`` of *all* [x]\n  and_more") == "a `<b>` of \\*all\\* \\[x\\] and\\_more"


def test_what_fits_on_a_line_stands_on_one() -> None:
    value = {"a": {"b": "1", "c": [1, {"d": "x"}]}, "long": ["word " * 12, {"key": "word " * 12}], "e": {}}
    assert short_yaml(value).splitlines()[0] == "a: {b: '1', c: [1, {d: x}]}"
    assert "e: {}" in short_yaml(value)
    assert documents([{"a": 1}, {"text": "one\n\ntwo\n"}]) == "a: 1\n---\ntext: |\n  one\n\n  two\n"


def test_what_does_not_fit_is_read_again_as_it_was() -> None:
    import yaml

    value = {"list": [{"key": "word " * 10, "other": ["word " * 9, ["word " * 12, "x"]]}, "word " * 30]}
    assert yaml.safe_load(short_yaml(value)) == value
