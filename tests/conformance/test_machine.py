# SPDX-License-Identifier: Apache-2.0
"""The state machine: what it puts in comes from the seed alone, and what that shows is judged at once."""

from __future__ import annotations

import pytest
from attrs import define, field

from conformance.strategies.machine import Anything
from refsched.suite.findings import Finding
from refsched.suite.histories.history import DEFAULT_CONFIG, History, Schedule, Step
from refsched.suite.histories.judgement import Judgement
from refsched.suite.session.check import Checking, RuleBrokenError
from refsched.suite.session.drawing import drawn_by, load_profile

RULE = "R-INV-01"


@define
class Noted:
    """A course that is done by nobody. From the step ``broken_from`` on it has something to find."""

    beginning: History
    broken_from: int | None = None
    steps: list[Step] = field(factory=list)

    def take(self, step: Step) -> None:
        self.steps.append(step)

    def end(self) -> None:
        pass

    @property
    def has_findings(self) -> bool:
        return self.broken_from is not None and len(self.steps) > self.broken_from

    def judgement(self) -> Judgement:
        step = self.broken_from or 0
        found = (Finding(RULE, "node", "n1", "n2", step=step),) if self.has_findings else ()
        history = History(tuple(self.steps), self.beginning.config)
        return Judgement(history, findings=found, decisive={RULE: 1})


def put_in(seed: str) -> list[list[Step]]:
    with_many_changes: list[Noted] = []

    def begin(beginning: History) -> Noted:
        with_many_changes.append(Noted(beginning))
        return with_many_changes[-1]

    load_profile()
    drawn_by(Anything, begin, examples=5, seed=seed, name="test")()
    return [course.steps for course in with_many_changes]


def checking(broken_from: int | None = None) -> Checking:
    def never(history: History) -> Judgement:
        raise AssertionError("nobody asks for a whole history")

    return Checking(never, lambda beginning: Noted(beginning, broken_from), lambda rule: 0, lambda rule: True)


def test_one_seed_puts_in_the_same_and_another_one_something_else() -> None:
    assert put_in("1") == put_in("1") != put_in("2")


def test_a_pod_that_comes_again_bears_another_uid() -> None:
    created = [
        step.object["metadata"]
        for steps in put_in("3")
        for step in steps
        if step.member == "create" and step.object["kind"] == "Pod"
    ]
    assert all(metadata["uid"].startswith(f"{metadata['name']}-") for metadata in created)
    assert any(not metadata["uid"].endswith("-1") for metadata in created)


def test_a_course_is_judged_when_a_step_has_shown_something() -> None:
    check = checking(broken_from=1)
    course = check.begin(History((), DEFAULT_CONFIG))

    course.take(Schedule())
    with pytest.raises(RuleBrokenError):
        course.take(Schedule())
    course.take(Schedule())
    course.end()

    assert check.target == RULE
    assert check.counted.examples == 1
    assert len(check.counterexamples[RULE].judgement.history.steps) == 2


def test_a_course_in_which_nothing_was_wrong_counts_once() -> None:
    check = checking()
    course = check.begin(History((), DEFAULT_CONFIG))

    course.take(Schedule())
    course.end()
    course.end()

    assert (check.counted.examples, check.counted.decisive[RULE], check.target) == (1, 1, None)


def test_what_a_machine_finds_shrinks_to_as_few_steps_as_show_it() -> None:
    check = checking(broken_from=3)
    load_profile()

    with pytest.raises(RuleBrokenError):
        drawn_by(Anything, check.begin, examples=5, seed="0", name="test")()

    assert len(check.counterexamples[RULE].judgement.history.steps) == 4
