# SPDX-License-Identifier: Apache-2.0
"""Testing: the part of the pytest plugin that runs where the tests run, including the workers of pytest-xdist."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from _pytest.outcomes import OutcomeException

from refsched.errors import printable
from refsched.processes.garbage_collection import keep_what_there_is
from refsched.processes.serving import described
from refsched.suite.adapters.connecting import is_over_the_api
from refsched.suite.adapters.faults import MOST_FAULTS, AdapterFault, AdapterUnavailable
from refsched.suite.breaking.explaining import FailureExplanation, Histories, explained_in_child
from refsched.suite.findings import Comparison
from refsched.suite.histories.history import History
from refsched.suite.level import Level
from refsched.suite.reports.report_terminal import failure_lines
from refsched.suite.results.outcome import ADAPTER, SUITE, Fault, Outcome, with_property
from refsched.suite.results.rule import Rule
from refsched.suite.session.allowance import Allowance
from refsched.suite.session.bench import Bench
from refsched.suite.session.check import Checking, HaltedError, LateError, RuleBrokenError
from refsched.suite.session.conforming import REPLAY, Declaration, case_of, declared_by
from refsched.suite.session.drawing import allow_shrinking, drawn, drawn_by
from refsched.suite.session.few_of_many import OF, FewOfMany
from refsched.suite.session.further_histories import by_turns, came_in, further
from refsched.suite.session.kept_rules import KeptRules
from refsched.suite.session.options import Options
from refsched.suite.session.reported_failure import failure_of
from refsched.suite.session.runner import Runner
from refsched.suite.session.selecting import Selecting, name_of
from refsched.suite.session.variations import variations

CHECKING = pytest.StashKey[Checking]()
BEHIND = pytest.StashKey[Checking]()
"""This check is for what is promised, behind a rule that is only observed."""

MISSING = pytest.StashKey[tuple[str, ...]]()


class Testing:
    """A Testing runs the tests that were ``selected``. ``known`` are the rules that the baseline lists;
    ``replayed`` is the one history of ``--replay``. ``cut_short`` is the outcome of the test that a user has
    interrupted, as far as it had come."""

    def __init__(
        self,
        options: Options,
        bench: Bench,
        runner: Runner,
        selected: Selecting,
        known: Collection[str],
        replayed: History | None,
        kept_rules: KeptRules,
    ) -> None:
        self._options = options
        self._bench = bench
        self._runner = runner
        self._selected = selected
        self._known = known
        self._replayed = replayed
        self._kept = kept_rules
        self._place = {rule: number for number, rule in enumerate(bench.rules)}
        self._allowance = Allowance.of(options.budget, by_clock=is_over_the_api(options.implementation))
        self._more_of: dict[tuple[str, Level | None], tuple[Comparison, ...]] = {}
        self._faults: list[Fault] = []
        self.cut_short: Outcome | None = None

    # --- Running ----------------------------------------------------------------------------------

    def pytest_collection_finish(self) -> None:
        """Keeps what the tests are made of until they are over."""
        keep_what_there_is()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        declared = declared_by(item)
        if declared is None:
            return
        item.user_properties.append(("rules", " ".join(declared.rules)))
        area = declared.area or ""
        item.stash[CHECKING] = checking = self._checking(area)
        item.stash[BEHIND] = behind = self._checking(area, Level.PROMISED)
        if self._selected.clock is not None:
            checking.until = behind.until = self._selected.clock.end_of(name_of(item))
            if declared.draws:
                checking.takes, behind.takes = (FewOfMany(self._runner.applied).takes for _ in range(2))
        if len(self._faults) >= MOST_FAULTS:
            checking.fault = self._faults[-1]
            raise HaltedError(checking.fault.problem)
        item.stash[MISSING] = missing = self._missing(declared, checking)
        if missing:
            pytest.skip(f"not claimed: {', '.join(missing)}")
        if not isinstance(item, pytest.Function):
            return
        run = self._bound(item, declared) if declared.draws or declared.area == REPLAY else item.obj
        item.obj = run
        if self._options.level is Level.ALL and declared.area != REPLAY:
            item.obj = self._looking_behind(run, item)

    def _checking(self, area: str = "", level: Level | None = None) -> Checking:
        """Returns the check of a test. ``area`` is what the test draws from, or its cases are about; ``level`` is
        that of the rules that count, if it is not the level of the run."""
        return Checking(
            lambda history: self._runner.judge(history, level),
            lambda beginning: self._runner.begin(beginning, level),
            lambda rule: self._place.get(rule, len(self._place)),
            lambda rule: self._counts(rule) and (level or Level.ALL).counts(self._rule(rule).level),
            explain=self._explain,
            more=lambda smallest: self._more(smallest, area, level),
            allowance=self._allowance,
        )

    def _looking_behind(self, run: Callable[..., None], item: pytest.Item) -> Callable[..., None]:
        """Returns the test. If a rule has ended it that is only observed, the test is run again for what is
        promised, so that one failure does not hide another."""

        def both(**fixtures: Any) -> None:
            checking = item.stash[CHECKING]
            try:
                run(**fixtures)
            except Exception:
                if checking.target is not None and not self._has_broken_a_promise(checking):
                    self._look_behind(run, item, fixtures)
                raise

        return both

    def _look_behind(self, run: Callable[..., None], item: pytest.Item, fixtures: Mapping[str, Any]) -> None:
        first, behind = item.stash[CHECKING], item.stash[BEHIND]
        behind.kubernetes = first.kubernetes
        item.stash[CHECKING] = behind
        problem: BaseException | None = None
        try:
            run(**{name: behind if value is first else value for name, value in fixtures.items()})
        except (Exception, OutcomeException) as raised:
            problem = raised
        finally:
            item.stash[CHECKING] = first
        with suppress(RuleBrokenError, HaltedError):
            behind.settle(problem)

    def _has_broken_a_promise(self, checking: Checking) -> bool:
        return any(
            self._counts(shown.rule) and self._rule(shown.finding.kind).level == Level.PROMISED
            for shown in checking.counterexamples.values()
        )

    def _explain(
        self, histories: Histories, suspected: Sequence[str], may_be: Callable[[str], bool]
    ) -> FailureExplanation:
        """Explains a failure by rules that hold for the implementation and can show in what it reports."""
        about = self._runner.about()
        can_show = about.holding - about.lacks.keys()
        return self._allowance.explaining(
            lambda: explained_in_child(histories, suspected, lambda rule: rule in can_show and may_be(rule))
        )

    def _more(self, smallest: History, area: str, level: Level | None) -> Sequence[Comparison]:
        """Returns the comparisons of variations of the smallest history that fails, and of further histories of
        the area, by turns. The latter are run once for all tests about the area that fail. Neither is run for
        longer than the allowance allows."""
        judge = partial(self._runner.judge, level=level)
        with self._allowance.spending():
            near = tuple(came_in(judge, variations(smallest), self._allowance.share))
        if area in self._bench.areas and (area, level) not in self._more_of:
            histories = further(self._bench.areas[area](), self._options.seed, area)
            with self._allowance.spending():
                self._more_of[area, level] = tuple(came_in(judge, histories, self._allowance.share))
        return by_turns(near, self._more_of.get((area, level), ()))

    def _missing(self, declared: Declaration, checking: Checking) -> tuple[str, ...]:
        try:
            about = self._runner.about()
        except (AdapterFault, AdapterUnavailable) as problem:
            checking.fault = Fault(ADAPTER, str(problem))
            raise HaltedError(str(problem)) from None
        checking.kubernetes = about.kubernetes
        return declared.missing(about)

    def _bound(self, item: pytest.Item, declared: Declaration) -> Callable[..., None]:
        """Returns the test with its histories."""
        if declared.area == REPLAY:
            return self._repeated(declared.function)
        name = name_of(item)
        examples = self._selected.examples[name]
        if declared.machine is not None:
            drawing = drawn_by(
                declared.machine,
                lambda beginning: item.stash[CHECKING].begin(beginning),  # noqa: PLW0108  # another one looks behind
                examples=examples,
                seed=self._options.seed,
                name=name,
            )
        else:
            strategy = self._bench.areas[declared.area or ""]()
            drawn_many = examples * (1 if self._selected.clock is None else OF)
            drawing = drawn(
                declared.function, strategy, examples=drawn_many, seed=self._options.seed, name=name
            )
        if self._options.budget is not None or examples < declared.examples:
            return drawing
        return _followed_by(drawing, declared.function, self._bench.chosen(name))

    def _repeated(self, function: Callable[..., None]) -> Callable[..., None]:
        """Returns the test, run repeatedly: an implementation that chooses at random may need more than one run to
        break the rule again."""

        def replay(**fixtures: object) -> None:
            for _ in range(self._options.examples or 1):
                function(history=self._replayed, **fixtures)

        return replay

    def _counts(self, rule: str) -> bool:
        return rule not in self._known and self._options.level.counts(self._rule(rule).level)

    def _rule(self, rule: str) -> Rule:
        return self._bench.rules.get(rule, Rule(rule))

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        checking = pyfuncitem.stash.get(CHECKING, None)
        if checking is None:
            return (yield)
        allow_shrinking(self._allowance.share)
        allowed = self._allowance.left
        problem: BaseException | None = None
        result: object = True
        try:
            result = yield
        except (Exception, OutcomeException) as raised:
            problem = raised
        except KeyboardInterrupt:
            declared = declared_by(pyfuncitem)
            assert declared is not None
            self.cut_short = self._outcome(pyfuncitem, declared, None)
            raise
        try:
            checking.settle(None if isinstance(problem, LateError) and checking.counted.examples else problem)
        finally:
            if self._selected.clock is not None and checking.target is not None:
                self._selected.clock.pause(min(time.monotonic() - checking.failed_at, allowed))
        return result

    # --- Reporting --------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        declared = declared_by(item)
        is_last_word = report.when == "call" or (report.when == "setup" and not report.passed)
        if declared is not None and is_last_word:
            outcome = self._outcome(item, declared, call.excinfo.value if call.excinfo else None)
            if outcome.adapter_fault is not None:
                self._faults.append(outcome.adapter_fault)
            with_property(report.user_properties, outcome)
            if outcome.has_failed:
                self._add_report(report, outcome)
        return report

    def _outcome(self, item: pytest.Item, declared: Declaration, raised: BaseException | None) -> Outcome:
        checking = item.stash.setdefault(CHECKING, self._checking())
        behind = item.stash.setdefault(BEHIND, self._checking(level=Level.PROMISED))
        done = (
            behind if behind.counted.examples else checking
        ).counted  # it went on where the other one ended
        for each in (checking, behind):
            self._kept.note(name_of(item), declared.rules, each.counted.decided, each.counted.decisive)
        missing = item.stash.get(MISSING, ())
        if isinstance(raised, pytest.skip.Exception):
            if not (missing or isinstance(raised, HaltedError)):
                checking.fault = Fault(SUITE, f"{name_of(item)} was skipped, and not by the suite: {raised}")
        elif raised is not None and not isinstance(raised, RuleBrokenError):
            checking.fault = Fault(SUITE, f"{name_of(item)}: {described(raised)}")
        case = case_of(item, declared)
        decides = case.decides if case is not None else ""
        return Outcome(
            test=name_of(item),
            rules=declared.rules,
            missing=missing or _all_needed_more(checking),
            examples=done.examples,
            decisive=dict(checking.counted.decisive | behind.counted.decisive),
            choices=done.choices,
            single=done.single,
            ended=dict(done.ended),
            without=dict(done.without),
            failures=tuple(
                failure_of(
                    found,
                    shown_by,
                    self._rule(found.rule),
                    self._rule(found.finding.kind).level,
                    name_of(item),
                    self._runner.about(),
                    decides,
                )
                for shown_by in (behind, checking)
                for _, found in sorted(shown_by.counterexamples.items())
            ),
            fault=checking.fault or behind.fault,
            is_late=checking.is_late or behind.is_late,
            target=next((by.counterexamples[by.target].rule for by in (behind, checking) if by.target), ""),
            place=self._selected.places[name_of(item)],
        )

    def _add_report(self, report: pytest.TestReport, outcome: Outcome) -> None:
        """Writes the outcome into the report as JUnit shows it, in place of Hypothesis' own message."""
        failure = next(failure for failure in outcome.failures if failure.rule == outcome.target)
        report.longrepr = "\n".join(map(printable, failure_lines(self._rule(failure.rule), failure)))
        report.sections = [section for section in report.sections if section[0] != "Hypothesis"]

    def pytest_sessionfinish(self) -> None:
        """Closes the connection. At its end pytest runs the garbage collector once more, which would take seconds
        among all that was imported and made."""
        self._runner.close()
        keep_what_there_is()


def _all_needed_more(checking: Checking) -> tuple[str, ...]:
    counted = checking.counted
    return ("a whole scheduler",) if counted.not_for_it and not counted.examples else ()


def _followed_by(
    drawing: Callable[..., None], function: Callable[..., None], histories: Sequence[History]
) -> Callable[..., None]:
    """Returns the property that draws histories, and then tries these."""

    def test(**fixtures: object) -> None:
        drawing(**fixtures)
        for history in histories:
            function(history=history, **fixtures)

    return test
