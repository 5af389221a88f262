# SPDX-License-Identifier: Apache-2.0
"""Verdicts: from the outcomes of tests to a verdict on each rule, and on the implementation.

The order in which tests ended, and in which process, makes no difference.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import evolve, frozen

from refsched.errors import counted
from refsched.suite.adapters.connecting import is_kube_scheduler
from refsched.suite.adapters.faults import FINAL, cause_of
from refsched.suite.level import Level
from refsched.suite.session.bench import Rule
from refsched.suite.session.budget import Power
from refsched.suite.session.kept_rules import Untried
from refsched.suite.session.outcome import Failure, Fault, Outcome
from refsched.suite.session.runner import About

PASS = "pass"
FAIL = "fail"
NOT_EXERCISED = "not exercised"
NOT_CLAIMED = "not claimed"
VERDICTS = (PASS, FAIL, NOT_EXERCISED, NOT_CLAIMED)

PASSED, FAILED, NOT_JUDGED = 0, 1, 2
"""These are the exit codes."""


@frozen
class RuleVerdict:
    """A RuleVerdict is the verdict on one rule. ``decisive`` is how often the rule decided a value that was
    checked; ``needs`` what would have to be claimed; ``known`` that the baseline lists it, ``later`` that the
    release asked for does not have it yet."""

    rule: Rule
    verdict: str
    decisive: int
    tests: tuple[str, ...]
    needs: tuple[str, ...] = ()
    known: bool = False
    failure: Failure | None = None
    later: bool = False

    @property
    def is_new_failure(self) -> bool:
        return self.verdict == FAIL and not (self.known or self.later)

    @property
    def under(self) -> str:
        return self.failure.under if self.failure is not None else ""


@frozen
class FaultSeen:
    """A FaultSeen is one fault, with all tests that it kept from judging."""

    fault: Fault
    tests: tuple[str, ...]


@frozen
class Result:
    """A Result is what a run came to.

    ``rules`` stand in the order in which they depend on each other; ``untested`` is how many rules of this level
    no test of the run was about; ``ended`` why histories were not done to their end, and how many; ``late`` the
    tests that the time of the budget did not suffice for, with how many histories were tried; ``without`` are
    fields that were left out, and of how many histories; ``power`` is how many planted wrong schedulers the
    histories of the tests kill; ``command`` the start of one that repeats a failure, from ``folder`` or from the
    file that this run ``replayed`` itself; ``selected`` the options that chose the tests and their examples;
    ``arguments`` are those of ``refsched conformance`` with which the whole runs again; ``unfinished`` how many
    tests did not come to their end; ``interrupted`` that a user ended the run; ``ending`` how many tests each
    broken rule ended; ``untried`` are rules that nobody tried to see broken; ``untestable`` those of claimed
    plugins that no history can show; ``of_plugins`` are the rules of each plugin that is claimed by its name.
    """

    about: About
    implementation: str
    level: Level
    seed: str
    rules: tuple[RuleVerdict, ...]
    faults: tuple[FaultSeen, ...]
    tests: int
    examples: int
    choices: int
    single: int
    untested: int = 0
    ended: tuple[tuple[str, int], ...] = ()
    late: tuple[tuple[str, int], ...] = ()
    without: tuple[tuple[str, int], ...] = ()
    power: Power | None = None
    stale: tuple[str, ...] = ()
    command: str = "pytest conformance/"
    selected: str = ""
    arguments: tuple[str, ...] = ()
    folder: str = ".refsched"
    replayed: str = ""
    unfinished: int = 0
    interrupted: bool = False
    ending: tuple[tuple[str, int], ...] = ()
    untried: tuple[Untried, ...] = ()
    untestable: tuple[Rule, ...] = ()
    of_plugins: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def everywhere(self) -> tuple[tuple[str, int], ...]:
        """Returns the broken rules that ended more than a third of the tests, each with how many: what is behind
        them was not looked at."""
        return tuple((rule, tests) for rule, tests in self.ending if tests > max(1, self.tests / 3))

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
        return bool(known) and not self.replayed and list(self.unshown) == known

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
        if self.interrupted:
            return NOT_JUDGED
        if self.failures or self.stale:
            return FAILED
        if self.faults or self.unfinished or self.shows_nothing:
            return NOT_JUDGED
        if not (self.replayed or self.having(PASS) or self.having(FAIL)):
            return NOT_JUDGED
        return PASSED

    @property
    def word(self) -> str:
        return ("passed", "failed", "not judged")[self.exit_code]

    def path_of(self, rule: str, suffix: str) -> str:
        """Returns the path of the file that repeats a failure, below where pytest was called."""
        return f"{self.folder}/{rule}.{suffix}"

    @property
    def once_more(self) -> str:
        """Returns the command that runs the same tests with the same histories."""
        return " ".join(filter(None, (self.command, self.selected, f"--hypothesis-seed={self.seed}")))

    def again(self, rule: str) -> str:
        return f"{self.command} --replay={shlex.quote(self.replayed or self.path_of(rule, 'jsonl'))}"

    def explain(self, failure: Failure) -> str:
        """Returns the command that shows how the specification decides there; empty if there is none."""
        if not failure.explained or self.replayed:
            return ""
        trace = shlex.quote(self.path_of(failure.rule, "jsonl"))
        return f"refsched explain -f {trace} {shlex.quote(failure.explained)}"

    @property
    def is_for_refsched(self) -> bool:
        """Returns whether the real kube-scheduler failed or could not be judged. It is right about what it does:
        most likely the mistake is one of refsched."""
        return is_kube_scheduler(self.implementation) and bool(self.failures or self.faults)

    @property
    def to_report(self) -> str:
        """Returns the command that shows to somebody else what this run has found."""
        seen = [each.failure.test for each in self.failures if each.failure is not None]
        seen += [test for fault in self.faults for test in fault.tests]
        names = sorted({test.rpartition("::")[2].partition("[")[0] for test in seen})
        if self.replayed or "-k" in shlex.split(self.selected) or not names:
            return self.again("") if self.replayed else self.once_more
        return f"{self.once_more} -k {shlex.quote(' or '.join(names))}"

    @property
    def headline(self) -> str:
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Returns the headline, and what else a reader must know."""
        return tuple(_sentences(self))


def _sentences(result: Result) -> Iterable[str]:
    if result.replayed and not (result.failures or result.unfinished or result.interrupted):
        yield "the failure did not show again."
        return
    level = result.level.of_headline
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


# --- Gathering ------------------------------------------------------------------------------------


def rule_verdicts(
    rules: Mapping[str, Rule],
    outcomes: Sequence[Outcome],
    level: Level,
    known: Collection[str],
    later: Collection[str] = (),
    lacks: Mapping[str, str] | None = None,
    kept: Collection[str] | None = None,
) -> tuple[RuleVerdict, ...]:
    """Returns the verdict on every rule of this level that a test was about, that decided anything, or that was
    broken. ``rules`` are those of the release by which the implementation decides, and ``lacks`` those of them
    that it cannot show, with what it would need; ``kept`` are those whose breaking would have shown (None: all
    that decided anything)."""
    decisive: Counter[str] = Counter()
    for outcome in outcomes:
        decisive.update(outcome.decisive)
    failures = _smallest(outcomes)
    asked = {rule for outcome in outcomes for rule in outcome.rules if rule in rules}
    ids = in_order(rules, asked | decisive.keys() | failures.keys())
    every = (_as_broken(rules.get(id, Rule(id)), failures.get(id)) for id in ids)
    return tuple(
        evolve(
            _not_shown(rule, outcomes, (lacks or {})[rule.id])
            if rule.id in (lacks or {}) and rule.id not in failures
            else _verdict(
                rule,
                outcomes,
                decisive[rule.id],
                failures.get(rule.id),
                known=rule.id in known,
                kept=kept is None or rule.id in kept,
            ),
            later=rule.id in later,
        )
        for rule in every
        if level.counts(rule.level)
    )


def _as_broken(rule: Rule, failure: Failure | None) -> Rule:
    """Returns the rule at the level at which its failure shows, which may be another one than its own."""
    return evolve(rule, level=failure.level) if failure is not None and failure.level else rule


def in_order(rules: Mapping[str, Rule], ids: Iterable[str]) -> list[str]:
    """Returns the rules in the order in which they depend on each other; those that no catalogue has come last, by
    name."""
    place = {id: number for number, id in enumerate(rules)}
    return sorted(ids, key=lambda id: (place.get(id, len(place)), id))


def _smallest(outcomes: Sequence[Outcome]) -> dict[str, Failure]:
    """Returns of each broken rule the evidence that is easiest to read. It is filed under another rule only if
    that was so in every test, and shows at a promised rule if it did so in any."""
    every = [failure for outcome in outcomes for failure in outcome.failures]
    every.sort(
        key=lambda failure: (not failure.shrunk, failure.steps, failure.size, failure.test), reverse=True
    )
    by_itself = {failure.rule for failure in every if failure.under in ("", failure.rule)}
    promised = {failure.rule for failure in every if failure.level == Level.PROMISED}
    return {
        failure.rule: evolve(
            failure,
            under="" if failure.rule in by_itself else failure.under,
            level=Level.PROMISED if failure.rule in promised else failure.level,
        )
        for failure in every
    }


def _verdict(
    rule: Rule,
    outcomes: Sequence[Outcome],
    decisive: int,
    failure: Failure | None,
    *,
    known: bool,
    kept: bool,
) -> RuleVerdict:
    about = [outcome for outcome in outcomes if rule.id in outcome.rules]
    tests = tuple(sorted(outcome.test for outcome in about))
    if failure is not None:
        return RuleVerdict(rule, FAIL, decisive, tests, (), known, failure)
    if decisive and kept:
        return RuleVerdict(rule, PASS, decisive, tests, (), known)
    if about and not any(outcome.is_claimed for outcome in about):
        needs = tuple(sorted({capability for outcome in about for capability in outcome.missing}))
        return RuleVerdict(rule, NOT_CLAIMED, 0, tests, needs, known)
    return RuleVerdict(rule, NOT_EXERCISED, decisive, tests, (), known)


def _not_shown(rule: Rule, outcomes: Sequence[Outcome], lacking: str) -> RuleVerdict:
    tests = tuple(sorted(outcome.test for outcome in outcomes if rule.id in outcome.rules))
    return RuleVerdict(rule, NOT_CLAIMED, 0, tests, (lacking,))


def ended_early(outcomes: Sequence[Outcome]) -> tuple[tuple[str, int], ...]:
    """Returns why histories were not run to their end, and how many, the most frequent reason first."""
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts.update(outcome.ended)
    return tuple(sorted(counts.items(), key=lambda counted: (-counted[1], counted[0])))


def late(outcomes: Sequence[Outcome]) -> tuple[tuple[str, int], ...]:
    """Returns the tests for which the time did not suffice, with how many histories were tried."""
    return tuple((outcome.test, outcome.examples) for outcome in outcomes if outcome.is_late)


def left_out(outcomes: Sequence[Outcome]) -> tuple[tuple[str, int], ...]:
    """Returns the fields that the implementation does not take, and of how many histories each was left out."""
    counts = sum((Counter(outcome.without) for outcome in outcomes), Counter[str]())
    return tuple(sorted(counts.items()))


def ended_by_rules(outcomes: Sequence[Outcome]) -> tuple[tuple[str, int], ...]:
    """Returns the broken rules that ended tests, and how many, the most frequent first."""
    counts = Counter(outcome.target for outcome in outcomes if outcome.target)
    return tuple(sorted(counts.items(), key=lambda counted: (-counted[1], counted[0])))


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
