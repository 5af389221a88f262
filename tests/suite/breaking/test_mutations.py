# SPDX-License-Identifier: Apache-2.0
"""A slip leaves out or turns round a part of a program, and a mix-up takes one thing for another."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pytest

from refsched.devices import allocator
from refsched.framework.status import SUCCESS
from refsched.objects import resources
from refsched.queue.transitions import Place
from refsched.suite.breaking.common_mutations import common_mutations_of
from refsched.suite.breaking.rare_mutations import rare_mutations_of
from refsched.suite.breaking.similar_fields import fields_like


def _node(code: str) -> ast.AST:
    statement = ast.parse(code).body[0]
    return statement.value if isinstance(statement, ast.Expr) else statement


def _texts(nodes: Iterable[ast.AST]) -> list[str]:
    return [ast.unparse(ast.fix_missing_locations(node)) for node in nodes]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if a:\n    b()", {"if bool(True) or a:\n    b()", "if bool(False) and a:\n    b()"}),
        ("if a:\n    return", {"if bool(True) or a:\n    return"}),
        ("for a in b:\n    c()", {"pass", "for a in tuple(b)[::-1]:\n    c()"}),
        ("return a", {"return None"}),
        ("a if b else c", {"a", "c"}),
        ("a - b", {"a", "b"}),
        ("a // b", {"-(-a // b)", "round(a / b)"}),
        ("a or b", {"b or a"}),
        ("(a, b) < (c, d)", {"(b,) < (d,)", "(a,) < (c,)"}),
        ("(a, *b)", {"(*b,)", "(a,)", "(*b, a)"}),
        ("(*a, *b)", {"a", "b", "(*b, *a)", "a or b", "b or a"}),
        ("a + b if c else d", {"a + b", "d", "a + b if c else a"}),
        ("(a == b for b in c)", {"(True for b in c)"}),
        ("sum(a)", {"max(a, default=0)"}),
        ("a in b", set()),
        ("a", set()),
    ],
)
def test_a_slip_leaves_out_a_part_or_turns_it_round(code: str, expected: set[str]) -> None:
    found = _texts(common_mutations_of(_node(code), {}))
    assert set(found) == expected
    assert len(found) == len(expected)


def test_a_slip_goes_through_what_a_comprehension_is_over_backwards() -> None:
    comprehension = ast.parse("[a for a in b]", mode="eval").body.generators[0]  # type: ignore[attr-defined]
    (slip,) = _texts(common_mutations_of(comprehension, {}))
    assert slip == " for a in tuple(b)[::-1]"


@pytest.mark.parametrize(
    ("code", "answers", "expected"),
    [
        ("return a", "bool", {"return True", "return False"}),
        ("return a == b", "bool", set()),
        ("return a", "tuple", {"return ()"}),
        ("return a", "Pod", {"return None"}),
        ("return a", "Status", {"return SUCCESS"}),
        ("return SUCCESS", "Status", set()),
    ],
)
def test_a_function_may_always_answer_the_same(code: str, answers: str, expected: set[str]) -> None:
    """What mutation lets it answer is no slip, too."""
    assert set(_texts(common_mutations_of(_node(code), {"SUCCESS": SUCCESS}, answers))) == expected


def test_a_name_that_the_module_does_not_have_is_not_answered() -> None:
    assert not list(common_mutations_of(_node("return a"), {}, "Status"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = b", {"pass", "a = ()"}),
        ("a in b", {"b.get(a)"}),
        ("[a]", {"[]"}),
        ("f(a, b=c)", {"f(a)"}),
        ("f(a, b)", {"a", "b"}),
        ("f(a.attempts)", {"f(a.attempts + 1)"}),
        ("min(a, b)", {"a", "b"}),
        ("60", {"60 * 10", "60 // 5", "60 + 1"}),
        ("FIGURE", {"FIGURE * 10", "FIGURE // 5", "FIGURE + 1"}),
        ("SHARE", {"SHARE * 10", "SHARE / 5", "SHARE + 1"}),
        ("ROWS", {"ROWS[:0] + ROWS[1:]", "ROWS[:1] + ROWS[2:]"}),
        (
            "TABLE",
            {f"{{key: TABLE[key] for n, key in enumerate(TABLE) if n != {n}}}" for n in range(2)},
        ),
        ("NOTHING", {"EVERYTHING"}),
        ("Place.ACTIVE", {f"Place.{name}" for name in list(Place.__members__)[:7] if name != "ACTIVE"}),
        ("a.attempts", {f"a.{name}" for name in fields_like("attempts")}),
        ("a.name", set()),
        ("a", set()),
        ("a - b", set()),
    ],
)
def test_a_mixup_takes_one_thing_for_another(code: str, expected: set[str]) -> None:
    values = {
        "FIGURE": 5,
        "SHARE": 0.5,
        "a": "text",
        "NOTHING": frozenset(),
        "EVERYTHING": frozenset([1]),
        "Place": Place,
        "ROWS": (1, 2),
        "TABLE": {"a": 1, "b": 2},
    }
    assert set(_texts(rare_mutations_of(_node(code), values))) == expected


def test_a_mixup_calls_another_function_that_takes_and_answers_the_same_types() -> None:
    mixed_up = _texts(rare_mutations_of(_node("is_scalar_resource(a)"), vars(resources)))
    assert "is_extended_resource(a)" in mixed_up
    assert _texts(rare_mutations_of(_node("nothing_of_this_name(a)"), vars(allocator))) == []


def test_a_field_is_another_one_of_its_type() -> None:
    assert "unschedulable_count" in fields_like("attempts")
    assert not fields_like("nothing of this name")
