# SPDX-License-Identifier: Apache-2.0
"""``refsched replay``."""

from __future__ import annotations

import json
from collections.abc import Sequence

import attrs
import click

from refsched.cli.main import AGREED, DISAGREED
from refsched.replay import FileReport, replay_file, trace_files

UNCHECKED = 0
"""Every member that a record has is checked."""


def replay(paths: Sequence[str], *, as_json: bool) -> int:
    reports = []
    for path in trace_files(paths):
        report = replay_file(path)
        reports.append(report)
        if not as_json:
            _tell(report)
    summary = {
        "traces": len(reports),
        "attempts": sum(report.attempts for report in reports),
        "agree": sum(report.agree for report in reports),
        "disagree": sum(report.disagree for report in reports),
        "unchecked": UNCHECKED,
    }
    if as_json:
        files = [attrs.asdict(report) for report in reports]
        click.echo(json.dumps({**summary, "files": files}, default=list))
    else:
        click.echo(
            f"{summary['traces']} traces, {summary['attempts']} attempts:"
            f" {summary['agree']} agree, {summary['disagree']} disagree"
        )
    return DISAGREED if any(report.first for report in reports) else AGREED


def _tell(report: FileReport) -> None:
    if report.first is None:
        click.echo(f"agrees     {report.file}  {report.attempts} attempts")
        return
    click.echo(f"DISAGREES  {report.file}  {report.disagree} of {report.attempts} attempts")
    first = report.first
    click.echo(f"    line {first.line}, {first.member}")
    click.echo(f"    expected  {json.dumps(first.expected, default=list)}")
    click.echo(f"    recorded  {json.dumps(first.got, default=list)}")
