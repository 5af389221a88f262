# SPDX-License-Identifier: Apache-2.0
"""Check: what a test asks with; it keeps what was shown, and the smallest counterexample to each rule."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from typing import Protocol, TypeVar

from _pytest.outcomes import Skipped
from attrs import Factory, define, evolve, frozen

from refsched.releases import DEFAULT
from refsched.suite.adapters.faults import AdapterFault
from refsched.suite.breaking.explaining import FailureExplanation, Histories
from refsched.suite.catalogue.attribution import MOST
from refsched.suite.findings import Comparison, Finding
from refsched.suite.histories.history import History, Step
from refsched.suite.histories.judge import ANSWERS, COMPLETE
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.refusal import RESET
from refsched.suite.histories.scenario import steps_as_json
from refsched.suite.results.outcome import ADAPTER, SUITE, Fault
from refsched.suite.session.allowance import Allowance
from refsched.suite.session.bench import SteppedRun
from refsched.suite.session.compared_again import ComparedAgain
from refsched.suite.session.counted import Counted
from refsched.suite.session.further_histories import by_turns
from refsched.suite.session.order_of_rules import by_cause, may_follow

T = TypeVar("T")

Explain = Callable[[Histories, Sequence[str], Callable[[str], bool]], FailureExplanation]

OF_ALL_PLUGINS = ("R-FRAMEWORK-13", "R-FRAMEWORK-14")
"""The statuses and scores of all plugins pass through the code of these rules: breaking them looks like a mistake
of any plugin."""

FEWEST_OTHERS = 6
"""With fewer other histories a breaking of almost any rule agrees with what was seen, and nothing is explained."""


class RuleBrokenError(AssertionError):
    """A RuleBrokenError says that an implementation did what a rule does not allow."""


@cache
def broken(rule: str) -> type[RuleBrokenError]:
    """Returns a class of exceptions for each rule: Hypothesis distinguishes failures by class, and does not change
    from one to another while it shrinks an example."""
    return type("RuleBrokenError", (RuleBrokenError,), {"rule": rule, "__module__": __name__})


class HaltedError(Skipped):
    """A HaltedError says that the test cannot go on, and that the implementation is not to blame. Hypothesis
    passes on a skip at once; it would try to shrink any other exception, and ask a broken adapter again and
    again."""


class LateError(HaltedError):
    """A LateError says that the time that a test has is over."""


@frozen
class Counterexample:
    """A Counterexample is a history that shows a broken rule. ``steps_at_first`` is how many steps the history had
    in which the rule was first seen broken."""

    rule: str
    finding: Finding
    judgement: Judgement
    steps_at_first: int

    @property
    def size(self) -> tuple[int, int]:
        """Returns the number of steps, and the length of their text: of two histories the smaller one is shown."""
        steps = self.judgement.history.steps
        return len(steps), len(json.dumps(steps_as_json(self.judgement.history)))


class Check(Protocol):
    """A Check runs a history against the implementation, which decides by the release ``kubernetes``. It raises
    RuleBrokenError if a rule was broken."""

    @property
    def kubernetes(self) -> str: ...

    def __call__(self, history: History) -> Judgement: ...

    def begin(self, beginning: History) -> CheckedRun:
        """Begins the same step by step: ``beginning`` says how the scheduler is configured."""
        ...

    def has_nothing_for_it(self) -> None:
        """Notes that the test has no history that the implementation could run."""
        ...


@define(eq=False)
class CheckedRun:
    """A CheckedRun is judged as soon as a step has shown something, and otherwise at its end."""

    _checking: Checking
    _run: SteppedRun
    _is_over: bool = False

    def take(self, step: Step) -> None:
        """Runs the next step. Raises RuleBrokenError if it showed a rule to be broken."""
        if self._is_over:
            return
        try:
            has_findings = self._checking.asking(lambda: self._taken(step))
        except HaltedError:
            self._is_over = True
            raise
        if has_findings:
            self.end()

    def _taken(self, step: Step) -> bool:
        self._run.take(step)
        return self._run.has_findings

    def end(self) -> None:
        """Ends the run. A second call does nothing."""
        if not self._is_over:
            self._is_over = True
            self._checking.conclude(self._run.judgement())


@define(eq=False)
class Checking:
    """A Checking is the check of one test. ``judge`` runs a history, ``begins`` one step by step; ``order`` sorts
    rules as they depend on each other; ``counts`` says which broken rules fail the test: others are noted, and the
    search goes on behind them."""

    judge: Callable[[History], Judgement]
    begins: Callable[[History], SteppedRun]
    order: Callable[[str], int]
    counts: Callable[[str], bool]
    kubernetes: str = DEFAULT.name
    explain: Explain = lambda histories, suspected, may_be: FailureExplanation()
    """It says which rule's breaking gives what was seen."""
    more: Callable[[History], Sequence[Comparison]] = lambda smallest: ()
    """It returns the comparisons of histories that the test does not run: they are near the smallest one that
    fails, or of the same area. They are only used for the explanation."""
    target: str | None = None
    """This kind of finding failed the test, and Hypothesis shrinks its history."""
    counterexamples: dict[str, Counterexample] = Factory(dict)
    """They stand by the kind of finding."""
    independent: set[str] = Factory(set)
    """These kinds of findings were seen where nothing that came before can be their cause, or do not vanish with
    the one that failed the test."""
    fault: Fault | None = None
    repeats: bool = True
    counted: Counted = Factory(Counted)
    """It has what was compared until the test failed."""
    compared_again: ComparedAgain = Factory(ComparedAgain)
    allowance: Allowance = Factory(Allowance)
    takes: Callable[[History], bool] = lambda history: True
    """It says whether a history that was drawn is tried. One that may make a failing one smaller always is."""
    until: float = inf
    """After this time, by ``time.monotonic``, no history begins, unless a failing one is made small."""
    is_late: bool = False
    failed_at: float = 0.0
    """The test was first seen to fail at this time, by ``time.monotonic``."""

    def __call__(self, history: History) -> Judgement:
        self._look_at_the_clock()
        if self.target is None and not self.takes(history):
            return Judgement(history)
        return self.conclude(self.asking(lambda: self.judge(history)))

    def begin(self, beginning: History) -> CheckedRun:
        """Begins a history whose steps come one by one, with the configuration of this one."""
        self._look_at_the_clock()
        return CheckedRun(self, self.asking(lambda: self.begins(beginning)))

    def _look_at_the_clock(self) -> None:
        if self.target is None and time.monotonic() > self.until:
            self.is_late = True
            raise LateError("not tried: the time of the budget was over")

    def has_nothing_for_it(self) -> None:
        self.counted.not_for_it += 1

    def conclude(self, judgement: Judgement) -> Judgement:
        """Takes what a history has shown. Raises RuleBrokenError if it showed the rule to be broken that fails the
        test."""
        if self.target is None:
            self.counted.add(judgement)
        self._keep(judgement)
        findings = self._note(judgement)
        self._raise([finding.kind for finding in findings if self.counts(finding.rule)])
        return judgement

    def asking(self, ask: Callable[[], T]) -> T:
        """Returns what ``ask`` returns. Raises HaltedError if the adapter, or the suite itself, has a fault."""
        try:
            return ask()
        except AdapterFault as fault:
            self.fault = Fault(ADAPTER, str(fault))
        except Exception:
            self.fault = Fault(SUITE, traceback.format_exc().rstrip())
        raise HaltedError(self.fault.problem)

    def _keep(self, judgement: Judgement) -> None:
        self.compared_again.keep(judgement, has_failed=self.target is not None)

    def _by_cause(self, judgement: Judgement) -> list[Finding]:
        return sorted(judgement.findings, key=lambda found: by_cause(found, self.order(found.rule)))

    def _note(self, judgement: Judgement) -> list[Finding]:
        """Returns the findings by cause."""
        findings = self._by_cause(judgement)
        for finding in findings:
            if not may_follow(finding, findings[0]):
                self.independent.add(finding.kind)
            self._keep_smallest(finding, judgement)
        return findings

    def _keep_smallest(self, finding: Finding, judgement: Judgement) -> None:
        """Keeps the smallest counterexample of each kind. An answer that is not allowed is evidence, whether or
        not it comes again. Of two histories of one size the later one is simpler, since Hypothesis goes from the
        more complex to the simpler."""
        kind, known = finding.kind, self.counterexamples.get(finding.kind)
        first = known.steps_at_first if known else len(judgement.history.steps)
        found = Counterexample(finding.rule, finding, _until(finding.step, judgement), first)
        if known is None or found.size <= known.size:
            self.counterexamples[kind] = found

    def _raise(self, kinds: Sequence[str]) -> None:
        if kinds and self.target is None:
            self.target = kinds[0]
            self.failed_at = time.monotonic()
        if self.target in kinds:
            raise broken(self.target)(self.target)

    def broken_first(self, kind: str) -> str:
        """Returns the rule that was broken first in the smallest history with this kind of finding, or ``""`` if
        it was also seen independently."""
        if kind in self.independent:
            return ""
        return self.counterexamples[self._by_cause(self.counterexamples[kind].judgement)[0].kind].rule

    def settle(self, problem: BaseException | None) -> None:
        """Ends the test, which raised this exception or none. A rule that was seen broken stays broken."""
        if self.target is not None:
            self.allowance.spend(time.monotonic() - self.failed_at)
            self.repeats = isinstance(problem, RuleBrokenError | HaltedError)
            if self.repeats:
                with self.allowance.spending():
                    self._leave_out_what_can_be(self.target)
                self._explain(self.target)
            raise broken(self.target)(self.target) from None
        if problem is not None:
            raise problem

    def _leave_out_what_can_be(self, kind: str) -> None:
        """Leaves out each step without which the rule is still broken, the last one first. Hypothesis keeps what a
        strategy always draws: steps that were passed over, or that decide nothing."""
        history = self.counterexamples[kind].judgement.history
        if type(history) is not History:
            return
        deadline = time.monotonic() + self.allowance.share
        for number in reversed(range(len(history.steps))):
            if time.monotonic() > deadline:
                return
            shorter = evolve(history, steps=history.steps[:number] + history.steps[number + 1 :])
            try:
                judgement = self.judge(shorter)
            except Exception:
                return
            self._keep(judgement)
            self._note(judgement)
            if any(finding.kind == kind for finding in judgement.findings):
                history = shorter

    def _explain(self, kind: str) -> None:
        """Names the rule whose breaking gives what was seen. Whether a scheduler conforms is not decided by
        this: the level of a failure is that of the rule at which it shows. Nothing is behind an answer that is
        missing, or not whole, or behind a configuration that should have been refused."""
        known = self.counterexamples[kind]
        shown = known.judgement.comparison
        if shown is None or known.rule in (ANSWERS, COMPLETE) or known.finding.member == RESET:
            return
        others = [one for one in self._others(known.judgement.history) if one is not shown]
        if len(others) < FEWEST_OTHERS:
            return
        of_record = self._by_cause(known.judgement)
        suspected = tuple(dict.fromkeys(rule for one in of_record for rule in one.suspected or (one.rule,)))

        def may_be(rule: str) -> bool:
            return rule not in OF_ALL_PLUGINS or rule == known.rule

        besides = {
            kind: other.judgement.comparison
            for kind, other in self.counterexamples.items()
            if other is not known and other.judgement.comparison is not None
        }
        histories = Histories(shown, others, tuple(besides.values()))
        explanation = self.explain(histories, suspected, may_be)
        vanish = zip(besides, explanation.vanish, strict=False)  # of none, where nothing is explained
        self.independent |= {kind for kind, vanishes in vanish if not vanishes}
        named = dict.fromkeys((*explanation.rules[: MOST - 1], known.rule, *explanation.rules, *suspected))
        rule, *also = list(named)[:MOST]
        finding = evolve(known.finding, rule=rule, also=tuple(also), symptom=kind)
        self.counterexamples[kind] = evolve(known, rule=rule, finding=finding)

    def _others(self, smallest: History) -> Sequence[Comparison]:
        """Returns the other histories. Those that are alike, because a history was made small, alternate with
        others."""
        return by_turns(self.more(smallest), *self.compared_again.latest_first())


def _until(step: int, judgement: Judgement) -> Judgement:
    """Returns the judgement without what came after this step, which is no evidence."""
    steps = judgement.history.steps[: step + 1]
    seen = [entry for entry in judgement.seen if entry.step <= step]
    return evolve(judgement, history=evolve(judgement.history, steps=steps), seen=seen)
