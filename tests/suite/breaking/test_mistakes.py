# SPDX-License-Identifier: Apache-2.0
"""The mistake of a planted scheduler is made in this process, and undone."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from refsched.framework.events import EventHint
from refsched.mistakes.wrong import all_wrong
from refsched.plugins.image_locality import MIN_THRESHOLD
from refsched.plugins.taint_toleration import TaintToleration
from refsched.releases import RELEASES
from refsched.suite.breaking.line_coverage import LineCoverage
from refsched.suite.breaking.mistakes import Mistake, mistakes, mistakes_in


def mistake(name: str) -> Mistake:
    return next(one for one in mistakes() if one.name == name)


def changed_by(made: Mistake, value: Callable[[], object]) -> tuple[object, object, object]:
    """The value before the mistake, while it is made, and after it."""
    before = value()
    undo = made()
    assert undo is not None
    during = value()
    undo()
    return before, during, value()


def test_a_function_is_changed_and_what_it_was_comes_back() -> None:
    made = mistake("tolerates-the-wrong-way-round")
    before, during, after = changed_by(made, lambda: TaintToleration.filter.__code__)
    assert made.functions == ("TaintToleration.filter",)
    assert before is after
    assert during is not before


def _constant(name: str) -> Mistake:
    """A mistake in a constant that another module has imported by its name."""
    return Mistake(
        name,
        "refsched.plugins.image_locality",
        "MIN_THRESHOLD = 23 * MIB",
        "MIN_THRESHOLD = 1",
        (),
        (),
        (name,),
        (1, 1),
    )


def test_a_constant_is_changed_wherever_it_was_imported() -> None:
    module = sys.modules["refsched.plugins.image_locality"]
    made = _constant("MIN_THRESHOLD")
    assert changed_by(made, lambda: vars(module)["MIN_THRESHOLD"]) == (MIN_THRESHOLD, 1, MIN_THRESHOLD)


def test_a_table_of_events_is_changed() -> None:
    made = next(
        one
        for one in mistakes()
        if any(name.endswith(".EVENTS") for name in one.values) and not one.functions
    )
    owner = vars(sys.modules[made.module])[made.values[0].partition(".")[0]]

    def events() -> tuple[EventHint, ...]:
        return tuple(owner.EVENTS)

    before, during, after = changed_by(made, events)
    assert before == after != during


def test_a_release_is_changed_where_others_hold_it() -> None:
    made = next(one for one in mistakes() if one.module == "refsched.releases.v1_37")
    before, during, after = changed_by(made, lambda: (RELEASES["1.37"], hash(repr(RELEASES["1.37"]))))
    assert before == after != during


@pytest.mark.parametrize("module", ["refsched.plugins.taint_toleration", "refsched.queue.scheduling_queue"])
def test_every_mistake_of_a_module_can_be_made_and_undone(module: str) -> None:
    of_module = [one for one in mistakes() if one.module == module]
    assert len(of_module) > 4
    for made in of_module:
        undo = made()
        assert undo is not None, made.name
        undo()


def test_what_a_history_did_not_run_is_no_explanation_of_it_and_neither_is_what_is_left_out() -> None:
    made = mistake("tolerates-the-wrong-way-round")
    coverage = LineCoverage(lines={made.module: {made.lines[0]}})
    names = [one.name for one in mistakes_in(coverage, ())]
    assert "tolerates-the-wrong-way-round" in names
    assert "last-in-first-out" not in names
    assert "tolerates-the-wrong-way-round" not in [one.name for one in mistakes_in(coverage, names[:])]


def test_what_replaces_an_import_cannot_be_made() -> None:
    assert "evicts-on-tainted-nodes" in all_wrong()
    assert "evicts-on-tainted-nodes" not in [one.name for one in mistakes()]


def test_a_mistake_that_cannot_be_made_whole_is_not_made_at_all() -> None:
    assert _constant("NO_SUCH_NAME")() is None
