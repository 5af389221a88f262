# SPDX-License-Identifier: Apache-2.0
"""``refsched replay``."""

from __future__ import annotations

import json
from collections.abc import Sequence

import attrs
import click

from refsched.checking.replay import FileReport, judge_file, trace_files
from refsched.tools.cli.main import AGREED, DISAGREED, NOT_JUDGED


def replay(paths: Sequence[str], *, as_json: bool) -> int:
    """A file that cannot be judged does not keep the others from being judged."""
    reports = []
    for path in trace_files(paths):
        report = judge_file(path)
        reports.append(report)
        if report.error is not None:
            click.echo(f"refsched: {report.error}", err=True)
        elif not as_json:
            _tell(report)
    counted = ("attempts", "agree", "disagree", "unchecked")
    summary = {"traces": len(reports)} | {
        each: sum(getattr(report, each) for report in reports) for each in counted
    }
    not_judged = sum(report.error is not None for report in reports)
    if as_json:
        files = [attrs.asdict(report) for report in reports]
        click.echo(json.dumps({**summary, "files": files}, default=list))
    elif len(reports) > not_judged:
        click.echo(
            f"{summary['traces']} traces, {summary['attempts']} attempts:"
            f" {summary['agree']} agree, {summary['disagree']} disagree"
            + (f", {summary['unchecked']} not judged ({not_judged} traces)" if not_judged else "")
        )
    if any(report.first for report in reports):
        return DISAGREED
    return NOT_JUDGED if not_judged else AGREED


def _tell(report: FileReport) -> None:
    if report.first is None:
        without = f", without known defects: {', '.join(report.without)}" if report.without else ""
        click.echo(f"agrees     {report.file}  {report.attempts} attempts{without}")
        return
    click.echo(f"DISAGREES  {report.file}  {report.disagree} of {report.attempts} attempts")
    first = report.first
    click.echo(f"    line {first.line}, {first.member}")
    click.echo(f"    expected  {json.dumps(first.expected, default=list)}")
    click.echo(f"    recorded  {json.dumps(first.got, default=list)}")
