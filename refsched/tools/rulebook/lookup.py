# SPDX-License-Identifier: Apache-2.0
"""Lookup: rules by id and by words, and the neighbours of a rule."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from refsched.errors import InputError
from refsched.reading.shipped_files import PACKAGE, module_file
from refsched.suite.catalogue.rules import StatedRule, all_rules

LIKE = 4
"""At most this many rules are named if there is none with an id."""

NEAR = 6
"""A rule has at most this many neighbours."""

_WORD = re.compile(r"[a-z0-9]+")
_ONE_DIGIT = re.compile(r"-([0-9])$")
"""The number of a rule has two digits: who writes R-NOM-1 means R-NOM-01."""


def rule_called(name: str) -> StatedRule:
    """Returns the rule of this id, whatever its case. Raises InputError, which names rules with a similar id."""
    rules = {rule.id.lower(): rule for rule in all_rules().values()}
    found = rules.get(name.lower())
    if found is not None:
        return found
    begin = name.lower().rstrip("-")
    begun = sorted(each for each in rules if each.startswith((begin, f"r-{begin}-")))
    padded = _ONE_DIGIT.sub(r"-0\g<1>", begin)
    close = get_close_matches(padded, sorted(rules), n=LIKE, cutoff=0.6)
    like = [rules[each].id for each in (begun if len(name) > 1 and begun else close)[:LIKE]]
    hint = f"; did you mean {' or '.join(like)}?" if like else "; --search finds rules by words"
    raise InputError(f"there is no such rule{hint}", where=name)


def search(text: str) -> list[StatedRule]:
    """Returns the rules in which every word occurs, those first in whose sentence the words are next to each
    other."""
    words = _WORD.findall(text.lower())
    if not words:
        raise InputError("expected words to search for", where="--search")
    together = " ".join(words)
    found = [rule for rule in all_rules().values() if all(_has(_text(rule), word) for word in words)]
    return sorted(found, key=lambda rule: (together not in _text(rule), rule.id))


def _text(rule: StatedRule) -> str:
    place = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", rule.place)
    return " ".join(_WORD.findall(f"{rule.id} {rule.sentence} {place} {rule.place}".lower()))


def _has(text: str, word: str) -> bool:
    """Returns whether the text has the word, which may begin another one: ``container`` finds ``containers``."""
    stem = word.removesuffix("s") if len(word) > 3 else word
    return f" {stem}" in f" {text}"


def neighbours(rule: StatedRule) -> list[StatedRule]:
    """Returns the rules that stand in the same place, and then those of the same area in the same module."""
    rules = [each for each in all_rules().values() if each.id != rule.id and each.module == rule.module]
    here = [each for each in rules if each.place == rule.place]
    same = [each for each in rules if each.area == rule.area and each not in here]
    return sorted([*here, *same][:NEAR], key=lambda each: each.id)


# --- The code -------------------------------------------------------------------------------------


def code_of(rule: StatedRule) -> tuple[str, int]:
    """Returns the file, from the folder that holds the package, and the line at which the code of the rule
    begins."""
    path = _path(rule.module)
    lines = _lines(rule.module)
    parts = rule.place.split(".")
    for count in range(len(parts), 0, -1):
        line = lines.get(".".join(parts[:count]))
        if line is not None:
            return path, line
    return path, _line_of_id(rule)


def _line_of_id(rule: StatedRule) -> int:
    """Returns the row of a table that has the id."""
    text = _source(rule.module)
    place = text.find(f'"{rule.id}"')
    return text.count("\n", 0, place) + 1 if place >= 0 else 1


def _path(module: str) -> str:
    return module_file(module).relative_to(PACKAGE.parent).as_posix()


@cache
def _source(module: str) -> str:
    return module_file(module).read_text("utf-8")


@cache
def _lines(module: str) -> Mapping[str, int]:
    """Returns the lines of functions, classes and values by name, those of classes after the class's own name."""
    return dict(_named(ast.parse(_source(module)), ""))


def _named(node: ast.AST, within: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.append((f"{within}{name}", child.lineno))
                found += _named(child, f"{within}{name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.append((f"{within}{name}", child.lineno))
    return found
