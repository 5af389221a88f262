# SPDX-License-Identifier: Apache-2.0
"""Rules: id, sentence and source, as they stand in the docstrings and tables of ``refsched/``.

A rule is where it is implemented: the docstring of the function, method or class that does it begins a sentence
with its id (``R-PORTS-02: …``); the rows of the queue's transitions bear theirs. Nothing is written twice.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attrs import frozen

import refsched

RULE_ID = r"R-[A-Z]+-\d{2}"
_STATED = re.compile(
    rf"\b(?P<id>{RULE_ID}): (?P<sentence>.*?)(?=\b{RULE_ID}: |\n\s*\n|\bSource: |\Z)", re.DOTALL
)
_SOURCE = re.compile(r"\bSource: (?P<source>.*?)(?=\n\s*\n|\Z)", re.DOTALL)
TRANSITIONS = "queue/transitions.py"


@frozen
class Rule:
    """``module`` is the path below ``refsched/``, ``place`` the name of what implements it
    (``NodePorts.filter``), ``source`` where the rule stands in Kubernetes."""

    id: str
    sentence: str
    module: str
    place: str
    source: str

    @property
    def area(self) -> str:
        return self.id.split("-")[1]


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by id, in the order of modules and lines."""
    root = Path(refsched.__file__).parent
    rules: dict[str, Rule] = {}
    for path in sorted(root.rglob("*.py")):
        for rule in _rules_of(path.relative_to(root).as_posix(), path.read_text("utf-8")):
            rules.setdefault(rule.id, rule)
    return rules


def _rules_of(module: str, text: str) -> Iterator[Rule]:
    tree = ast.parse(text)
    source = _source_of(ast.get_docstring(tree)) or ""
    yield from _documented(tree, module, "", source)
    if module == TRANSITIONS:
        yield from _transitions(source)


def _documented(node: ast.AST, module: str, place: str, source: str) -> Iterator[Rule]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.ClassDef):
            continue
        inside = f"{place}.{child.name}" if place else child.name
        documentation = ast.get_docstring(child) or ""
        nearer = _source_of(documentation) or source
        for found in _STATED.finditer(documentation):
            yield Rule(found["id"], _one_line(found["sentence"]), module, inside, nearer)
        yield from _documented(child, module, inside, nearer)


def _transitions(source: str) -> Iterator[Rule]:
    from refsched.queue.transitions import TRANSITIONS as ROWS

    for row in ROWS:
        yield Rule(row.rule, row.why, TRANSITIONS, f"{row.place.value}, {row.occurrence.value}", source)


def _source_of(documentation: str | None) -> str | None:
    found = _SOURCE.search(documentation or "")
    return _one_line(found["source"]) if found else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
