# SPDX-License-Identifier: Apache-2.0
"""The report on the terminal: failures first to be acted on, then a table, then one sentence."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence

from attrs import frozen

from refsched.errors import counted, did_you_mean
from refsched.releases import RELEASES
from refsched.suite.adapters.connecting import is_over_the_api
from refsched.suite.histories.wording import MARGIN
from refsched.suite.results.outcome import ADAPTER, Failure
from refsched.suite.results.result import FaultSeen, Result, Untried
from refsched.suite.results.rule import Rule
from refsched.suite.results.statistics import Power
from refsched.suite.results.verdicts import (
    FAIL,
    NOT_CLAIMED,
    NOT_EXERCISED,
    VERDICTS,
    RuleVerdict,
)

IN_FULL = 8
"""This many failures are printed in full; the others stand in the report file and in ``.refsched``."""

REASONS = 3
"""How many reasons are printed why histories were not done to their end."""

MISSPELT = 0.9
"""So alike, by difflib's measure, is the name of a plugin to the one that is meant."""

WIDTH = 110
INDENT = " " * 8


@frozen
class Paragraph:
    """A Paragraph has lines, of which the first may have a ``colour``."""

    lines: tuple[str, ...]
    colour: str = ""


def paragraphs(result: Result) -> Iterator[Paragraph]:
    """Yields the report in its order; a replay has no table."""
    yield Paragraph(tuple(_about(result)))
    roots = result.roots[:IN_FULL]
    for root in roots:
        yield Paragraph(tuple(_failure(result, root)), "red")
    shown = {root.rule.id for root in roots}
    if others := [each for each in result.failures if shown.isdisjoint((each.rule.id, each.under))]:
        yield Paragraph(tuple(_others(others, result)), "red")
    if result.statistics.everywhere and not result.invocation.replayed:
        yield Paragraph(tuple(_going_on(result)), "yellow")
    for seen in result.faults:
        yield Paragraph(tuple(_fault(seen, result)), "yellow")
    if not result.invocation.replayed:
        yield from _overview(result)
    if result.is_for_refsched:
        yield Paragraph(tuple(_for_refsched(result)), "yellow")
    good = result.exit_code == 0
    yield Paragraph(result.sentences, "green" if good else "red")


def _about(result: Result) -> Iterator[str]:
    about = result.about
    yield f"{result.invocation.implementation}: {about.name} {about.version}, for Kubernetes {about.kubernetes}"
    yield from _wrapped(f"claims {', '.join(about.capabilities)}", "")
    if about.plugins:
        yield from _wrapped(f"has the plugins {', '.join(about.plugins)}", "")
        yield from _misspelt(about.plugins, RELEASES[about.kubernetes].plugins)
    if about.fields_not_taken:
        yield from _wrapped(f"does not take {', '.join(about.fields_not_taken)}", "")
    run = [
        counted(result.statistics.tests, "test"),
        counted(result.statistics.examples, "history", "histories"),
        f"seed {result.invocation.seed}",
    ]
    yield " · ".join([*run, f"rules: {result.invocation.level}"])


def _misspelt(plugins: Sequence[str], known: Collection[str]) -> Iterator[str]:
    """Yields a note on each plugin that is not kube-scheduler's and nearly has the name of one that is."""
    for name in plugins:
        if name not in known and (meant := did_you_mean(name, known, likeness=MISSPELT)):
            yield from _wrapped(
                f"note: {name} is no plugin of kube-scheduler, and counts as your own{meant}", ""
            )


# --- Failures -------------------------------------------------------------------------------------


def failure_lines(rule: Rule, failure: Failure, *, titled: bool = True) -> Iterator[str]:
    """Yields what the rule says, the smallest history that shows it broken, what was expected and what came."""
    if titled:
        yield from _title(rule, failure.level or rule.level)
        yield ""
    for number, line in enumerate(failure.lines):
        yield f"  {line}"
        if number == failure.line:
            yield from _expectation(failure)
    yield ""


def _title(rule: Rule, level: str) -> Iterator[str]:
    behind = "" if level == "promised" else f"  [{level}]"
    first, *more = _wrapped(f"{rule.sentence}{behind}".strip(), INDENT) or [""]
    yield f"FAILED  {rule.id}  {first.strip()}".rstrip()
    yield from more
    if rule.source:
        yield from _wrapped(f"({rule.source.rstrip('.')})", INDENT)


def _expectation(failure: Failure) -> Iterator[str]:
    what = failure.member + (f" of {failure.pod.removeprefix('default/')}" if failure.pod else "")
    yield f"{'':{MARGIN}}{what}"
    for name, value in (("expected:", failure.expected), ("got:", failure.got)):
        lines = textwrap.wrap(value, WIDTH - MARGIN - 10) or [""]
        yield f"{'':{MARGIN}}{name:9} {lines[0]}"
        yield from (f"{'':{MARGIN + 10}}{line}" for line in lines[1:])


def _failure(result: Result, each: RuleVerdict) -> Iterator[str]:
    failure = each.failure
    if failure is None:
        return
    yield from failure_lines(each.rule, failure)
    if circumstances := list(_circumstances(result, each, failure)):
        yield from _wrapped(" · ".join(circumstances), "  ")
    if failure.also:
        yield f"  or:      {', '.join(failure.also)} may be broken instead"
    yield f"  test:    {failure.test}"
    if failure.case:
        first, *more = _wrapped(failure.case, " " * 11)
        yield f"  case:    {first.strip()}"
        yield from more
    yield f"  again:   {result.invocation.again(failure.rule)}"
    if explain := result.invocation.explain(failure):
        yield f"  why:     {explain}"
    if not result.invocation.replayed:
        yield f"  inputs:  {result.invocation.path_of(failure.rule, 'yaml')}   (kubectl apply -f)"


def _circumstances(result: Result, each: RuleVerdict, failure: Failure) -> Iterator[str]:
    if failure.steps_at_first > failure.steps:
        yield f"shrunk from {failure.steps_at_first} steps"
    if not failure.repeats:
        yield "the same inputs did not show it every time: this transcript is the evidence"
    if filed := [other.rule.id for other in result.filed_under(each)]:
        yield f"also failing, and only behind this rule: {', '.join(filed)}"


def _others(others: Sequence[RuleVerdict], result: Result) -> Iterator[str]:
    yield "ALSO FAILED"
    width = max(len(each.rule.id) for each in others)
    for each in others:
        sentence = textwrap.shorten(each.rule.sentence, WIDTH - width - 4, placeholder=" …")
        yield f"  {each.rule.id:{width}}  {sentence}".rstrip()
    yield f"  Their traces stand beside the others, in {result.invocation.folder}/."


def _going_on(result: Result) -> Iterator[str]:
    """Yields how to see what is behind a rule that ended more than a third of the tests."""
    everywhere, all_tests = result.statistics.everywhere, counted(result.statistics.tests, "test")
    rules = [rule for rule, _ in everywhere]
    ended = ", ".join(f"{rule} ended {tests} of {all_tests}" for rule, tests in everywhere)
    yield from _wrapped(
        f"{ended}, and what is behind it was not looked at. To accept this for now, and go on:", ""
    )
    yield f"  printf '%s\\n' {' '.join(rules)} >> known.txt"
    yield f"  {result.invocation.once_more} --baseline known.txt"


def _fault(seen: FaultSeen, result: Result) -> Iterator[str]:
    yield f"NOT JUDGED  {counted(len(seen.tests), 'test')}: {whose(seen, result)}"
    yield from (f"  {line}" for line in seen.fault.problem.splitlines())


def whose(seen: FaultSeen, result: Result) -> str:
    """Says whose fault it is. A scheduler over the API has no adapter of its own."""
    if seen.fault.whose != ADAPTER:
        return "a fault of the suite itself, not of the scheduler"
    if is_over_the_api(result.invocation.implementation):
        return "the scheduler gave no decision that could be judged"
    return "a fault of the implementation's adapter, not of the scheduler"


def _for_refsched(result: Result) -> Iterator[str]:
    yield from _wrapped(f"PLEASE REPORT  {for_refsched(result)}", "")
    yield f"  {result.to_report}"


def for_refsched(result: Result) -> str:
    """Says what it means that the real kube-scheduler has failed, and what to send."""
    about, asked = result.about, result.invocation
    return (
        f"This is the real {about.name} {about.version}, which is right about what it does. Most likely the"
        " mistake is in the specification, in the recorder that runs kube-scheduler, or in the judge. Please send"
        f" this report, the files of {asked.folder}/ and this command (seed {asked.seed}) to the developers of"
        " refsched:"
    )


# --- The table ------------------------------------------------------------------------------------


def _overview(result: Result) -> Iterator[Paragraph]:
    if result.rules:
        yield Paragraph(tuple(_table(result)))
    yield Paragraph(tuple(_remarks(result)))


def _table(result: Result) -> Iterator[str]:
    areas: dict[str, list[RuleVerdict]] = {}
    for each in result.rules:
        areas.setdefault(each.rule.area, []).append(each)
    width = max(len("rules"), *map(len, areas))
    yield f"{'rules':{width}}" + "".join(f"  {verdict:>13}" for verdict in VERDICTS)
    for area, verdicts in sorted(areas.items()):
        yield _row(area, verdicts, width)
    yield _row("all", result.rules, width)


def _row(name: str, verdicts: Sequence[RuleVerdict], width: int) -> str:
    counts = (sum(each.verdict == verdict for each in verdicts) for verdict in VERDICTS)
    return f"{name:{width}}" + "".join(f"  {count or '·':>13}" for count in counts)


def _remarks(result: Result) -> Iterator[str]:
    if ids := [each.rule.id for each in result.having(NOT_EXERCISED)]:
        yield from _wrapped(f"{NOT_EXERCISED} (nothing in this run would show it broken): {by_area(ids)}", "")
    for each in result.not_judged.untried:
        yield from _wrapped(f"not judged: {untried(each)}", "")
    if result.not_judged.untestable:
        ids = [rule.id for rule in result.not_judged.untestable]
        yield from _wrapped(f"untestable (`refsched rule` says why): {by_area(ids)}", "")
    if result.unshown:
        yield from _wrapped(
            f"claimed, and nothing of it was shown in this run: {', '.join(result.unshown)}", ""
        )
    if absent := result.having(NOT_CLAIMED):
        yield from _wrapped(f"{NOT_CLAIMED}: {_by_need(absent)}", "")
    if later := [each.rule.id for each in result.having(FAIL) if each.later and not each.known]:
        note = f"broken, and not required by the release that was asked for: {', '.join(later)}"
        yield from _wrapped(note, "")
    if known := [each.rule.id for each in result.having(FAIL) if each.known]:
        yield from _wrapped(f"failing, as listed in the baseline: {', '.join(known)}", "")
    if result.stale:
        yield from _wrapped(f"stale in the baseline (they pass): {', '.join(result.stale)}", "")
    if result.not_judged.untested:
        yield f"{counted(result.not_judged.untested, 'rule')} of the catalogue had no test in this run"
    if result.statistics.late:
        yield from _wrapped(not_tried(result), "")
    if result.statistics.ended:
        yield from _wrapped(f"not completed: {ended(result)}", "")
    if result.statistics.without:
        yield from _wrapped(without(result), "")
    if result.statistics.choices:
        yield f"tightness: {tightness(result)}"
    if result.power is not None and not result.failures:
        yield from _wrapped(f"power: {power(result.power)}", "")


def untried(each: Untried) -> str:
    """Says why nobody knows whether some rules were kept, and which."""
    if not each.rules:
        return each.why
    return f"{each.why}; so what was applied of these cannot be called kept: {by_area(each.rules)}"


NAMED = 4
"""This many rules of one area are named; of more the number is given."""


def by_area(ids: Sequence[str]) -> str:
    """Returns the rules, in their order; of an area with many their number."""
    areas: dict[str, list[str]] = {}
    for id in ids:
        areas.setdefault("-".join(id.split("-")[:2]), []).append(id)
    return ", ".join(
        ", ".join(same) if len(same) <= NAMED else f"{len(same)} of {area}" for area, same in areas.items()
    )


def _by_need(absent: Sequence[RuleVerdict]) -> str:
    """Returns the rules by the capability or plugin that is not there and that they need."""
    needs: dict[str, list[str]] = {}
    for each in absent:
        needs.setdefault(" or ".join(each.needs), []).append(each.rule.id)
    return "; ".join(f"{by_area(ids)} (needs {need})" for need, ids in sorted(needs.items()))


def power(power: Power) -> str:
    """Returns the sentence about the power of such a run. Shares are rounded down: 100 % are all of them."""
    tried = f" in what it claims, and tried with --only {power.profile}" if power.profile else ""
    unknown = f"; none was tried that is wrong in {' or '.join(power.beyond)}" if power.beyond else ""
    others = "of others it may kill fewer"
    if (unseen := power.unseen) is not None:
        others = (
            f"of {unseen.tried} others, which nobody had looked at, all histories of the suite"
            f" killed {unseen.killed} ({_percent(unseen.killed, unseen.tried)}, {unseen.measured})"
        )
    return (
        f"a run of this many histories kills {power.killed:,} of the {power.planted:,} wrong schedulers that were"
        f" planted{tried} ({_percent(power.killed, power.planted)}, with seed 0){unknown}; the suite was improved"
        f" with these, so that it is a regression test, and {others}"
    )


def _percent(some: int, of: int) -> str:
    return f"{1000 * some // of / 10:g} %"


def not_tried(result: Result) -> str:
    """Says for what the time of a budget did not suffice."""
    untried = sum(not examples for _, examples in result.statistics.late)
    in_part = ", ".join(test.rpartition("::")[2] for test, examples in result.statistics.late if examples)
    what = [counted(untried, "test")] if untried else []
    what += [f"all histories of {in_part}"] if in_part else []
    return f"not tried: the time of the --budget did not suffice for {' and '.join(what)}"


def ended(result: Result) -> str:
    """Returns how many histories were not run to their end, and the most frequent reasons."""
    why_ended, examples = result.statistics.ended, result.statistics.examples
    total = sum(number for _, number in why_ended)
    reasons = "; ".join(f"{textwrap.shorten(why, WIDTH)} ({number:,})" for why, number in why_ended[:REASONS])
    more = f"; {counted(len(why_ended) - REASONS, 'other reason')}" if len(why_ended) > REASONS else ""
    return f"{total:,} of {examples:,} histories: {reasons}{more}"


def without(result: Result) -> str:
    """Returns which fields were left out, since the implementation does not take them, and how often."""
    fields = ", ".join(f"{field} ({number:,})" for field, number in result.statistics.without)
    return f"answered with unsupported, and left out of this many histories: {fields}"


def tightness(result: Result) -> str:
    """Says how often one outcome only was allowed: where there are more, a wrong one among them passes."""
    if not result.statistics.choices:
        return "no outcome was checked"
    share = 100 * result.statistics.single / result.statistics.choices
    return f"{share:.1f} % of the {result.statistics.choices:,} outcomes checked were the only one allowed"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent or "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
