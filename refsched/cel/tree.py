# SPDX-License-Identifier: Apache-2.0
"""CEL trees: the forms that cel-python's parser gives to an expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refsched.cel.optional import MAYBE

if TYPE_CHECKING:
    from lark import Token, Tree


def subtrees(children: Sequence[Any]) -> list[Tree[Token]]:
    return [child for child in children if hasattr(child, "data")]


def arguments(children: Sequence[Any], skipped: int = 1) -> list[Tree[Token]]:
    """Returns the expressions of an argument list, which is missing if there are none."""
    lists = subtrees(children[skipped:])
    return subtrees(lists[0].children) if lists else []


def unwrapped(tree: Tree[Token]) -> Tree[Token]:
    """Returns the expression within parentheses, and without levels of precedence that have no operator."""
    while (
        tree.data not in ("list_lit", "map_lit")
        and len(tree.children) == 1
        and (inner := subtrees(tree.children))
    ):
        tree = inner[0]
    return tree


def is_literal(tree: Tree[Token]) -> bool:
    """Returns whether the expression is a literal without parentheses."""
    while len(tree.children) == 1 and tree.data in ("unary", "member", "primary"):
        (tree,) = subtrees(tree.children)
    return tree.data == "literal"


def text_of(tree: Tree[Token]) -> str:
    """Returns the text that a literal is, which has no escapes."""
    return str(unwrapped(tree).children[0])[1:-1]


def if_marked(tree: Tree[Token]) -> Tree[Token] | None:
    """Returns the expression that is marked with ``?`` if this tree is one, or None."""
    inner = unwrapped(tree)
    marked = inner.data == "ident_arg" and inner.children[0] == MAYBE
    return arguments(inner.children)[0] if marked else None


def bare_name(tree: Tree[Token]) -> str | None:
    inner = unwrapped(tree)
    return str(inner.children[0]) if inner.data == "ident" else None
