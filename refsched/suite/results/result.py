# SPDX-License-Identifier: Apache-2.0
"""Result: what a run came to, and what is said of it in a sentence."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from attrs import frozen

from refsched.errors import counted
from refsched.suite.adapters.connecting import is_kube_scheduler
from refsched.suite.adapters.faults import FINAL, cause_of
from refsched.suite.results.invocation import Invocation
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.outcome import Fault, Outcome
from refsched.suite.results.rule import Rule
from refsched.suite.results.statistics import Power, Statistics
from refsched.suite.results.verdicts import FAIL, PASS, RuleVerdict

PASSED, FAILED, NOT_JUDGED = 0, 1, 2
"""These are the exit codes."""


@frozen
class FaultSeen:
    """A FaultSeen is one fault, with all tests that it kept from judging."""

    fault: Fault
    tests: tuple[str, ...]


@frozen(order=True)
class Untried:
    """An Untried says that it is not known whether these rules were kept, though they were applied: breaking them
    was not tried, or the result was not reported. ``why`` is a clause."""

    why: str
    rules: tuple[str, ...] = ()


@frozen
class NotJudged:
    """The NotJudged are rules of which the run says nothing: ``untested`` is of how many rules of its level no
    test was about; ``untried`` are those that nobody tried to see broken; ``untestable`` those of claimed plugins
    that no history can show."""

    untested: int = 0
    untried: tuple[Untried, ...] = ()
    untestable: tuple[Rule, ...] = ()


@frozen
class Result:
    """A Result is what a run came to: a verdict on each of its ``rules``, in the order in which they depend on
    each other, and the ``faults`` that kept tests from judging.

    ``power`` is how many planted wrong schedulers the histories of the tests kill; ``stale`` are the rules that
    the baseline lists though they are kept; ``unfinished`` is how many tests did not come to their end, and
    ``interrupted`` that a user ended the run; ``of_plugins`` are the rules of each plugin that is claimed by its
    name."""

    about: JudgedImplementation
    invocation: Invocation
    rules: tuple[RuleVerdict, ...]
    faults: tuple[FaultSeen, ...]
    statistics: Statistics
    not_judged: NotJudged = NotJudged()
    power: Power | None = None
    stale: tuple[str, ...] = ()
    unfinished: int = 0
    interrupted: bool = False
    of_plugins: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def unshown(self) -> tuple[str, ...]:
        """Returns the plugins that are claimed by name of which this run has shown no rule, neither kept nor
        broken."""
        shown = {each.rule.id for each in (*self.having(PASS), *self.having(FAIL))}
        return tuple(plugin for plugin, rules in self.of_plugins if rules and shown.isdisjoint(rules))

    @property
    def shows_nothing(self) -> bool:
        """Returns whether plugins are claimed by name, and nothing of any of them was shown."""
        known = [plugin for plugin, rules in self.of_plugins if rules]
        return bool(known) and not self.invocation.replayed and list(self.unshown) == known

    def having(self, verdict: str) -> tuple[RuleVerdict, ...]:
        return tuple(each for each in self.rules if each.verdict == verdict)

    @property
    def failures(self) -> tuple[RuleVerdict, ...]:
        """Returns the broken rules that the baseline does not list."""
        return tuple(each for each in self.rules if each.is_new_failure)

    @property
    def roots(self) -> tuple[RuleVerdict, ...]:
        """Returns the failures that are not filed under another one; if a test was shrunk for some of them, only
        those."""
        broken = {each.rule.id for each in self.failures}
        roots = [each for each in self.failures if each.under not in broken]
        shrunk = [each for each in roots if each.failure is not None and each.failure.shrunk]
        return tuple(shrunk or roots)

    def filed_under(self, root: RuleVerdict) -> tuple[RuleVerdict, ...]:
        """Returns the failures that were seen nowhere but behind this one, in the same record."""
        return tuple(each for each in self.failures if each.under == root.rule.id)

    @property
    def exit_code(self) -> int:
        """Returns PASSED, FAILED or NOT_JUDGED. A failure counts though other tests could not be judged."""
        if self.interrupted:
            return NOT_JUDGED
        if self.failures or self.stale:
            return FAILED
        if self.faults or self.unfinished or self.shows_nothing:
            return NOT_JUDGED
        if not (self.invocation.replayed or self.having(PASS) or self.having(FAIL)):
            return NOT_JUDGED
        return PASSED

    @property
    def word(self) -> str:
        return ("passed", "failed", "not judged")[self.exit_code]

    @property
    def is_for_refsched(self) -> bool:
        """Returns whether the real kube-scheduler failed or could not be judged. It is right about what it does:
        most likely the mistake is one of refsched."""
        return is_kube_scheduler(self.invocation.implementation) and bool(self.failures or self.faults)

    @property
    def to_report(self) -> str:
        """Returns the command that shows to somebody else what this run has found."""
        seen = [each.failure.test for each in self.failures if each.failure is not None]
        seen += [test for fault in self.faults for test in fault.tests]
        names = sorted({test.rpartition("::")[2].partition("[")[0] for test in seen})
        if self.invocation.replayed or "-k" in shlex.split(self.invocation.selected) or not names:
            return self.invocation.again("") if self.invocation.replayed else self.invocation.once_more
        return f"{self.invocation.once_more} -k {shlex.quote(' or '.join(names))}"

    @property
    def headline(self) -> str:
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Returns the headline, and what else a reader must know."""
        return tuple(_sentences(self))


def _sentences(result: Result) -> Iterable[str]:
    if result.invocation.replayed and not (result.failures or result.unfinished or result.interrupted):
        yield "the failure did not show again."
        return
    level = result.invocation.level.of_headline
    passed = sum(each.verdict == PASS for each in result.rules if each.rule.level == level)
    of_level = {each.rule.id: each for each in result.failures if each.rule.level == level}
    observed = len(result.failures) - len(of_level)
    behind = sum(each.under in of_level and each.under != each.rule.id for each in of_level.values())
    broken = len(of_level) - behind
    known = sum(each.known and each.verdict == FAIL for each in result.rules)
    kept = counted(passed, f"{level} rule")
    if broken:
        yield f"does not conform: {counted(broken, f'{level} rule')} broken, {passed} kept."
        if behind:
            yield f"{behind} more {'is' if behind == 1 else 'are'} broken, only behind another one."
    elif not (passed or known):
        yield f"could not be judged: no {level} rule was kept or broken."
    elif result.shows_nothing:
        yield f"could not be judged: this run has shown nothing of {' or '.join(result.unshown)}."
        yield f"Beside it, {kept} kept."
    elif result.faults or result.unfinished or result.interrupted:
        yield f"not judged in full: {kept} kept, none broken."
    elif observed or result.stale:
        yield f"keeps what Kubernetes promises, as far as was checked: {kept} kept, none broken."
    elif known:
        yield f"conforms but for its baseline, as far as was checked: {kept} kept."
    else:
        yield f"conforms, as far as was checked: {kept} kept, none broken."
    if observed:
        broken_ones = counted(observed, "observed rule")
        yield f"{broken_ones} broken: Kubernetes does not promise that (--level promised leaves such rules out)."
    if known:
        yield f"{counted(known, 'rule')} broken as the baseline says."
    if result.stale:
        yield f"{counted(len(result.stale), 'rule')} of the baseline no longer broken."
    if result.is_for_refsched:
        about = result.about
        yield f"This is {about.name} {about.version} itself: most likely the mistake is one of refsched."
    if result.faults:
        lost = sum(len(seen.tests) for seen in result.faults)
        yield f"{counted(lost, 'test')} could not be judged."
    if result.interrupted:
        yield f"the run was interrupted: {counted(result.unfinished, 'test')} did not come to an end."
    elif result.unfinished:
        yield f"{counted(result.unfinished, 'test')} did not come to an end."


def faults_seen(outcomes: Sequence[Outcome]) -> tuple[FaultSeen, ...]:
    """Returns each fault once, with the shortest request that showed it, or the last one if the implementation is
    not restarted: what keeps one test from judging mostly does the same to others."""
    tests: dict[tuple[str, str], list[str]] = {}
    shown: dict[tuple[str, str], Fault] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.test):
        if outcome.fault is not None:
            key = outcome.fault.whose, cause_of(outcome.fault.problem)
            both = shown.get(key, outcome.fault), outcome.fault
            shown[key] = min(both, key=lambda fault: (FINAL not in fault.problem, len(fault.problem)))
            tests.setdefault(key, []).append(outcome.test)
    return tuple(FaultSeen(shown[key], tuple(sorted(names))) for key, names in sorted(tests.items()))
