# SPDX-License-Identifier: Apache-2.0
"""Rules are found by id, by words and by what stands near them."""

from __future__ import annotations

from pathlib import Path

import pytest

import refsched
from refsched.errors import InputError
from refsched.suite.catalogue.rules import all_rules
from refsched.tools.rulebook.lookup import code_of, neighbours, rule_called, search


def test_an_id_is_found_whatever_its_case() -> None:
    assert rule_called("r-ports-03").id == "R-PORTS-03"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("R-PORT-03", "R-PORTS-03"),
        ("R-TAINT", "R-TAINT-01"),
        ("taint", "mean R-TAINT-01"),
        ("R-NOM-1", "mean R-NOM-01"),
        ("x", "--search"),
    ],
)
def test_an_id_that_is_none_is_answered_by_what_is_like_it(name: str, meant: str) -> None:
    with pytest.raises(InputError, match=meant):
        rule_called(name)


def test_rules_are_found_by_all_of_the_words() -> None:
    found = [rule.id for rule in search("init container")]
    assert "R-REQUEST-02" in found
    assert all("init" in all_rules()[rule].sentence.lower() for rule in found)


def test_rules_in_which_the_words_stand_together_come_first() -> None:
    together = ["maxskew matching pods" in rule.sentence.lower() for rule in search("maxSkew matching pods")]
    assert together == sorted(together, reverse=True)


def test_a_search_without_words_is_refused() -> None:
    with pytest.raises(InputError):
        search(" - ")


def test_neighbours_stand_in_the_same_module() -> None:
    rule = all_rules()["R-PORTS-03"]
    near = neighbours(rule)
    assert "R-PORTS-01" in [each.id for each in near]
    assert rule not in near
    assert {each.module for each in near} == {rule.module}


def test_every_rule_is_linked_to_the_line_of_what_implements_it() -> None:
    root = Path(refsched.__path__[0]).parent
    for rule in all_rules().values():
        path, line = code_of(rule)
        text = (root / path).read_text("utf-8").splitlines()[line - 1]
        last = rule.place.rpartition(".")[2]
        assert last in text or rule.id in text or line == 1, (rule.id, path, line)
