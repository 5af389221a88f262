# SPDX-License-Identifier: Apache-2.0
"""Mutants: which there are, that they are Python, and that the suite's tests tell them from the specification."""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
import sys
from collections import Counter
from itertools import islice

import pytest

from conformance.wrong.__main__ import main
from conformance.wrong.forking import Forked, import_again
from conformance.wrong.mutants import (
    PACKAGES,
    all_mutants,
    areas_near,
    connect_mutant,
    modules,
    mutant_named,
    package_of,
    sample,
)
from conformance.wrong.profile import suite_tests
from conformance.wrong.trying import End, TrialSummary, attack, nearest_first, one_by_one
from refsched.mistakes.mutation import Mutant, compiled, mutants_of
from refsched.mistakes.operators import OPERATORS
from refsched.suite.adapters.adapter import Adapter

OBJECTS = "refsched.objects.resources"

EXAMPLES = {
    "boundary": ("a < b", "a <= b"),
    "comparison": ("a in b", "a not in b"),
    "sign": ("a + b", "a - b"),
    "weight": ("a * b", "a"),
    "off-by-one": ("f(7)", "8"),
    "flag": ("f(True)", "False"),
    "order": ("sorted(a)", "sorted(a, reverse=True)"),
    "set": ("a & b", "a | b"),
    "all-any": ("any(a)", "all(a)"),
    "and-or": ("a and b", "a or b"),
    "part": ("a and b", "b"),
    "not": ("not a", "a"),
    "negated": ("a if b else c", "c if b else a"),
    "omission": ("a.step()", "pass"),
    "leaving": ("while a:\n    break", "continue"),
    "returned": ("def f():\n    return a == b", "return True"),
    "once": ("[a for a in b]", "for a in tuple(b)[:1]"),
    "filter": ("[a for a in b if c]", "for a in b"),
    "swapped": ("f(a.name, b.name)", "f(b.name, a.name)"),
    "kin": ("a.requested", "a.non_zero_requested"),
}


def test_each_operator_has_an_example() -> None:
    assert EXAMPLES.keys() == OPERATORS.keys()


@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_changes_what_it_says(operator: str) -> None:
    source, changed = EXAMPLES[operator]
    made = [one for one in mutants_of("refsched.example", source) if one.operator == operator]
    assert changed in [one.diff.partition("  →  ")[2].strip() for one in made]


@pytest.mark.parametrize("operator", OPERATORS)
def test_what_an_operator_makes_is_python(operator: str) -> None:
    source = EXAMPLES[operator][0]
    for mutant in mutants_of("refsched.example", source):
        compiled(source, mutant.name, "refsched.example", "example.py")


def test_a_small_module_is_mutated_where_it_decides_and_nowhere_else() -> None:
    source = '''"""Says 1 < 2."""
from a import b

Kind = int | None
LIMIT: int = 3


class Thing:
    """Says not."""

    size: int | None = None

    def fits(self, other: int | None, more: bool = False) -> bool:
        """Whether 1 < 2."""
        assert other is not None
        applies("R-FIT-01")
        if other > LIMIT:
            raise ValueError(f"{other + 1}")
        return self.size + other < LIMIT

    def __repr__(self):
        return "a" + 1
'''
    assert [one.name for one in mutants_of("refsched.example", source)] == [
        "example::off-by-one:0",
        "example:Thing.fits:flag:0",
        "example:Thing.fits:boundary:0",
        "example:Thing.fits:comparison:0",
        "example:Thing.fits:returned:0",
        "example:Thing.fits:returned:1",
        "example:Thing.fits:boundary:1",
        "example:Thing.fits:comparison:1",
        "example:Thing.fits:sign:0",
    ]


def test_a_mutant_is_planted_in_the_place_that_it_names() -> None:
    source = "def first(a, b):\n    return a < b\n\ndef second(a, b):\n    return a < b\n"
    code = compiled(source, "example:second:boundary:0", "refsched.example", "example.py")
    space: dict[str, object] = {}
    exec(code, space)
    first, second = space["first"], space["second"]
    assert callable(first)
    assert callable(second)
    assert (first(1, 1), second(1, 1)) == (False, True)
    with pytest.raises(ValueError, match="has no mutant"):
        compiled(source, "example:third:boundary:0", "refsched.example", "example.py")


@pytest.mark.no_cover
def test_mutants_have_names_of_their_own() -> None:
    names = [one.name for one in all_mutants()]
    assert len(names) == len(set(names)) > 5000


def test_the_first_mutants_are_an_even_sample() -> None:
    counts = Counter(package_of(one.name) for one in sample()[: 10 * len(PACKAGES)])
    assert counts.keys() == set(PACKAGES)
    assert max(counts.values()) == 10
    assert {one.name for one in sample()} == {one.name for one in all_mutants()}


def test_each_mutated_module_of_plugins_has_areas_that_lie_near() -> None:
    assert areas_near("refsched.plugins.node_ports")[0] == "ports"
    assert all(areas_near(module) for module in modules() if module.startswith("refsched.plugins."))


def test_every_part_of_refsched_that_decides_is_mutated() -> None:
    assert {
        "refsched.plugins.node_affinity",
        "refsched.queue.scheduling_queue",
        "refsched.cache.cache",
        "refsched.cycle.decide",
        "refsched.cycle.binding_cycle",
        "refsched.preemption.victims",
        "refsched.framework.runtime",
        "refsched.volumes.volumes_on_node",
        "refsched.devices.allocator",
        "refsched.machine.event_handlers",
        "refsched.machine.scheduler",
        "refsched.objects.resources",
        "refsched.objects.selectors",
        "refsched.objects.quantity",
    } <= set(modules())


@pytest.mark.no_cover
def test_a_module_that_is_imported_again_and_is_as_it_was_decides_as_before() -> None:
    test = next(test for test in suite_tests() if test.area == "resources" and test.draws)
    with Adapter("as it was", Forked(lambda: import_again({OBJECTS: lambda source: source}), 60)) as adapter:
        survived = attack(adapter, islice(one_by_one([test]), 12), 60)
    assert survived.end is End.SURVIVED, survived.problem or survived.rule


def test_a_name_that_is_no_mutant_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins.node_ports:nothing:not:0"]) == 2
    assert "there is no wrong scheduler" in capsys.readouterr().err
    assert mutant_named("no_module:nothing:not:0") is None


# --- Killing --------------------------------------------------------------------------------------

DOOMED = (
    "plugins.taint_toleration:TaintToleration.filter:",
    "plugins.node_ports:NodePorts.filter:",
    "queue.requeueing:heads_of_both_queues:part:0",
)


def nearby(mutant: Mutant, limit: float = 60.0) -> TrialSummary:
    """Tries the histories of the nearest area."""
    near = areas_near(mutant.module)
    tests = [test for test in suite_tests() if test.area in near[:2] and not test.recorded]
    with connect_mutant(mutant) as adapter:
        return attack(adapter, one_by_one(nearest_first(tests, near)), limit)


@pytest.mark.no_cover
@pytest.mark.parametrize("beginning", DOOMED)
def test_the_first_mutant_of_a_function_that_every_history_runs_is_killed(beginning: str) -> None:
    mutant = next(one for one in all_mutants() if one.name.startswith(beginning))
    assert nearby(mutant).end is End.KILLED


def test_a_mutant_is_served_over_the_wire() -> None:
    name = next(one.name for one in all_mutants() if one.name.startswith(DOOMED[0]))
    request = json.dumps({"hello": {"protocol": 1}}) + "\n"
    command = [sys.executable, "-m", "conformance.wrong", name]
    done = subprocess.run(command, input=request, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["name"] == "refsched"


def test_the_specification_is_not_changed_where_a_mutant_was_tried() -> None:
    def specified() -> object:
        """Whether a listener has been put around it meanwhile or not
        (refsched/suite/catalogue/applied_rules.py)."""
        return inspect.unwrap(
            importlib.import_module("refsched.plugins.node_ports").NodePorts.filter
        ).__code__

    before = specified()
    mutant = next(one for one in all_mutants() if one.name.startswith(DOOMED[1]))
    nearby(mutant, limit=0.0)
    assert specified() is before
