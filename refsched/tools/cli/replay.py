# SPDX-License-Identifier: Apache-2.0
"""``refsched replay``."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attrs
import click

from refsched.checking.agreement import Disagreement
from refsched.checking.replay import FileReport, judge_file, trace_files
from refsched.checking.trace import Trace
from refsched.errors import counted, one_line, printable
from refsched.processes.garbage_collection import keep_what_there_is
from refsched.records import NodeStatus
from refsched.tools.cli.exit_codes import AGREED, DISAGREED, NOT_JUDGED

DECIDED_BY_ONE_RULE = ("filter", "scores", "totals", "bind", "message")
SHOWN = 2000
"""This many characters of a value are shown; ``-o json`` has all."""

WORTH_A_PROCESS = 100
"""A process starts in the time in which some fifty files are replayed. It is worth that for twice as many."""


def replay(paths: Sequence[str], *, as_json: bool, processes: int | None = None) -> int:
    """Replays the traces, and reports one that cannot be judged without stopping. Without ``processes`` each
    core has one, as far as there are enough files."""
    reports = []
    files = tuple(trace_files(paths))
    for report in _judged(files, processes or worth_starting(len(files))):
        reports.append(report)
        if report.error is not None:
            click.echo(f"refsched: {one_line(report.error)}", err=True)
        elif not as_json:
            _print_report(report)
    verdicts = ("attempts", "agree", "disagree", "unchecked")
    summary = {"traces": len(reports)} | {
        each: sum(getattr(report, each) for report in reports) for each in verdicts
    }
    not_judged = sum(report.error is not None for report in reports)
    if as_json:
        reported = [attrs.asdict(report) for report in reports]
        click.echo(json.dumps({**summary, "files": reported}, default=list))
    elif len(reports) > not_judged:
        click.echo(
            f"{counted(len(reports), 'trace')}, {counted(summary['attempts'], 'attempt')}:"
            f" {summary['agree']} agree, {summary['disagree']} disagree"
            + (f", {summary['unchecked']} not judged ({counted(not_judged, 'trace')})" if not_judged else "")
        )
    if any(report.first for report in reports):
        return DISAGREED
    return NOT_JUDGED if not_judged else AGREED


def worth_starting(files: int) -> int:
    """Returns in how many processes this many files are replayed soonest."""
    return max(1, min(os.cpu_count() or 1, files // WORTH_A_PROCESS))


def _judged(files: Sequence[Path], processes: int) -> Iterator[FileReport]:
    """Yields the reports in the order of the files, whichever is done first. A user who interrupts them
    interrupts this process."""
    if processes == 1:
        yield from map(_judge, files)
        return
    with get_context("spawn").Pool(processes, initializer=_begin) as pool:
        yield from pool.imap(_judge, files)


def _judge(file: Path) -> FileReport:
    return judge_file(file, _judge_watched)


def _judge_watched(trace: Trace) -> FileReport:
    from refsched.tools.running.watched import judge_watched  # other traces do without it

    return judge_watched(trace)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_what_there_is()


def _print_report(report: FileReport) -> None:
    name, first = one_line(report.file), report.first
    if first is None:
        without = f", without known defects: {', '.join(report.without)}" if report.without else ""
        click.echo(f"agrees     {name}  {counted(report.attempts, 'attempt')}{without}{_unseen(report)}")
        return
    click.echo(f"DISAGREES  {name}  {report.disagree} of {report.attempts} attempts{_unseen(report)}")
    rule = _rule_of(Disagreement(first.member, first.expected, first.got))
    about = [
        f"line {first.line}",
        first.member,
        *([first.pod] if first.pod else []),
        *([rule] if rule else []),
    ]
    click.echo(f"    {one_line(', '.join(about))}")
    for member, expected, got in _differing(first.expected, first.got):
        click.echo(f"    expected  {one_line(member)}{_shown(expected)}")
        click.echo(f"    recorded  {one_line(member)}{_shown(got)}")
    if report.disagree > 1:
        click.echo("    later differences may follow from this one")


def _unseen(report: FileReport) -> str:
    if report.bindings_recorded == report.bindings:
        return ""
    return f", {report.bindings_recorded} of {report.bindings} bindings recorded"


def _differing(expected: Any, got: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yields the members in which two statuses differ, or both values if they are no statuses."""
    if not (isinstance(expected, Mapping) and isinstance(got, Mapping)):
        yield "", expected, got
        return
    for member in sorted(expected.keys() | got.keys()):
        if expected.get(member) != got.get(member):
            yield f"{member}: ", expected.get(member), got.get(member)


def _shown(value: Any) -> str:
    text = json.dumps(value, default=list)
    text = printable(text)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


def _rule_of(found: Disagreement) -> str:
    """Returns the rule that decides this member, if the member alone says which."""
    if found.member.partition(".")[0] not in DECIDED_BY_ONE_RULE:
        return ""
    from refsched.suite.catalogue.applied_rules import AppliedRules
    from refsched.suite.catalogue.attribution import Attribution  # traces that agree do without the suite

    return Attribution(AppliedRules()).rule_of(_with_statuses(found))


def _with_statuses(found: Disagreement) -> Disagreement:
    if not found.member.startswith("filter."):
        return found
    expected, got = (
        NodeStatus(each["code"], each.get("plugin", ""), tuple(each.get("reasons", ())))
        if isinstance(each, Mapping)
        else None
        for each in (found.expected, found.got)
    )
    return Disagreement(found.member, expected, got)
