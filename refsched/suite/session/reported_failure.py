# SPDX-License-Identifier: Apache-2.0
"""What is reported about a broken rule, and the files that repeat it, as plain values."""

from __future__ import annotations

from refsched.records import Attempt
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.scenario import scenario_text, trace_lines
from refsched.suite.histories.wording import described_steps, said, what_came
from refsched.suite.results.judged_implementation import JudgedImplementation
from refsched.suite.results.outcome import Failure
from refsched.suite.results.rule import Rule
from refsched.suite.session.check import Checking, Counterexample


def failure_of(
    found: Counterexample,
    checking: Checking,
    rule: Rule,
    level: str,
    test: str,
    about: JudgedImplementation,
    case: str = "",
) -> Failure:
    """Returns what is reported about this counterexample. ``level`` is that of the rule at which it shows, and
    ``case`` the sentence of the case that the test ran, if it ran one."""
    finding, judgement = found.finding, found.judgement
    is_target = finding.kind == checking.target
    steps, size = found.size
    lines, line = described_steps(judgement.history, judgement.seen, finding.step, judgement.usual)
    scheduler = {"name": about.name, "version": about.version}
    return Failure(
        rule=found.rule,
        test=test,
        lines=tuple(lines),
        steps=steps,
        steps_at_first=found.steps_at_first,
        size=size,
        line=line,
        member=finding.member,
        pod=finding.pod,
        expected=said(finding.expected),
        got=what_came(finding, judgement.history),
        trace=trace_lines(judgement.history, judgement.seen, scheduler, about.kubernetes),
        scenario=scenario_text(judgement.history, title=f"{rule.id}: {rule.sentence}".removesuffix(": ")),
        shrunk=is_target,
        repeats=checking.repeats or not is_target,
        case=case,
        also=finding.also,
        explained=finding.pod if _can_be_explained(finding.pod, judgement) else "",
        under=checking.broken_first(finding.kind),
        level=level,
    )


def _can_be_explained(pod: str, judgement: Judgement) -> bool:
    """Returns whether ``refsched explain`` can show the decision: the pod was tried, and there are no extenders,
    which would not answer any more."""
    tried = {entry.record.pod for entry in judgement.seen if isinstance(entry.record, Attempt)}
    return pod in tried and not judgement.history.config.get("extenders")
