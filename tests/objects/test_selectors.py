# SPDX-License-Identifier: Apache-2.0
"""Selectors: labels, and nodes by labels and name."""

from __future__ import annotations

from typing import Any

import pytest

from refsched.errors import InputError
from refsched.objects.meta import LabelSelector
from refsched.objects.node import Node
from refsched.objects.reading import read_as
from refsched.objects.selectors import EVERYTHING, NOTHING, NodeSelector, Requirement, compile_selector


@pytest.mark.parametrize(
    ("operator", "values", "label", "matches"),
    [
        ("In", ("a", "b"), "a", True),
        ("In", ("a", "b"), "c", False),
        ("In", ("a", "b"), None, False),
        ("NotIn", ("a",), "a", False),
        ("NotIn", ("a",), "b", True),
        ("NotIn", ("a",), None, True),
        ("Exists", (), "", True),
        ("Exists", (), None, False),
        ("DoesNotExist", (), None, True),
        ("DoesNotExist", (), "x", False),
        ("Gt", ("5",), "6", True),
        ("Gt", ("5",), "5", False),
        ("Lt", ("5",), "-1", True),
        ("Lt", ("5",), "5", False),
        ("Gt", ("5",), "six", False),
        ("Gt", ("5",), None, False),
        ("Gt", ("5", "6"), "7", False),
        ("Gt", ("5",), "9223372036854775808", False),
    ],
)
def test_a_requirement_looks_at_one_label(
    operator: str, values: tuple[str, ...], label: str | None, matches: bool
) -> None:
    labels = {} if label is None else {"key": label}
    assert Requirement("key", operator, values).matches(labels) is matches


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(InputError, match="'Near' is not a selector operator"):
        Requirement("key", "Near").matches({})
    near = read_as(LabelSelector, {"matchExpressions": [{"key": "k", "operator": "Gt", "values": ["1"]}]})
    with pytest.raises(InputError, match=r"matchExpressions\[0\].operator"):
        compile_selector(near)


def test_no_selector_matches_nothing_and_an_empty_one_everything() -> None:
    assert compile_selector(None) == NOTHING
    assert compile_selector(LabelSelector()) == EVERYTHING
    assert (NOTHING.matches({}), EVERYTHING.matches({})) == (False, True)


def test_all_parts_of_a_selector_must_hold() -> None:
    expression = {"key": "tier", "operator": "NotIn", "values": ["test"]}
    selector = compile_selector(
        read_as(LabelSelector, {"matchLabels": {"app": "web"}, "matchExpressions": [expression]})
    )
    assert selector.matches({"app": "web"})
    assert not selector.matches({"app": "web", "tier": "test"})
    assert not selector.matches({})


@pytest.mark.parametrize(
    ("terms", "matches"),
    [
        ([], False),
        ([{}], False),
        ([{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}], True),
        ([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}], True),
        ([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]}], False),
        (
            [
                {
                    "matchExpressions": [{"key": "disk", "operator": "Exists"}],
                    "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}],
                },
                {"matchExpressions": [{"key": "gpu", "operator": "DoesNotExist"}]},
            ],
            True,
        ),
    ],
)
def test_one_term_of_a_node_selector_must_match_whole(terms: list[Any], matches: bool) -> None:
    node = read_as(Node, {"metadata": {"name": "n1", "labels": {"disk": "ssd"}}})
    assert read_as(NodeSelector, {"nodeSelectorTerms": terms}).matches(node) is matches


@pytest.mark.parametrize(
    ("operator", "values", "readable"),
    [
        ("Gt", ("3",), True),
        ("Lt", ("three",), False),
        ("Gt", (str(2**63),), False),
        ("Gt", ("1", "2"), False),
        ("In", ("three",), True),
    ],
)
def test_gt_and_lt_are_readable_with_one_integer(
    operator: str, values: tuple[str, ...], readable: bool
) -> None:
    assert Requirement("age", operator, values).is_readable is readable
