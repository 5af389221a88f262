# SPDX-License-Identifier: Apache-2.0
"""Markdown: tables, blocks and links to rules, for pages that are generated."""

from __future__ import annotations

import re
from collections.abc import Iterable

from refsched.suite.catalogue.rules import all_rules


def page(*paragraphs: str) -> str:
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = tuple(heads)
    return "\n".join((_row(heads), "|" + "---|" * len(heads), *(_row(row) for row in rows)))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"


def escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def prose(text: str) -> str:
    """Returns a docstring's words as Markdown, with its literals; no other character is taken for markup."""
    literal = re.split(r"(``.+?``|`.+?`)", " ".join(text.split()))
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", part) for part in literal
    ).replace("``", "`")


def block(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def state_diagram(title: str, states: Iterable[str], arrows: Iterable[tuple[str, str, str]]) -> str:
    """Returns a drawing that Mermaid lays out; an arrow leads from one state to another, and has words. The state
    ``[*]`` is where everything begins and ends."""
    spelled = {state: state.replace(" ", "_") for state in states}
    lines = [f"{spelled[at]} --> {spelled[to]}: {words}" for at, to, words in arrows]
    names = [f'state "{state}" as {name}' for state, name in spelled.items() if name != state]
    return block("\n    ".join(("stateDiagram-v2", f"accTitle: {title}", *names, *lines)), "mermaid")


def anchor(rule: str) -> str:
    """Returns the name of a rule's section: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", rule.lower()).strip("-")


def rule_link(rule: str, up: str = "../", text: str = "") -> str:
    """Returns a link to a rule; ``up`` leads from the page to the folder of generated pages, and ``text`` is what
    is shown if not the rule's id."""
    area = all_rules()[rule].area if rule in all_rules() else ""
    return f"[{text or rule}]({up}rules/{area}.md#{anchor(rule)})" if area else text or rule
