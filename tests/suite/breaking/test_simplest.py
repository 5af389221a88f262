# SPDX-License-Identifier: Apache-2.0
"""The simplest breakings of a rule: where it decides nothing is decided, or the opposite is."""

from __future__ import annotations

import ast
import sys
from types import ModuleType

import pytest

from refsched.rules import Reason, applies
from refsched.suite.breaking import line_coverage, simplest
from refsched.suite.breaking.simplest import simplest_of, source_without

NAME = "refsched.toy_of_simplest"

SOURCE = """
def in_a_branch(pod):
    if pod.gates:
        applies("R-A-01")
        return "gated"
    elif pod.names:
        return "free"
    else:
        applies("R-A-02")
        return "named"

def in_an_expression(pod):
    return TAKEN if pod.ports else None

def in_a_case(pod):
    match pod:
        case str():
            applies("R-A-04")
            return 1
    return 2

def that_answers(pod) -> bool:
    return applies("R-A-05", when=not pod.bound)

def by_name(pod) -> list:
    counted = [each for each in pod.claims]
    applies("R-A-06", when=counted)
    return counted

def as_a_whole(total: Amounts, pod: Pod) -> Amounts:
    applies("R-A-07", when=pod.overhead)
    return total + pod.overhead

def without_any(pod) -> Resource:
    applies("R-A-08", when=pod.overhead)
    return Resource(pod)

def refusing(arguments) -> None:
    if arguments.weight is not None:
        with refused_by("R-A-10"), within("weight"):
            check_positive(arguments.weight)

def refusing_at_once(arguments) -> None:
    if arguments.weight < 0:
        applies("R-A-11")
        raise InputError("negative")

def refusing_by_either(arguments) -> None:
    with refused_by("R-A-12" if arguments.type else "R-A-13"):
        check_type(arguments.type)

def that_only_notes(pod) -> bool:
    if pod.scalars:
        applies("R-A-14")
    elif pod.rounded:
        applies("R-A-15")
    return sum(pod)

class Plugin:
    def withdraw(self, pod) -> None:
        if self.remove(pod):
            applies("R-A-16")

    def filter(self, pod) -> None:
        \"\"\"R-A-09: it is noted.\"\"\"
        applies("R-A-09")
        self.note(pod)
"""


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType(NAME)
    vars(module).update(applies=applies, TAKEN=Reason("taken", "R-A-03"))
    monkeypatch.setitem(sys.modules, NAME, module)
    for reading in (line_coverage, simplest):
        monkeypatch.setattr(reading, "source_of", lambda _: SOURCE)
    simplest_of.cache_clear()


def ways(rule: str) -> list[list[str]]:
    found = simplest_of(NAME).get(rule, ())
    return [[_first_line(breaking.breaks) for breaking in place] for place in found]


def _first_line(change: object) -> str:
    changed = getattr(change, "changed")  # noqa: B009
    if isinstance(changed, ast.match_case):
        return f"case {ast.unparse(changed.pattern)} if {ast.unparse(changed.guard or ast.Constant(True))}"
    return ast.unparse(ast.fix_missing_locations(changed)).splitlines()[0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("R-A-01", ["if False:", "if not pod.gates:"]),
        ("R-A-02", ["if True:", "if not pod.names:"]),
        ("R-A-03", ["None", "None if pod.ports else TAKEN"]),
        ("R-A-04", ["case str() if False"]),
        ("R-A-05", ["return False", "return pod.bound"]),
        ("R-A-06", ["[]"]),
        ("R-A-07", ["return total"]),
        ("R-A-09", ["return None"]),
        ("R-A-10", ["pass"]),
        ("R-A-11", ["if False:"]),
        ("R-A-12", ["pass"]),
        ("R-A-13", ["pass"]),
        ("R-A-14", ["return False"]),
        ("R-A-15", ["return False"]),
        ("R-A-16", ["if False:"]),
    ],
)
def test_a_rule_is_broken_where_it_is_applied(rule: str, expected: list[str]) -> None:
    assert ways(rule) == [expected]


def test_of_a_function_that_has_to_answer_something_there_is_no_plain_breaking() -> None:
    assert ways("R-A-08") == []


def test_a_source_without_a_rule_is_a_program_that_never_applies_it() -> None:
    changed = source_without("R-A-01", NAME)
    assert "if False:" in changed
    assert changed.count("applies(") == SOURCE.count("applies(")
    assert source_without("R-B-01", NAME) == ""
