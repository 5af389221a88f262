# SPDX-License-Identifier: Apache-2.0
"""Where a mutant of a condition would go another way is noted, and nothing else is changed."""

from __future__ import annotations

import ast

import pytest
from attrs import frozen
from click.testing import CliRunner

from conformance.campaigns.conditions import main, met_by
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import cpu, node, pod
from conformance.wrong import noting
from conformance.wrong.mutants import source_of
from conformance.wrong.noting import changed, take_noted
from refsched.mistakes.mutation import mutants_of

FIT = "refsched.plugins.node_resources_fit"


def noted(source: str, *arguments: object) -> tuple[object, list[str]]:
    """Returns what the function ``f`` of this source returns, and which of its operands and bounds are noted."""
    mutants = [one for one in mutants_of("refsched.example", source) if noting.is_noted(one)]
    module: dict[str, object] = {}
    exec(compile(changed(source, mutants), "example.py", "exec"), module)
    f = module["f"]
    assert callable(f)
    take_noted()
    return f(*arguments), [name.removeprefix("example:f:") for name in take_noted()]


AND = "def f(a, b, c):\n    return a and b and c\n"
OR = "def f(a, b, c):\n    return a or b or c\n"
TEST = "def f(a, b, c):\n    return 1 if a and b and c else 2\n"
EACH = "def f(a):\n    return [b for b in a]\n"
LOOP = "def f(a):\n    for b in a:\n        if b == 0:\n            continue\n        return b\n"
FILTER = "def f(a):\n    return [b for b in a if b]\n"
UNION = "def f(a, b):\n    return a | b\n"
LABELS = "def f(a):\n    return a.labels\n"


@frozen
class Labelled:
    """A Labelled has what two members hold of which one may be read for the other."""

    labels: dict[int, int]
    annotations: dict[int, int]


@pytest.mark.parametrize(
    ("source", "arguments", "value", "names"),
    [
        (AND, (1, 0, 2), 0, ["part:1"]),
        (AND, (1, 0, 0), 0, []),
        (AND, (1, 2, 3), 3, ["part:2"]),
        (AND, (1, 2, 2), 2, []),
        (AND, (1, 0, None), 0, ["part:1"]),
        (TEST, (1, 2, 3), 1, []),
        (TEST, (1, 0, 0), 2, []),
        (TEST, (1, 0, 3), 2, ["part:1"]),
        (OR, (0, 0, 3), 3, ["part:2"]),
        (OR, (1, 0, 0), 1, ["part:0"]),
        (OR, (1, 1, 0), 1, []),
        ("def f(a, b):\n    return a < b\n", (1, 1), False, ["boundary:0"]),
        ("def f(a, b):\n    return a <= b\n", (1, 2), True, []),
        (EACH, ([1],), [1], []),
        (EACH, ([1, 2],), [1, 2], ["once:0"]),
        (LOOP, ([3],), 3, []),
        (LOOP, ([0, 4],), 4, ["omission:0", "once:0"]),
        (FILTER, ([2, 1],), [2, 1], ["once:0"]),
        (FILTER, ([0],), [], ["filter:0"]),
        (UNION, ({1}, {1}), {1}, []),
        (UNION, ({1}, set()), {1}, ["set:0", "set:2"]),
        (UNION, ({1: 2}, {1: 2}), {1: 2}, ["set:0"]),
        ("def f(a, b):\n    return set(a) - b\n", ({1}, {2}), {1}, ["set:0"]),
        (LABELS, (Labelled({1: 2}, {}),), {1: 2}, ["kin:0"]),
        (LABELS, (Labelled({1: 2}, {1: 2}),), {1: 2}, []),
    ],
)
def test_what_another_way_would_have_decided_otherwise_is_noted(
    source: str, arguments: tuple[int, ...], value: int, names: list[str]
) -> None:
    assert noted(source, *arguments) == (value, names)


def test_a_part_that_keeps_another_from_an_error_is_noted() -> None:
    source = "def f(a):\n    return a is not None and a.name == 1\n"
    assert noted(source, None) == (False, ["part:0"])


def test_nothing_is_called_that_is_not_needed_and_may_change_something() -> None:
    source = "def f(a, b):\n    return a and not b.append(a)\n"
    called: list[int] = []
    assert noted(source, 0, called) == (0, [])
    assert called == []


def test_a_name_that_an_operand_binds_is_still_bound() -> None:
    source = "def f(a):\n    return (b := a) and b + 1\n"
    assert noted(source, 1) == (2, [])


def test_a_module_may_begin_with_a_docstring_and_imports_from_the_future() -> None:
    tree = ast.parse(source_of(FIT))
    assert isinstance(tree.body[0], ast.Expr)
    mutants = [one for one in mutants_of(FIT, source_of(FIT)) if noting.is_noted(one)]
    compile(changed(source_of(FIT), mutants), "fit.py", "exec")


def test_the_specification_notes_what_a_history_meets() -> None:
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    for amount in ("1", "1"):
        cluster.add_pod(pod("", cpu(amount)))
    cluster.schedule()
    mutants = list(mutants_of(FIT, source_of(FIT)))
    met = met_by(mutants, [cluster.history()])
    of_insufficient = {name: number for name, number in met.items() if ":_insufficient:" in name}
    assert of_insufficient
    assert set(of_insufficient.values()) == {1}


def test_where_noting_changes_what_is_decided_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noting, "bounded", lambda name, compares, left, right: False)
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("2")))
    cluster.schedule()
    with pytest.raises(RuntimeError, match="what is noted changes what is decided: R-FIT-"):
        met_by(mutants_of(FIT, source_of(FIT)), [cluster.history()])


def test_a_module_without_mutants_is_refused() -> None:
    done = CliRunner().invoke(main, ["--module", "plugins.taints"])
    assert done.exit_code == 2
    assert "no such mutant of a module 'plugins.taints'" in done.output
